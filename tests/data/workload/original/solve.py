"""One training step of a causal attention block: forward, loss, backward, SGD. Each head by itself, the mask made anew on the
host, softmax in four steps, and the loss awaited."""
import math

import torch

RATE = 0.05


def attention(x, weights, heads):
    tokens, width = x.shape[1:]
    each, out = width // heads, []
    for h in range(heads):
        q, k, v = (x @ weights["qkv"][:, i * width + h * each:i * width + (h + 1) * each] for i in range(3))
        mask = torch.triu(torch.full((tokens, tokens), -math.inf), 1).to(x.device)
        scores = q @ k.transpose(1, 2) / math.sqrt(each) + mask
        e = torch.exp(scores - scores.detach().max(-1, keepdim=True).values)
        out.append(e / e.sum(-1, keepdim=True) @ v)
    return torch.cat(out, -1) @ weights["out"]


def solve(weights, batch, heads):
    """weights {"qkv": [width, 3 * width], "out": [width, width]}: leaves, changed in place; batch: input and wanted output
    [batch, tokens, width]. Returns the loss before the step."""
    x, wanted = batch
    loss = ((attention(x, weights, heads) - wanted) ** 2).sum(-1).mean()
    if not math.isfinite(float(loss)):
        raise ValueError("the loss is not finite")
    loss.backward()
    with torch.no_grad():
        for w in weights.values():
            w -= RATE * w.grad
            w.grad = None
    return loss.detach()
