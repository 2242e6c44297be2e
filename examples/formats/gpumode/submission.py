#!POPCORN leaderboard shifted-abs
#!POPCORN gpu H100
import torch
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    x, shift, output = data
    torch.add(x, shift.unsqueeze(1), out=output)
    return output.abs_()
