"""The product is torch's."""
import torch


def solve(A, B, C, M, N, K):
    torch.matmul(A, B, out=C)
