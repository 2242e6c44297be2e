import torch


def solution(x, factor: float, y, largest, rows: int, cols: int):
    torch.log1p(torch.exp(x * factor), out=y)
    largest.copy_(y.amax(dim=1))
