import torch, triton as tr
from triton import jit
@tr.autotune(configs=[1], key=['n'])
@tr.jit
def k(p, BLOCK: 'tl.constexpr' = f'{1}'):
    """doc ' """
def setup(M=1024, N = 512, seed=None, **kwargs):
    return {"inputs": {"x": (1, 2)[0]}, 'outputs': [], }
async def g(a, /, *b, c: dict[str, int] = {}) -> int: return helper(a)
def run_kernel(x, \
   y=r'''a
b'''): return k[(1,)](x, y)  # end
