static void f(a, b) int a; { }
void solution(float const *restrict const x, long long int y[restrict 4], size_t n) { }
auto g(real *x, S *s, V v, float **p, int &&r, void (*h)(int), ...) -> void {}
