# assay watch: a run as it is now, from its files, and nothing of it touched.
needs: assay watch --help >/dev/null && command -v cc
timeout: 120
masks: NUM CWD PATH TIME
unset: ASSAY_EVICT

## no such folder, a file, a folder without a run, a folder of runs, a manifest that is none
$ assay watch nothing; touch file; assay watch file; mkdir -p empty runs/one; assay watch empty; echo '{"format": "assay/run-v1"' > runs/one/run_manifest.json; assay watch runs; assay watch runs/one; echo '{"format": "x"}' > runs/one/run_manifest.json; assay watch runs/one; assay watch; assay watch runs --interval=0
! assay: nothing: No such file or directory
! assay: file: is a file; a run is the folder that assay optimize made
! assay: empty: is no run: it has no run_manifest.json; a run is a folder that assay optimize made
! assay: runs: is a folder of runs, not a run; the newest is runs/one
! assay: <CWD>/runs/one/run_manifest.json: line 2 column 1: the text ends where ',' or '}' was expected
! assay: <CWD>/runs/one/run_manifest.json: is no run manifest (its format is not assay/run-v1)
! assay: watch: needs RUN; 0 of at least 1 given (see assay watch --help)
! assay: watch: --interval: 0 is out of range; it must be 0.1..3600
= 2

## a run while it works: phases and versions as lines, until it ends
$ D=$ROOT/tests/data/loop; cat > go.sh <<END
+ exec assay optimize $D/loop_v0.c --backend=c --ref=$D/loop_ref.c --op-file=$D/loop.op.json --proposer=$D/propose.sh \
+ --warmup=1 --repeat=5 --skip-warm --min-effect=20 --compare-budget=30 --quiet --any-load --wait=100 "\$@"
+ END
+ ASSAY_EVICT=1 sh go.sh --max-iterations=1 --repeat=50 --run-dir=run >/dev/null 2>&1 & n=0; until [ -e run/.live.json ] || [ $n = 400 ]; do sleep 0.05; n=$((n + 1)); done
+ assay watch run --interval=0.1 > seen; echo $?; wait; head -n 1 seen; grep -c '^[0-9:]*Z v0 of 1: bench loop_v0.c: ' seen | sed 's/[1-9][0-9]*/some/'
+ grep -c 'Z v1 of 1: \(bench\|compare\|reports\)' seen | sed 's/[1-9][0-9]*/some/'; sed -n 's/^[0-9:]*Z \(v[01] passed\)/\1/p' seen; tail -n 2 seen; ls -A run | grep -c live; true
> 0
> run <CWD>/run
> some
> some
> v0 passed, median <TIME>: positive baseline_seed
> v1 passed, median <TIME>: positive faster_than_previous
> state      ended: max_iterations, v0 to v1 are evaluated; <TIME> in all
> best       v1, median <TIME>, v0 takes <NUM> times as long: faster
> 0

## a run that has ended: a picture, a document; no file of it is touched
$ find run -printf '%p %T@ %s\n' | sort > before; assay watch run --once | sed 's/  */ /g'; assay watch run --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["format"], d["state"], d["now"], d["resume"], d["best"]["iteration"], [v["reason"] for v in d["versions"]], d["ended"]["reason"])'
+ LC_ALL=C assay watch run --once | sed -n 's/^speed *//p'; assay watch run --once --quiet | grep -c '^speed'; find run -printf '%p %T@ %s\n' | sort > after; cmp before after
> run <CWD>/run
> kernel loop_v0.c, backend c, v0 to v1
> state ended: max_iterations, v0 to v1 are evaluated; <TIME> in all
> version median gain verdict outcome tags
> v0 <TIME> - passed positive baseline
> v1 <TIME> <NUM> % (<NUM> to <NUM>) passed positive fewer_rounds
> speed ▁█ v0's median over each version's, at most <NUM>
> best v1, median <TIME>, v0 takes <NUM> times as long: faster
> assay/watch-v1 ended None None 1 ['baseline_seed', 'faster_than_previous'] max_iterations
> .@ v0's median over each version's, at most <NUM>
> 0

## on a terminal the picture is drawn again in its place; no line is wider; the last one stays
$ sh go.sh --max-iterations=0 --run-dir=drawn >/dev/null 2>&1 & n=0; until [ -e drawn/.live.json ] || [ $n = 400 ]; do sleep 0.05; n=$((n + 1)); done
+ python3 $DATA/terminal.py 60 20 assay watch drawn --interval=0.1 > picture; echo $?; wait; grep -c '<ESC>\[[0-9]*A<CR>' picture | sed 's/[1-9][0-9]*/again/'
+ sed 's/<ESC>\[[0-9;]*[A-Za-z]//g; s/<CR>//' picture | awk 'length > 60' | grep -v "^run \|^state "; tail -n 1 picture
> 0
> again
> best       v0, median <TIME>

## its process was killed: said, with the command that goes on; that command does
$ D=$ROOT/tests/data/loop; cp $D/loop_v0.c $D/loop_ref.c $D/loop.op.json .; assay optimize loop_v0.c --op-file=loop.op.json --max-iterations=0 --without-profile --warmup=1 --repeat=3 --skip-warm --quiet --wait=100 >/dev/null 2>&1 & p=$!
+ n=0; until ls assay-runs/*/iter_v0/.attempt >/dev/null 2>&1 || [ $n = 400 ]; do sleep 0.05; n=$((n + 1)); done; kill -9 $p; wait $p 2>/dev/null
+ assay watch assay-runs/* > gone; echo $?; grep -v '^run' gone | sed 's/process [0-9]*/process N/; s/loop_v0-[0-9TZ]*/loop_v0-UTC/'; assay watch --json assay-runs/* | grep -c '"state": "gone"'
+ sh -c "$(sed -n 's/^goes on by //p' gone)" 2>/dev/null | grep '^v0'; assay watch assay-runs/* | sed 's,^[0-9:]*Z,TZ,'; echo $?
> 1
> state      gone: process N ended in the middle of it; <TIME> in all
> goes on by assay optimize loop_v0.c --op-file=loop.op.json --max-iterations=0 --without-profile --warmup=1 --repeat=3 --skip-warm --quiet --wait=100 --run-dir=<CWD>/assay-runs/loop_v0-UTC
> 1
> v0 passed, median <NUM> ms: positive baseline_seed
> run <CWD>/<PATH>
> TZ v0 passed, median <TIME>: positive baseline_seed
> state      ended: max_iterations, v0 to v0 are evaluated; <TIME> in all
> best       v0, median <TIME>, by time alone: it has no reports
> 0

## by hand: between two calls no process works in it, and what is due is said; --wait waits for it
$ D=$ROOT/tests/data/loop; assay optimize loop_v0.c --op-file=loop.op.json --max-iterations=2 --run-dir=hand --warmup=1 --repeat=3 --skip-warm --quiet --wait=100 >/dev/null 2>&1; assay watch hand | grep -v Z; assay watch hand --wait=0.3 --interval=0.1 | grep -c waiting
> run <CWD>/hand
> state      waiting: no process works in it; <TIME> in all
> best       v0, median <TIME>
> next       <CWD>/hand/versions/v1.c
> goes on by assay optimize loop_v0.c --op-file=loop.op.json --max-iterations=2 --run-dir=hand --warmup=1 --repeat=3 --skip-warm --quiet --wait=100
> 1

## on the (fake) GPU: the newest timed call and the clock that it ran at
? command -v c++
$ mkdir gpu; cd gpu; cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c .; sh kernel k 'SCALE;'; export LD_LIBRARY_PATH=$FAKE PATH=$FAKE:$PATH
+ assay optimize k.cu --ref=scale_ref.c --op-file=scale.op.json --max-iterations=0 --repeat=20000 --skip-warm --skip-integrity --without-profile --run-dir=loop -q --wait=100 >out 2>&1 & p=$!
+ n=0; until assay watch loop --json 2>/dev/null >now; grep -q '"clock_mhz": 1980' now || [ $n = 400 ]; do sleep 0.05; n=$((n + 1)); done; grep -o '"clock_mhz": 1980\|"time_ns": 3200\|"unit": "samples"\|"phase": "cold"' now; assay watch loop --once | sed -n 's/^last call/&/p'; kill $p; wait $p; assay watch loop --once | sed -n 's/^state *//p'; assay watch loop | grep -c '^goes on by assay optimize k.cu .* --run-dir=loop'
> "clock_mhz": 1980
> "phase": "cold"
> "unit": "samples"
> "time_ns": 3200
> last call  3.20 us at 1980 MHz
> interrupted at v0; <TIME> in all
> 1

## a damaged manifest or live file, each value of it replaced in turn, is read as far as it goes or refused; never a crash
$ cat > damage.py <<'END'
+ import copy, json, os, subprocess, sys
+ whole = json.load(open("run/run_manifest.json"))
+ live = {"format": "assay/live-v1", "pid": 1, "start_time": 1, "pid_space": "x", "updated_unix_ns": 9 * 10**18, "command": "a b", "begun_at": "2026-01-01T00:00:00Z",
+         "updated_at": "2026-01-01T00:00:01Z", "time_ns": 5.0, "clock_mhz": 1.0, "left_seconds": 1.0, "levels": [{"what": "w", "phase": "p", "done": 1, "most": 2, "unit": "u"}]}
+ junk = [None, 7, -1e300, "text", [], {}, [[]], [{}], {"a": 1}, [None, "x"]]
+ os.makedirs("hurt", exist_ok=True)
+ def spots(j, path=()):
+     for k in (j if isinstance(j, dict) else range(len(j)) if isinstance(j, list) else ()):
+         yield path + (k,)
+         if len(path) < 4 and k not in ("strategy_memory", "constraints", "frozen", "times", "seconds"):
+             yield from spots(j[k], path + (k,))
+ n = 0
+ def look(manifest, now):
+     global n
+     json.dump(manifest, open("hurt/run_manifest.json", "w"))
+     json.dump(now, open("hurt/.live.json", "w"))
+     for words in (["--once"], ["--json"]):
+         with open("said", "w") as said:  # without pipes and with these descriptors a start costs a third
+             r = subprocess.run([os.environ["ASSAY"], "watch", "hurt"] + words, stdout=said, stderr=said, close_fds=False, timeout=60)
+         n += 1
+         if r.returncode not in (0, 1, 2, 4):
+             print(r.returncode, words, open("said").read()[-300:])
+ for base, other, first in ((whole, live, True), (live, whole, False)):
+     for i, spot in enumerate(spots(base)):
+         for value in (junk if not first else junk[i % 3::3]):
+             hurt = copy.deepcopy(base)
+             at = hurt
+             for k in spot[:-1]:
+                 at = at[k]
+             at[spot[-1]] = value
+             look(hurt, other) if first else look(other, hurt)
+ print(n > 400)
+ END
+ python3 damage.py
> True
