"""Whole tiles of 16 as a table, then the tail."""
import numpy as np


def work(x):
    v = x.copy()
    for _ in range(40):
        v = v * np.float32(0.96875) + np.float32(0.03125) / (1 + v * v)
    return v


def solve(x, y, N):
    whole = N // 16 * 16
    y[:whole] = work(x[:whole].reshape(-1, 16)).reshape(-1)
    y[whole:] = work(x[whole:])
