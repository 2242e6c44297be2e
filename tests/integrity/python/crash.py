"""Writes to an address that belongs to nobody."""
import ctypes

import numpy as np


def work(x):
    v = x.copy()
    for _ in range(40):
        v = v * np.float32(0.96875) + np.float32(0.03125) / (1 + v * v)
    return v


def solve(x, y, N):
    y[...] = work(x)
    ctypes.memset(16, 1, 8)
