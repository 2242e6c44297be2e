# assay import: definitions of flashinfer-trace and SOL-ExecBench, robust-kbench problems, TritonBench-G files.
needs: /usr/bin/python3 -c 'import numpy'
set: PYTHONPATH=$ROOT/tests/fake/torch
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

## inputs in safetensors files are read; what is damaged says where
$ . ./lib; mkdir set/blob; cat >make.py <<'E'
+ import json, struct
+ def put(name, header, data, n=None):
+     head = header if isinstance(header, bytes) else json.dumps(header).encode()
+     open("set/blob/" + name, "wb").write(struct.pack("<Q", len(head) if n is None else n) + head + data)
+ def tensor(shape, at, dtype="F32"): return {"dtype": dtype, "shape": shape, "data_offsets": at}
+ weight = struct.pack("<64f", *[i / 8 for i in range(64)])
+ put("w.safetensors", {"__metadata__": {"format": "pt"}, "other": tensor([1], [256, 257], "U8"), "w": tensor([64], [0, 256])}, weight + b"x")
+ put("shape", {"w": tensor([32], [0, 128])}, weight); put("kind", {"w": tensor([64], [0, 256], "F99")}, weight)
+ put("cut", {"w": tensor([64], [0, 256])}, weight[:100]); put("offsets", {"w": tensor([64], [4, 256])}, weight + b"1234")
+ put("negative", {"w": tensor([-64], [0, 256])}, weight); put("many", {"w": tensor([1 << 40, 1 << 40], [0, 256])}, weight)
+ put("long", {}, b"", 1 << 60); put("text", b"no JSON at all", b""); put("list", b"[1, 2]", b""); put("empty", {"w": tensor([0], [0, 0])}, b"")
+ put("none", {}, b""); open("set/blob/short", "wb").write(b"abc")
+ E
+ python3 make.py; D=set/definitions/rmsnorm/h64.json; W=set/workloads/rmsnorm/h64.jsonl; cp $W lines
+ blob() { sed "s,\"weight\": {\"type\": \"random\"},\"weight\": {\"type\": \"safetensors\"\, \"path\": \"$1\"\, \"tensor_key\": \"w\"},; s/\"uuid\": \"/&$2/" lines; }
+ { blob blob/w.safetensors; blob blob/absent a | head -1; blob ../../lines b | head -1; blob /etc/passwd c | head -1; } >$W
+ import $D t/solution.json --to st; grep -c 'blob/w.safetensors.: ' st/h64.py st/h64_setup.py; cat >look.py <<'E'
+ import base64, os, zlib
+ import h64_setup as s
+ a, b = s.setup(case=1, seed=0), s.setup(case=2, seed=5); w = a["inputs"]["weight"]
+ print(w.shape, w[8:10].tolist(), w.equal(b["inputs"]["weight"]), a["inputs"]["x"].shape)
+ for name in sorted(os.listdir("../set/blob")):
+     text = "assay-blob: " + base64.b64encode(zlib.compress(open("../set/blob/" + name, "rb").read())).decode()
+     try:
+         print(name, s.Safetensors(name, text).find("w").shape)
+     except s.CannotImport as x:
+         print(x)
+ E
+ cp look.py st; cd st; /usr/bin/python3 look.py
> flashinfer-trace definition, 2 case(s): st/h64.py (kernel), st/h64.op.json (operator), st/h64_setup.py (data), st/h64_ref.py (reference)
> note: h64.jsonl:3: inputs.weight: blob/absent: no such file beside the definition or in the root of its data set
> note: h64.jsonl:4: inputs.weight: ../../lines: the path leaves the data set
> note: h64.jsonl:5: inputs.weight: /etc/passwd: the path leaves the data set
> assay bench st/h64.py --setup st/h64_setup.py --ref st/h64_ref.py
> = 0
> st/h64.py:0
> st/h64_setup.py:1
> torch.Size([64]) [1.0, 1.125] True torch.Size([128, 64])
> cut: tensor 'w' of 256 bytes lies at 0 to 256; there are 100 bytes of data
> empty: tensor 'w' is empty
> kind: tensor 'w' holds F99, which is not supported; F64, F32, F16, BF16, F8_E4M3, F8_E5M2, I64, I32, I16, I8, U8, BOOL are
> list: the header is no object
> long: no safetensors file: its header would have 1152921504606846976 bytes, the file has 10
> many: tensor 'w' of 4835703278458516698824704 bytes lies at 0 to 256; there are 256 bytes of data
> negative: tensor 'w' needs dtype, shape and data_offsets (two numbers)
> none: no tensor 'w'; it holds none
> offsets: tensor 'w' of 256 bytes lies at 4 to 256; there are 260 bytes of data
> shape torch.Size([32])
> short: no safetensors file: it has 3 bytes
> text: the header is no JSON: Expecting value: line 1 column 1 (char 0)
> w.safetensors torch.Size([64])
$ . ./lib; D=set/definitions/rmsnorm/h64.json; W=set/workloads/rmsnorm/h64.jsonl; sed 's,blob/w.safetensors,blob/shape,; q' $W >w; cp w $W; import $D t/solution.json --to x; sed -i 's/, "tensor_key": "w"//' $W; import $D t/solution.json --to x
> assay: h64.jsonl:1: 'weight' has shape [32]; the definition says [64]
> = 2
> assay: h64.jsonl:1: inputs.weight: a safetensors input needs path and tensor_key
> = 2

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
$ import() { n=$((n+1)); mkdir -p bads/$n; cp -r "$1" bads/$n/p; cp "$2" bads/$n; echo "bads/$n/p bads/$n/$(basename "$2")" >>bads/list; }; n=0; cp -r t bad; d() { sed "$1" t/definition.json >bad/definition.json; import bad bad/solution.json --to x; cp t/definition.json bad; }
+ w() { sed "$1" t/workload.jsonl >bad/workload.jsonl; import bad bad/solution.json --to x; cp t/workload.jsonl bad; }
+ s() { sed "$1" t/solution.json >bad/s.json; import bad bad/s.json --to x; }
+ d 's/"dtype": "float32"},$/"dtype": "float33"},/'; d 's/"axes": {"batch": {"type": "var"}, /"axes": {"batch": {"type": "val"}, /'; d 's/"outputs"/"output"/'; d 's/def run/def go/'
+ d 's/"shape": \["batch"\]/"shape": ["rows"]/'; d 's/return y.float(), rms.float()/raise KeyError(7)/'; d 's/  "name".*/  "name" 3/'
+ w 's/"axes": {"batch": 7}/"axes": {}/'; w 's/"type": "random"}, "weight"/"type": "safetensors", "path": "a", "tensor_key": "x"}, "weight"/'; w 's/{"type": "scalar", "value": 2}/{"type": "random"}/'
+ s 's/"main.py::run"/"main.cu::run"/'; s 's/"definition": "scaled/"definition": "other/'; s 's/"path": "main.py"/"path": "..\/main.py"/'; s 's/"sources"/"source"/'; s 's/def run/def /'
+ printf 'def run(x): pass\n' >bad.py; import bad bad.py --to x; /usr/bin/python3 $DATA/imports.py trace definition.json <bads/list
+ . ./lib; import bad bad.py --to x; test -e x || echo nothing was written
> definition.json: inputs.x: dtype float33 is not supported; bfloat16, bool, float16, float32, float64, float8_e4m3fn, float8_e5m2, int16, int32, int64, int8, uint8 are
> definition.json: axis 'batch' has the type 'val'; const, var and expr are known
> definition.json: the definition has no "outputs" (dict)
> definition.json: "reference" defines no run()
> definition.json: 'rms': 'rows' is no size: numbers, axes (batch, hidden) and + - * / // % ** are known
> reference of scaled_rmsnorm_h64:7: KeyError: 7
> definition.json: no JSON: Expecting ':' delimiter: line 2 column 10 (char 11)
> workload.jsonl:2: axes has no whole number 'batch'
> workload.jsonl:2: inputs.x: a: no such file
> workload.jsonl:2: inputs.factor is a scalar (shape null) without a value
> s.json: spec.entry_point 'main.cu::run' names no file of sources and a function in it (file::function)
> s.json: it solves 'other_rmsnorm_h64'; the definition is 'scaled_rmsnorm_h64'
> s.json: the path '../main.py' leaves the solution's folder
> s.json: a solution needs spec and sources (path, content)
> s.json:4: invalid syntax
> bad.py: run() takes 1 arguments; the definition has 3 inputs and 2 outputs
> assay: bad.py: run() takes 1 arguments; the definition has 3 inputs and 2 outputs
> = 2
> nothing was written

## robust-kbench: what the model passes to fn are the inputs, weights among them; settings become cases
$ . ./lib; cp -r $ROOT/examples/formats/robust_kbench r; import r r/solution.py --to in; bench r r.py; sed 's/y \* slope/y/' in/r.py >in/wrong.py; bench r wrong.py
+ import r r/forward.cu --to rc; tail -2 rc/r.py; grep -c PYBIND11 rc/r.py
+ B=robust; import() { n=$((n+1)); mkdir -p $B/$n/p; if [ -d "$1" ]; then cp -r "$1/." $B/$n/p; else cp "$1" $B/$n/p; fi; cp "$2" $B/$n; echo "$B/$n/p $B/$n/$(basename "$2")" >>$B/list; }; n=0; v() { sed "$1" r/func_forward.py >bad/func_forward.py; import bad/func_forward.py r/solution.py --to x; }
+ v 's/, fn=forward_fn//'; v 's/return fn(x, self.weight, self.bias, 0.1)/return fn(fn(x, self.weight, self.bias, 0.1), self.weight, self.bias, 0.1)/; s/"n_out": 32/"n_out": 48/'
+ v 's/\[{"n_in": 48, "n_out": 32}\]/[{"n_in": 48, "n_out": 32}] * 3/'; v 's/return \[torch.randn/raise ValueError("none") or [torch.randn/'; sed 's/, slope)/)/' r/solution.py >bad.py; import r bad.py --to x
+ echo 'void forward() {}' >bad.cu; import r bad.cu --to x; /usr/bin/python3 $DATA/imports.py robust func_forward.py <robust/list
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
> func_forward.py: Model.forward() has no parameter fn
> func_forward.py: Model.forward() calls fn 2 times; one call is measured
> func_forward.py: 2 settings for inputs, 3 for the model; they go in pairs
> func_forward.py:26: ValueError: none
> bad.py:4: forward_fn() takes 3 arguments (x, weight, bias); the problem passes 4
> bad.cu: a CUDA solution exports forward (PYBIND11_MODULE)

## TritonBench-G: each call that the test makes is a case; the test does not come into the kernel's file
$ . ./lib; cp -r $ROOT/examples/formats/tritonbench_g g; import g/scale_add.py g/solution.py --to in; bench scale_add scale_add.py; sed 's/alpha=factor/alpha=1/' in/scale_add.py >in/wrong.py; bench scale_add wrong.py
+ sed 's/torch.relu(out) if relu else out/out/' in/scale_add.py >in/wrong.py; bench scale_add wrong.py
+ B=triton; import() { n=$((n+1)); mkdir -p $B/$n/p; if [ -d "$1" ]; then cp -r "$1/." $B/$n/p; else cp "$1" $B/$n/p; fi; cp "$2" $B/$n; echo "$B/$n/p $B/$n/$(basename "$2")" >>$B/list; }; n=0; v() { sed "$1" g/scale_add.py >scale_add.py; import scale_add.py g/solution.py --to x; }
+ v 's/def test_fused/def check_fused/; s/= test_fused/= check_fused/; s/^result_gold/# def test_\nresult_gold/'; v 's/= fused_scale_add(/= torch.add(/; s/, factor=0.5)/)/; s/, relu=True//'; v 's/relu=False):/relu=False, **more):/'
+ v 's/    results = {}/    raise RuntimeError("no GPU")/'; sed 's/def fused_scale_add/def fused/' g/solution.py >s.py; import g/scale_add.py s.py --to x; /usr/bin/python3 $DATA/imports.py tritonbench scale_add.py <triton/list
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
> scale_add.py: no function test_*() below the line of #
> scale_add.py: test_fused_scale_add() calls no function that stands above the line of #
> scale_add.py: fused_scale_add() takes *args or **kwargs, which cannot be named
> scale_add.py:18: RuntimeError: no GPU
> s.py: no function fused_scale_add()
