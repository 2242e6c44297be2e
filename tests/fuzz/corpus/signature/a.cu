#include "solve.h"
typedef float real; using V = double; struct S { int a; };
#define R __restrict__
#if 0
 isn't code {
#else
template <typename T, int N = (3 > 2)> __global__ void k(const T *x) { if (x) { } }
#endif
namespace n { static inline void f(int a) {} }
extern "C" {
__attribute__((visibility("default"))) int solve(const float *__restrict__ A /* in */, half *B, const int &n = 4,
	unsigned long long m = 2 * 8, float alpha = -1e-5f, std::uint8_t *c, bool q = true, float d[][4]) noexcept
{ const char *s = R"x(} { ")x"; return '\''; }
}
