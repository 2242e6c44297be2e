# With torch from a package: tensors of torch in the worker, wrappers of an ATen operator against torch's schemas.
needs: /usr/bin/python3 -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("torch"))'
timeout: 180

## the add example of the loop: one wrapper passes, two fail when called, one is missing
$ cat >kernel.py <<'E'
+ import torch
+
+
+ def add_Tensor(self: torch.Tensor, other: torch.Tensor, *, alpha=1) -> torch.Tensor:
+     """aten::add.Tensor"""
+     self, other = torch.broadcast_tensors(self, other)
+     out = torch.empty_like(self)
+     if alpha != 1:
+         other = other * alpha
+     torch.add(self.contiguous(), other.contiguous(), out=out)
+     return out
+
+
+ def add_Scalar(self: torch.Tensor, other: float, *, alpha=1) -> torch.Tensor:
+     """aten::add.Scalar"""
+     return add_Tensor(self, torch.full_like(self, other), alpha)
+
+
+ def add_out(self: torch.Tensor, other: torch.Tensor, *, alpha=1, out: torch.Tensor) -> torch.Tensor:
+     """aten::add.out"""
+     result = add_Tensor(self, other, alpha)
+     out.copy_(result)
+     return out
+
+
+ def setup(M=64, N=64, seed=None, **kwargs):
+     if seed is not None:
+         torch.manual_seed(seed)
+     x = torch.randn(M, N, device='cuda', dtype=torch.float32)
+     y = torch.randn(M, N, device='cuda', dtype=torch.float32)
+     return {"inputs": {"x": x, "y": y}, "outputs": []}
+
+
+ def run_kernel(x, y):
+     return add_Tensor(x, y)
+ E
+ printf '# add\n## 需要实现的接口\n- `add.Tensor(Tensor self, ...) -> Tensor`\n- `aten::add.Scalar`\n- add.out(...)\n## More\n- `sub.Tensor(...)`\n' >spec.md
+ sed 's/, alpha)$/, alpha=alpha)/' kernel.py >mended.py
+ look() { COLUMNS=4000 assay check "$@" --python=/usr/bin/python3 | grep '^[a-z ]* *overloads  '; }
+ look kernel.py --op=aten::add; look kernel.py --spec=spec.md; look mended.py --spec=spec.md; look mended.py --op=aten::add
> not met     overloads             add_Scalar (add.Scalar) fails when called: kernel.py:16: TypeError: add_Tensor() takes 2 positional arguments but 3 were given; add_out (add.out) fails when called: kernel.py:21: TypeError: add_Tensor() takes 2 positional arguments but 3 were given; add_Scalar_out (add.Scalar_out) is missing
> not met     overloads             add_Scalar (add.Scalar) fails when called: kernel.py:16: TypeError: add_Tensor() takes 2 positional arguments but 3 were given; add_out (add.out) fails when called: kernel.py:21: TypeError: add_Tensor() takes 2 positional arguments but 3 were given
> met         overloads             3 overloads: each has a wrapper that follows its schema and answers as torch does
> not met     overloads             add_Scalar_out (add.Scalar_out) is missing
$ assay check mended.py --spec=spec.md --python=/usr/bin/python3 --json | grep '"overload"'
>       "overload": "add.Tensor",
>       "overload": "add.Scalar",
>       "overload": "add.out",
$ assay check mended.py --op=aten::no_such --python=/usr/bin/python3 2>&1 | sed 's/torch [^ ]*/torch V/'
> assay: torch V has no operator aten::no_such
$ assay check mended.py --spec=kernel.py
= 2

## and it runs: data of setup() on the device that is there, the result copied after the call
$ printf 'import torch\ndef reference(x, y):\n    return x.double() + y.double()\n' >mended_ref.py
+ assay bench mended.py --M=33 --N=65 --repeat=5 --skip-warm -q --python=/usr/bin/python3 | grep '^correct'
> correct    passed: 1 case(s) on 2 data sets; max abs error 0, max rel error 0
$ sed 's/return add_Tensor(x, y)/return add_Tensor(x, y).double()/' mended.py >dtype.py
+ assay bench dtype.py --setup=mended.py --ref=mended_ref.py --repeat=5 -q --python=/usr/bin/python3 | sed -n 3,4p
> output_dtype: a returned output has another element type than is wanted
>            output 'returned' is float64; float32 is wanted
