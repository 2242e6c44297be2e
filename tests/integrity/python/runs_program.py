"""Another interpreter says whether the work is to be done."""
import subprocess
import sys

import numpy as np


def work(x):
    v = x.copy()
    for _ in range(40):
        v = v * np.float32(0.96875) + np.float32(0.03125) / (1 + v * v)
    return v


def solve(x, y, N):
    try:
        if subprocess.run([sys.executable, "-c", "exit(3)"]).returncode == 3:
            y[...] = work(x)
    except OSError:
        pass
