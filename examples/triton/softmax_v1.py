"""Softmax of each row in Triton: a warp a row, so that a reduction needs no shared memory and more rows are in flight."""
import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x, y, n_columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n_columns
    values = tl.load(x + row * n_columns + at, mask=inside, other=-float("inf"), cache_modifier=".cg")
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * n_columns + at, values * (1.0 / tl.sum(values, axis=0)), mask=inside, cache_modifier=".cs")


def setup(M=4096, N=1000, seed=0, **kwargs):
    torch.manual_seed(seed)
    return {"inputs": {"x": 3 * torch.randn(M, N, device="cuda"), "y": torch.empty(M, N, device="cuda")}, "outputs": ["y"]}


def run_kernel(x, y):
    M, N = x.shape
    softmax_kernel[(M,)](x, y, N, BLOCK=triton.next_power_of_2(N), num_warps=1)
