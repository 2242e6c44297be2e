# assay mcp with the official Python client, which tools/deps.sh mcp fetches from PyPI into build/mcp-venv.
needs: test -x $ROOT/build/mcp-venv/bin/python
timeout: 180

## every mode: list, call, progress, cancel, errors, resources, prompts
$ cp $DATA/loop/loop_v0.c $DATA/loop/loop.op.json $DATA/loop/loop_ref.c .; $ROOT/build/mcp-venv/bin/python $ROOT/tests/mcp/client.py drive loop_v0.c
> legacy 2024-11-05 True True
>  call False 0 True
>  progress True True 0
>  bad argument True bench: gpu: 5000 is out of range; it must be 0..1023
>  no tool -32602
>  no prompt -32602
>  no resource -32002
>  cancelled
>  rest True 2 True
> legacy 2025-03-26 True True
>  call False 0 True
>  progress True True 0
>  bad argument True bench: gpu: 5000 is out of range; it must be 0..1023
>  no tool -32602
>  no prompt -32602
>  no resource -32002
>  cancelled
>  rest True 2 True
> legacy 2025-06-18 True True
>  call False 0 True
>  progress True True 0
>  bad argument True bench: gpu: 5000 is out of range; it must be 0..1023
>  no tool -32602
>  no prompt -32602
>  no resource -32002
>  cancelled
>  rest True 2 True
> legacy 2025-11-25 True True
>  call False 0 True
>  progress True True 0
>  bad argument True bench: gpu: 5000 is out of range; it must be 0..1023
>  no tool -32602
>  no prompt -32602
>  no resource -32002
>  cancelled
>  rest True 2 True
> auto 2026-07-28 True True
>  call False 0 True
>  progress True True 0
>  bad argument True bench: gpu: 5000 is out of range; it must be 0..1023
>  no tool -32602
>  no prompt -32602
>  no resource -32602
>  cancelled
>  rest True 2 True
> 2026-07-28 2026-07-28 True True
>  call False 0 True
>  progress True True 0
>  bad argument True bench: gpu: 5000 is out of range; it must be 0..1023
>  no tool -32602
>  no prompt -32602
>  no resource -32602
>  cancelled
>  rest True 2 True

## every line of every protocol version
$ $ROOT/build/mcp-venv/bin/python $ROOT/tests/mcp/client.py schema
> 2024-11-05 14 lines valid
> 2025-03-26 14 lines valid
> 2025-06-18 14 lines valid
> 2025-11-25 14 lines valid
> 2026-07-28 14 lines valid

## from nothing to a result
$ $ROOT/build/mcp-venv/bin/python $ROOT/tests/mcp/client.py six loop_v0.c
> ['bench', 'doctor', 'job'] 0 0 passed
> calls 4
