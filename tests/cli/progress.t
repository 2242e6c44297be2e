# What takes long says so on stderr: one line that overwrites itself, on a terminal only, and nothing of it into stdout.
needs: command -v cc
timeout: 120

## on a terminal: phases with their budgets, no line wider than it, and the line is taken back
$ cp $ROOT/tests/data/loop/loop_v0.c $ROOT/tests/data/loop/loop.op.json .; O="loop_v0.c --op-file=loop.op.json --warmup=1 --time-budget=0.4 --noise=0.001 --skip-warm --wait=100"; echo "$O" > options
+ python3 $DATA/terminal.py 70 20 sh -c "assay bench $O > out" > lines; echo $?; grep -c '^<ESC>\[Kbench loop_v0.c: cold, [0-9]* samples, [0-9.]* s of 0.4 s' lines | sed 's/[1-9][0-9]*/some/'
+ sed 's/<ESC>\[K//; s/<CR>//' lines | awk 'length > 69'; tail -c 7 lines; echo; grep -c '<ESC>\|of 0.4 s' out; true
> 0
> some
> <ESC>[K
> 0

## nothing where nobody reads along, nothing with --quiet
$ O=$(cat options); assay bench $O 2>&1 >/dev/null | wc -c; python3 $DATA/terminal.py 70 20 sh -c "assay bench $O --quiet > out"; COLUMNS=20 assay compare loop_v0.c loop_v0.c --op-file=loop.op.json --time-budget=0.5 --wait=100 2>&1 >/dev/null | wc -c
> 0
> 0

## a comparison counts its placements
$ python3 $DATA/terminal.py 100 20 sh -c "assay compare loop_v0.c loop_v0.c --op-file=loop.op.json --placements=8 --wait=100 > out" > lines; grep -c '^<ESC>\[Kcompare loop_v0.c loop_v0.c: placements, [0-9] of 8 placements' lines | sed 's/[1-9][0-9]*/some/'
> some

## a tool that answers slowly is waited for in sight; a verb that is over at once shows no line
$ printf '#!/bin/sh\nsleep 1.5\necho Cuda compilation tools, release 12.4, V12.4.131\n' > nvcc; chmod +x nvcc; python3 $DATA/terminal.py 80 20 sh -c 'assay doctor --nvcc-bin=./nvcc > out' > lines; grep -c '^<ESC>\[Kdoctor: tools' lines | sed 's/[1-9][0-9]*/some/'; tail -c 7 lines; echo
+ python3 $DATA/terminal.py 80 20 sh -c 'assay status > out; assay memory export m.json > out' | grep -c 'ESC'; true
> some
> <ESC>[K
> 0

## what a run says early begins on a line of its own, behind the progress that is taken back
$ cp $ROOT/tests/data/loop/* .; export examples=$ROOT/examples; python3 $DATA/terminal.py 100 20 assay optimize loop_v0.c --max-iterations=0 --op-file=loop.op.json --ref=loop_ref.c --warmup=1 --repeat=5 --skip-warm --without-profile --wait=100 > lines; grep -c '^<ESC>\[Kv0 passed, median' lines
> 1
