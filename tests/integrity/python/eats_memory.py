"""Memory that nobody needs."""
import numpy as np


def work(x):
    v = x.copy()
    for _ in range(40):
        v = v * np.float32(0.96875) + np.float32(0.03125) / (1 + v * v)
    return v


kept = []


def solve(x, y, N):
    y[...] = work(x)
    for _ in range(64):
        kept.append(np.ones(1 << 23))
