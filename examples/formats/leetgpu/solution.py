import torch


def solve(x, weight, scaled, totals, factor: float, M: int, N: int):
    torch.mul(x, factor, out=scaled)
    totals.addmv_(scaled, weight)
