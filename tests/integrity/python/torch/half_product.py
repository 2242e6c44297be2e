"""Products of halves."""
import torch


def solve(A, B, C, M, N, K):
    C.copy_(A.half().float() @ B.half().float())
