import torch


def reference(x, y):
    y.copy_(torch.softmax(x.double(), dim=1))
