"""Reference: C[M][N] = A[M][K] B[K][N], in double. With torch where it can be imported, else with NumPy."""
try:
    import torch
except ImportError:
    torch = None
    import numpy as np

atol = 1e-4
rtol = 1e-4


def reference(**kwargs):
    M, N, K = kwargs["M"], kwargs["N"], kwargs["K"]
    A, B, C = kwargs["A"].reshape(M, K), kwargs["B"].reshape(K, N), kwargs["C"].reshape(M, N)
    if torch:
        C.copy_(A.double() @ B.double())
    else:
        C[...] = A.astype(np.float64) @ B.astype(np.float64)
