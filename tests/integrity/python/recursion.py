"""Recursion without an end."""
import numpy as np

def work(x):
    v = x.copy()
    for _ in range(40):
        v = v * np.float32(0.96875) + np.float32(0.03125) / (1 + v * v)
    return v

def deep(x):
    return deep(x) + 1

def solve(x, y, N):
    y[...] = deep(x)
