# assay import: kernels written for other places.
needs: /usr/bin/python3 -c 'import numpy'
set: PYTHONPATH=$ROOT/tests/fake/torch
timeout: 120

## KernelBench: data, answer and kernel in three files; the kernel's holds nothing of the problem
$ cp $ROOT/examples/formats/kernelbench/*.py .
+ assay import scale_relu.py scale_relu_new.py --to in --python=/usr/bin/python3
+ grep -c '^class Model(' in/scale_relu.py in/scale_relu_setup.py in/scale_relu_ref.py
> KernelBench problem, 1 case(s): in/scale_relu.py (kernel), in/scale_relu.op.json (operator), in/scale_relu_setup.py (data), in/scale_relu_ref.py (reference)
> assay bench in/scale_relu.py --setup in/scale_relu_setup.py --ref in/scale_relu_ref.py
> in/scale_relu.py:0
> in/scale_relu_setup.py:1
> in/scale_relu_ref.py:1
$ cat >b <<'E'
+ assay bench in/$1 --setup in/scale_relu_setup.py --ref in/scale_relu_ref.py --python=/usr/bin/python3 --repeat=3 --skip-warm -q >out; status=$?
+ grep -v '^note' out | sed -n 2,3p | sed 's/; max.*//; s/[0-9]* of 2048.*/some/; /^cache/d'; echo "= $status"
+ E
+ sh b scale_relu.py
+ sed 's/clamp_min_(0)/clamp_min_(0.1)/' in/scale_relu.py >in/wrong.py; sh b wrong.py
+ sed 's/self.bias = .*/self.bias = nn.Parameter(torch.zeros(n_out))/' in/scale_relu.py >in/weights.py; sh b weights.py
+ sed 's/clamp_min_(0)/clamp_min_(0).half()/' in/scale_relu.py >in/half.py; sh b half.py
> correct    passed: 1 case(s) on 2 data sets
> = 0
> wrong_result: the output differs from the reference beyond tolerance
>            some
> = 1
> wrong_result: the output differs from the reference beyond tolerance
>            some
> = 1
> output_dtype: a returned output has another element type than is wanted
>            output 'returned' is float16; float32 is wanted
> = 1

## models stay in training mode, as KernelBench leaves them: batch statistics are the answer; tuples are returned
$ cat >norm.py <<'E'
+ import torch
+ import torch.nn as nn
+ class Model(nn.Module):
+     def __init__(self):
+         super().__init__()
+         self.norm = nn.BatchNorm1d(8)
+     def forward(self, x, factor: float, more=None):
+         return self.norm(x) * factor, torch.argmax(x, dim=1)
+ def get_inputs():
+     return [torch.rand(16, 8), 3]
+ E
+ cat >norm_new.py <<'E'
+ import torch
+ class ModelNew(torch.nn.Module):
+     def forward(self, x, factor):
+         return (x - x.mean(0)) * torch.rsqrt(x.var(0, unbiased=False) + 1e-5) * factor, x.max(dim=1).indices
+ E
+ assay bench norm_new.py --problem norm.py --python=/usr/bin/python3 --repeat=3 --skip-warm -q 2>&1 | grep -o 'correct.*sets'
> correct    passed: 1 case(s) on 2 data sets

## what cannot be imported says why, and nothing is overwritten
$ import() { assay import "$@" --python=/usr/bin/python3 >said 2>&1; status=$?; sed 's/format (.*/format (...)/' said; echo "= $status"; }
+ import scale_relu.py scale_relu_new.py --to in
+ import scale_relu.py --to x; import scale_relu.py scale_relu.py --to x; import scale_relu_new.py scale_relu_new.py --to x
+ sed 's/\[features, 32, 0.5\]/[torch.ones(3)]/' scale_relu.py >init.py; import init.py scale_relu_new.py --to x
+ sed 's/def get_inputs.*/def get_inputs():\n    raise ValueError("no data")/' scale_relu.py >raises.py; import raises.py scale_relu_new.py --to x
+ mkdir task; touch task/other.py; import task scale_relu_new.py --to x
+ import absent.py --to x
+ test -e x || echo nothing was written
> assay: in/scale_relu.py: exists; nothing is overwritten
> = 2
> assay: import: a KernelBench problem needs its solution (a .py with class ModelNew), too
> = 2
> assay: scale_relu.py: no class ModelNew: not a KernelBench solution
> = 2
> assay: scale_relu_new.py: no problem of a known format (...)
> = 2
> assay: init.py: get_init_inputs() gives what cannot be written as text: [tensor([1., 1., 1.])]
> = 2
> assay: raises.py:20: ValueError: no data
> = 2
> assay: task: holds no problem of a known format (...)
> = 2
> assay: absent.py: cannot be opened: No such file or directory
> = 2
> nothing was written
