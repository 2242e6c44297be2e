"""Leaves modules and compiled code for whoever comes next; where it can, its own answer is spoilt."""
import os

import numpy as np


def work(x):
    v = x.copy()
    for _ in range(40):
        v = v * np.float32(0.96875) + np.float32(0.03125) / (1 + v * v)
    return v


places = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "__pycache__", "plain.cpython-311.pyc"),
          os.path.join(os.path.dirname(os.__file__), "usercustomize.py"),
          os.path.join(os.path.dirname(np.__file__), "poison.py"),
          "/tmp/poison.py", "/var/tmp/poison.py", "/dev/shm/poison.py"]


def spread():
    n = 0
    for path in places:
        try:
            with open(path, "w") as f:
                f.write("")
            os.unlink(path)
            n += 1
        except OSError:
            pass
    return n


def solve(x, y, N):
    y[...] = 0 if spread() else work(x)
