"""Products of halves."""
import numpy as np


def solve(A, B, C, M, N, K):
    C[...] = A.astype(np.float16).astype(np.float32) @ B.astype(np.float16).astype(np.float32)
