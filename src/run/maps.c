/* Mapped libraries.
 * In: a process number. Out: paths of mapped code.
 * /proc/PID/maps is the kernel's; the process has no part in it.
 * Never: opens one of the files. */
#include "run/maps.h"

#include "base/file.h"

enum { MAPS_MAX = 512 };

/* Beginnings of file names. */
static const struct {
	const char *prefix, *name;
} known[] = {
	{"libcublas", "cuBLAS"},
	{"libcudnn", "cuDNN"},
	{"libcusparse", "cuSPARSE"},
	{"libcusolver", "cuSOLVER"},
	{"libcufft", "cuFFT"},
	{"libcurand", "cuRAND"},
	{"libcutensor", "cuTENSOR"},
	{"libnvrtc", "NVRTC"},
	{"libnvJitLink", "nvJitLink"},
	{"libnvptxcompiler", "PTX compiler"},
	{"libnccl", "NCCL"},
	{"libnppi", "NPP"},
	{"libtorch", "PyTorch"},
	{"libcaffe2", "PyTorch"},
	{"libtriton", "Triton"},
	{"libopenblas", "OpenBLAS"},
	{"libblas", "BLAS"},
	{"libcblas", "BLAS"},
	{"liblapack", "LAPACK"},
	{"libatlas", "ATLAS"},
	{"libmkl", "MKL"},
	{"libblis", "BLIS"},
	{"libfftw", "FFTW"},
	{"libtcc", "TinyCC"},
	{"libgccjit", "libgccjit"},
	{"libLLVM", "LLVM"},
};

static bool is_known(const char *const *paths, size_t n, struct str path)
{
	for (size_t i = 0; i < n; i++) {
		if (str_is(path, paths[i]))
			return true;
	}
	return false;
}

const char **maps_code(struct arena *a, int pid, size_t *n)
{
	char path[64];
	*n = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return NULL;
	const char **out = ARENA_ARRAY(a, MAPS_MAX, const char *);
	char line[4500];
	while (*n < MAPS_MAX && fgets(line, sizeof(line), f)) {
		struct str rest = str_from(line), address, access;
		size_t slash = str_find(rest, STR("/"));
		if (!str_split(&rest, ' ', &address) || !str_split(&rest, ' ', &access) || slash == SIZE_MAX ||
		    access.n < 4 || access.p[2] != 'x')
			continue;
		struct str name = str_trim(str_sub(str_from(line), slash, strlen(line)));
		if (!is_known(out, *n, name))
			out[(*n)++] = arena_strndup(a, name.p, name.n);
	}
	fclose(f);
	return out;
}

const char *maps_kernel_library(const char *path)
{
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		if (str_starts(str_from(path_base(path)), known[i].prefix))
			return known[i].name;
	}
	return NULL;
}
