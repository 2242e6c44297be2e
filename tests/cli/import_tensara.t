# assay import: Tensara problems with solutions in Python, C and CUDA.
needs: /usr/bin/python3 -c 'import numpy'
set: PYTHONPATH=$ROOT/tests/fake/torch
timeout: 120

## parameters give the order, verify_result the tolerance, get_flops the work; the last case is timed
$ cp $ROOT/examples/formats/tensara/* .; cat >lib <<'E'
+ import() { assay import "$@" --python=/usr/bin/python3 >said 2>&1; status=$?; sed 's/format (.*/format (...)/' said; echo "= $status"; }
+ bench() { k=$1; shift; assay bench in/$k --setup in/def_setup.py --ref in/def_ref.py --op-file in/p.op.json --python=/usr/bin/python3 \
+ 	--repeat=3 --skip-warm -q "$@" >out 2>&1; status=$?; grep -v '^note\|^check' out | sed -n 2,3p | sed 's/; max.*//; s/[0-9]* of [0-9]*/some/; s/first.*//; /^cache/d'; echo "= $status"; }
+ E
+ . ./lib; mkdir p; mv def.py p; import p solution.py --to in; mv in/p_setup.py in/def_setup.py; mv in/p_ref.py in/def_ref.py
+ bench p.py --json-out=r.json; /usr/bin/python3 -c 'import json; r = json.load(open("r.json"))["operator"]
+ print(r["cases"][0]["name"], r["cases"][0]["flops"], [(p["name"], p["role"], p.get("atol"), p.get("rtol")) for p in r["params"]])'
> Tensara problem, 3 case(s): in/p.py (kernel), in/p.op.json (operator), in/p_setup.py (data), in/p_ref.py (reference)
> assay bench in/p.py --setup in/p_setup.py --ref in/p_ref.py
> = 0
> correct    passed: 3 case(s) on 2 data sets
> = 0
> rows=128, cols=256 98304.0 [('x', 'in', None, None), ('factor', 'scalar', None, None), ('y', 'out', 3e-05, 0.0002), ('largest', 'out', 3e-05, 0.0002), ('rows', 'scalar', None, None), ('cols', 'scalar', None, None)]

## what is returned counts as what is written; wrong answers are found in C and Python
$ . ./lib; cat >c.c <<'E'
+ #include <math.h>
+ #include <stddef.h>
+ void solution(const float *x, float f, float *y, float *most, size_t rows, size_t cols)
+ {
+ 	for (size_t r = 0; r < rows; r++) {
+ 		most[r] = 0;
+ 		for (size_t c = 0; c < cols; c++) {
+ 			y[r * cols + c] = log1pf(expf(x[r * cols + c] * f));
+ 			most[r] = fmaxf(most[r], y[r * cols + c]);
+ 		}
+ 	}
+ }
+ E
+ cp c.c in; bench c.c; sed 's/most\[r\] = 0/most[r] = 2/' c.c >in/high.c; bench high.c
+ sed 's/torch.log1p.*/a = torch.log1p(torch.exp(x * factor))/; s/largest.copy.*/return a, a.amax(dim=1)/' in/p.py >in/returns.py; bench returns.py
+ sed 's/return a, /return a + 1, /' in/returns.py >in/wrong.py; bench wrong.py
+ sed 's/return a, .*/return a/' in/returns.py >in/one.py; bench one.py
> correct    passed: 3 case(s) on 2 data sets
> = 0
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'largest', 
> = 1
> correct    passed: 3 case(s) on 2 data sets
> = 0
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'y', 
> = 1
> output_type: what the entry returned is not the tensors that are wanted
>            the entry returned 1 values; 2 are wanted (y, largest)
> = 1

## a CUDA solution, on the fake GPU
? command -v c++
$ LD_LIBRARY_PATH=$FAKE PATH=$FAKE:$PATH assay bench solution.cu --problem p --python=/usr/bin/python3 --repeat=3 --skip-warm -q >out 2>err
+ echo "= $?"; cat err; grep -o 'on Fake GPU, backend cuda\|correct.*data sets' out
> = 0
> on Fake GPU, backend cuda
> correct    passed: 3 case(s) on 2 data sets

## an older problem: no parameters, a signature by position, the element type as an argument
$ . ./lib; cat >old.py <<'E'
+ import ctypes
+ import torch
+ from problem import Problem
+ class row_argmax(Problem):
+     def __init__(self):
+         super().__init__(name="row-argmax")
+     def reference_solution(self, x, dim):
+         return torch.argmax(x, dim=dim).to(torch.int32)
+     def generate_test_cases(self, dtype):
+         return [{"name": "a", "shape": (5, 7), "create_inputs": lambda: (torch.rand(5, 7, device="cuda", dtype=dtype), 1)}]
+     def verify_result(self, expected, actual, dtype):
+         return torch.all(actual == expected), {}
+     def get_function_signature(self):
+         return {"argtypes": [ctypes.POINTER(ctypes.c_float), ctypes.c_int, ctypes.POINTER(ctypes.c_int)], "restype": None}
+     def get_extra_params(self, case):
+         return [torch.tensor(case["shape"], dtype=torch.int32), 2]
+ E
+ cat >old.c <<'E'
+ void solution(const float *x, int dim, int *out, const int *shape, int ndim)
+ {
+ 	for (int r = 0; r < shape[0]; r++) {
+ 		out[r] = 0;
+ 		for (int c = 1; c < shape[ndim - 1]; c++)
+ 			out[r] = x[r * shape[1] + c] > x[r * shape[1] + out[r]] ? c : out[r];
+ 	}
+ }
+ E
+ import old.py old.c --to o; assay bench o/old.c --setup o/old_setup.py --ref o/old_ref.py --python=/usr/bin/python3 --repeat=3 --skip-warm -q >out 2>&1; grep -o 'correct .*sets' out
> Tensara problem, 1 case(s): o/old.c (kernel), o/old.op.json (operator), o/old_setup.py (data), o/old_ref.py (reference)
> assay bench o/old.c --setup o/old_setup.py --ref o/old_ref.py
> = 0
> correct    passed: 1 case(s) on 2 data sets

## bad problems say what, where
$ v() { n=$((n+1)); mkdir -p bads/$n/p; sed "$1" p/def.py >bads/$n/p/bad.py; cp solution.py bads/$n; echo "bads/$n/p bads/$n/solution.py" >>bads/list; }; n=0
+ v 's/"const": False},/},/'; v '/"name": "cols", "type"/d'; v 's/"type": "float", "pointer": True, "const": True/"type": "float3", "pointer": True, "const": True/'
+ v 's/        cases = \[\]/        raise RuntimeError("no cases")/'; v 's/return y, y.max.*/return y/'; v 's/"create_inputs"/"make_inputs"/'
+ v 's/return ok, {}/return False, {}/'; v 's/def verify_result/def verify/'; /usr/bin/python3 $DATA/imports.py tensara bad.py <bads/list; . ./lib
+ sed 's/void solution(const float \*x, /void solution(const int *x, /' c.c >bad.c; import p bad.c --to x
+ sed 's/, cols: int/, cols, more/' solution.py >bad_s.py; import p bad_s.py --to x; test -e x || echo nothing was written
> bad.py: each of parameters needs name, type, pointer and const
> bad.py: parameters lists 5; 2 inputs, 2 outputs and 2 extra numbers are passed
> parameter 'x' has the type 'float3'; float, double, int, size_t, uint8_t, int8_t, int32_t, int64_t, uint32_t, uint64_t, unsigned int, float16, half, __half, bfloat16, bool are known
> bad.py:28: RuntimeError: no cases
> bad.py: parameters lists 6; 2 inputs, 1 outputs and 2 extra numbers are passed
> bad.py: generate_test_cases() must give a list of dicts with create_inputs
> bad.py: verify_result() refuses the problem's own answer
> bad.py: class row_softplus has no verify_result()
> assay: bad.c:3: parameter 1 'x' of 'solution' is const int *; the problem passes the tensor 'x' of float32 there
> = 2
> assay: bad_s.py:4: solution() takes 7 arguments (x, factor, y, largest, rows, cols, more); the problem passes 6
> = 2
> nothing was written
