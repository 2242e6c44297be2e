/* CPython's random numbers.
 * In: a whole seed. Out: the numbers that Python prints for the same calls.
 * Bits beyond one word come as getrandbits gives them: the low word first.
 * Never: a source of secrets. */
#include "base/python_random.h"

#include <math.h>

#define N 624
#define M 397

static void init_one(struct python_random *r, uint32_t s)
{
	r->state[0] = s;
	for (uint32_t i = 1; i < N; i++)
		r->state[i] = 1812433253u * (r->state[i - 1] ^ (r->state[i - 1] >> 30)) + i;
	r->at = N;
}

void python_random_seed(struct python_random *r, uint64_t seed)
{
	uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
	uint32_t n_key = key[1] ? 2 : 1, i = 1, j = 0;
	uint32_t *mt = r->state;
	init_one(r, 19650218u);
	for (size_t k = N; k > 0; k--) {
		mt[i] = (mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1664525u)) + key[j] + j;
		i++;
		j++;
		if (i >= N) {
			mt[0] = mt[N - 1];
			i = 1;
		}
		if (j >= n_key)
			j = 0;
	}
	for (size_t k = N - 1; k > 0; k--) {
		mt[i] = (mt[i] ^ ((mt[i - 1] ^ (mt[i - 1] >> 30)) * 1566083941u)) - i;
		i++;
		if (i >= N) {
			mt[0] = mt[N - 1];
			i = 1;
		}
	}
	mt[0] = 0x80000000u;
}

static void refill(struct python_random *r)
{
	uint32_t *mt = r->state;
	for (size_t k = 0; k < N; k++) {
		uint32_t y = (mt[k] & 0x80000000u) | (mt[(k + 1) % N] & 0x7fffffffu);
		mt[k] = mt[(k + M) % N] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0);
	}
	r->at = 0;
}

static uint32_t word(struct python_random *r)
{
	if (r->at >= N)
		refill(r);
	uint32_t y = r->state[r->at++];
	y ^= y >> 11;
	y ^= (y << 7) & 0x9d2c5680u;
	y ^= (y << 15) & 0xefc60000u;
	return y ^ (y >> 18);
}

double python_random_real(struct python_random *r)
{
	uint32_t a = word(r) >> 5, b = word(r) >> 6;
	return ((double)a * 67108864.0 + (double)b) * (1.0 / 9007199254740992.0);
}

static uint64_t bits(struct python_random *r, unsigned k)
{
	if (k <= 32)
		return word(r) >> (32 - k);
	uint64_t low = word(r);
	return low | (uint64_t)(word(r) >> (64 - k)) << 32;
}

uint64_t python_random_below(struct python_random *r, uint64_t n)
{
	if (n == 0)
		BUG("a random number below 0");
	unsigned k = 64 - (unsigned)__builtin_clzll(n);
	uint64_t v = bits(r, k);
	while (v >= n)
		v = bits(r, k);
	return v;
}

size_t python_random_pick(struct python_random *r, size_t n)
{
	return (size_t)floor(python_random_real(r) * (double)n);
}

void python_random_shuffle(struct python_random *r, char *p, size_t n)
{
	for (size_t i = n; i-- > 1;) {
		size_t j = (size_t)python_random_below(r, i + 1);
		char keep = p[i];
		p[i] = p[j];
		p[j] = keep;
	}
}
