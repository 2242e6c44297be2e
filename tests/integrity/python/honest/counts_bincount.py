"""bincount."""
import numpy as np


def solve(x, h, N, B):
    h[...] = np.bincount(x, minlength=B)
