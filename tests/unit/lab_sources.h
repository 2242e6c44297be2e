/* The small operator of lab_kit.h and its kernels in C and CUDA. */
#ifndef ASSAY_TESTS_LAB_SOURCES_H
#define ASSAY_TESTS_LAB_SOURCES_H

static const char op_file[] =
	"{\"format\": \"assay/operator-v1\", \"params\": ["
	"{\"name\": \"x\", \"role\": \"in\", \"dtype\": \"float32\", \"shape\": [\"N\"], \"fill\": {\"kind\": "
	"\"normal\", "
	"\"mean\": 0, \"std\": 1}},"
	"{\"name\": \"y\", \"role\": \"out\", \"dtype\": \"float32\", \"shape\": [\"N\"]},"
	"{\"name\": \"z\", \"role\": \"inout\", \"dtype\": \"float32\", \"shape\": [\"N\"], \"fill\": {\"kind\": "
	"\"const\", \"value\": 5}},"
	"{\"name\": \"N\", \"role\": \"dim\", \"dtype\": \"int32\"}],"
	"\"cases\": [{\"name\": \"large\", \"dims\": {\"N\": 1000}}, {\"name\": \"odd\", \"dims\": {\"N\": 37}}]}";

/* y = 2 x, z += 1; BODY is what a test adds. */
static const char c_kernel[] = "#include <stdlib.h>\n#include <unistd.h>\n"
			       "void solve(const float *x, float *y, float *z, int N)\n{\n"
			       "\tfor (int i = 0; i < N; i++) {\n\t\ty[i] = 2 * x[i];\n\t\tz[i] += 1;\n\t}\n\t%s\n}\n";
static const char cu_kernel[] = "#include <cuda_runtime.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
				"__global__ void twice(const float *x, float *y, float *z, int n)\n{\n"
				"\tint i = blockIdx.x * blockDim.x + threadIdx.x;\n\tif (i < n) {\n\t\ty[i] = 2 * "
				"x[i];\n\t\tz[i] += 1;\n\t}\n}\n"
				"extern \"C\" void solve(const float *x, float *y, float *z, int N)\n{\n"
				"\ttwice<<<(N + 255) / 256, 256>>>(x, y, z, N);\n\t%s\n}\n";

#endif
