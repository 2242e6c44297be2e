import torch


def reference(x, weight, bias, eps):
    return torch.nn.functional.layer_norm(x.double(), (x.shape[1],), weight.double(), bias.double(), eps)
