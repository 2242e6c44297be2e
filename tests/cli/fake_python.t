# Kernels in Python on the fake GPU: a torch that only passes tensors on, a stand-in for ncu that hands over a real report.
# An interpreter has no ASan runtime, which the fake driver of that build takes from the program.
needs: test $BUILD != asan && test -e $FAKE/libcuda.so.1 && command -v c++ && test -x /usr/bin/python3
timeout: 120

## both reports: the two interpreters start at once, one collects after the other, and touches no device before its turn
$ cp $ROOT/tests/fake/kit/* .; mkdir -p conf bin k v/bin; ln -s /usr/bin/python3 v/bin/python3; printf 'home = /usr/bin\n' >v/pyvenv.cfg
+ S=$(v/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))'); mkdir -p "$S"; cp $ROOT/tests/fake/torch.py "$S"
+ sh kernel lib 'SCALE;'; sed -i 's/scale(const float \*x, float/gather(const float *x, const int *, float/; s/scale<<<\(.*\)(x, y, N)/gather<<<\1(x, nullptr, y, N)/' lib.cu
+ LD_LIBRARY_PATH=$FAKE PATH=$FAKE:$PATH nvcc -shared -Xcompiler -fPIC -o "$S"/libscale.so lib.cu 2>/dev/null
+ cat >k/k_v0.py <<'E'
+ import ctypes
+ import os
+ import torch
+ def setup(N=1000, seed=0):
+     x = torch.arange(N)
+     return {"inputs": {"x": x, "y": torch.empty_like(x)}, "outputs": {"y": "out"}}
+ lib = ctypes.CDLL(os.path.join(os.path.dirname(torch.__file__), "libscale.so"))
+ def run_kernel(x, y):
+     lib.solve(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_int(x.shape[0]))
+ E
+ printf 'def reference(x, y):\n    for i in range(len(x)):\n        y[i] = 2 * x[i] + 1\n' >k_ref.py
+ cat >bin/ncu <<E
+ #!/bin/sh
+ [ "\$1" != --version ] || { echo 'NVIDIA (R) Nsight Compute Command Line Profiler'; echo 'Version 2025.3.1.0 (build 36398880)'; exit 0; }
+ set=targeted; case "\$*" in *'--set full'*) set=full ;; esac
+ echo "begin \$set" >>$PWD/ncu.log; while [ "\$1" != --export ]; do shift; done
+ cp $DATA/ncu/gather.ncu-repz "\$2"; shift 2; "\$@"; status=\$?
+ echo "end \$set \$status" >>$PWD/ncu.log; exit \$status
+ E
+ chmod +x bin/ncu; cat >fake <<'E'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH exec "$@"
+ E
+ cat >opt <<'E'
+ exec sh fake assay optimize $1 --ref=k_ref.py --python=v/bin/python3 --run-dir=loop --warmup=2 --repeat=10 --skip-warm --any-load --compare-budget=3 --max-iterations=1 -q
+ E
+ sh opt k/k_v0.py >out 2>err; echo "= $?"; cat err | grep -v '^run folder\|^next'; head -n 2 ncu.log | sort; tail -n +3 ncu.log; ls loop/iter_v0 loop/iter_v0/collect | grep -v 'benchmark\|iteration\|proposal\|^$'
> = 0
> begin full
> begin targeted
> end targeted 0
> end full 0
> loop/iter_v0:
> collect
> full.ncu-rep
> full.ncu.log
> full_details.txt
> full_summary.txt
> k_v0.py
> profile.data
> profile.job
> targeted.ncu-rep
> targeted.ncu.log
> targeted_details.txt
> targeted_summary.txt
> loop/iter_v0/collect:
> operator.json
> probe.so
> worker.py

## the commands run again on the GPU that they name, without waiting for a turn
$ cat >again.py <<'E'
+ import json, subprocess
+ e = json.load(open("loop/run_manifest.json"))["iterations"][0]
+ print(e["verdict"], e["eligible"], e["replayable"])
+ for name in ("targeted_command", "full_command"):
+     print(e[name].split(" ")[:1], "CUDA_VISIBLE_DEVICES=GPU-" in e[name], "--after" in e[name], subprocess.run(["sh", "fake", "sh", "-c", e[name]]).returncode)
+ E
+ : >ncu.log; python3 again.py; cat ncu.log
> passed True True
> ['env'] True False 0
> ['env'] True False 0
> begin targeted
> end targeted 0
> begin full
> end full 0

## a collection that fails while both are there is tried by itself; a reason stays when that fails, too
$ cat >bin/ncu <<E
+ #!/bin/sh
+ [ "\$1" != --version ] || { echo 'Version 2025.3.1.0 (build 36398880)'; exit 0; }
+ case "\$*" in *'--set full'*--after*) echo '==ERROR== another instance is profiling'; exit 9 ;; *'--set full'*) set=full ;; *) echo '==ERROR== no counters'; exit 8 ;; esac
+ while [ "\$1" != --export ]; do shift; done
+ cp $DATA/ncu/gather.ncu-repz "\$2"; shift 2; exec "\$@"
+ E
+ rm -r loop; sh opt k/k_v0.py >out 2>err; echo "= $?"; python3 -c 'import json; e = json.load(open("loop/run_manifest.json"))["iterations"][0]; print(e["targeted_reason"], e["full_reason"])'
> = 1
> profile_incomplete:exit 8: ==ERROR== no counters None

## assay profile takes a kernel in Python, too
$ sed -i 's/^case .*//' bin/ncu; sh fake assay profile k/k_v0.py --python=v/bin/python3 --out p --json >p.json; echo "= $?"; python3 -c 'import json; p = json.load(open("p.json")); print(p["state"], p["command"].split(" ")[0], "collect/worker.py" in p["command"])'; ls p p/collect
> = 0
> collected env True
> p:
> collect
> log.txt
> profile.data
> profile.job
> report.ncu-rep
>
> p/collect:
> operator.json
> probe.so
> worker.py
