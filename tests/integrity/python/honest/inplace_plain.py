"""In place."""
import numpy as np


def solve(x, N):
    np.multiply(x, np.float32(0.5), out=x)
    x += np.float32(1)
