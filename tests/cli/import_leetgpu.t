# assay import: LeetGPU challenges with solutions in Python, C and CUDA.
needs: /usr/bin/python3 -c 'import numpy'
set: PYTHONPATH=$ROOT/tests/fake/torch
timeout: 120

## a challenge becomes cases, tolerances, data, reference; arguments go by position, outputs are written in place
$ cp $ROOT/examples/formats/leetgpu/* .
+ cat >lib <<'E'
+ import() { assay import "$@" --python=/usr/bin/python3 >said 2>&1; status=$?; sed 's/format (.*/format (...)/' said; echo "= $status"; }
+ bench() { k=$1; shift; assay bench in/$k --setup in/c_setup.py --ref in/c_ref.py --op-file in/c.op.json --python=/usr/bin/python3 \
+ 	--repeat=3 --skip-warm -q "$@" >out 2>&1; status=$?; grep -v '^note' out | sed -n 2,3p | sed 's/; max.*//; s/[0-9]* of [0-9]*/some/; s/first.*//; /^cache/d'; echo "= $status"; }
+ E
+ . ./lib; mv challenge.py c.py; import c.py solution.py --to in; bench c.py
+ grep -c '^class Challenge' in/c.py in/c_setup.py in/c_ref.py
+ /usr/bin/python3 -c 'import json; o = json.load(open("in/c.op.json")); print(o["atol"], o["rtol"], *(c["name"] for c in o["cases"]))'
> LeetGPU challenge, 4 case(s): in/c.py (kernel), in/c.op.json (operator), in/c_setup.py (data), in/c_ref.py (reference)
> assay bench in/c.py --setup in/c_setup.py --ref in/c_ref.py
> = 0
> correct    passed: 4 case(s) on 2 data sets
> = 0
> in/c.py:0
> in/c_setup.py:1
> in/c_ref.py:1
> 0.0001 0.0001 performance functional_1 functional_2 functional_3

## a native entry gets the same data; what it computes is judged, in place and written outputs
$ . ./lib; cat >c.c <<'E'
+ #include <stddef.h>
+ void solve(const float *a, const float *w, float *b, float *sums, float f, int rows, size_t n)
+ {
+ 	for (int r = 0; r < rows; r++) {
+ 		for (size_t c = 0; c < n; c++) {
+ 			b[r * n + c] = a[r * n + c] * f;
+ 			sums[r] += b[r * n + c] * w[c];
+ 		}
+ 	}
+ }
+ E
+ assay import c.py c.c --to native --python=/usr/bin/python3 >/dev/null; cmp c.c native/c.c; cp c.c in/c.c; bench c.c
+ sed 's/sums\[r\] +=/sums[r] =/' c.c >in/forgets.c; bench forgets.c
+ sed 's/\* f;/* f + 1;/' c.c >in/wrong.c; bench wrong.c
+ sed 's/totals.addmv_(scaled, weight)/pass/' in/c.py >in/lazy.py; bench lazy.py
> correct    passed: 4 case(s) on 2 data sets
> = 0
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'totals', 
> = 1
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'scaled', 
> = 1
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'totals', 
> = 1

## another case is timed with --case; two solutions are compared on one problem
$ . ./lib; bench c.c --case=4; grep -c 'case.*command_line' out
+ assay compare in/c.c in/c.c --setup in/c_setup.py --ref in/c_ref.py --op-file in/c.op.json --python=/usr/bin/python3 --placements=2 --blocks=1 --calls=2 --any-load -q --json >j; echo "= $?"
+ /usr/bin/python3 -c 'import json; print(len(json.load(open("j"))["sides"]))'
> correct    passed: 5 case(s) on 2 data sets
> = 0
> 0
> = 0
> 2

## a signature that does not match says which parameter takes what
$ . ./lib; v() { sed "$1" c.c >bad.c; import c.py bad.c --to x; }
+ v 's/const float \*a/float a/'; v 's/void solve/void other/'
+ cat >small.py <<'E'
+ def setup(seed=0):
+     def zeros(*shape): return memoryview(bytearray(4 * shape[0] * shape[-1])).cast("B").cast("f", (shape + (1,))[:2])
+     return {"inputs": {"x": zeros(2, 3), "weight": zeros(2, 3), "scaled": zeros(2, 3), "totals": zeros(2, 2), "factor": 0.25, "rows": 2, "cols": 3},
+             "outputs": {"scaled": "out", "totals": "inout"}}
+ E
+ echo '# the same by bench, on data that need no torch'; v() { sed "$1" c.c >bad.c; assay bench bad.c --setup small.py --ref small.py -q 2>&1; echo "= $?"; }
+ v 's/float \*b/const float *b/'; v 's/, float f//'; v 's/float f/int f/'; v 's/float \*sums/double *sums/'
+ sed 's/factor: float, //' solution.py >bad.py; import c.py bad.py --to x; mkdir mine; cp c.py mine; sed 's/def solve/def solver/' solution.py >bad.py
+ echo 'def solve(:' >worse.py; printf 'mine bad.py\nmine worse.py\n' | /usr/bin/python3 $DATA/imports.py leetgpu c.py; test -e x || echo nothing was written
> assay: bad.c:2: parameter 1 'a' of 'solve' is float; the problem passes the tensor 'x' of float32 there
> = 2
> assay: bad.c: no function 'solve', which is named as the entry
> = 2
> # the same by bench, on data that need no torch
> assay: bad.c:2: parameter 3 'b' of 'solve' is const float *; the problem passes the output 'scaled' of float32 there, which it must be able to write
> = 2
> assay: bad.c:2: 'solve' has 6 parameters; the problem passes 7: x, weight, scaled, totals, factor, rows, cols
> = 2
> assay: bad.c:2: parameter 5 'f' of 'solve' is int; the problem passes the number 'factor' of float64 there
> = 2
> assay: bad.c:2: parameter 4 'sums' of 'solve' is double *; the problem passes the output 'totals' of float32 there
> = 2
> assay: bad.py:4: solve() takes 6 arguments (x, weight, scaled, totals, M, N); the problem passes 7
> = 2
> bad.py: no function solve()
> worse.py:1: invalid syntax
> nothing was written

## bad challenges say what, where
$ v() { n=$((n+1)); mkdir -p bads/$n/p; sed "$1" c.py >bads/$n/p/bad.py; cp solution.py bads/$n; echo "bads/$n/p bads/$n/solution.py" >>bads/list; }; n=0
+ v 's/    atol = 1e-4//'; v 's/num_gpus = 1/num_gpus = 2/'; v 's/            "rows": rows,//'; v 's/"rows": (ctypes.c_size_t, "in"),//'
+ v 's/"in"/"input"/'; v 's/torch.ones(rows, device="cuda")/torch.ones(rows, dtype=torch.complex64)/'
+ v 's/torch.manual_seed(7)/raise ValueError("no data")/'; v 's/assert x.shape == (rows, cols)/assert x.shape == (cols, rows)/'
+ v 's/import torch$/import torch, absent_module/'; v 's/"factor": 0.25/"factor": "0.25"/'
+ v 's/^class Challenge(/class Challenge:(/'; v 's/"totals": torch.ones(rows, device="cuda")/"totals": 3/'; /usr/bin/python3 $DATA/imports.py leetgpu bad.py <bads/list
+ . ./lib; sed 's/def reference_impl/def reference/' c.py >bad.py; import bad.py solution.py --to x; test -e x || echo nothing was written
> bad.py: class Challenge has no number atol
> bad.py: num_gpus is 2; a kernel is measured on one GPU
> bad.py: test 'performance' has no 'rows', which get_solve_signature() names
> bad.py: test 'performance' has 'rows', which get_solve_signature() does not name
> bad.py: get_solve_signature() must give {name: (ctypes type, "in", "out" or "inout")}
> 'totals' holds complex64, which is not supported; float64, float32, float16, bfloat16, float8_e4m3fn, float8_e5m2, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bool are
> bad.py:47: ValueError: no data
> bad.py:17: AssertionError
> bad.py:3: needs the module 'absent_module', which /usr/bin/python3 does not have
> bad.py: test 'performance': 'factor' is of type str; a tensor or a number is wanted
> bad.py:7: invalid syntax
> bad.py: test 'functional_1': the output 'totals' is of type int; a tensor is wanted
> assay: bad.py: no problem of a known format (...)
> = 2
> nothing was written

## bench, compare and check take the problem itself
$ . ./lib; mkdir direct; cd direct; assay bench ../c.c --problem ../c.py --python=/usr/bin/python3 --repeat=3 --skip-warm -q >out 2>err; echo "= $?"; cat err
+ sed -n 2,4p out | grep -o 'correct.*data sets'; ls assay-imported | sed 's/-.*//'; ls assay-imported/*
+ assay compare ../c.c ../c.c --problem ../c.py --python=/usr/bin/python3 --placements=2 --blocks=1 --calls=2 --any-load -q >out 2>err; echo "= $?"; cat err
+ ls assay-imported | sed 's/-.*//'; assay bench ../c.c --problem ../c.py --ref ../c.py 2>&1
> = 0
> correct    passed: 4 case(s) on 2 data sets
> c
> c.c
> c.op.json
> c_ref.py
> c_setup.py
> = 0
> c
> assay: --problem: it supplies data, reference and operator file: leave out --ref
= 2

## a CUDA solution, on the fake GPU
? command -v c++
$ mkdir cuda; cd cuda; LD_LIBRARY_PATH=$FAKE PATH=$FAKE:$PATH assay bench ../solution.cu --problem ../c.py --python=/usr/bin/python3 --repeat=3 --skip-warm -q >out 2>err
+ echo "= $?"; cat err; grep -o 'on Fake GPU, backend cuda\|correct.*data sets' out
> = 0
> on Fake GPU, backend cuda
> correct    passed: 4 case(s) on 2 data sets

## optimize takes it, too: data, answer and operator file are frozen by v0
$ assay optimize c.c --problem c.py --python=/usr/bin/python3 --max-iterations=0 --without-profile --repeat=3 --skip-warm --run-dir=loop -q >out 2>&1; echo "= $?"
+ /usr/bin/python3 -c 'import json; m = json.load(open("loop/run_manifest.json")); f = m["frozen"]
+ print(m["iterations"][0]["verdict"], *(sorted(k for k in f if k.endswith("sha256") and f[k])))'
> = 0
> passed op_file_sha256 reference_sha256 setup_sha256
