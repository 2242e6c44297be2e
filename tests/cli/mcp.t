# assay mcp by raw lines: versions, errors, framing, memory, jobs, cancelling, the workspace.
timeout: 120
folder: disk

## every protocol version, with what it allows in an answer
$ python3 $ROOT/tests/mcp/raw.py versions
> 2024-11-05 2024-11-05 False False
> 2025-03-26 2025-03-26 False False
> 2025-06-18 2025-06-18 True True
> 2025-11-25 2025-11-25 True True
> 1999-01-01 2025-11-25 True True
> 2026-07-28 complete 0 private
> modern call complete False {'jobs': []}

## what is no request, what is unknown, what is wrong
$ python3 $ROOT/tests/mcp/raw.py errors
> no session -32602 1
> version -32022 v 2026-07-28 2031-01-01
> not json -32700 no id
> {"jsonrpc":"2.0","id":7,"method":"nope"} -32601 7
> [] -32600 no id
> 7 -32600 no id
> {} -32600 no id
> {"jsonrpc":"2.0","id":null,"method":"pin -32600 no id
> {"jsonrpc":"2.0","id":1.5,"method":"ping -32600 no id
> {"jsonrpc":"1.0","id":8,"method":"ping"} -32600 8
> {"jsonrpc":"2.0","id":9,"method":"ping", -32602 9
> {"jsonrpc":"2.0","id":10,"id":10,"method -32700 no id
> ÿþ -32700 no id
> [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[ -32700 no id
> tool -32602 2
> cursor -32602 3
> resource -32002 4
> modern resource -32602 5
> prompt -32602 6
> id True {}
> id True {}
> id True {}
> id True {}
> ping {} 0
> bad value refused 2 bench: repeat: -5 is out of range; it must be 0..1000000
> bad key bench: unknown key "repaet"; did you mean "repeat"?
> hidden row "proposer" is no argument of this tool
> no default optimize: "max_iterations" is missing and required: Optimisations after v0: versions are v0 to vN.
> left b''

## batches
$ python3 $ROOT/tests/mcp/raw.py batch
> 5 6
> -32600 no id

## garbage, giant and half lines
$ python3 $ROOT/tests/mcp/raw.py lines
> garbage True g
> giant -32600 no id
> 10 MB 11
> pieces 12
> grown True
> half at the end 13
> cut (-32700, 'no id')

## memory after 10,000 calls
$ cp $DATA/loop/loop_v0.c $DATA/loop/loop.op.json $DATA/loop/loop_ref.c .; python3 $ROOT/tests/mcp/raw.py many
> grown True
> grown by verbs True 0
> in flight True

## pages of resources, files of runs
$ python3 $ROOT/tests/mcp/raw.py pages
> pages True True 60
> read 7
> outside -32002
> outside -32002
> outside -32002
> outside -32002

## jobs
$ cp $DATA/loop/loop_v0.c $DATA/loop/loop.op.json $DATA/loop/loop_ref.c .; python3 $ROOT/tests/mcp/raw.py jobs=loop_v0.c
> handle running True
> one at a time queued
> done ended 0 False True
> says passed True True
> whole assay/bench-v1 True
> size True
> listed True
> cancelled cancelled
> unknown there is no job "j999"; the tool jobs lists them

## cancelling
$ python3 $ROOT/tests/mcp/raw.py cancel=loop_v0.c
> same id -32600
> children [] answered False
> ended True

## the border
$ python3 $ROOT/tests/mcp/raw.py border=loop_v0.c
> refused refused
> refused refused
> refused refused
> refused refused
> flag refused
> out refused
> out inside ended True
> kernel True True
