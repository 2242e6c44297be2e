"""Operations that write where they are told."""
import torch


def solve(x, y, N):
    y.copy_(x)
    for _ in range(40):
        t = (y * y).add_(1).reciprocal_().mul_(0.03125)
        y.mul_(0.96875).add_(t)
