"""The product of numpy."""
import numpy as np


def solve(A, B, C, M, N, K):
    np.matmul(A, B, out=C)
