# The drivers that `assay driver new` writes, each unchanged through readiness, baseline, experiment, target, select, audit.
needs: command -v cc

## the helpers
$ cat >go <<'S'
+ python3 -S $DATA/protocol/make.py "$@" || exit
+ name=$1; assay request $name.json --wait >$name.out 2>err; echo "$name $? $(sed -n 's/.*"error": "\(.*\)", "error_code.*/\1/p' err)"
+ S
+ cat >chain <<'S'
+ # chain COMMAND SCOPE: everything, with original, candidate and reference as they stand
+ python3 -S $DATA/protocol/make.py setup fill=1 cases=1 effect=5 command_line="$1" extra='{}' || exit; rm -f original/cost candidate/cost
+ assay request readiness.json >readiness.out 2>err || cat err
+ sh ../go baseline cases=1 samples=3; sh ../go experiment effect=5 scope=$2; sh ../go target cases=1 pairs=4; sh ../go champion do=show; mv champion.out show.out; sh ../go select; sh ../go audit cases=1 pairs=4
+ S

## python
$ mkdir py; cd py; assay driver new --lang python -o driver.py; mkdir original candidate reference
+ printf 'def solve(case):\n    return sum(i * i for i in range(60000))\n' >original/solve.py; cp original/solve.py reference/; printf 'def solve(case):\n    n = 59999\n    return n * (n + 1) * (2 * n + 1) // 6\n' >candidate/solve.py; sh ../chain "python3 -S $PWD/driver.py" solve.py
> baseline 0 
> experiment 0 
> target 0 
> champion 0 
> select 0 
> audit 0 

## sh
$ mkdir sh; cd sh; assay driver new --lang sh >driver.sh; mkdir original candidate reference; printf '#!/bin/sh\nsleep 0.2\necho done $1\n' >original/run; printf '#!/bin/sh\necho done $1\n' >candidate/run; chmod +x */run; cp original/run reference/; sh ../chain "sh $PWD/driver.sh" run
> baseline 0 
> experiment 0 
> target 0 
> champion 0 
> select 0 
> audit 0 

## C
$ mkdir c; cd c; assay driver new --lang c -o driver.c; cc -O2 -D_GNU_SOURCE -o driver driver.c; mkdir original candidate reference; echo 3000000 >original/work; echo 30000 >candidate/work; echo 10 >reference/work; sh ../chain "$PWD/driver" work
> baseline 0 
> experiment 0 
> target 0 
> champion 0 
> select 0 
> audit 0 

## a file that is there is not overwritten
$ cd c; assay driver new --lang c -o driver.c
! assay: driver.c: cannot be made, or is there already
= 2
