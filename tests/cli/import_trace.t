# assay import: definitions of flashinfer-trace and SOL-ExecBench, robust-kbench problems, TritonBench-G files.
needs: /usr/bin/python3 -c 'import torch'
timeout: 120

## flashinfer-trace: workloads become cases, axes sizes, outputs destinations; a Python solution passes, a wrong one does not
$ cp -r $ROOT/examples/formats/flashinfer_trace t; cat >lib <<'E'
+ import() { assay import "$@" --python=/usr/bin/python3 >said 2>&1; status=$?; sed 's/format (.*/format (...)/' said; echo "= $status"; }
+ bench() { s=$1; k=$2; shift 2; assay bench in/$k --setup in/${s}_setup.py --ref in/${s}_ref.py --op-file in/$s.op.json --python=/usr/bin/python3 \
+ 	--repeat=3 --skip-warm -q "$@" >out 2>&1; status=$?; grep -v '^note' out | sed -n 2,3p | sed 's/; max.*//; s/[0-9]* of [0-9]*/some/; s/, [0-9]* %.*//; s/,* first.*//; /^cache/d'; echo "= $status"; }
+ E
+ . ./lib; import t t/solution.json --to in; bench t t.py; grep -c 'def run(' in/t.py; /usr/bin/python3 -c 'import json; o = json.load(open("in/t.op.json")); print(o["atol"], o["rtol"], [c["name"] for c in o["cases"]])'
+ sed 's/weight \* factor/weight/' in/t.py >in/wrong.py; bench t wrong.py
+ printf 'import torch\ndef run(x, weight, factor):\n    rms = torch.sqrt(x.square().mean(dim=1) + 1e-6)\n    return x / rms[:, None] * weight * factor, rms\n' >returns.py
+ assay bench returns.py --problem t/definition.json --python=/usr/bin/python3 --repeat=3 --skip-warm -q 2>&1 | grep -o 'correct.*sets'
> flashinfer-trace definition, 2 case(s): in/t.py (kernel), in/t.op.json (operator), in/t_setup.py (data), in/t_ref.py (reference)
> assay bench in/t.py --setup in/t_setup.py --ref in/t_ref.py
> = 0
> correct    passed: 2 case(s) on 2 data sets
> = 0
> 1
> 0.01 0.01 ['b128', 'b7']
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'y'
> = 1
> correct    passed: 2 case(s) on 2 data sets

## a data set's folders, and a CUDA solution with torch's binding: its sources are built when the module is loaded
$ . ./lib; mkdir -p set/definitions/rmsnorm set/workloads/rmsnorm; cp t/definition.json set/definitions/rmsnorm/h64.json; cp t/workload.jsonl set/workloads/rmsnorm/h64.jsonl
+ import set/definitions/rmsnorm/h64.json t/solution_cuda.json --to cuda; grep -c 'cpp_extension import load$\|__global__ void rmsnorm' cuda/h64.py; grep 'getattr(built' cuda/h64.py; tail -2 cuda/h64.py
> flashinfer-trace definition, 2 case(s): cuda/h64.py (kernel), cuda/h64.op.json (operator), cuda/h64_setup.py (data), cuda/h64_ref.py (reference)
> assay bench cuda/h64.py --setup cuda/h64_setup.py --ref cuda/h64_ref.py
> = 0
> 2
>     return getattr(built, 'run')
> def run_kernel(x, weight, factor, y, rms):
>     return _assay_entry(x, weight, factor, y, rms)

## SOL-ExecBench: axes by expressions, inputs of the problem's own function, tolerance of the workloads, several sources
$ . ./lib; cp -r $ROOT/examples/formats/sol_execbench s; import s s/solution.json --to in; bench s s.py
+ /usr/bin/python3 -c 'import json; o = json.load(open("in/s.op.json")); print(o["atol"], o["rtol"], [c["name"] for c in o["cases"]])'
+ sed 's/x\[:, n:\]/x[:, :n]/' in/s.py >in/wrong.py; bench s wrong.py
> flashinfer-trace definition, 2 case(s): in/s.py (kernel), in/s.op.json (operator), in/s_setup.py (data), in/s_ref.py (reference)
> note: required_matched_ratio is below 1 there; here every element is compared
> assay bench in/s.py --setup in/s_setup.py --ref in/s_ref.py
> = 0
> correct    passed: 2 case(s) on 2 data sets
> = 0
> 0.0001 0.001 ['r96', 'r5']
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'y'
> = 1

## bad definitions, workloads and solutions say what, where
$ . ./lib; cp -r t bad; d() { sed "$1" t/definition.json >bad/definition.json; import bad bad/solution.json --to x; cp t/definition.json bad; }
+ w() { sed "$1" t/workload.jsonl >bad/workload.jsonl; import bad bad/solution.json --to x; cp t/workload.jsonl bad; }
+ s() { sed "$1" t/solution.json >bad/s.json; import bad bad/s.json --to x; }
+ d 's/"dtype": "float32"},$/"dtype": "float33"},/'; d 's/"axes": {"batch": {"type": "var"}, /"axes": {"batch": {"type": "val"}, /'; d 's/"outputs"/"output"/'; d 's/def run/def go/'
+ d 's/"shape": \["batch"\]/"shape": ["rows"]/'; d 's/return y.float(), rms.float()/raise KeyError(7)/'; d 's/  "name".*/  "name" 3/'
+ w 's/"axes": {"batch": 7}/"axes": {}/'; w 's/"type": "random"}, "weight"/"type": "safetensors", "path": "a", "tensor_key": "x"}, "weight"/'; w 's/{"type": "scalar", "value": 2}/{"type": "random"}/'
+ s 's/"main.py::run"/"main.cu::run"/'; s 's/"definition": "scaled/"definition": "other/'; s 's/"path": "main.py"/"path": "..\/main.py"/'; s 's/"sources"/"source"/'; s 's/def run/def /'
+ printf 'def run(x): pass\n' >bad.py; import bad bad.py --to x; test -e x || echo nothing was written
> assay: definition.json: inputs.x: dtype float33 is not supported; bfloat16, bool, float16, float32, float64, float8_e4m3fn, float8_e5m2, int16, int32, int64, int8, uint8 are
> = 2
> assay: definition.json: axis 'batch' has the type 'val'; const, var and expr are known
> = 2
> assay: definition.json: the definition has no "outputs" (dict)
> = 2
> assay: definition.json: "reference" defines no run()
> = 2
> assay: definition.json: 'rms': 'rows' is no size: numbers, axes (batch, hidden) and + - * / // % ** are known
> = 2
> assay: reference of scaled_rmsnorm_h64:7: KeyError: 7
> = 2
> assay: definition.json: no JSON: Expecting ':' delimiter: line 2 column 10 (char 11)
> = 2
> assay: workload.jsonl:2: axes has no whole number 'batch'
> = 2
> assay: workload.jsonl:2: an input lies in a safetensors file; random, scalar and custom inputs are made here
> = 2
> assay: workload.jsonl:2: inputs.factor is a scalar (shape null) without a value
> = 2
> assay: s.json: spec.entry_point 'main.cu::run' names no file of sources and a function in it (file::function)
> = 2
> assay: s.json: it solves 'other_rmsnorm_h64'; the definition is 'scaled_rmsnorm_h64'
> = 2
> assay: s.json: the path '../main.py' leaves the solution's folder
> = 2
> assay: s.json: a solution needs spec and sources (path, content)
> = 2
> assay: s.json:4: invalid syntax
> = 2
> assay: bad.py: run() takes 1 arguments; the definition has 3 inputs and 2 outputs
> = 2
> nothing was written

## robust-kbench: what the model passes to fn are the inputs, weights among them; settings become cases
$ . ./lib; cp -r $ROOT/examples/formats/robust_kbench r; import r r/solution.py --to in; bench r r.py; sed 's/y \* slope/y/' in/r.py >in/wrong.py; bench r wrong.py
+ import r r/forward.cu --to rc; tail -2 rc/r.py; grep -c PYBIND11 rc/r.py; v() { sed "$1" r/func_forward.py >bad/func_forward.py; import bad/func_forward.py r/solution.py --to x; }
+ v 's/, fn=forward_fn//'; v 's/return fn(x, self.weight, self.bias, 0.1)/return fn(fn(x, self.weight, self.bias, 0.1), self.weight, self.bias, 0.1)/; s/"n_out": 32/"n_out": 48/'
+ v 's/\[{"n_in": 48, "n_out": 32}\]/[{"n_in": 48, "n_out": 32}] * 3/'; v 's/return \[torch.randn/raise ValueError("none") or [torch.randn/'; sed 's/, slope)/)/' r/solution.py >bad.py; import r bad.py --to x
+ echo 'void forward() {}' >bad.cu; import r bad.cu --to x; test -e x || echo nothing was written
> robust-kbench problem, 2 case(s): in/r.py (kernel), in/r.op.json (operator), in/r_setup.py (data), in/r_ref.py (reference)
> assay bench in/r.py --setup in/r_setup.py --ref in/r_ref.py
> = 0
> correct    passed: 2 case(s) on 2 data sets
> = 0
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'returned'
> = 1
> robust-kbench problem, 2 case(s): rc/r.py (kernel), rc/r.op.json (operator), rc/r_setup.py (data), rc/r_ref.py (reference)
> assay bench rc/r.py --setup rc/r_setup.py --ref rc/r_ref.py
> = 0
> def run_kernel(x, weight, bias, slope):
>     return _assay_entry(x, weight, bias, slope)
> 1
> assay: func_forward.py: Model.forward() has no parameter fn
> = 2
> assay: func_forward.py: Model.forward() calls fn 2 times; one call is measured
> = 2
> assay: func_forward.py: 2 settings for inputs, 3 for the model; they go in pairs
> = 2
> assay: func_forward.py:26: ValueError: none
> = 2
> assay: bad.py:4: forward_fn() takes 3 arguments (x, weight, bias); the problem passes 4
> = 2
> assay: bad.cu: a CUDA solution exports forward (PYBIND11_MODULE)
> = 2
> nothing was written

## TritonBench-G: each call that the test makes is a case; the test does not come into the kernel's file
$ . ./lib; cp -r $ROOT/examples/formats/tritonbench_g g; import g/scale_add.py g/solution.py --to in; bench scale_add scale_add.py; sed 's/alpha=factor/alpha=1/' in/scale_add.py >in/wrong.py; bench scale_add wrong.py
+ sed 's/torch.relu(out) if relu else out/out/' in/scale_add.py >in/wrong.py; bench scale_add wrong.py; v() { sed "$1" g/scale_add.py >bad.py; import bad.py g/solution.py --to x; }
+ v 's/def test_fused/def check_fused/; s/= test_fused/= check_fused/; s/^result_gold/# def test_\nresult_gold/'; v 's/= fused_scale_add(/= torch.add(/; s/, factor=0.5)/)/; s/, relu=True//'; v 's/relu=False):/relu=False, **more):/'
+ v 's/    results = {}/    raise RuntimeError("no GPU")/'; sed 's/def fused_scale_add/def fused/' g/solution.py >s.py; import g/scale_add.py s.py --to x; test -e x || echo nothing was written
> TritonBench-G file, 3 case(s): in/scale_add.py (kernel), in/scale_add.op.json (operator), in/scale_add_setup.py (data), in/scale_add_ref.py (reference)
> assay bench in/scale_add.py --setup in/scale_add_setup.py --ref in/scale_add_ref.py
> = 0
> correct    passed: 3 case(s) on 2 data sets
> = 0
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'returned'
> = 1
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'returned'
> = 1
> assay: bad.py: no function test_*() below the line of #
> = 2
> assay: bad.py: test_fused_scale_add() calls no function that stands above the line of #
> = 2
> assay: bad.py: fused_scale_add() takes *args or **kwargs, which cannot be named
> = 2
> assay: bad.py:18: RuntimeError: no GPU
> = 2
> assay: s.py: no function fused_scale_add()
> = 2
> nothing was written
