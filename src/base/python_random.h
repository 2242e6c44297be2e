/* CPython's random.Random for whole seeds: MT19937 seeded by init_by_array (Matsumoto and Nishimura 1998) and the derived
 * calls as CPython 3.10 to 3.13 makes them, so that published orders and intervals can be made again. */
#ifndef ASSAY_BASE_PYTHON_RANDOM_H
#define ASSAY_BASE_PYTHON_RANDOM_H

#include "base/attr.h"

struct python_random {
	uint32_t state[624];
	size_t at;
};
void python_random_seed(struct python_random *r, uint64_t seed);        /* Random(seed) */
double python_random_real(struct python_random *r);                     /* random(): [0, 1), 53 bits */
uint64_t python_random_below(struct python_random *r, uint64_t n);      /* _randbelow(n), n >= 1: randrange, choice */
size_t python_random_pick(struct python_random *r, size_t n);           /* one index of choices(), n >= 1 */
void python_random_shuffle(struct python_random *r, char *p, size_t n); /* shuffle() of n one-byte items */

#endif
