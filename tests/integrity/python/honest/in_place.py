"""Operations that write where they are told."""
import numpy as np


def solve(x, y, N):
    t = np.empty_like(x)
    np.copyto(y, x)
    for _ in range(40):
        np.multiply(y, y, out=t)
        t += 1
        np.divide(np.float32(0.03125), t, out=t)
        y *= np.float32(0.96875)
        y += t
