# The runner of .t files fails what must fail: each case writes a small .t file and runs tools/cli.py on it.
masks: NUM UTC CWD

## a case passes only when stdout, stderr and exit status are as expected
$ cat > a.t <<'END'
+ ## right
+ $ echo one; echo two >&2; exit 3
+ > one
+ ! two
+ = 3
+ ## stderr is not looked at unless it is named
+ $ echo noise >&2
+ ## wrong stdout
+ $ echo one
+ > two
+ ## too much stdout
+ $ echo one; echo two
+ > one
+ ## stdout missing
+ $ true
+ > one
+ ## wrong stderr
+ $ echo one >&2
+ !
+ ## wrong status
+ $ exit 1
+ ## ended by a signal
+ $ kill -TERM $$
+ = 143
+ END
$ python3 $ROOT/tools/cli.py a.t | grep -E '^(ok|FAILED)'
> ok      a.t: right
> ok      a.t: stderr is not looked at unless it is named
> FAILED  a.t: wrong stdout
> FAILED  a.t: too much stdout
> FAILED  a.t: stdout missing
> FAILED  a.t: wrong stderr
> FAILED  a.t: wrong status
> ok      a.t: ended by a signal
$ python3 $ROOT/tools/cli.py a.t >/dev/null
= 1

## masks match only what they name, and only in files that name them
$ cat > b.t <<'END'
+ masks: TIME SHA
+ ## a time
+ $ echo took 1.5 ms
+ > took <TIME>
+ ## no time
+ $ echo took long
+ > took <TIME>
+ ## too short for a digest
+ $ echo abc
+ > <SHA>
+ ## not named, so literal
+ $ echo 1
+ > <NUM>
+ END
$ python3 $ROOT/tools/cli.py b.t | grep -E '^(ok|FAILED)'
> ok      b.t: a time
> FAILED  b.t: no time
> FAILED  b.t: too short for a digest
> FAILED  b.t: not named, so literal

## dots stand for any lines, the rest still has to match
$ cat > c.t <<'END'
+ ## dots
+ $ seq 5
+ > 1
+ > ...
+ > 5
+ ## dots do not hide a wrong end
+ $ seq 5
+ > ...
+ > 6
+ END
$ python3 $ROOT/tools/cli.py c.t | grep -E '^(ok|FAILED)'
> ok      c.t: dots
> FAILED  c.t: dots do not hide a wrong end

## a missing need skips, a time limit fails
$ cat > d.t <<'END'
+ timeout: 1
+ ## skipped
+ ? false
+ $ false
+ ## run
+ ? true
+ $ true
+ ## too slow
+ $ sleep 30
+ END
$ python3 $ROOT/tools/cli.py d.t
> skipped d.t: skipped
> ok      d.t: run
> FAILED  d.t: too slow
> d.t:9: too slow
>   $ sleep 30
>   ended at the time limit
= 1

## a broken file is refused
$ printf '## x\n' > e.t; python3 $ROOT/tools/cli.py e.t 2>&1 | tail -1
> ValueError: e.t:1: a case without a command
$ printf 'masks: NOSUCH\n## x\n$ true\n' > e.t; python3 $ROOT/tools/cli.py e.t 2>&1 | tail -1
> ValueError: e.t: no such mask: NOSUCH
$ printf 'masks: NUM\n## x\n$ true\n' > e.t; python3 $ROOT/tools/cli.py e.t 2>&1 | tail -1
> ValueError: e.t: mask NUM is named and not used
$ printf '## x\n$ true\nrubbish\n' > e.t; python3 $ROOT/tools/cli.py e.t 2>&1 | tail -1
> ValueError: e.t:3: not a line of a .t file here: 'rubbish'

## the environment is private
$ pwd; echo $HOME | sed "s|$(dirname $PWD)|TMP|"; date -u -d @0 +%Y-%m-%dT%H:%M:%SZ; echo 42
> <CWD>
> TMP/home
> <UTC>
> <NUM>
$ printf '%s\n' '## inner' '$ env | grep -cE "^(CI|SLURM_STEP_ID|CUDA_VISIBLE_DEVICES|LANG|ASSAY_STORE)="' '> 0' '= 1' > env.t; CI=1 SLURM_STEP_ID=7 CUDA_VISIBLE_DEVICES=3 LANG=de_DE ASSAY_STORE=/x python3 $ROOT/tools/cli.py env.t >/dev/null && echo alike
> alike
$ printf '%s\n' 'set: WHERE=$ROOT/tests=$HOME' '## inner' '$ test "$WHERE" = "$ROOT/tests=$HOME" && echo set' '> set' >set.t; python3 $ROOT/tools/cli.py set.t
> ok      set.t: inner
