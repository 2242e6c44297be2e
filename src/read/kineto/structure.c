/* Finds events and strings in a piece of a trace.
 * In: bytes that begin between two events.
 * Out: spans of whole events, a bit per quotation mark, where to go on.
 * Never allocates; never looks behind the pad. */
#include "read/kineto/structure.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

struct masks { /* bit i: byte i of the block */
	uint64_t quotes, backslashes, open, close, newlines;
};

/* Characters that a backslash takes the meaning from. *carry: the last byte of the block before was such a backslash. */
static inline uint64_t escaped(uint64_t backslashes, uint64_t *carry)
{
	uint64_t out = *carry, m = backslashes & ~*carry;
	*carry = 0;
	while (m) {
		uint64_t bit = m & -m;
		if (bit >> 63)
			*carry = 1;
		out |= bit << 1;
		m &= ~(bit | bit << 1); /* an escaped backslash escapes nothing */
	}
	return out;
}

static inline void block_scalar(const char *p, struct masks *m)
{
	*m = (struct masks){0};
	for (unsigned i = 0; i < 64; i++) {
		uint64_t bit = (uint64_t)1 << i;
		switch (p[i]) {
		case '"':
			m->quotes |= bit;
			break;
		case '\\':
			m->backslashes |= bit;
			break;
		case '\n':
			m->newlines |= bit;
			break;
		case '{':
		case '[':
			m->open |= bit;
			break;
		case '}':
		case ']':
			m->close |= bit;
			break;
		default:
			break;
		}
	}
}

/* bit i of the result: parity of the bits 0..i */
static inline uint64_t prefix_xor_scalar(uint64_t x)
{
	for (unsigned shift = 1; shift < 64; shift *= 2)
		x ^= x << shift;
	return x;
}

#define TARGET
#define SCAN_NAME structure_scan_scalar
#define BLOCK block_scalar
#define PREFIX_XOR prefix_xor_scalar
#define POPCOUNT __builtin_popcountll
#include "read/kineto/structure.inc"
#undef TARGET
#undef SCAN_NAME
#undef BLOCK
#undef PREFIX_XOR
#undef POPCOUNT

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,pclmul,popcnt,bmi,lzcnt")))

AVX2 static inline uint64_t equal(__m256i a, __m256i b, char c)
{
	__m256i v = _mm256_set1_epi8(c);
	uint32_t low = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, v));
	uint32_t high = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, v));
	return low | (uint64_t)high << 32;
}

AVX2 static inline void block_avx2(const char *p, struct masks *m)
{
	const __m256i *v = (const __m256i *)(const void *)p;
	__m256i a = _mm256_loadu_si256(v), b = _mm256_loadu_si256(v + 1);
	m->quotes = equal(a, b, '"');
	m->backslashes = equal(a, b, '\\');
	m->newlines = equal(a, b, '\n');
	/* '[' | 0x20 is '{' and ']' | 0x20 is '}'; nothing else becomes one of them */
	__m256i fold = _mm256_set1_epi8(0x20);
	a = _mm256_or_si256(a, fold);
	b = _mm256_or_si256(b, fold);
	m->open = equal(a, b, '{');
	m->close = equal(a, b, '}');
}

AVX2 static inline uint64_t prefix_xor_avx2(uint64_t x)
{
	__m128i product = _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)x), _mm_set1_epi8(-1), 0);
	return (uint64_t)_mm_cvtsi128_si64(product);
}

static enum structure_end structure_scan_avx2(struct piece *piece, size_t from, size_t *at);
#define TARGET AVX2 static
#define SCAN_NAME structure_scan_avx2
#define BLOCK block_avx2
#define PREFIX_XOR prefix_xor_avx2
#define POPCOUNT __builtin_popcountll
#include "read/kineto/structure.inc"

bool structure_has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("popcnt") &&
	       __builtin_cpu_supports("bmi");
}

enum structure_end structure_scan(struct piece *p, size_t from, size_t *at)
{
	return structure_has_avx2() ? structure_scan_avx2(p, from, at) : structure_scan_scalar(p, from, at);
}
#else
bool structure_has_avx2(void)
{
	return false;
}

enum structure_end structure_scan(struct piece *p, size_t from, size_t *at)
{
	return structure_scan_scalar(p, from, at);
}
#endif
