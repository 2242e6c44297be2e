import ctypes

import torch
from core.challenge_base import ChallengeBase, OutTensor, RandnTensor, RandTensor


class Challenge(ChallengeBase):
    """Each row of x is scaled, and its weighted sum is added to what stands in totals."""

    name = "Scaled Row Sums"
    atol = 1e-4
    rtol = 1e-4
    num_gpus = 1
    access_tier = "free"

    def reference_impl(self, x, weight, scaled, totals, factor, rows, cols):
        assert x.shape == (rows, cols) and weight.shape == (cols,)
        scaled.copy_(x * factor)
        totals.add_((scaled * weight).sum(dim=1))

    def get_solve_signature(self):
        return {
            "x": (ctypes.POINTER(ctypes.c_float), "in"),
            "weight": (ctypes.POINTER(ctypes.c_float), "in"),
            "scaled": (ctypes.POINTER(ctypes.c_float), "out"),
            "totals": (ctypes.POINTER(ctypes.c_float), "inout"),
            "factor": (ctypes.c_float, "in"),
            "rows": (ctypes.c_size_t, "in"),
            "cols": (ctypes.c_size_t, "in"),
        }

    def case(self, rows, cols, factor):
        return {
            "x": torch.randn(rows, cols, device="cuda"),
            "weight": torch.rand(cols, device="cuda"),
            "scaled": torch.empty(rows, cols, device="cuda"),
            "totals": torch.ones(rows, device="cuda"),
            "factor": factor,
            "rows": rows,
            "cols": cols,
        }

    def generate_example_test(self):
        return self.case(2, 3, 2.0)

    def generate_functional_test(self):
        torch.manual_seed(7)
        return [self.case(2, 3, 2), self.case(1, 1, 0.5), self.case(33, 65, -1.5)]

    def generate_performance_test(self):
        rows, cols = 128, 256
        return {
            "x": RandnTensor((rows, cols)),
            "weight": RandTensor((cols,), 0.0, 1.0),
            "scaled": OutTensor((rows, cols)),
            "totals": RandTensor((rows,), -1.0, 1.0),
            "factor": 0.25,
            "rows": rows,
            "cols": cols,
        }
