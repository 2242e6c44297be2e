"""The same step in double precision on the CPU, with its gradients by hand: shares nothing with the code that it judges."""
import numpy as np

RATE = 0.05


def solve(weights, batch, heads):
    """weights, batch: numpy arrays, not changed. Returns the loss before the step and the weights after it."""
    (x, wanted), qkv, out = batch, weights["qkv"], weights["out"]
    n, tokens, width = x.shape
    split = lambda y: y.reshape(n, tokens, heads, width // heads).transpose(0, 2, 1, 3)
    join = lambda y: y.transpose(0, 2, 1, 3).reshape(n * tokens, width)
    scale = (width // heads) ** -0.5
    q, k, v = (split(y) for y in np.split(x @ qkv, 3, -1))
    scores = np.where(np.tri(tokens, dtype=bool), q @ k.swapaxes(-1, -2) * scale, -np.inf)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    flat, rows = join(p @ v), x.reshape(n * tokens, width)
    error = flat @ out - wanted.reshape(n * tokens, width)
    d = 2 * error / len(error)
    d_heads = split((d @ out.T).reshape(n, tokens, width))
    d_p = d_heads @ v.swapaxes(-1, -2)
    d_scores = p * (d_p - (d_p * p).sum(-1, keepdims=True)) * scale
    d_qkv = np.concatenate([join(y) for y in (d_scores @ k, d_scores.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ d_heads)], -1)
    return (error ** 2).sum(-1).mean(), {"qkv": qkv - RATE * rows.T @ d_qkv, "out": out - RATE * flat.T @ d}
