# assay import: task folders of GPU MODE with submissions in Python and inline CUDA.
needs: /usr/bin/python3 -c 'import numpy'
set: PYTHONPATH=$ROOT/tests/fake/torch
timeout: 120
masks: NUM

## tests and the last benchmark become cases, check_implementation the tolerance, the preallocated output is written or returned
$ cp -r $ROOT/examples/formats/gpumode task; cat >lib <<'E'
+ import() { assay import "$@" --python=/usr/bin/python3 >said 2>&1; status=$?; sed 's/format (.*/format (...)/' said; echo "= $status"; }
+ bench() { k=$1; shift; assay bench in/$k --setup in/task_setup.py --ref in/task_ref.py --op-file in/task.op.json --python=/usr/bin/python3 \
+ 	--repeat=3 --skip-warm -q "$@" >out 2>&1; status=$?; grep -v '^note\|^check' out | sed -n 2,3p | sed 's/; max.*//; s/[0-9]* of [0-9]*/some/; s/, [0-9]* %.*//; s/first.*//; /^cache/d'; echo "= $status"; }
+ E
+ . ./lib; import task task/submission.py --to in; bench task.py --json-out=r.json; /usr/bin/python3 -c 'import json; r = json.load(open("r.json"))["operator"]
+ print([c["name"] for c in r["cases"]], [(p["name"], p["role"], p.get("atol"), p.get("rtol")) for p in r["params"]])'
+ sed 's/return output.abs_()/return (x + shift[:, None]).abs()/' in/task.py >in/returns.py; bench returns.py
+ sed 's/return output.abs_()/return output/' in/task.py >in/wrong.py; bench wrong.py
+ sed 's/return output.abs_()/x.zero_(); return output.abs_()/' in/task.py >in/spoils.py; bench spoils.py
> GPU MODE task, 3 case(s): in/task.py (kernel), in/task.op.json (operator), in/task_setup.py (data), in/task_ref.py (reference)
> assay bench in/task.py --setup in/task_setup.py --ref in/task_ref.py
> = 0
> correct    passed: 3 case(s) on 2 data sets
> = 0
> ['rows=128, cols=256', 'rows=3, cols=5', 'rows=33, cols=65'] [('data_0', 'in', None, None), ('data_1', 'in', None, None), ('data_2', 'out', 1e-05, 0.0001)]
> correct    passed: 3 case(s) on 2 data sets
> = 0
> wrong_result: the output differs from the reference beyond tolerance
>            some elements of 'data_2'
> = 1
> input_modified: an input was changed
>            input 'data_0' was changed (case 'rows=33, cols=65', data set 0, correctness)
> = 1

## inline CUDA is imported as it is; lines keep their numbers, and the file holds nothing of the reference
$ . ./lib; import task/task.yml task/submission_cuda.py --to cuda; grep -c 'def ref_kernel' cuda/task.py cuda/task_setup.py
+ (cd cuda; assay bench task.py --setup task_setup.py --op-file task.op.json --python=/usr/bin/python3 -q 2>&1; echo "= $?")
+ grep -n 'load_inline(name' task/submission_cuda.py cuda/task.py | cut -c1-55; tail -2 cuda/task.py
> GPU MODE task, 3 case(s): cuda/task.py (kernel), cuda/task.op.json (operator), cuda/task_setup.py (data), cuda/task_ref.py (reference)
> assay bench cuda/task.py --setup cuda/task_setup.py --ref cuda/task_ref.py
> = 0
> cuda/task.py:0
> cuda/task_setup.py:1
> assay: candidate worker (time): task.py:21: it builds CUDA code (load_inline), and there is no GPU here to build it for and to run it on
> = 3
> task/submission_cuda.py:21:module = load_inline(name="s
> cuda/task.py:21:module = load_inline(name="shifted_abs"
> def run_kernel(data_0, data_1, data_2):
>     return custom_kernel((data_0, data_1, data_2))

## nested data, numbers, strided tensors, a tuple as answer, utils of the folder above, exact comparison
$ . ./lib; mkdir -p all/nested; cat >all/utils.py <<'E'
+ import torch
+ def verbose_allequal(received, expected, max_print=5):
+     return [] if torch.equal(received, expected) else ["differ"]
+ E
+ cat >all/nested/reference.py <<'E'
+ import torch
+ from utils import verbose_allequal
+ def generate_input(n, scale, seed):
+     torch.manual_seed(seed)
+     return {"x": torch.randint(0, 9, (n, 6), device="cuda").t(), "w": [torch.tensor(2), torch.ones(n, dtype=torch.int64)]}, scale, None
+ def ref_kernel(data):
+     d, scale, _ = data
+     assert d["x"].stride() == (1, 6) and d["w"][0].dim() == 0
+     return d["x"] * scale, d["x"].sum(dim=0) * d["w"][0] + d["w"][1]
+ def check_implementation(data, output):
+     return "".join(sum((verbose_allequal(a, b) for a, b in zip(output, ref_kernel(data))), []))
+ E
+ cat >all/nested/task.yml <<'E'
+ lang: py
+ description: >
+   Nested: data.
+ tests:   # block maps
+   - n: 4
+     scale: 3
+     seed: 1
+   - {n: 7, scale: 2,
+      seed: 5}
+ ranking_by: "geom"
+ E
+ cat >sub.py <<'E'
+ from __future__ import annotations
+ def custom_kernel(data):
+     d, scale, nothing = data
+     assert nothing is None and d["x"].stride() == (1, 6)
+     return d["x"] * scale, d["x"].sum(0) * d["w"][0] + d["w"][1]
+ E
+ import all/nested sub.py --to n; tail -1 n/nested.py
+ assay bench n/nested.py --setup n/nested_setup.py --ref n/nested_ref.py --python=/usr/bin/python3 --repeat=3 --skip-warm -q >out 2>&1; grep -o 'correct .*sets' out; grep tol n/nested.op.json
> GPU MODE task, 2 case(s): n/nested.py (kernel), n/nested.op.json (operator), n/nested_setup.py (data), n/nested_ref.py (reference)
> assay bench n/nested.py --setup n/nested_setup.py --ref n/nested_ref.py
> = 0
>     return custom_kernel(({'x': data_0_x.permute(1, 0), 'w': [data_0_w_0.reshape(()), data_0_w_1]}, data_1, None))
> correct    passed: 2 case(s) on 2 data sets
>  "atol": 0.0,
>  "rtol": 0.0

## a check that compares by hand: its tolerance is found by asking it
$ . ./lib; cp -r task hand; sed -i 's/^check_implementation.*/def check_implementation(data, output):\n    want = ref_kernel(data)\n    worst = ((output - want).abs() - 1e-2 * want.abs()).max().item()\n    return worst <= 1e-3, "off by %g" % worst/' hand/reference.py
+ import hand task/submission.py --to hand_in; /usr/bin/python3 -c 'import json; o = json.load(open("hand_in/hand.op.json")); print(8e-4 < o["atol"] <= 1.001e-3, 8e-3 < o["rtol"] <= 1.001e-2)'; sed -i 's/return worst <= 1e-3/return True/' hand/reference.py; import hand task/submission.py --to any | grep note
> GPU MODE task, 3 case(s): hand_in/hand.py (kernel), hand_in/hand.op.json (operator), hand_in/hand_setup.py (data), hand_in/hand_ref.py (reference)
> note: check_implementation() compares by itself; it accepts atol <NUM>, rtol <NUM>, found by trying answers that are off by a little
> assay bench hand_in/hand.py --setup hand_in/hand_setup.py --ref hand_in/hand_ref.py
> = 0
> True True
> note: check_implementation() uses no tolerance that could be seen, and it accepts answers that are several times as large; assay's own for the element type is used

## bad tasks say what, where
$ import() { n=$((n+1)); mkdir -p bads/$n; cp -r "$1" bads/$n/p; cp "$2" bads/$n; echo "bads/$n/p bads/$n/$(basename "$2")" >>bads/list; }; n=0; cp -r task bad; S=bad/submission.py; y() { sed "$1" task/task.yml >bad/task.yml; import bad $S --to x; cp task/task.yml bad; }
+ r() { sed "$1" task/reference.py >bad/reference.py; import bad $S --to x; cp task/reference.py bad; }
+ y 's/lang: "py"/lang: "cu"/'; printf '// of vectors\nusing input_t =\n  std::array<std::vector<float>, 10>;\n' >bad/task.h; y 's/lang: "py"/lang: "cu"/'; rm bad/task.h; y 's/"cols": 5,/"cols": 5 /'; y 's/^tests:/tests: 3/; s/^  - {"rows": 3.*//; s/^  - {"rows": 33.*//'; y 's/, "seed": 5236//'
+ y 's/"cols": 65/"colums": 65/'
+ r 's/def ref_kernel/def ref/; s/make_match_reference(ref_kernel/make_match_reference(ref/'; r 's/^check_implementation.*/check_implementation = lambda data, output: (False, "never")/'; r 's/return x, shift, torch.empty_like(x)/return x, shift, {1}/'
+ r 's/return x, shift, torch/return x.half(), shift, torch/; s/^from task/raise OSError("gone")\nfrom task/'
+ sed -i 's/^import torch/import torch, reference/' bad/submission.py; import bad bad/submission.py --to x
+ sed 's/def custom_kernel/def kernel/' task/submission.py >bad/submission.py; import bad bad/submission.py --to x
+ rm bad/reference.py; import bad $S --to x; /usr/bin/python3 $DATA/imports.py gpumode task.yml <bads/list
+ . ./lib; import task task/reference.cu --to x; test -e x || echo nothing was written
> task.yml: lang is 'cu': input_t is a C++ type without shapes, made and judged by its reference.cuh; tasks with lang: py are imported, and their submissions may hold inline CUDA (load_inline)
> task.yml: lang is 'cu': task.h: input_t (std::array<std::vector<float>, 10>) is host memory, which its custom_kernel() copies to the GPU and back, so that copies would be timed; tasks with lang: py are imported, and their submissions may hold inline CUDA (load_inline)
> task.yml:19: a ',' is missing in: 5 "seed": 4242
> task.yml: tests must be a list of maps
> task.yml: TypeError: generate_input() missing 1 required positional argument: 'seed'
> task.yml: TypeError: generate_input() got an unexpected keyword argument 'colums'
> reference.py: no function ref_kernel()
> reference.py: check_implementation() refuses ref_kernel()'s own answer: never
> data[2] is of type set; tensors, numbers, bools, strings, None and tuples, lists and dicts of them can be passed
> reference.py:2: OSError: gone
> submission.py:3: imports reference, where the answer is; write the kernel without it
> submission.py: no function custom_kernel()
> task.yml: there is no reference.py beside it
> assay: task/reference.cu: cannot be opened: No such file or directory
> = 2
> nothing was written
