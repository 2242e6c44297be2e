"""A later version whose setup() gives zeros, which are sorted."""
import numpy as np


def setup(N=20000, seed=0):
    return {"inputs": {"x": np.zeros(N, np.float32)}, "outputs": []}


def run_kernel(x):
    return x.copy()
