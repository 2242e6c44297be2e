# assay doctor: facts about the machine, its tools, and what is missing. Tools are scripts here.
masks: CWD PAD

## a machine is described, whatever it has; nothing is required without options
$ assay doctor > text; echo $?; cut -c1-8 text | sort -u | grep -c -e '^machine ' -e '^driver ' -e '^nvcc ' -e '^python3 '
> 0
> 4
$ COLUMNS=80 assay doctor | awk 'length > 80'
$ assay doctor --json > j; grep -e '"format"' -e '"missing"' -e '"needs"' -e '"ready"' j
>   "format": "assay/preflight-v1",
>   "missing": [],
>   "needs": [],
>   "ready": true,

## tools are found on PATH, with their version; one that fails or is no tool is one row
$ mkdir bin; tool() { printf '#!/bin/sh\n%s\n' "echo x >> $PWD/$1.calls; $2" > bin/$1; chmod +x bin/$1; }
+ tool nvcc "echo 'Cuda compilation tools, release 12.4, V12.4.131'"
+ tool ncu "echo Nsight; echo 'Version 2025.3.1.0 (build 1)'"
+ tool nsys "echo broken >&2; exit 3"
+ tool compute-sanitizer ""
+ printf '\177ELF' > bin/cuobjdump; chmod +x bin/cuobjdump
$ export PATH=$PWD/bin:$PATH; COLUMNS=200 assay doctor > text; grep -e '^nvcc' -e '^ncu' -e '^nsys' -e '^compute-s' -e '^cuobjdump' text
> nvcc <PAD> 12.4.131 <PAD> <CWD>/bin/nvcc
> ncu <PAD> 2025.3.1.0 <PAD> <CWD>/bin/ncu
> nsys <PAD> broken <PAD> <CWD>/bin/nsys
> compute-sanitizer <PAD> broken <PAD> <CWD>/bin/compute-sanitizer
> cuobjdump <PAD> broken <PAD> <CWD>/bin/cuobjdump
> nsys <PAD> <CWD>/bin/nsys --version: exit 3
> compute-sanitizer <PAD> <CWD>/bin/compute-sanitizer --version: it printed nothing
> cuobjdump <PAD> <CWD>/bin/cuobjdump: cannot be started: Exec format error

## a tool is asked once, until its file changes
$ export PATH=$PWD/bin:$PATH; wc -l < ncu.calls; assay doctor > again; wc -l < ncu.calls; touch -d 2001-01-01 bin/ncu; assay doctor > again; wc -l < ncu.calls
> 1
> 1
> 2

## both files are written, and are what is printed
$ assay doctor --json --out a/b > j; cmp j a/b/preflight_check.json; head -3 a/b/preflight_check.md | cut -c1-11
> # Preflight
> 
> Ready at 20

## what is named must be there: one line with what to do, exit 3
$ assay doctor --nvcc-bin nowhere/nvcc --json > j
= 3
$ grep -A2 '"missing"' j
>   "missing": [
>     "nvcc was not found (nvcc: 'nowhere/nvcc' is no executable file; --nvcc-bin names the one to use): install the CUDA toolkit, or name one with --nvcc-bin"
>   ],
$ COLUMNS=200 assay doctor --ncu-bin bin/nsys | grep missing
> missing    ncu does not answer: <CWD>/bin/nsys --version: exit 3; --ncu-bin names another one
$ assay doctor --python nowhere/python > text
= 3
$ assay doctor --gpu 1000 > text
= 3
$ grep -c '^missing    ' text
> 1

## a backend's needs
$ CC=$PWD/bin/ncu assay doctor --backend c | tail -1
> ready      cc
$ CC=$PWD/bin/nsys assay doctor --backend c > text
= 3

## usage and a folder that cannot be written
$ assay doctor --backend fortran
! assay: doctor: --backend: 'fortran' is not one of c, cuda, cutlass, triton, torch
= 2
$ assay doctor FILE
! ...
= 2
$ echo > file; assay doctor --out file/below
! assay: file/below: cannot be made: Not a directory
= 4
