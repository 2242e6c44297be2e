"""Writes FOLDER/add_native.cu: the cubin that Triton makes of examples/triton/add.py, launched through the driver with the same
grid and arguments. usage: triton_native.py ROOT FOLDER"""
import importlib.util
import os
import sys

import torch

ROOT, FOLDER = sys.argv[1:3]
TEXT = """// Made by tests/gpu/triton_native.py: the cubin of examples/triton/add.py behind solve().
#include <cuda.h>
#include <cuda_runtime.h>
alignas(64) static const unsigned char image[] = {%s};

extern "C" void solve(const float *x, const float *y, float *out, int N)
{
	using Load = CUresult (*)(CUmodule *, const void *);
	using Find = CUresult (*)(CUfunction *, CUmodule, const char *);
	using Launch = CUresult (*)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,
				    void **, void **);
	static CUfunction function;
	static Launch launch;
	if (!function) {
		void *load, *find, *go;
		cudaDriverEntryPointQueryResult found;
		CUmodule module;
		cudaGetDriverEntryPointByVersion("cuModuleLoadData", &load, 12000, cudaEnableDefault, &found);
		cudaGetDriverEntryPointByVersion("cuModuleGetFunction", &find, 12000, cudaEnableDefault, &found);
		cudaGetDriverEntryPointByVersion("cuLaunchKernel", &go, 12000, cudaEnableDefault, &found);
		launch = (Launch)go;
		if (((Load)load)(&module, image) || ((Find)find)(&function, module, "%s"))
			__builtin_trap();
	}
	void *nothing = nullptr;
	void *arguments[] = {&x, &y, &out, &N, &nothing, &nothing};
	launch(function, (N + 1023) / 1024, 1, 1, 32 * %d, 1, 1, %d, 0, arguments, nullptr);
}
"""


def main():
    spec = importlib.util.spec_from_file_location("add", os.path.join(ROOT, "examples/triton/add.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    inputs = module.setup()["inputs"]
    n = inputs["x"].numel()
    kernel = module.add_kernel[((n + 1023) // 1024,)](inputs["x"], inputs["y"], inputs["out"], n, BLOCK=1024)
    torch.cuda.synchronize()
    image = ",".join(str(b) for b in kernel.asm["cubin"])
    with open(os.path.join(FOLDER, "add_native.cu"), "w", encoding="utf-8") as f:
        f.write(TEXT % (image, kernel.metadata.name, kernel.metadata.num_warps, kernel.metadata.shared))
    with open(os.path.join(FOLDER, "add_native.op.json"), "w", encoding="utf-8") as f:
        f.write('{"format": "assay/operator-v1", "entry": "solve", "params": ['
                '{"name": "x", "role": "in", "dtype": "float32", "shape": ["N"]},'
                '{"name": "y", "role": "in", "dtype": "float32", "shape": ["N"]},'
                '{"name": "out", "role": "out", "dtype": "float32", "shape": ["N"]},'
                '{"name": "N", "role": "dim", "dtype": "int32"}], "cases": [{"name": "16 M", "dims": {"N": %d}}]}' % n)


main()
