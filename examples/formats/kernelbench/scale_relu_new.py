import torch
import torch.nn as nn


class ModelNew(nn.Module):
    """The factor is folded into the weights once."""

    def __init__(self, n_in, n_out, factor):
        super().__init__()
        linear = nn.Linear(n_in, n_out)
        self.weight = nn.Parameter(linear.weight.detach() * factor)
        self.bias = nn.Parameter(linear.bias.detach() * factor)

    def forward(self, x):
        return torch.addmm(self.bias, x, self.weight.t()).clamp_min_(0)
