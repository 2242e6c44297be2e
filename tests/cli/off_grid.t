# Sizes that a candidate was not timed at: inside of declared ranges a fault rejects, elsewhere it flags. On the CPU, on the
# fake GPU and in Python.
needs: assay bench --help >/dev/null
timeout: 200
masks: NUM

## a range is declared: a kernel of whole tiles is rejected, with sizes, element, what came and what was wanted
$ ln -s $ROOT/tests/integrity t; echo 'exec assay bench --time-budget=0.05 --speedup-budget=0 --warmup=2 -q "$@"' >b
+ sh b t/c/tiles_of_16.c --op-file t/tasks/sizes.op.json >out; echo $?; sed -n 2,3p out
> 1
> rejected:off_grid: sizes inside of the declared ranges do not work, or others beside the given ones, which is forbidden
>            output_unwritten: never written: 15 of 20479 elements of 'y', the last 15 elements, first at [20464]: nan, expected <NUM> (case 'N=20479', data set 0, off-grid sizes)
$ cat >look.py <<'E'
+ import json, sys
+ r = json.load(sys.stdin)
+ g = r["integrity"]
+ c = [c for c in g["checks"] if c["name"] == "off_grid"][0]
+ print(r["verdict"]["word"], r["correctness"]["passed"], c["state"], c["witness"], [f["word"] for f in g["flags"] if "off_grid" in f["word"]], g["seconds"]["off_grid"] > 0)
+ for x in (c["evidence"] or {"rounds": []})["rounds"]:
+     print(x["dims"], x["seed"], x["declared"], x["verdict"], x["output"], x["element"], x["got"], x["wanted"] is not None, x["seconds"] > 0, x["reason"])
+ E
+ sh b t/c/tiles_of_16.c --op-file t/tasks/sizes.op.json --json --seed=1 | python3 look.py
> rejected:off_grid True failed keeper [] True
> {'N': 20479} 3 True output_unwritten y [20464] None True True None
> {'N': 20507} 4 True output_unwritten y [20496] None True True None

## nothing is declared: a flag that changes no verdict, until it is forbidden; the sizes are the same for the same seed
$ sh b t/c/timed_sizes.c --op-file t/tasks/unsaid.op.json >out; echo $?; sed -n 2p out | cut -d: -f1; grep ^flag out
> 0
> correct    passed
> flag       flagged:off_grid: wrong_result: <NUM> of <NUM> elements of 'y', first at [0]: <NUM>, expected <NUM> (case 'N=20479', data set 0, off-grid sizes)
$ sh b t/c/timed_sizes.c --op-file t/tasks/unsaid.op.json --forbid=off_grid | sed -n 2p
> rejected:off_grid: sizes inside of the declared ranges do not work, or others beside the given ones, which is forbidden
$ for i in 5 5 9; do sh b t/honest/tail.c --op-file t/tasks/unsaid.op.json --json --seed=$i | python3 look.py | tail -n 1 | cut -d' ' -f1-5 >sizes.$i; cat sizes.$i; done
> {'N': 20479} 7 False passed
> {'N': 20479} 7 False passed
> {'N': 20477} 11 False passed

## only multiples of 16 are promised: the same kernel is right
$ sh b t/c/tiles_of_16.c --op-file t/tasks/sixteens.op.json --json | python3 look.py | cut -d' ' -f1-4
> passed True passed keeper
> {'N': 20464} 44 True
> {'N': 20528} 45 True

## a kernel that ends its process at other sizes: the word of that end
$ printf '#include <stdlib.h>\nvoid solve(const float *x, float *y, int N)\n{\n\tif (N %% 16)\n\t\tabort();\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >ends.c
+ printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >ends_ref.c
+ sh b ends.c --N=4096 --json | python3 look.py
> passed True passed keeper ['flagged:off_grid'] True
> {'N': 4093} 43 False abort  None None False True None

## what hinders the reference is no fault of the kernel: nothing was looked at
$ printf '#include <stdlib.h>\nvoid solve(const float *x, float *y, int N)\n{\n\tif (N %% 16)\n\t\tabort();\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >narrow_ref.c
+ cp ends.c narrow.c; sh b narrow.c --N=4096 --json >out; echo $?; python3 look.py <out | cut -d' ' -f1-4
> 0
> passed True unavailable keeper
> {'N': 4093} 43 False
$ sh b narrow.c --N=4096 | grep ^integrity | grep -c 'not looked at:.*off_grid'; sh b narrow.c --N=4096 --ptr-size=4096 --json | python3 look.py; sh b ends.c --N=4096 --skip-integrity | grep ^integrity
> 1
> passed True not_applicable keeper [] True
> integrity  not looked at: --skip-integrity

## a kernel in Python is told the other shapes; where setup() supplies the data there are none
$ cat >k.py <<'E'
+ def solve(x, y, N):
+     if len(x) != N or len(y) != N:
+         raise ValueError("%d %d %d" % (len(x), len(y), N))
+     for i in range(N // 8 * 8):
+         y[i] = 2 * x[i]
+ E
+ cat >k.op.json <<'E'
+ {"format": "assay/operator-v1", "reference": "ends_ref.c", "params": [
+  {"name": "x", "role": "in", "dtype": "float32", "shape": ["N"], "fill": {"kind": "normal", "mean": 0, "std": 1}},
+  {"name": "y", "role": "out", "dtype": "float32", "shape": ["N"]},
+  {"name": "N", "role": "dim", "range": {"max": 1000}}], "dims": {"N": 64}}
+ E
+ sh b k.py --json | python3 look.py
> rejected:off_grid True failed keeper [] True
> {'N': 61} 43 True output_unwritten y [56] None True True None
> {'N': 67} 44 True output_unwritten y [64] None True True None
$ python3 -c 'import numpy' 2>/dev/null || exit 77
+ cat >s.py <<'E'
+ def setup(N=64, seed=0):
+     import numpy as np
+     return {"inputs": {"x": np.arange(N, dtype=np.float32), "y": np.zeros(N, np.float32)}, "outputs": ["y"]}
+ def run_kernel(x, y):
+     for i in range(len(x)):
+         y[i] = 2 * x[i]
+ E
+ printf 'def reference(x, y):\n    for i in range(len(x)):\n        y[i] = 2 * x[i]\n' >s_ref.py
+ sh b s.py --ref=s_ref.py --json >out 2>err || cat err; python3 look.py <out
> passed True unavailable keeper [] True

## on a GPU: the same, in a worker of its own
$ test -e $FAKE/libcuda.so.1 && command -v c++ >/dev/null || exit 77
+ for k in cuda/tiles_of_32.cu cuda/timed_sizes.cu cuda/honest/tail.cu; do LD_LIBRARY_PATH=$FAKE PATH=$FAKE:$PATH sh b t/$k --op-file t/tasks/sizes.op.json | sed -n '2p;3s/^ *//p' | cut -c1-60 | sed "s/; max abs error .*//" | grep -v ^cache; done
> rejected:off_grid: sizes inside of the declared ranges do no
> output_unwritten: never written: 31 of 20479 elements of 'y'
> rejected:off_grid: sizes inside of the declared ranges do no
> wrong_result: 20479 of 20479 elements of 'y', first at [0]: 
> correct    passed: 2 case(s) on 2 data sets

## the words are explained, by their short name too
$ assay explain off_grid | tr '\n' ' '; echo; assay explain rejected:off_grid | tr '\n' ' '; echo
> flagged:off_grid: a fact about a right answer: sizes beside the given ones, of which nothing is declared, do not work. Exit status 0; --forbid turns it into rejected:off_grid, exit status 1. 
> rejected:off_grid: a verdict of the stage integrity: sizes inside of the declared ranges do not work, or others beside the given ones, which is forbidden. Exit status 1. 
