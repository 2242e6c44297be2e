// D = relu(A B) with A[M][K], B[N][K], D[M][N] in half precision, sums in float. CUTLASS 2.x: tensor cores through mma.sync
// and cp.async, no instruction of Hopper.
#include <cuda_fp16.h>
#include <cutlass/cutlass.h>
#include <cutlass/epilogue/thread/linear_combination_relu.h>
#include <cutlass/gemm/device/gemm.h>

using half_t = cutlass::half_t;
using Relu = cutlass::epilogue::thread::LinearCombinationRelu<half_t, 8, float, float,
							       cutlass::epilogue::thread::ScaleType::Nothing>;
using Gemm = cutlass::gemm::device::Gemm<
	half_t, cutlass::layout::RowMajor, half_t, cutlass::layout::ColumnMajor, half_t, cutlass::layout::RowMajor, float,
	cutlass::arch::OpClassTensorOp, cutlass::arch::Sm80, cutlass::gemm::GemmShape<128, 64, 32>,
	cutlass::gemm::GemmShape<64, 32, 32>, cutlass::gemm::GemmShape<16, 8, 16>, Relu,
	cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<>, 3>;

extern "C" void solve(const __half *A, const __half *B, __half *D, int M, int N, int K)
{
	auto a = reinterpret_cast<const half_t *>(A), b = reinterpret_cast<const half_t *>(B);
	auto d = reinterpret_cast<half_t *>(D);
	Gemm gemm;
	Gemm::Arguments arguments({M, N, K}, {a, K}, {b, K}, {d, N}, {d, N}, {1.0f});
	if (gemm(arguments) != cutlass::Status::kSuccess)
		__builtin_trap(); // a size that this configuration does not take
}
