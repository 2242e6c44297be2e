# setup(**dims) of a .py supplies the data: in a process of its own, with the seed, the same for every later version.
needs: python3 -c 'import numpy'
timeout: 120

## named outputs keep what setup() gives them; returned ones are learnt from one call
$ cat >lib <<'E'
+ module() { printf 'import numpy as np\n%s\n' "$2" >$1.py; }
+ E
+ . ./lib
+ module scale 'def setup(N=1000, seed=0):
+     r = np.random.default_rng(seed)
+     x = r.standard_normal(N).astype(np.float32)
+     return {"inputs": {"x": x, "s": 2.5, "out": np.ones(N, np.float32)}, "outputs": ["out"]}
+ def run_kernel(x, s, out):
+     out += x * np.float32(s)'
+ module scale_ref 'def reference(x, s, out):
+     out[:] = out + x * s'
+ module add 'def setup(M=8, N=6, seed=None, **kwargs):
+     np.random.seed(seed)
+     return {"inputs": {"x": np.random.standard_normal((M, N)), "y": np.random.standard_normal((M, N))}, "outputs": []}
+ def run_kernel(x, y):
+     return x + y'
+ module add_ref 'def reference(x, y): return x + y'
+ cat >run <<'E'
+ for k in "$@"; do
+ 	assay bench $k.py --repeat=5 --warmup=1 --skip-warm -q --timeout=20 $options >$k.out 2>$k.err; status=$?
+ 	cat $k.err; grep -v '^note\|^command\|^record' $k.out | sed -n 2,3p | sed 's/^ *//; s/; max.*//; /^cache/d'; echo "= $status"
+ done
+ E
+ sh run scale add; options='--M=3 --N=5' sh run add; options=--N=77 sh run scale
> correct    passed: 1 case(s) on 2 data sets
> = 0
> correct    passed: 1 case(s) on 2 data sets
> = 0
> correct    passed: 1 case(s) on 2 data sets
> = 0
> correct    passed: 1 case(s) on 2 data sets
> = 0
$ sed -i 's/x + y$/y + x + 1/' add.py; sh run add
> wrong_result: the output differs from the reference beyond tolerance
> 48 of 48 elements of 'returned', first at [0, 0]: 1.84033244, expected 0.840332443 (case 'default', data set 0, correctness)
> = 1

## a later version whose setup() gives something else measures another workload
$ cp scale.py v0.py; options='--setup=v0.py --ref=scale_ref.py'; export options
+ sed 's/r.standard_normal(N)/np.zeros(N)/' v0.py >zeros.py
+ sed 's/r.standard_normal(N)/r.standard_normal(N \/\/ 2)/' v0.py >smaller.py
+ sed 's/, "s": 2.5/, "s": 2.0/' v0.py >scalar.py
+ sed 's/np.ones(N, np.float32)/np.ones(N, np.float64)/' v0.py >dtype.py
+ sed 's/, "s": 2.5//; s/x, s, out/x, out, s=2.5/' v0.py >fewer.py
+ sed 's/out += x \* np.float32(s)/out[:] = out + np.float32(s) * x/' v0.py >honest.py
+ sh run zeros smaller scalar dtype fewer honest
> workload_changed: its setup() gives other data than the one that is measured
> values of 'x' lie in [0, 0], were in [-3.64841, 3.17885]
> = 1
> workload_changed: its setup() gives other data than the one that is measured
> shape of 'x' is [500], was [1000]
> = 1
> workload_changed: its setup() gives other data than the one that is measured
> 's' is 2, was 2.5
> = 1
> workload_changed: its setup() gives other data than the one that is measured
> dtype of 'out' is float64, was float32
> = 1
> workload_changed: its setup() gives other data than the one that is measured
> its setup() gives 2 parameters, were 3
> = 1
> correct    passed: 1 case(s) on 2 data sets
> = 0

$ assay compare v0.py zeros.py --ref=scale_ref.py --time-budget=1 -q | grep '^B .*work'
> B     zeros.py     -                  -     -  workload_changed
> B          workload_changed: values of 'x' lie in [0, 0], were in [-3.64841, 3.17885]

## the data of a comparison are made once, for all sides: a setup() that gives something else each time gives one thing
$ . ./lib; module pid 'import os
+ def setup(seed=0):
+     n = 64 + os.getpid() % 4096
+     return {"inputs": {"x": np.full(n, n, np.float32), "out": np.ones(n, np.float32)}, "outputs": ["out"]}
+ def run_kernel(x, out):
+     out[:] = x + len(out)'
+ module taker 'def run_kernel(x, out):
+     if len(x) != x[0] or len(x) != len(out):
+         raise ValueError("these are not the data of A")
+     out[:] = x + len(x)'
+ module pid_ref 'def reference(x, out): out[:] = x + len(out)'
+ unset options; assay compare pid.py taker.py taker.py --setup=pid.py --ref=pid_ref.py --placements=2 --blocks=1 --calls=2 --any-load -q --json >j
+ python3 -c 'import json; print([s["correctness"]["passed"] for s in json.load(open("j"))["sides"]])'
> [True, True, True]

## a setup() that cannot be used
$ . ./lib; module raises 'def setup(N=4): raise ValueError("no data")
+ def run_kernel(x): return x'
+ module list 'def setup(N=4): return [1]
+ def run_kernel(x): return x'
+ module unknown 'def setup(N=4): return {"inputs": {"x": np.ones(N)}, "outputs": ["y"]}
+ def run_kernel(x): return x'
+ module text 'def setup(N=4): return {"inputs": {"x": np.ones(N), "mode": "fast"}, "outputs": []}
+ def run_kernel(x, mode): return x'
+ module nothing 'def setup(N=4): return {"inputs": {"x": np.ones(N)}, "outputs": []}
+ def run_kernel(x): pass'
+ module moving 'def setup(N=4, seed=0): return {"inputs": {"x": np.ones(N + seed % 7)}, "outputs": ["x"]}
+ def run_kernel(x): pass'
+ module empty 'def setup(N=4): return {"inputs": {"x": np.ones(0)}, "outputs": ["x"]}
+ def run_kernel(x): pass'
+ module leaves 'import os
+ def setup(N=4): os._exit(3)
+ def run_kernel(x): pass'
+ sh run raises list unknown text nothing moving empty leaves
> load_failed: the built object or module cannot be loaded
> setup: raises.py:2: ValueError: no data
> = 1
> load_failed: the built object or module cannot be loaded
> setup: setup() must return {"inputs": {name: tensor or number}, "outputs": [names]}
> = 1
> load_failed: the built object or module cannot be loaded
> setup: setup() names the output 'y', which is not among its inputs
> = 1
> load_failed: the built object or module cannot be loaded
> setup: inputs['mode'] is of type str; tensors, whole numbers, finite floats and bools can be passed
> = 1
> output_type: what the entry returned is not the tensors that are wanted
> setup: setup() names no outputs, and the entry returns None; a tensor is wanted
> = 1
> load_failed: the built object or module cannot be loaded
> setup: setup() gives other names, shapes or numbers with another seed
> = 1
> load_failed: the built object or module cannot be loaded
> setup: 'x' has shape [0]; 1 to 8 dimensions of at least 1 are supported
> = 1
> exited_early: exited before it answered
> the process that runs setup() ended without an answer: exit 3
> = 1

## the loop on a kernel in Python: reports count its own calls on the data of setup()
$ mkdir k; cat >k/k_v0.py <<'E'
+ import numpy as np
+ def setup(N=2000, seed=0):
+     r = np.random.default_rng(seed)
+     return {"inputs": {"x": r.standard_normal(N).astype(np.float32), "out": np.ones(N, np.float32)}, "outputs": ["out"]}
+ def run_kernel(x, out):
+     for i in range(0, len(x), 8):
+         out[i:i + 8] = x[i:i + 8] * np.float32(2)
+     if not x.any():
+         raise ValueError("these are not the values of setup()")
+ E
+ sed '/for i/d; s/^ *out\[i:.*/    out[:] = x * np.float32(2)/' k/k_v0.py >k/k_v1.py
+ printf 'import numpy as np\ndef reference(x, out):\n    out[:] = x * np.float32(2)\n' >k_ref.py
+ cat >k/propose.sh <<'E'
+ examples=$ROOT/examples
+ . "$examples/proposer.sh"
+ references='| memory: as it is | does not fit | nothing to see |
+ | compute: one call | adopted | the interpreter takes its time |
+ | sync: none | does not fit | one thread |'
+ bottleneck='The interpreter.'
+ change='One call instead of many.'
+ pipelining='No: one kernel.'
+ tags=one_call
+ propose v1
+ E
+ assay optimize k/k_v0.py --ref=k_ref.py --max-iterations=1 --proposer="sh $PWD/k/propose.sh" --run-dir=loop --warmup=1 --repeat=5 --skip-warm --min-effect=20 --compare-budget=20 --any-load --wait=100 2>&1 | grep '^no GPU\|^v[0-9] [^t]' | sed 's/median [^ ]*/median .../'
> no GPU: this run measures on the CPU
> v0 passed, median ... ms: positive baseline_seed
> v1 passed, median ... ms: positive faster_than_previous
$ ls loop/iter_v1 loop/iter_v1/collect | grep 'perf\|data\|[.]so\|[.]py\|oper'; grep -c task_clock loop/iter_v1/full_summary.txt
> full.perf.json
> perf.job
> profile.data
> targeted.perf.json
> v1.py
> operator.json
> probe.so
> worker.py
> 1

## the recorded command of each report runs again, from any folder, and leaves nothing there; equal files are there once
$ mkdir elsewhere; cd elsewhere; python3 - <<'E'
+ import json, os, subprocess
+ for i in json.load(open("../loop/run_manifest.json"))["iterations"]:
+     p = subprocess.run(i["full_command"], shell=True, stdout=subprocess.PIPE)
+     print(p.returncode, json.loads(p.stdout.splitlines()[-1])["calls"], i["replayable"], i["replay_reason"], os.listdir("."))
+     print([os.stat(i["folder"] + n).st_nlink for n in ("/profile.data", "/collect/probe.so", "/collect/worker.py")])
+ E
> 0 10 True None []
> [2, 2, 2]
> 0 10 True None []
> [2, 2, 2]
