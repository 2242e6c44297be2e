"""Chooses its block by itself."""
import torch
import triton
import triton.language as tl


@triton.jit
def work(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    for _ in range(40):
        v = v * 0.96875 + 0.03125 / (1 + v * v)
    tl.store(y + i, v, mask=i < n)


tuned = triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (128, 256)], key=["n"])(work)


def solve(x, y, N):
    tuned[lambda meta: (triton.cdiv(N, meta["BLOCK"]),)](x, y, N)
