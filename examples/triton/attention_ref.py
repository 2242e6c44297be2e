import torch

atol = 2e-3
rtol = 1e-2


def reference(q, k, v, out):
    weight = torch.softmax(q.double() @ k.double().transpose(1, 2) / q.shape[2] ** 0.5, dim=2)
    out.copy_(weight @ v.double())
