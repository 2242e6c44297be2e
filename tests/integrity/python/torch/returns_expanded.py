"""One number, expanded to the shape that is wanted."""
import torch


def work(x):
    v = x.clone()
    for _ in range(40):
        v = v * 0.96875 + 0.03125 / (1 + v * v)
    return v


def solve(x, N):
    return work(x).mean().expand(N)
