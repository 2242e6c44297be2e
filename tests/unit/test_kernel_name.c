/* Kernel names that hold over versions.
 * In: names as profilers write them. Out: pass or fail.
 * Each row is a name, and what is left of it at both steps.
 * Never: an exact name is changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "facts/kernel_name.h"

static const struct {
	const char *name, *build, *family;
} rows[] = {
	{"softmax", "softmax", "softmax"},
	{"softmax(float*, int)", "softmax", "softmax"},
	{"triton_poi_fused_add_mul_relu_12", "triton_poi_fused_add_mul_relu", "triton_poi_fused_add_mul_relu"},
	{"triton_per_fused_native_layer_norm_0", "triton_per_fused_native_layer_norm",
	 "triton_per_fused_native_layer_norm"},
	{"matmul_kernel_0d1d2d3de4de5de6c7de8c9c10de11c", "matmul_kernel", "matmul_kernel"},
	{"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> "
	 ">(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)",
	 "at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >",
	 "at::native::vectorized_elementwise_kernel"},
	{"void (anonymous namespace)::softmax_warp_forward<float, 10, false>(float*, int)",
	 "(anonymous namespace)::softmax_warp_forward<float, 10, false>",
	 "(anonymous namespace)::softmax_warp_forward"},
	{"sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_"
	 "cublas",
	 "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off_kernel__5x_"
	 "cublas",
	 "sm90_xmma_gemm_f16f16_f16f32_f32_tn_n_execute_segment_k_off_kernel__5x_cublas"},
	{"nvjet_sm90_hsh_128x64_64x8_2x1_v_bz_TNT", "nvjet_sm90_hsh_128x64_64x8_2x1_v_bz_TNT",
	 "nvjet_sm90_hsh_v_bz_TNT"},
	{"ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_64x4_tn",
	 "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_"
	 "stages_64x4_tn",
	 "ampere_fp16_s16816gemm_fp16_ldg8_f2f_stages_tn"},
	{"_GLOBAL__N__8a3f1b2c_12_attention_cu_0e7c11d9::attend(float*)", "_GLOBAL__N__*_12_attention_cu_*::attend",
	 "_GLOBAL__N__*_12_attention_cu_*::attend"},
	{"kernel_a1b2c3d4e5f6", "kernel_*", "kernel_*"},
	{"Cijk_Ailk_Bljk_HHS_BH_MT128x64x32_SE.kd", "Cijk_Ailk_Bljk_HHS_BH_MT128x64x32_SE", "Cijk_Ailk_Bljk_HHS_BH_SE"},
	{"helper.constprop.0", "helper", "helper"},
	{"bool operator<(int)", "bool operator<", "bool operator<"},
	{"f<g>(h<(i)>)", "f<g>", "f"},
	{"broken<a(", "broken<a(", "broken<a("},
	{"deadbeef", "deadbeef", "deadbeef"},
	{"_12", "_12", "_12"},
	{"()", "()", "()"},
};

static void test_rows(void **state)
{
	struct arena a;
	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str name = str_from(rows[i].name);
		assert_true(str_is(kernel_name_at(&a, name, KERNEL_NAME_EXACT), rows[i].name));
		assert_string_equal(arena_strndup(&a, kernel_name_at(&a, name, KERNEL_NAME_BUILD).p,
						  kernel_name_at(&a, name, KERNEL_NAME_BUILD).n),
				    rows[i].build);
		assert_string_equal(arena_strndup(&a, kernel_name_at(&a, name, KERNEL_NAME_FAMILY).p,
						  kernel_name_at(&a, name, KERNEL_NAME_FAMILY).n),
				    rows[i].family);
	}
	arena_release(&a);
}

/* A name at a step stays as it is when it is taken there again. */
static void test_twice(void **state)
{
	struct arena a;
	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (int s = KERNEL_NAME_BUILD; s < KERNEL_NAME_STEPS; s++) {
			struct str once = kernel_name_at(&a, str_from(rows[i].name), (enum kernel_name_step)s);
			assert_true(str_eq(once, kernel_name_at(&a, once, (enum kernel_name_step)s)));
		}
	}
	arena_release(&a);
}

static const struct {
	const char *name, *base;
} bases[] = {
	{"softmax", "softmax"},
	{"_Z5spillPf", "spill"},
	{"_Z14transpose_smemPKfPfi", "transpose_smem"},
	{"_ZN3app5scaleIfLi4EEEvPT_S1_i", "app::scale"},
	{"void app::scale<float, (int)4>(T1 *, T1, int)", "app::scale"},
	{"float *app::scale<float>(float *)", "app::scale"},
	{"_ZN12_GLOBAL__N_16kernelEPf", "(anonymous namespace)::kernel"},
	{"(anonymous namespace)::kernel(float *)", "(anonymous namespace)::kernel"},
	{"_ZL6secretPf", "secret"},
	{"_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_15CUDAFunctor_addIfEESt5arrayIPcLm3EEEEviT0_T1_",
	 "at::native::vectorized_elementwise_kernel"},
	{"_Z6kernelIN3foo3barELNS0_1eE5EEvT_", "kernel"},
	{"_ZN1aIN1bIiEEE1cIXadL_Z1fvEEEEvv", "a::c"},
	{"_ZNK1a1bEv", "a::b"},
	{"_Z", "_Z"},
	{"_Z99x", "_Z99x"},
	{"_ZN", "_ZN"},
	{"_ZNI", "_ZNI"},
	{"_ZN3fooIL", "foo"},
	{"", ""},
};

static void test_bases(void **state)
{
	struct arena a;
	(void)state;
	arena_init(&a);
	for (size_t i = 0; i < COUNT_OF(bases); i++) {
		struct str base = kernel_name_base(&a, str_from(bases[i].name));
		assert_string_equal(arena_strndup(&a, base.p, base.n), bases[i].base);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_twice),
					   cmocka_unit_test(test_bases)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
