"""Reference: C[M][N] = A[M][K] B[K][N], in double. With torch where it can be imported, else with NumPy."""
atol = 1e-4
rtol = 1e-4

try:
    import torch
except ImportError:
    torch = None


def reference(**kwargs):
    M, N, K = kwargs["M"], kwargs["N"], kwargs["K"]
    A, B, C = kwargs["A"].reshape(M, K), kwargs["B"].reshape(K, N), kwargs["C"].reshape(M, N)
    if torch is not None and isinstance(A, torch.Tensor):
        C.copy_(A.double() @ B.double())
        return
    import numpy as np

    C[...] = A.astype(np.float64) @ B.astype(np.float64)
