# assay config: file, environment, command line, and what a result says of it.
masks: CWD
unset: ASSAY_EVICT

## nothing is set; set, list, get, unset; comments and the other lines stay
$ export XDG_CONFIG_HOME=$PWD/cfg; assay config; assay config set bench.noise 0.3; printf '# mine\n\nwarmup = 4\n' >> cfg/assay/config; assay config set bench.noise 0.4; assay config set quiet yes; cat cfg/assay/config; assay config | sed 's/  */ /g'
+ assay config get bench.noise; assay config get optimize.noise; assay config get warmup; assay config get compare.min-effect; assay config unset warmup; assay config get warmup; echo $?; cat cfg/assay/config
> nothing is set; <CWD>/cfg/assay/config is the file that is read
> bench.noise = 0.3 in <CWD>/cfg/assay/config
> bench.noise = 0.4 in <CWD>/cfg/assay/config
> quiet = yes in <CWD>/cfg/assay/config
> bench.noise = 0.4
> # mine
> 
> warmup = 4
> quiet = yes
> key value from
> bench.noise 0.4 <CWD>/cfg/assay/config:1
> warmup 4 <CWD>/cfg/assay/config:4
> quiet yes <CWD>/cfg/assay/config:5
> 0.4
> 0.5
> 4
> 0.5
> warmup is not set any more in <CWD>/cfg/assay/config
> 1
> bench.noise = 0.4
> # mine
> 
> quiet = yes

## command line before environment before file before built-in; a verb's own before the general one
$ export ASSAY_CONFIG=$PWD/file; printf 'noise = 7\nbench.noise = 6\nwarmup = 9\r\n' > file; e() { assay config --explain bench | awk '$1 == "bench.noise" || $1 == "bench.warmup" || $1 == "bench.gpu" { print $2, $3 }' | tr '\n' ' '; echo; }
+ e; ASSAY_NOISE=5 e; ASSAY_NOISE=5 ASSAY_BENCH__NOISE=4 e; assay config --explain compare --json | grep -A1 'compare.time-budget"'; assay config --explain status | cut -d' ' -f1
> 0 built-in 9 <CWD>/file:3 6 <CWD>/file:2 
> 0 built-in 9 <CWD>/file:3 5 ASSAY_NOISE 
> 0 built-in 9 <CWD>/file:3 4 ASSAY_BENCH__NOISE 
>       "key": "compare.time-budget",
>       "value": "10",
> key
> status.quiet
> status.verbose
> status.color
> The

## what was set stands in the command of a result, in text and record, unless the command line said otherwise
$ K="$ROOT/tests/data/loop/loop_v0.c --op-file=$ROOT/tests/data/loop/loop.op.json --repeat=3 --wait=100"; printf 'warmup = 1\nskip-warm = on\nquiet = true\nforbid = threads\n' > file
+ ASSAY_CONFIG=$PWD/file ASSAY_SPEEDUP_BUDGET=0 assay bench $K --warmup=2 --json-out=record.json | sed -n 's,^command *,,p' | sed "s,$ROOT,ROOT,g"; python3 -c 'import json; print(json.load(open("record.json"))["command"].split(" ")[2:5])'
> assay bench --speedup-budget=0 --forbid=threads --skip-warm ROOT/tests/data/loop/loop_v0.c --op-file=ROOT/tests/data/loop/loop.op.json --repeat=3 --wait=100 --warmup=2 --json-out=record.json
> ['--speedup-budget=0', '--forbid=threads', '--skip-warm']

## --no-FLAG of the command line over a file; a list in a file is replaced, not added to
$ printf 'one-collection = yes\n' > file; ASSAY_CONFIG=$PWD/file assay config get optimize.one-collection; ASSAY_CONFIG=$PWD/file assay optimize nothing.c --max-iterations=0 --no-one-collection
! assay: nothing.c: cannot be opened: No such file or directory
> yes
= 2

## broken lines: one line with its number, the nearest name, exit status 2, for every verb
$ export ASSAY_CONFIG=$PWD/bad; t() { printf "# c\n$1\n" > bad; assay status; echo $?; }; t nois=1; t bench.nois=1; t bech.noise=1; t noise; t =1; t noise=; t noise=abc; t bench.noise=200; t report.format=pdf; t quiet=maybe; t 'noise=1\nnoise=2'; t bench.ref=x; t max-iterations=3; t json=true; t 'noise=\377'
! assay: <CWD>/bad:2: 'nois' is no option of any verb, did you mean 'noise'?; assay config --explain lists them
! assay: <CWD>/bad:2: 'nois' is no option of bench, did you mean 'noise'?; assay config --explain lists them
! assay: <CWD>/bad:2: there is no verb 'bech', did you mean 'bench'?; assay --help lists them
! assay: <CWD>/bad:2: 'noise': a line is `option = value` or `verb.option = value`
! assay: <CWD>/bad:2: '=1': a line is `option = value` or `verb.option = value`
! assay: <CWD>/bad:2: noise has no value; a line that begins with # is none
! assay: <CWD>/bad:2: noise: 'abc' is not a number
! assay: <CWD>/bad:2: bench.noise: 200 is out of range; it must be 0.001..100
! assay: <CWD>/bad:2: report.format: 'pdf' is not one of html, md, json, csv, txt
! assay: <CWD>/bad:2: quiet: 'maybe' is neither true nor false
! assay: <CWD>/bad:3: noise is set in line 2 already
! assay: <CWD>/bad:2: 'ref' of bench belongs to what one call asks for: a configuration does not set it; give it with the call
! assay: <CWD>/bad:2: 'max-iterations' of optimize belongs to what one call asks for: a configuration does not set it; give it with the call
! assay: <CWD>/bad:2: 'json' of doctor belongs to what one call asks for: a configuration does not set it; give it with the call
! assay: <CWD>/bad:2: is no text in UTF-8
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2
> 2

## a variable that names a verb and no option of it; a byte order mark; a reader that goes
$ ASSAY_BENCH__NOIS=3 assay status
! assay: ASSAY_BENCH__NOIS: 'nois' is no option of bench, did you mean 'noise'?; assay config --explain lists them
= 2
$ ASSAY_BENCH__JSON_OUT=x assay status
! assay: ASSAY_BENCH__JSON_OUT: 'json-out' of bench belongs to what one call asks for: a configuration does not set it; give it with the call
= 2
$ ASSAY_OTHER__THING=1 ASSAY_BENCH__NOIS= assay status >/dev/null; printf '\357\273\277noise = 2\n' >bom; ASSAY_CONFIG=$PWD/bom assay config get noise
> 2
$ { assay schema bench; echo $? >&2; } | head -c 5 >/dev/null
! 0

## a broken file is mended by the verb itself; help and version do not read it; no file, a folder, too large, a variable
$ export ASSAY_CONFIG=$PWD/bad; printf 'nonsense = 1\nnoise = 2\n' > bad; assay --version | cut -d' ' -f1; assay bench --help | head -1 | cut -c1-18; assay config; assay config unset nonsense; assay config | tail -1 | sed 's/  */ /g'; assay config unset nonsense
+ ASSAY_CONFIG=$PWD/none assay status; mkdir folder; ASSAY_CONFIG=$PWD/folder assay status; head -c 70000 /dev/zero | tr '\0' '#' > bad; assay status; printf '' > bad; assay status; ASSAY_WARMUP=-1 assay status
> assay
> usage: assay bench
> nonsense is not set any more in <CWD>/bad
> noise 2 <CWD>/bad:1
> no lease is held
! assay: <CWD>/bad:1: 'nonsense' is no option of any verb; assay config --explain lists them
! assay: config: nonsense is not set in <CWD>/bad
! assay: <CWD>/none: cannot be opened: No such file or directory
! assay: <CWD>/folder: is a folder, a file is wanted
! assay: <CWD>/bad: more than 65536 bytes, which is the most that is read
! assay: ASSAY_WARMUP: warmup: -1 is out of range; it must be 0..1000000
= 2

## wrong calls of the verb; without HOME there is no file
$ assay config burn; assay config get; assay config get nothing.noise; assay config set noise; assay config set 'noise
+ ' 3; assay config set noise abc; assay config --explain nothing; assay config --explain bench compare; env -u HOME -u XDG_CONFIG_HOME -u ASSAY_CONFIG assay config set noise 3; env -u HOME -u XDG_CONFIG_HOME assay config
! assay: config: it takes list, get KEY, set KEY VALUE, unset KEY, or --explain [VERB]
! assay: config: it takes list, get KEY, set KEY VALUE, unset KEY, or --explain [VERB]
! assay: config: there is no verb 'nothing'; assay --help lists them
! assay: config: it takes list, get KEY, set KEY VALUE, unset KEY, or --explain [VERB]
! assay: config set: key and value are one line, without = in the key
! assay: config set: noise: 'abc' is not a number
! assay: config --explain: there is no verb 'nothing'; assay --help lists them
! assay: config --explain: takes one verb at most
! assay: config: there is no place for the file: neither XDG_CONFIG_HOME nor HOME is set
> nothing is set; no file (neither XDG_CONFIG_HOME nor HOME) is the file that is read

## many at once: no line is lost
$ export XDG_CONFIG_HOME=$PWD/many; for k in warmup noise quiet verbose min-effect wait bench.warmup bench.noise bench.quiet compare.min-effect compare.quiet status.quiet; do assay config set $k 1 >/dev/null & done; wait; wc -l <many/assay/config; ls -A many/assay
+ for k in warmup noise quiet verbose min-effect wait; do assay config unset $k >/dev/null & done; wait; wc -l <many/assay/config
> 12
> config
> 6

## every variable names one option and none that the program uses otherwise; calls of the protocol take only how they talk
$ assay config --explain --json | python3 -c '
+ import json, sys
+ rows = json.load(sys.stdin)["options"]
+ names = [r["variable"] for r in rows] + sorted({"ASSAY_" + r["key"].split(".")[1].upper().replace("-", "_") for r in rows})
+ print(len(names) == len(set(names)), len(rows) > 60)
+ print(set(names) & {"ASSAY_LEASE_DIR", "ASSAY_IDLE_WAIT", "ASSAY_CACHE_DIR", "ASSAY_FAILPOINT", "ASSAY_CALL", "ASSAY_LEASE", "ASSAY_CONFIG"})
+ formal = {"request", "handoff", "mcp", "verify", "target", "baseline", "experiment", "screen", "audit", "champion", "cancel"}
+ print(sorted({r["key"].split(".")[1] for r in rows if r["key"].split(".")[0] in formal} - {"quiet", "verbose", "color", "store"}))'
> True True
> set()
> []
