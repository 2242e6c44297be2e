"""Adds to what is there."""
import numpy as np


def solve(x, h, N, B):
    np.add.at(h, x, 1)
