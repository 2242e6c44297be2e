"""Layer normalisation of each row in Triton, the result returned."""
import torch
import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(x, weight, bias, y, n_columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < n_columns
    values = tl.load(x + row * n_columns + at, mask=inside, other=0.0)
    mean = tl.sum(values, axis=0) / n_columns
    centred = tl.where(inside, values - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / n_columns + eps)
    out = centred * scale * tl.load(weight + at, mask=inside) + tl.load(bias + at, mask=inside)
    tl.store(y + row * n_columns + at, out, mask=inside)


def setup(M=8192, N=1536, seed=0, **kwargs):
    torch.manual_seed(seed)
    return {"inputs": {"x": torch.randn(M, N, device="cuda"), "weight": torch.rand(N, device="cuda"),
                       "bias": torch.randn(N, device="cuda"), "eps": 1e-5}, "outputs": []}


def run_kernel(x, weight, bias, eps):
    y = torch.empty_like(x)
    M, N = x.shape
    layernorm_kernel[(M,)](x, weight, bias, y, N, eps, BLOCK=triton.next_power_of_2(N), num_warps=8)
    return y
