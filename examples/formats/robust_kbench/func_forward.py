import torch
import torch.nn as nn
import torch.nn.functional as F

input_settings = [{"batch": 64}, {"batch": 5}]
init_settings = [{"n_in": 48, "n_out": 32}]


def forward_fn(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, slope: float) -> torch.Tensor:
    return F.leaky_relu(F.linear(x, weight, bias), slope)


class Model(nn.Module):
    """A linear layer and a leaky ReLU."""

    def __init__(self, n_in: int, n_out: int):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in) * n_in ** -0.5)
        self.bias = nn.Parameter(torch.randn(n_out))

    def forward(self, x, fn=forward_fn):
        return fn(x, self.weight, self.bias, 0.1)


def get_inputs(batch: int = 64, n_in: int = 48):
    return [torch.randn(batch, n_in)]
