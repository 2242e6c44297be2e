# Kernels in Python on the CPU, with numpy arrays: what is right passes, each fault has its word of the verdict table.
needs: python3 -c 'import numpy'
masks: CWD
timeout: 120

## the modules: one operator file, one reference
$ cat >k.op.json <<'E'
+ {"format": "assay/operator-v1", "entry": "solve", "params": [
+  {"name": "x", "role": "in", "dtype": "float32", "shape": ["M", "N"], "fill": {"kind": "normal", "mean": 0, "std": 2}},
+  {"name": "M", "role": "dim", "dtype": "int32"}, {"name": "N", "role": "dim", "dtype": "int32"},
+  {"name": "y", "role": "out", "returned": true, "dtype": "float32", "shape": ["M", "N"], "atol": 1e-6, "rtol": 1e-4}],
+  "cases": [{"name": "tall", "dims": {"M": 64, "N": 10}}, {"name": "odd", "dims": {"M": 3, "N": 17}}]}
+ E
+ sed 's/"returned": true, //' k.op.json >place.op.json
+ cat >k_ref.py <<'E'
+ import numpy as np
+ def reference(x, M, N, y):
+     y[...] = x.astype(np.float64) * 2 + 1
+ E
+ module() { printf 'import numpy as np\n%s\n' "$2" >$1.py; }
+ module right 'def solve(x, M, N):
+     print("noise on stdout")
+     return x * 2 + 1'
+ module place 'def solve(x, y, M, N):
+     np.multiply(x, 2, out=y)
+     y += 1'
+ module named 'def solve(*, N, M, x):
+     assert x.shape == (M, N)
+     return (x * 2 + 1,)'
+ module wrong 'def solve(x, M, N): return x * 2'
+ module raises 'raise ValueError("at import")
+ def solve(x, M, N): pass'
+ module exits 'import sys; sys.exit(3)
+ def solve(x, M, N): pass'
+ module missing 'import no_such_package
+ def solve(x, M, N): pass'
+ module syntax 'def solve(x, M, N): return x ='
+ module none 'def solve(x, M, N): return None'
+ module generator 'def solve(x, M, N):
+     yield x'
+ module shape 'def solve(x, M, N): return x[:1]'
+ module dtype 'def solve(x, M, N): return x.astype(np.float64)'
+ module tuple 'def solve(x, M, N): return x, x'
+ module subclass 'class T(np.ndarray): pass
+ def solve(x, M, N): return x.view(T)'
+ module leaves 'import sys
+ def solve(x, M, N): sys.exit(5)'
+ module deep 'def f(x): return x.nope
+ def solve(x, M, N):
+     return f(x)'
+ module gone 'import os
+ def solve(x, M, N): os._exit(7)'
+ module hang 'def solve(x, M, N):
+     while True: pass'
+ module threads 'import threading
+ def solve(x, M, N):
+     t = threading.Thread(target=lambda: None)
+     t.start()
+     t.join()
+     return x * 2 + 1'
+ module forks 'import subprocess
+ def solve(x, M, N):
+     subprocess.run(["/bin/true"])
+     return x * 2 + 1'
+ module input 'def solve(x, M, N):
+     x += 1
+     return x * 2 - 1'
+ module home 'def solve(x, M, N):
+     open("CWD/k_ref.py")'
+ sed -i "s|CWD|$PWD|" home.py
+ cat >run <<'E'
+ for k in "$@"; do
+ 	f=k.op.json; test $k != place || f=place.op.json
+ 	assay bench $k.py --op-file $f --ref k_ref.py --repeat=5 --warmup=1 --skip-warm -q --timeout=20 $options >$k.out 2>$k.err; status=$?
+ 	cat $k.err; grep -v '^note\|^command\|^record' $k.out | sed -n 2,3p | sed 's/^ *//; s/; max.*//; /^cache/d'; echo "= $status"
+ done
+ E
+ sh run right place named threads
> correct    passed: 2 case(s) on 2 data sets
> = 0
> correct    passed: 2 case(s) on 2 data sets
> = 0
> correct    passed: 2 case(s) on 2 data sets
> = 0
> correct    passed: 2 case(s) on 2 data sets
> = 0

## a module of the user's that has a name of the standard library's is none of ours
$ mkdir std; cd std; for m in json keyword types struct; do echo 'raise SystemExit(9)' >$m.py; done; (cd ..; cp k.op.json k_ref.py right.py run std); sh run right; assay doctor --json >j; sed -n '/"python3": {/,/}/s/.*"version": ".*/one/p' j
> correct    passed: 2 case(s) on 2 data sets
> = 0
> one

## the text is what runs, not a compiled file beside it; a reference that imports nothing gets the kernel's arrays
$ mv k_ref.py ref_before.py; printf 'def reference(x, M, N, y):\n    y[...] = x.astype("float64") * 2 + 1\n' >k_ref.py; sh run right
+ cp right.py cached.py; cp wrong.py cached_wrong.py
+ python3 -c 'import py_compile; py_compile.compile("cached_wrong.py", "__pycache__/cached.%s.pyc" % __import__("sys").implementation.cache_tag, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)'
+ python3 -c 'import cached, numpy; print(cached.solve(numpy.float32(3), 1, 1))'; sh run cached; mv ref_before.py k_ref.py
> correct    passed: 2 case(s) on 2 data sets
> = 0
> 6.0
> correct    passed: 2 case(s) on 2 data sets
> = 0

## what Triton's functions say that they compiled, the autotuner's choice among it; objects that only look like them are no fault
$ module() { printf 'import numpy as np\n%s\n' "$2" >$1.py; }
+ module tuned 'from types import SimpleNamespace as T
+ made = T(metadata=T(name="twice\x1b[31m", num_warps=4, num_stages=3, shared=2048), n_regs=40, n_spills=0)
+ best = T(all_kwargs=lambda: {"BLOCK": 128, "num_warps": 4})
+ twice = T(fn=T(fn=T(device_caches={0: ({}, None)})), configs=[1, 2, 3], best_config=best, bench_time=0.25)
+ def solve(x, M, N):
+     twice.fn.fn.device_caches[0][0]["key"] = made
+     return x * 2 + 1'
+ module plays 'class Odd:
+     fn = property(lambda self: 1 / 0)
+ odd = Odd()
+ def solve(x, M, N): return x * 2 + 1'
+ sh run tuned plays; grep '^compiled' tuned.out; assay bench tuned.py --op-file k.op.json --ref k_ref.py --repeat=5 --warmup=1 --skip-warm -q --json >tuned.json
+ python3 -c 'import json; print(json.load(open("tuned.json"))["identity"]["compiled"])'
> correct    passed: 2 case(s) on 2 data sets
> = 0
> correct    passed: 2 case(s) on 2 data sets
> = 0
> compiled   twice?[31m: 4 warps, 3 stages, 40 registers, 0 spilled bytes, 2.00 KiB shared; chosen of 3 configurations in 0.25 s, before anything was timed
> [{'autotune': {'config': {'BLOCK': 128, 'num_warps': 4}, 'n_configs': 3, 'seconds': 0.25}, 'function': 'twice', 'kernel': 'twice\x1b[31m', 'num_stages': 3, 'num_warps': 4, 'registers': 40, 'shared_bytes': 2048, 'spills': 0}]

## a module that cannot be loaded
$ printf 'raise RuntimeError("Error building extension \\"k\\": [1/2] nvcc -c cuda.cu\\nFAILED: cuda.o error\\n/tmp/x/cuda.cu(3): error: identifier is undefined\\n1 error")\ndef solve(x, M, N): return x\n' >builds.py
+ sh run raises exits missing syntax builds 2>&1 | sed 's/which .* does/which PYTHON does/'
> load_failed: the built object or module cannot be loaded
> raises.py:2: ValueError: at import
> = 1
> load_failed: the built object or module cannot be loaded
> exits.py:2: called sys.exit(3)
> = 1
> load_failed: the built object or module cannot be loaded
> missing.py:2: needs the module 'no_such_package', which PYTHON does not have
> = 1
> load_failed: the built object or module cannot be loaded
> syntax.py:2: SyntaxError: invalid syntax
> = 1
> load_failed: the built object or module cannot be loaded
> builds.py:1: the extension does not build: cuda.cu(3): error: identifier is undefined
> = 1

## what an entry returns
$ sh run none generator shape dtype tuple subclass
> output_type: what the entry returned is not the tensors that are wanted
> output 'y' is None; an array is wanted
> = 1
> output_type: what the entry returned is not the tensors that are wanted
> output 'y' is a generator (it has computed nothing yet); an array is wanted
> = 1
> output_shape: a returned output has another shape than is wanted
> output 'y' has shape [1, 17]; [3, 17] is wanted
> = 1
> output_dtype: a returned output has another element type than is wanted
> output 'y' is float64; float32 is wanted
> = 1
> output_type: what the entry returned is not the tensors that are wanted
> the entry returned 2 values; 1 are wanted (y)
> = 1
> output_type: what the entry returned is not the tensors that are wanted
> output 'y' is a subclass of ndarray (T), whose methods are the kernel's own; return a plain array
> = 1

## how a call ends
$ sh run leaves deep gone forks input wrong home
> exited_early: exited before it answered
> leaves.py:3: called sys.exit(5)
> = 1
> entry_raised: the entry raised an exception
> deep.py:2: AttributeError: 'numpy.ndarray' object has no attribute 'nope'
> = 1
> exited_early: exited before it answered
> exited before it answered (exit 7)
> = 1
> entry_raised: the entry raised an exception
> forks.py:4: PermissionError: [Errno 1] Operation not permitted
> = 1
> input_modified: an input was changed
> input 'x' was changed (case 'odd', data set 0, correctness)
> = 1
> wrong_result: the output differs from the reference beyond tolerance
> 51 of 51 elements of 'y', first at [0, 0]: 4.6408534, expected 5.6408534 (case 'odd', data set 0, correctness)
> = 1
> entry_raised: the entry raised an exception
> home.py:3: PermissionError: [Errno 13] Permission denied: '<CWD>/k_ref.py'
> = 1
$ options=--timeout=2 sh run hang | sed 's/ (SIGKILL.*//'
> hang: still busy at its deadline
> still busy at its deadline
> = 1

## the worker is sealed once it has compiled, and its files are its own
$ assay bench right.py --op-file k.op.json --repeat=3 --skip-warm -q --json | grep -A1 '"layer": "seccomp_seal"'
>       "layer": "seccomp_seal",
>       "state": "active"

## one process answers all cases of a reference; one that fails in a later case says so
$ cat >count_ref.py <<'E'
+ open("imports", "a").write("x")
+ def reference(x, M, N, y):
+     y[:] = [2 * v + 1 for v in x]
+ E
+ cat >half_ref.py <<'E'
+ def reference(x, M, N, y):
+     if M == 64: raise ValueError("tall")
+     for i in range(len(x)): y[i] = 2 * x[i] + 1
+ E
+ cat >plain.c <<'E'
+ void solve(const float *x, int M, int N, float *y)
+ {
+ 	for (int i = 0; i < M * N; i++)
+ 		y[i] = 2 * x[i] + 1;
+ }
+ E
+ sed -i 's/y\[:\] = .*/for i in range(len(x)): y[i] = 2 * x[i] + 1/' count_ref.py
+ for r in count half; do
+ 	assay bench plain.c --op-file place.op.json --ref ${r}_ref.py --repeat=3 --skip-warm --skip-integrity -q | sed -n '2,3p' | sed 's/; max.*//; /^cache/d'
+ done; cat imports; echo
> correct    passed: 2 case(s) on 2 data sets
> reference_failed: the reference could not be run
>            <CWD>/half_ref.py:2: reference failed: ValueError: tall
> x
