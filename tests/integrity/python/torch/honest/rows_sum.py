"""torch's sum."""
import torch


def solve(x, y, M, N):
    torch.sum(x, 1, out=y)
