# assay mcp: what a client names is a regular file of the workspace; links, floods and flags of compilers lead nowhere else.
timeout: 120

## pipes, devices, sockets and folders where files are wanted
$ python3 $ROOT/tests/mcp/border.py special
> asked True answered True
> read as a file 0
> resource -32002
> resource -32002
> says True

## arguments that take long to look at
$ python3 $ROOT/tests/mcp/border.py floods
> refused arguments take 
> refused arguments take 
> refused arguments take 
> refused arguments take 
> deep ended
> deep refused
> deep refused
> wide refused
> uri -32002
> small True

## links where the server and its jobs write
$ python3 $ROOT/tests/mcp/border.py links
> start .assay 2 True []
> start .assay/store 2 True []
> start .assay/cache 2 True []
> start .assay/data 2 True []
> start .assay/tmp 2 True []
> honest ended
> job store 2 True []
> job cache 2 True []
> job data 2 True []
> job tmp 2 True []
> runs 2 True ['run']
> listed []
> read -32002
> named refused ['run']
> named refused ['run']

## headers outside the workspace, a C compiler
$ python3 $ROOT/tests/mcp/border.py flags=c
> absolute stopped
> climbs stopped
> leak stopped
> honest ended 0 unchecked
> honest ended 0 unchecked
> honest ended 0 unchecked
> honest ended 0 unchecked

## headers outside the workspace, nvcc
$ LD_LIBRARY_PATH=$FAKE PATH=$FAKE:$PATH python3 $ROOT/tests/mcp/border.py flags=cu
> absolute stopped
> climbs stopped
> leak stopped
> honest ended 0 unchecked
> honest ended 0 unchecked
> honest ended 0 unchecked
> honest ended 0 unchecked
