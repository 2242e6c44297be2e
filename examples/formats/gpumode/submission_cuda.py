#!POPCORN leaderboard shifted-abs
#!POPCORN gpu H100
from task import input_t, output_t
from torch.utils.cpp_extension import load_inline

CUDA = """
__global__ void shifted_abs(const float *x, const float *shift, float *output, int cols, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        output[i] = fabsf(x[i] + shift[i / cols]);
}

torch::Tensor run(torch::Tensor x, torch::Tensor shift, torch::Tensor output)
{
    int n = x.numel();
    shifted_abs<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), shift.data_ptr<float>(), output.data_ptr<float>(), x.size(1), n);
    return output;
}
"""
module = load_inline(name="shifted_abs", cpp_sources="torch::Tensor run(torch::Tensor, torch::Tensor, torch::Tensor);",
                     cuda_sources=CUDA, functions=["run"])


def custom_kernel(data: input_t) -> output_t:
    return module.run(*data)
