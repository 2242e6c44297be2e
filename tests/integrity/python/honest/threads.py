"""Two threads, which are waited for."""
import threading

import numpy as np


def work(x):
    v = x.copy()
    for _ in range(40):
        v = v * np.float32(0.96875) + np.float32(0.03125) / (1 + v * v)
    return v


def part(x, y):
    y[...] = work(x)


def solve(x, y, N):
    both = [threading.Thread(target=part, args=(x[s], y[s])) for s in (slice(0, N // 2), slice(N // 2, N))]
    for t in both:
        t.start()
    for t in both:
        t.join()
