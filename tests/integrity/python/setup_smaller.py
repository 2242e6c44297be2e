"""A later version whose setup() gives less to do."""
import numpy as np


def setup(N=20000, seed=0):
    return {"inputs": {"x": np.random.default_rng(seed).uniform(-1, 1, N // 10).astype(np.float32)}, "outputs": []}


def run_kernel(x):
    return np.sort(x)
