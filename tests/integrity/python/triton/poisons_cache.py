"""Leaves a file where other candidates would look for compiled kernels; where it can, its own answer is spoilt."""
import os

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


home = os.path.expanduser("~")
places = ["/root/.triton/cache/poison", "/tmp/torchinductor_root/poison", os.path.join(os.path.dirname(triton.__file__), "poison.py")]


def spread():
    n = 0
    for path in places:
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write("")
            os.unlink(path)
            n += 1
        except OSError:
            pass
    return n


def solve(x, y, N):
    if spread():
        y.zero_()
    else:
        work[(triton.cdiv(N, 256),)](x, y, N, BLOCK=256)
