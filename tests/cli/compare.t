# compare: checked first, then taking turns; what cannot be compared is refused with the reason. No time is asserted.
needs: assay compare --help >/dev/null
masks: NUM
timeout: 120

## the kernels
$ kernel() { printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n\t%b\n}\n' "$2" >$1.c; }
+ kernel right ''
+ kernel twice 'for (volatile int k = 0; k < 40; k++)\n\t\tfor (int i = 0; i < N; i++)\n\t\t\ty[i] = 2 * x[i] * (k < 40);'
+ kernel wrong 'y[N / 2] += 1;'
+ kernel later 'static int n;\n\tif (n++ > 9)\n\t\ty[0] = 9;'
+ kernel crash 'static int n;\n\tif (n++ > 9)\n\t\t*(volatile int *)8 = 1;'
+ kernel broken 'return 1'
+ printf 'void solve(const float *x, float *y, long N)\n{\n\tfor (long i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >wide.c
+ printf 'void solve(const double *x, double *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >real.c
+ printf 'void solve(float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2;\n}\n' >less.c
+ printf 'extern "C" void solve(const float *x, float *y, int N)\n{\n}\n' >gpu.cu
+ cat >run <<'E'
+ # verdict of each side, why, and the exit status
+ assay compare "$@" --ref right.c --N=20000 --cache=warm --placements=6 --blocks=2 --calls=3 -q --json --any-load >r.json 2>err
+ status=$?
+ cat err
+ python3 - <<'P'
+ import json, os
+ if os.path.getsize("r.json"):
+     r = json.load(open("r.json"))
+     for s in r["sides"]:
+         v = s["verdict"]
+         measured = v["stage"] == "comparison" and v["word"] in ("faster", "slower", "equivalent", "inconclusive")
+         print(s["label"], "measured" if measured and s["effect"] else v["word"], v["text"] if not s.get("effect") else "")
+ P
+ echo "= $status"
+ E

## two right kernels: every number can be made again from the trial
$ sh run right.c twice.c
> A passed 
> B measured 
> = 0
$ python3 -c 'import json; r = json.load(open("r.json")); print(r["format"], r["run"]["n_placements"], r["run"]["n_timed_calls"], r["run"]["stop"], r["same_binary"], r["sides"][1]["n_looks_at_timed_calls"])'
> assay/compare-v1 6 144 count False 12
$ id=$(python3 -c 'import json; print(json.load(open("r.json"))["trial"])')
+ object=$(find $HOME $XDG_DATA_HOME -path "*objects/*" -name "${id#??}" | head -1); $ROOT/tools/recompute_compare.py r.json $object
> 26 numbers, 0 differ

## a slow kernel is called slower, the other way round faster
$ assay compare right.c twice.c --ref right.c --N=200000 --cache=warm --placements=6 --blocks=4 --any-load -q --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["verdict"]["word"])'
> slower
$ assay compare twice.c right.c --ref right.c --N=200000 --cache=warm --placements=6 --blocks=4 --any-load -q --json | python3 -c 'import json, sys; print(json.load(sys.stdin)["verdict"]["word"])'
> faster

## three sides, one of them wrong: the others are compared
$ sh run right.c wrong.c twice.c
> A passed 
> B wrong_result 1 of 20000 elements of 'y', first at [10000]: <NUM>, expected <NUM> (case 'command_line', data set 0, correctness)
> C measured 
> = 1

## a wrong baseline: nothing is compared
$ sh run wrong.c right.c
> A wrong_result 1 of 20000 elements of 'y', first at [10000]: <NUM>, expected <NUM> (case 'command_line', data set 0, correctness)
> B inconclusive A is not right, so nothing is compared with it
> = 1

## right when it is checked and wrong when it is timed
$ sh run right.c later.c
> A passed 
> B wrong_result 1 of 20000 elements of 'y', first at [0]: 9, expected <NUM> (case 'command_line', data set 0, timed calls)
> = 1

## crashes while it is timed
$ sh run right.c crash.c twice.c
> A passed 
> B crash_segv invalid memory access (SIGSEGV)
> C measured 
> = 1

## does not build
$ sh run right.c broken.c | sed 's/: error.*//'
> A passed 
> B build_failed broken.c:5:<NUM>
> = 1

## flags of one side, a built artifact, and the same binary on both sides
$ sh run right.c right.c::-O1
> A passed 
> B measured 
> = 0
$ cc -O2 -shared -fPIC -o built.so twice.c; sh run right.c twice.c::@built.so; python3 -c 'import json; print([s["build"] is None for s in json.load(open("r.json"))["sides"]])'
> A passed 
> B measured 
> = 0
> [False, True]
$ assay compare right.c right.c --ref right.c --N=20000 --cache=warm --placements=6 --blocks=2 --calls=3 --any-load -q | grep -c '^same\|^resolution'
> 2

## another width of a scalar is the same operator
$ sh run right.c wide.c
> A passed 
> B measured 
> = 0

## what does not compute the same thing is refused
$ sh run right.c real.c
> assay: A and B do not compute the same thing: parameter 1 is in float32 'x' against in float64 'x'; sides take the same parameters in the same order
> = 2
$ sh run right.c less.c
> assay: A and B do not compute the same thing: 3 parameters against 2; sides take the same parameters in the same order
> = 2
$ sh run right.c gpu.cu
> assay: A runs on backend c and B on cuda: their times come from different clocks and are not compared
> = 2
$ sh run right.c twice.c::@nothing.so
> assay: nothing.so: no such file; after ::@ stands the built shared object
> = 2

## stored results are refused with the reason
$ assay bench right.c --ref right.c --N=2000 --repeat=3 --warmup=1 --skip-warm -q --json >b.json
+ id=$(python3 -c 'import json; print(json.load(open("b.json"))["id"])'); assay compare $id $id 2>&1 | sed 's/bench-[0-9a-f]*/ID/g'
> assay: ID is a stored result: a comparison needs sides that take turns, stored times drift apart by more than it resolves; give the kernel files
$ python3 - <<'P'
+ import hashlib, json, os
+ r = json.load(open("b.json"))
+ store = os.environ.get("ASSAY_STORE") or os.path.join(os.environ["XDG_DATA_HOME"], "assay/store")
+ names = []
+ for uuid in ("GPU-1", "GPU-2"):
+     r["device"] = {"kind": "gpu", "uuid": uuid}
+     text = json.dumps(r, sort_keys=True).encode()
+     names.append("bench-" + hashlib.sha256(text).hexdigest()[:32])
+     open(os.path.join(store, "records/bench", names[-1] + ".json"), "wb").write(text)
+ open("ids", "w").write(" ".join(names))
+ P
+ assay compare $(cat ids) 2>&1 | sed 's/bench-[0-9a-f]*/ID/g'
> assay: ID was measured on GPU-1 and ID on GPU-2: times of two devices are not compared; give the kernel files, to run both on one
$ assay compare bench-0123456789abcdef0123456789abcdef right.c >/dev/null 2>&1; echo $?
> 2

## a budget that pays for no placement says so, and what would do
$ assay compare right.c twice.c --ref right.c --N=20000 --time-budget=0.01 -q --any-load | sed -n 's/^B  *inconclusive: //p' | sed 's/[0-9.e+-]* s (/N s (/; s/about .*/about N s/'
> 0.01 s pay for fewer than 6 placements, which a verdict needs: about N s

## a sampler that is killed in mid-run: times say nothing, correctness stays
$ cat >killer.py <<'P'
+ import json, os, signal, subprocess, sys, time
+ p = subprocess.Popen(["assay", "compare", "right.c", "twice.c", "--ref", "right.c", "--N=20000", "--cache=warm",
+                       "--placements=40", "--blocks=4", "-q", "--json"], stdout=subprocess.PIPE)
+ def children():
+     return open(f"/proc/{p.pid}/task/{p.pid}/children").read().split()
+ def command(pid):
+     try:
+         return open(f"/proc/{pid}/cmdline").read().split("\0")
+     except OSError:
+         return []
+ killed = []
+ while p.poll() is None and not killed:
+     here = {pid: command(pid) for pid in children()}
+     workers = [c for c in here.values() if "worker" in c]
+     killed = [int(pid) for pid, c in here.items() if "sampler" in c] if len(workers) >= 2 else []
+     time.sleep(0.01)
+ for pid in killed:
+     os.kill(pid, signal.SIGKILL)
+ r = json.loads(p.communicate()[0])
+ print(len(killed), r["verdict"]["word"], [s["correctness"]["passed"] for s in r["sides"]], r["telemetry"]["problem"] is not None)
+ P
+ python3 killer.py
> 1 inconclusive [True, True] True

## others take all CPUs: times say nothing, correctness stays; with --any-load it decides and says so
$ n=$(nproc); i=0; while [ $i -lt $((2 * n)) ]; do (while :; do :; done) & i=$((i + 1)); done; pids=$(jobs -p)
+ assay compare right.c twice.c --ref right.c --N=20000 --cache=warm --placements=6 --blocks=2 -q --json >busy.json
+ assay compare right.c twice.c --ref right.c --N=20000 --cache=warm --placements=6 --blocks=2 -q --json --any-load >any.json
+ kill $pids; python3 - <<'P'
+ import json
+ for name in ("busy.json", "any.json"):
+     r = json.load(open(name))
+     print(r["verdict"]["word"], [s["correctness"]["passed"] for s in r["sides"]], r["telemetry"]["idle_check"]["is_idle"], r["telemetry"]["problem"] is not None)
+ P
> inconclusive [True, True] False True
> slower [True, True] False True

## a kernel in C and one in Python, both on the CPU
? python3 -c 'import numpy'
$ printf 'import numpy as np\ndef solve(x, y, N):\n    np.multiply(x, 2, out=y)\n' >np.py
+ cat >py.op.json <<'E'
+ {"format": "assay/operator-v1", "entry": "solve", "params": [
+  {"name": "x", "role": "in", "dtype": "float32", "shape": ["N"]}, {"name": "y", "role": "out", "dtype": "float32", "shape": ["N"]},
+  {"name": "N", "role": "dim", "dtype": "int32"}], "cases": [{"name": "main", "dims": {"N": 20000}}]}
+ E
+ assay compare right.c np.py np.py --op-file py.op.json --ref right.c --cache=warm --placements=6 --blocks=2 --calls=3 -q --json --any-load >r.json; echo $?
+ python3 -c 'import json; r = json.load(open("r.json")); print(r["source"], [s["effect"] is not None for s in r["sides"][1:]], [s["correctness"]["passed"] for s in r["sides"]])'
> 0
> host_clock [True, True] [True, True, True]

## bench: a native reference and the kernel take turns
$ assay bench twice.c --ref right.c --N=20000 --speedup-budget=20 --skip-warm -q --time-budget=0.1 --json >b.json
+ python3 -c 'import json; r = json.load(open("b.json"))["speedup_vs_reference"]; print(r["method"], r["source"], r["verdict"], r["lower"] < r["value"] < r["upper"] < 1, r["n_placements"] >= 6)'
> placements host_clock slower True True
$ assay bench twice.c --ref right.c --N=20000 --repeat=3 --warmup=1 --skip-warm -q --json >b.json
+ python3 -c 'import json; r = json.load(open("b.json"))["speedup_vs_reference"]; print(r["method"], r["reason"])'
> ratio_of_trimmed_means_not_paired the number of samples was fixed, so reference and candidate did not take turns
