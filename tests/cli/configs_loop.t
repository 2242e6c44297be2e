# Versions of the loop that come with a set of configurations, on the fake GPU: the simulated clock tells them apart.
needs: assay optimize --help >/dev/null && command -v c++
timeout: 240
masks: CWD

## one configuration of each set is the version: the fastest that is right; all are kept with verdict and time
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c .; mkdir conf k
+ planted() { sh planted $1 TIME 'scale<<<1, 1024>>>(x, y, N - LESS)'; sed -i '1i #ifndef TIME\n#define TIME 6400\n#define LESS 0\n#endif' k/$1.cu; }
+ for v in v0 v1 v2 v3 v4; do planted k_$v; done; S='{"format": "assay/config-set-v1"'
+ echo "$S, \"configurations\": [{\"TIME\": 1600, \"LESS\": 1}, {\"TIME\": 4800, \"LESS\": 0}, {\"id\": \"fast\", \"TIME\": 3200, \"LESS\": 0}, {\"TIME\": 100, \"LESS\": \"none\"}]}" >k/k_v1.set.json
+ echo "$S, \"configurations\": [{\"TIME\": 800, \"LESS\": 1}, {\"TIME\": 900, \"LESS\": 2}], \"fallback\": \"TIME=900,LESS=2\"}" >k/k_v2.set.json
+ echo "$S}" >k/k_v3.set.json
+ echo "$S, \"parameters\": {\"TIME\": [4000, 8000]}, \"configurations\": [{\"id\": \"broken\", \"TIME\": \"none\"}], \"where\": [\"TIME < 8000\"]}" >k/k_v4.set.json; sed -i 's/#define LESS 0//; s/N - LESS/N/' k/k_v4.cu
+ sh proposer 'next=v$((iteration + 1)) set=$(get "$state" next_set_path)' \
+ 	'[ ! -e $here/k_$next.set.json ] || cp $here/k_$next.set.json "${wrong:-$set}"' \
+ 	'propose $next' \
+ 	'[ -z "${killed-}" ] || kill -9 $PPID'
+ cat >opt <<'E'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$FAKE:$PATH exec assay optimize k/k_v0.cu --ref=scale_ref.c --op-file=scale.op.json \
+ --warmup=2 --repeat=10 --skip-warm --skip-integrity --speedup-budget=0 --any-load --compare-budget=3 --without-profile --memory-dir=memory -q "$@"
+ E
+ sh opt --max-iterations=4 --proposer=$PWD/k/propose.sh --run-dir=loop >out; grep '^v[0-9] [^t]' out
> v0 passed, median 0.0064 ms: positive baseline_seed
> v1 comes in 4 configurations: <CWD>/loop/versions/v1.set.json
> v1 passed, median 0.0032 ms with fast: positive faster_than_previous
> v2 comes in 2 configurations: <CWD>/loop/versions/v2.set.json
> v2 output_unwritten: rejected correctness_failed
> v3 prerequisites_missing: rejected build_failed
> v4 comes in 2 configurations: <CWD>/loop/versions/v4.set.json
> v4 passed, median 0.004 ms with TIME=4000: negative slower_or_equal_to_previous
$ cat >look <<'E'
+ import hashlib, json, os
+ m = json.load(open("loop/run_manifest.json"))
+ for i in m["iterations"]:
+     c = i.get("configuration")
+     print(i["iteration"], c and {k: c[k] for k in ("id", "switches", "values", "n", "n_passed")}, i["strategy"]["why"][:160] if i["rejected"] else "-")
+     if not c: continue
+     r = json.load(open(c["results"]))
+     print(" ", r["format"], r["chosen"] == c["id"], r["ranking_source"], c["set_sha256"] == hashlib.sha256(open(c["set"], "rb").read()).hexdigest(), os.path.dirname(c["set"]) == i["folder"])
+     for x in r["results"]:
+         print("  ", x["id"], x["verdict"], x["median_ns"], "second" in x and (x["second"]["verdict"], x["second"]["median_ns"], x["second"]["record"] == i["record"], x["binary_sha256"] == i["binary_sha256"]))
+ print(m["best_measured"], "set" in str(m["frozen"]))
+ print([e["evidence"].get("configuration") for e in m["strategy_memory"]["current_run"]["positive"].values()], [e["closes"].split(", ", 2)[2:] for e in m["strategy_memory"]["current_run"]["negative"].values()])
+ s = json.load(open("loop/final_summary.json"))
+ print(s["comparison"]["best"]["configuration"], s["best"]["best_measured_configuration"]["switches"], [x["configuration"] for x in s["others"]])
+ E
+ python3 look
> 0 None -
> 1 {'id': 'fast', 'switches': '-DTIME=3200 -DLESS=0', 'values': {'LESS': 0, 'TIME': 3200}, 'n': 4, 'n_passed': 2} -
>   assay/configs-v1 True device_record True True
>    TIME=1600,LESS=1 output_unwritten None False
>    TIME=4800,LESS=0 passed 4800.0 False
>    fast passed 3200.0 ('passed', 3200.0, True, True)
>    TIME=100,LESS=none build_failed None False
> 2 {'id': None, 'switches': None, 'values': None, 'n': 2, 'n_passed': 0} none of 2 configurations passed; never written: 2 of 37 elements of 'y', the last 2 elements, first at [35]: nan, expected 1.32813692 (case 'odd', data set 0, c
>   assay/configs-v1 True None True True
>    TIME=800,LESS=1 output_unwritten None False
>    TIME=900,LESS=2 output_unwritten None False
> 3 None <CWD>/loop/iter_v3/v3.set.json: it holds no configuration
> 4 {'id': 'TIME=4000', 'switches': '-DTIME=4000', 'values': {'TIME': 4000}, 'n': 2, 'n_passed': 1} -
>   assay/configs-v1 True device_record True True
>    TIME=4000 passed 4000.0 ('passed', 4000.0, True, True)
>    broken build_failed None False
> 1 False
> [None, 'fast'] [['TIME=4000) in this scope']]
> fast -DTIME=3200 -DLESS=0 [None, 'fast', None, None, 'TIME=4000']

## texts, watch, report and the memory of all runs name it
$ sed -n '/^Best measured/,/^Its/p; /^| v[0-9] (/p' loop/final_summary.md; sed -n '/^## Conf/,/^## Str/p' loop/iter_v1/iteration_summary.md; sed -n '/^## Conf/,/^## Str/p' loop/iter_v0/iteration_summary.md
+ assay watch --once loop -q | grep -o 'v[0-9] ([^ ]*).*0 us\|^best  .*s,'; assay report loop --format=txt | grep -o '^v[14] ([^ ]*'
+ assay report loop -o page.html >out; sed 's/<[^>]*>/ /g; s/  */ /g; s/ $//' page.html | grep -A2 -o 'TIME=4800,LESS=0.*\|fast (the version).*'
> Best measured, without reports (profile_unavailable): v1 <CWD>/loop/iter_v1/v1.cu
>
> Its configuration: fast (`-DTIME=3200 -DLESS=0`), of 4, of which 2 passed; <CWD>/loop/iter_v1/configs.json has all.
> | v1 (fast) | 0.0032 ms | 0.0032 ms | 0.0032 ms | 0.0032 ms | device_record | passed |
> | v1 (fast) | not eligible | positive | faster_than_previous | profile_unavailable: --without-profile was given | 0.0032 ms |
> | v4 (TIME=4000) | not eligible | negative | slower_or_equal_to_previous | profile_unavailable: --without-profile was given | 0.004 ms |
> ## Configurations
>
> 4, of which 2 passed; the version is fast (`-DTIME=3200 -DLESS=0`), by device_record.
>
> | configuration | verdict | median | text |
> |---|---|---|---|
> | TIME=1600,LESS=1 | output_unwritten | - | never written: 1 of 37 elements of 'y', first at [36]: nan, expected 3.50827932 (case 'odd', data set 0, correctness) |
> | TIME=4800,LESS=0 | passed | 0.0048 ms |  |
> | fast | passed | 0.0032 ms |  |
> | TIME=100,LESS=none | build_failed | - | cc: error: ‘none’ was not declared in this scope |
>
> ## Strategy memory
> v1 (fast)       3.20 us
> v4 (TIME=4000)  4.00 us
> best       v1 (fast), median 3.20 us, by time alone: it has no reports,
> v1 (fast)
> v4 (TIME=4000)
> TIME=4800,LESS=0 passed 4.80 us device_record - -
> fast (the version) passed 3.20 us device_record passed 3.20 us
$ assay watch loop --json --once | python3 -c 'import json, sys; j = json.load(sys.stdin); print([v["configuration"] for v in j["versions"]], j["best"]["configuration"])'
> [None, 'fast', None, None, 'TIME=4000'] fast

## the set belongs to the version: a call with another one is none that v0 froze; redo takes the set that lies there then
$ cat >one <<'E'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$FAKE:$PATH exec assay optimize "$@" --ref=scale_ref.c --op-file=scale.op.json --run-dir=by_hand --max-iterations=1 \
+ --warmup=2 --repeat=10 --skip-warm --skip-integrity --speedup-budget=0 --any-load --compare-budget=3 --without-profile --memory-dir=memory -q
+ E
+ cp k/k_v1.set.json k/k_v0.set.json; sh one k/k_v0.cu >out; grep '^v0' out; python3 -c 'import json; s = json.loads("{" + open("out").read().partition("\n{")[2]); print(s["next_set_path"], s["configuration"]["id"])'
+ sed -i 's/3200/6000/' k/k_v0.set.json; sh one k/k_v0.cu --iteration=0 --redo >out; grep '^v0' out; ls by_hand/iter_v0.1/k_v0.set.json by_hand/iter_v0/k_v0.set.json; rm k/k_v0.set.json
> v0 comes in 4 configurations: k/k_v0.set.json
> v0 passed, median 0.0032 ms with fast: positive baseline_seed
> <CWD>/by_hand/versions/v1.set.json fast
> v0 comes in 4 configurations: k/k_v0.set.json
> v0 passed, median 0.0048 ms with TIME=4800,LESS=0: positive baseline_seed
> by_hand/iter_v0.1/k_v0.set.json
> by_hand/iter_v0/k_v0.set.json

## a proposer may write the set of the next version and no other; what a killed one left is put aside, with its set
$ wrong=k/k_v9.set.json sh opt --max-iterations=1 --proposer=$PWD/k/propose.sh --run-dir=touched 2>&1 | grep -v '^[sn{} ]'; rm k/k_v9.set.json
+ (killed=1 sh opt --max-iterations=1 --proposer=$PWD/k/propose.sh --run-dir=killed >out 2>&1); ls killed/versions
+ sh opt --max-iterations=1 --proposer=$PWD/k/propose.sh --run-dir=killed | grep '^v1 p'; ls killed/versions
> run folder: <CWD>/touched
> v0 passed, median 0.0064 ms: positive baseline_seed
> assay: the proposer touched files that are not its own, which ends the run: <CWD>/k/k_v9.set.json
> v1.cu
> v1.set.json
> v1 passed, median 0.0032 ms with fast: positive faster_than_previous
> v1.cu
> v1.cu.partial-1
> v1.set.json
> v1.set.json.partial-1

## a set of v0 that cannot be used ends the call before anything is built; --dry-run names the builds
$ echo '[]' >k/k_v0.set.json; sh opt --max-iterations=1 --run-dir=bad 2>&1; ls bad/iter_v0 2>&1; sh opt --max-iterations=1 --dry-run 2>&1; cp k/k_v1.set.json k/k_v0.set.json; sh opt --max-iterations=1 --dry-run | grep '^set\|^choice\|DTIME' | sed 's, [^ ]*nvcc .* -D, nvcc -D,'; rm k/k_v0.set.json
> run folder: <CWD>/bad
> assay: k/k_v0.set.json: no set of configurations: its format is not "assay/config-set-v1"
> ls: cannot access 'bad/iter_v0': No such file or directory
> assay: k/k_v0.set.json: no set of configurations: its format is not "assay/config-set-v1"
> set          k/k_v0.set.json: 4 builds, 0 left out by conditions, fallback TIME=1600,LESS=1
> TIME=1600,LESS=1 nvcc -DLESS=1 k/k_v0.cu -o FOLDER/kernel.so, unless the same is in the cache
> TIME=4800,LESS=0 nvcc -DLESS=0 k/k_v0.cu -o FOLDER/kernel.so, unless the same is in the cache
> fast         nvcc -DLESS=0 k/k_v0.cu -o FOLDER/kernel.so, unless the same is in the cache
> TIME=100,LESS=none nvcc -DLESS=none k/k_v0.cu -o FOLDER/kernel.so, unless the same is in the cache
> choice       a bench of each of the 4; the lowest median of those that pass is the version, benched again as below

## one that fails when it is benched again gives way to the next; where all do, the version fails
$ cat >nvcc <<'E'
+ #!/bin/sh
+ case "$*" in *-DTIME=3200*) echo >>$COUNT/3200; [ $(wc -l <$COUNT/3200) -lt 3 ] || set -- "$@" -DLESS=1 ;; esac
+ case "$*" in *-DTIME=4800*) echo >>$COUNT/4800; [ $(wc -l <$COUNT/4800) -lt ${most-9} ] || set -- "$@" -DLESS=1 ;; esac
+ exec $FAKE/nvcc "$@"
+ E
+ chmod +x nvcc; cp k/k_v1.set.json k/k_v0.set.json; mkdir n1 n2; export COUNT=$PWD/n1
+ again() { sh opt --max-iterations=0 --no-build-cache --nvcc-bin=$PWD/nvcc --run-dir=$1 | grep '^v0 [^c]'; python3 -c 'import json; m = json.load(open("'$1'/iter_v0/configs.json")); print(m["chosen"], [(x["id"], x["verdict"], x["second"]["verdict"]) for x in m["results"] if "second" in x])'; }
+ again one_fails; grep -c 'benched again' one_fails/iter_v0/iteration_summary.md; export COUNT=$PWD/n2 most=3; again both_fail; sed -n 's/; .*//; s/^- detail: //p' both_fail/iter_v0/iteration_summary.md; rm k/k_v0.set.json
> v0 passed, median 0.0048 ms with TIME=4800,LESS=0: positive baseline_seed
> TIME=4800,LESS=0 [('TIME=4800,LESS=0', 'passed', 'passed'), ('fast', 'passed', 'output_unwritten')]
> 1
> v0 output_unwritten: rejected correctness_failed
> None [('TIME=4800,LESS=0', 'passed', 'output_unwritten'), ('fast', 'passed', 'output_unwritten')]
> 2 of 4 configurations passed, but not when benched again

## a kernel in C whose reports are of the chosen configuration
$ cat >c.c <<'E'
+ void solve(const float *x, float *y, int N)
+ {
+ 	for (int k = 0; k < TIMES; k++)
+ 		for (int i = 0; i < N; i++)
+ 			y[i] = 2 * x[i] + SHIFT;
+ }
+ E
+ echo "{\"format\": \"assay/config-set-v1\", \"parameters\": {\"TIMES\": [1], \"SHIFT\": [0, 1]}}" >c.set.json
+ assay optimize c.c --max-iterations=0 --ref=scale_ref.c --op-file=scale.op.json --repeat=3 --warmup=0 --skip-warm --skip-integrity --speedup-budget=0 --run-dir=c --memory-dir=memory -q >out; sed -n '/^## 1/,/^## 2/p' c/final_summary.md
+ python3 -c 'import hashlib, json; i = json.load(open("c/run_manifest.json"))["iterations"][0]; print(i["binary_sha256"] == hashlib.sha256(open("c/iter_v0/kernel.so", "rb").read()).hexdigest() == json.load(open(i["full_report"]))["binary_sha256"])'
+ assay memory show $(assay memory list --memory-dir=memory --json | grep -o '"fingerprint": "[^"]*' | cut -c17-) --memory-dir=memory | grep -o 'closes .*'
> ## 1. Best version
>
> <CWD>/c/iter_v0/c.c
>
> v0: lowest median, then average, then earlier, among the eligible
>
> Its configuration: TIMES=1,SHIFT=1 (`-DTIMES=1 -DSHIFT=1`), of 2, of which 1 passed; <CWD>/c/iter_v0/configs.json has all.
>
> ## 2. Baseline and best version
> True
> closes   this implementation (v0, ece1bc5eb9e4, TIMES=1,SHIFT=1) in this scope

## a .py chooses its own
? python3 -c 'import numpy'
$ cp c.set.json k.set.json; printf 'import numpy\ndef solve(x, y, N):\n    y[:] = 2 * x + 1\n' >k.py
+ assay optimize k.py --max-iterations=0 --ref=scale_ref.c --op-file=scale.op.json --repeat=3 --warmup=0 --skip-warm --skip-integrity --speedup-budget=0 --run-dir=python --without-profile -q --memory-dir=memory | grep 'set.json\|^v0' | sed 's/, median [^:]*//'
> ./k.set.json is not used: a .py chooses its own configurations
> v0 passed: positive baseline_seed
