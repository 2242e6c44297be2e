import torch
import torch.nn as nn

batch, features = 64, 96


class Model(nn.Module):
    """A linear layer, a factor, and ReLU."""

    def __init__(self, n_in, n_out, factor):
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)
        self.factor = factor

    def forward(self, x):
        return torch.relu(self.linear(x) * self.factor)


def get_inputs():
    return [torch.randn(batch, features)]


def get_init_inputs():
    return [features, 32, 0.5]
