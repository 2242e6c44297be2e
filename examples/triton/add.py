"""Vector addition in Triton."""
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


def setup(N=1 << 24, seed=0, **kwargs):
    torch.manual_seed(seed)
    return {"inputs": {"x": torch.randn(N, device="cuda"), "y": torch.randn(N, device="cuda"),
                       "out": torch.empty(N, device="cuda")}, "outputs": ["out"]}


def run_kernel(x, y, out):
    n = x.numel()
    add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
