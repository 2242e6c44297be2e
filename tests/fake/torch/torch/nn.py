"""Modules of the stand-in."""
import sys
import types

import numpy as np

import torch


class Parameter(torch.Tensor):
    def __init__(self, data):
        super().__init__(data.a)


class Module:
    def __init__(self):
        self.training = True

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def to(self, *args):
        return self

    def eval(self):
        self.training = False
        return self


class Linear(Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        limit = n_in ** -0.5
        self.weight = Parameter(torch.rand(n_out, n_in).mul(2 * limit).sub(limit))
        self.bias = Parameter(torch.rand(n_out).mul(2 * limit).sub(limit))

    def forward(self, x):
        return functional.linear(x, self.weight, self.bias)


class BatchNorm1d(Module):
    """Its statistics are the batch's while it trains; what it has seen is not kept."""

    def __init__(self, n):
        super().__init__()
        self.n = n

    def forward(self, x):
        if not self.training:
            raise NotImplementedError("running statistics")
        return (x - x.mean(0)) / (x.var(0, unbiased=False) + 1e-5).sqrt()


functional = types.ModuleType("torch.nn.functional")
functional.linear = lambda x, weight, bias: torch.addmm(bias, x, weight.t())
functional.relu = torch.relu
functional.softplus = lambda x: torch.Tensor(np.logaddexp(x.a, x.a.dtype.type(0)))
functional.leaky_relu = lambda x, slope=0.01: torch.Tensor(np.where(x.a >= 0, x.a, x.a * slope))
sys.modules["torch.nn.functional"] = functional
