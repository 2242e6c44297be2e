/* Philox4x32-10: random words from a counter and a key, on the CPU.
 * In: counters, a key.
 * Out: 4 words a counter; AVX2 makes 8 blocks at a time, the scalar form the same words.
 * Never: keeps a state; the word of an element depends on its index alone. */
#include "gpu/philox.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { ROUNDS = 10 };
static const uint32_t multiplier[2] = {0xD2511F53, 0xCD9E8D57};
static const uint32_t weyl[2] = {0x9E3779B9, 0xBB67AE85}; /* golden ratio, sqrt(3) - 1 */

void philox4x32(uint32_t ctr[4], const uint32_t key[2])
{
	uint32_t k0 = key[0], k1 = key[1];
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t product0 = (uint64_t)ctr[0] * multiplier[0], product1 = (uint64_t)ctr[2] * multiplier[1];
		uint32_t c0 = (uint32_t)(product1 >> 32) ^ ctr[1] ^ k0;
		uint32_t c2 = (uint32_t)(product0 >> 32) ^ ctr[3] ^ k1;
		ctr[0] = c0;
		ctr[1] = (uint32_t)product1;
		ctr[2] = c2;
		ctr[3] = (uint32_t)product0;
		k0 += weyl[0];
		k1 += weyl[1];
	}
}

static void batch_scalar(uint32_t *out, uint64_t first, const uint32_t key[2], uint32_t tensor)
{
	for (size_t i = 0; i < PHILOX_BATCH; i++) {
		uint32_t *c = out + 4 * i;
		c[0] = (uint32_t)(first + i);
		c[1] = (uint32_t)((first + i) >> 32);
		c[2] = tensor;
		c[3] = 0;
		philox4x32(c, key);
	}
}

#if defined(__x86_64__)
/* Low and high halves of 8 products: the multiplier takes the even lanes, so the odd ones are moved there and back. */
__attribute__((target("avx2"))) static inline void multiply8(__m256i *low, __m256i *high, __m256i v, uint32_t by)
{
	__m256i m = _mm256_set1_epi32((int)by);
	__m256i even = _mm256_mul_epu32(v, m), odd = _mm256_mul_epu32(_mm256_srli_epi64(v, 32), m);
	*low = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
	*high = _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
}

/* c[j] holds word j of 8 blocks; out wants block after block. */
__attribute__((target("avx2"))) static inline void store8(uint32_t *out, const __m256i c[4])
{
	__m256i a = _mm256_unpacklo_epi32(c[0], c[1]), b = _mm256_unpackhi_epi32(c[0], c[1]);
	__m256i d = _mm256_unpacklo_epi32(c[2], c[3]), e = _mm256_unpackhi_epi32(c[2], c[3]);
	__m256i r0 = _mm256_unpacklo_epi64(a, d), r1 = _mm256_unpackhi_epi64(a, d); /* blocks 0 4, 1 5 */
	__m256i r2 = _mm256_unpacklo_epi64(b, e), r3 = _mm256_unpackhi_epi64(b, e); /* blocks 2 6, 3 7 */
	_mm256_storeu_si256((__m256i *)(void *)(out), _mm256_permute2x128_si256(r0, r1, 0x20));
	_mm256_storeu_si256((__m256i *)(void *)(out + 8), _mm256_permute2x128_si256(r2, r3, 0x20));
	_mm256_storeu_si256((__m256i *)(void *)(out + 16), _mm256_permute2x128_si256(r0, r1, 0x31));
	_mm256_storeu_si256((__m256i *)(void *)(out + 24), _mm256_permute2x128_si256(r2, r3, 0x31));
}

__attribute__((target("avx2"))) static void eight_blocks(uint32_t *out, const uint32_t ctr[16], const uint32_t key[2],
							 uint32_t tensor)
{
	__m256i c[4] = {_mm256_loadu_si256((const __m256i *)(const void *)ctr),
			_mm256_loadu_si256((const __m256i *)(const void *)(ctr + 8)), _mm256_set1_epi32((int)tensor),
			_mm256_setzero_si256()};
	uint32_t k0 = key[0], k1 = key[1];
	for (int i = 0; i < ROUNDS; i++) {
		__m256i low0, high0, low1, high1;
		multiply8(&low0, &high0, c[0], multiplier[0]);
		multiply8(&low1, &high1, c[2], multiplier[1]);
		c[0] = _mm256_xor_si256(_mm256_xor_si256(high1, c[1]), _mm256_set1_epi32((int)k0));
		c[2] = _mm256_xor_si256(_mm256_xor_si256(high0, c[3]), _mm256_set1_epi32((int)k1));
		c[1] = low1;
		c[3] = low0;
		k0 += weyl[0];
		k1 += weyl[1];
	}
	store8(out, c);
}

__attribute__((target("avx2"))) static void batch_avx2(uint32_t *out, uint64_t first, const uint32_t key[2],
						       uint32_t tensor)
{
	for (size_t i = 0; i < PHILOX_BATCH; i += 8) {
		uint32_t ctr[16];
		for (size_t j = 0; j < 8; j++) {
			ctr[j] = (uint32_t)(first + i + j);
			ctr[8 + j] = (uint32_t)((first + i + j) >> 32);
		}
		eight_blocks(out + 4 * i, ctr, key, tensor);
	}
}
#endif

void philox_batch(uint32_t out[4 * PHILOX_BATCH], uint64_t first, const uint32_t key[2], uint32_t tensor)
{
#if defined(__x86_64__)
	if (__builtin_cpu_supports("avx2")) {
		batch_avx2(out, first, key, tensor);
		return;
	}
#endif
	batch_scalar(out, first, key, tensor);
}
