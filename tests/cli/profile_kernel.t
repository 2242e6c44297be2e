# `assay profile` over a kernel file: assay's own runner under a tool that is a script, on the fake GPU; .c under perf_event.
needs: assay bench --help >/dev/null && command -v c++

## ncu runs the worker, whose last call is the one that is captured
$ cp $ROOT/tests/fake/kit/scale.op.json $ROOT/tests/gpu/kernels/right.cu .; mkdir conf bin; cat > bin/ncu <<'END'
+ #!/bin/sh
+ [ "$1" != --version ] || { echo 'Version 2025.3.1.0 (build 1)'; exit 0; }
+ printf '%s\n' "$*" > "$OLDPWD/ncu.args"
+ while [ "$1" != --export ]; do shift; done
+ cp "$FIXTURE" "$2"; shift 2; exec "$@"
+ END
$ chmod +x bin/ncu; sed -i "s,\$OLDPWD,$PWD," bin/ncu; sed -i "s,\$FIXTURE,$DATA/ncu/sm_targeted.ncu-repz," bin/ncu
$ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay profile right.cu --op-file scale.op.json --out r -q | head -n 1; cut -d' ' -f1-6 ncu.args; sed 's/.*--export [^ ]* [^ ]*/assay/; s,/[^ ]*/r/,r/,' ncu.args; cat r/log.txt
> collected
> --clock-control none --target-processes all --profile-from-start off
> assay worker --job r/profile.job

## a kernel that does not build
$ echo 'extern "C" void solve(const float *x, float *y, int N) { oops }' > bad.cu; LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay profile bad.cu --op-file scale.op.json --out b -q | cut -d: -f1
> build_failed
$ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay profile bad.cu --op-file scale.op.json --out b2 -q > text
= 1

## a .c kernel: counters of the CPU
$ assay profile $ROOT/examples/softmax/softmax_v0.c --op-file $ROOT/examples/softmax/softmax.op.json --out c --json | python3 -c "
+ import json, sys
+ d = json.load(sys.stdin); print(d['format'], d['state'], len(d['reports']), d['formal'])"
> assay/profile-v1 collected 2 False

## a .py kernel on the CPU, data of its setup(): the command runs again elsewhere
? python3 -c 'import numpy'
$ cat >k.py <<'E'
+ import numpy as np
+ def setup(N=100, seed=0):
+     return {"inputs": {"x": np.arange(N, dtype=np.float32), "y": np.empty(N, np.float32)}, "outputs": ["y"]}
+ def run_kernel(x, y):
+     if x[-1] != len(x) - 1:
+         raise ValueError("these are not the values of setup()")
+     y[:] = x * np.float32(2)
+ E
+ assay profile k.py --N=7 --out 'p y' --json >d.json; mkdir elsewhere; cd elsewhere; python3 - <<'E'
+ import json, os, subprocess
+ d = json.load(open("../d.json")); print(d["state"], len(d["reports"]))
+ p = subprocess.run(d["command"], shell=True, stdout=subprocess.PIPE); print(p.returncode, json.loads(p.stdout)["calls"], os.listdir("."))
+ E
> collected 2
> 0 10 []
$ sed 's/2)$/2) + 1 + zero/' k.py >raises.py; assay profile raises.py --out raises -q --json >d.json; python3 -c 'import json; d = json.load(open("d.json")); print(d["state"], d["reason"])'; sed 's/"outputs"/"output"/' k.py >bad.py; assay profile bad.py --out bad -q; echo "= $?"
> tool_failed profile_incomplete:the counting process ended with exit 4: entry_raised: raises.py:7: NameError: name 'zero' is not defined
> output_type: setup: setup() names no outputs, and the entry returns None; a tensor is wanted
> = 1
$ assay profile k.py --out dry --dry-run --python=/bin/false | sed -n '/^kernel\|^build\|^count/p'; test -e dry || echo nothing
> kernel       k.py, entry run_kernel, backend torch; 1 case: default
> build        nothing is compiled: the worker's interpreter imports the module
> counters     perf_event counters around calls of assay's own runner; ended after 600 s
> nothing

## what cannot be profiled this way
$ assay profile k.py --tool torch --out p 2>&1; printf 'extern "C" void setup(int N) {}\nextern "C" void solve(float *y, int N) {}\n' >s.cu; LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay profile s.cu --out p --N=3 2>&1
> assay: k.py: assay's own runner is profiled by ncu and nsys; torch.profiler looks at a program that calls it: assay profile --tool torch -- python3 ...
> assay: s.cu:1: setup() would supply the data; one in C or CUDA is not run: an operator file (--op-file) says the sizes instead, or a setup() in Python (--setup)
= 2
