"""Sums by einsum."""
import numpy as np


def solve(x, y, M, N):
    np.einsum("ij->i", x, out=y)
