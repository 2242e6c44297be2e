"""Matrix product in half precision in Triton, tuned over a few tile shapes at the first call."""
import torch
import triton
import triton.language as tl

CONFIGS = [
    triton.Config({"BM": 128, "BN": 128, "BK": 64}, num_warps=4, num_stages=3),
    triton.Config({"BM": 128, "BN": 256, "BK": 64}, num_warps=8, num_stages=3),
    triton.Config({"BM": 64, "BN": 128, "BK": 64}, num_warps=4, num_stages=4),
]


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    program, n_n = tl.program_id(0), tl.cdiv(N, BN)
    rows = (program // n_n) * BM + tl.arange(0, BM)
    columns = (program % n_n) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (k + inner)[None, :],
                       mask=(rows[:, None] < M) & ((k + inner)[None, :] < K), other=0.0)
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :],
                        mask=((k + inner)[:, None] < K) & (columns[None, :] < N), other=0.0)
        sums = tl.dot(left, right, sums)
    tl.store(c + rows[:, None] * N + columns[None, :], sums.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


def setup(M=2048, N=2048, K=2048, seed=0, **kwargs):
    torch.manual_seed(seed)
    make = dict(device="cuda", dtype=torch.float16)
    return {"inputs": {"a": torch.randn(M, K, **make), "b": torch.randn(K, N, **make), "c": torch.empty(M, N, **make)},
            "outputs": ["c"]}


def run_kernel(a, b, c):
    (M, K), N = a.shape, b.shape[1]
    matmul_kernel[lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)](a, b, c, M, N, K)
