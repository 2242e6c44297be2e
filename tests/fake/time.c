/* The simulated clock and what an activity costs on it.
 * In: the host's clock, fake.conf. Out: times that do not depend on how busy the host is.
 * The clock shows the host's time plus what waiting has added: whoever waits for the device sees its end at least.
 * Never: sleeps. */
#include "inside.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "conf.h"
#include "include/fake_cuda.h"
#include "trace.h"

static _Atomic int64_t skew;
static _Atomic int64_t duration_ns;
static fake_trace_fn tracer; /* under its lock */
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;

int64_t fake_now(void)
{
	return clock_ns() + atomic_load(&skew);
}

void fake_advance(int64_t to)
{
	int64_t before = atomic_load(&skew), after;
	do {
		after = to - clock_ns();
		if (after <= before)
			return;
	} while (!atomic_compare_exchange_weak(&skew, &before, after));
}

unsigned fake_clock_mhz(const struct ctx *c)
{
	const struct fake_conf *f = fake_conf();
	bool is_slow = f->throttle_at && c->n_kernels >= f->throttle_at;
	return is_slow ? 1980 * 60 / 100 : 1980;
}

int64_t fake_kernel_ns(struct ctx *c, const struct op *op)
{
	const struct fake_conf *f = fake_conf();
	int64_t given = atomic_load(&duration_ns);
	double ns = given ? (double)given : (double)f->kernel_ns;
	if (c->is_warm)
		ns *= (double)f->warm_pct / 100;
	if (c->is_dirty)
		ns *= 1 + (double)f->dirty_pct / 100;
	ns *= 1 + (double)f->drift_ppm * c->n_kernels / 1e6;
	ns *= 1980.0 / fake_clock_mhz(c);
	int64_t period = (int64_t)f->period_ns;
	if (period && op->start_ns / period != (op->start_ns + (int64_t)ns) / period)
		ns *= 1 + (double)f->period_pct / 100;
	return (int64_t)ns;
}

void fake_cache(struct ctx *c, const struct op *op)
{
	if (op->is_candidate) {
		c->is_warm = true;
		c->is_dirty = false;
	}
	if (op->writes_cache)
		c->is_dirty = true;
	if (op->evicts_cache)
		c->is_warm = c->is_dirty = false;
}

void fake_trace(const struct gpu_activity *x)
{
	pthread_mutex_lock(&trace_lock);
	if (tracer)
		tracer(x);
	pthread_mutex_unlock(&trace_lock);
}

uint32_t fake_correlation(void)
{
	static _Atomic uint32_t last;
	return atomic_fetch_add(&last, 1) + 1;
}

FAKE_API void fakeTraceTo(fake_trace_fn fn)
{
	pthread_mutex_lock(&trace_lock);
	tracer = fn;
	pthread_mutex_unlock(&trace_lock);
}

FAKE_API uint64_t fakeNow(void)
{
	return (uint64_t)fake_now();
}

FAKE_API void fakeDuration(long long ns)
{
	atomic_store(&duration_ns, ns);
}

FAKE_API unsigned long long fakeApiBegin(void)
{
	return (unsigned long long)fake_now();
}

FAKE_API void fakeApiEnd(unsigned callback, unsigned long long begin, int result)
{
	struct gpu_activity x = {.kind = GPU_ACTIVITY_RUNTIME,
				 .raw_kind = CUPTI_RUNTIME,
				 .start_ns = begin,
				 .end_ns = (uint64_t)fake_now(),
				 .detail = callback,
				 .result = (uint32_t)result,
				 .correlation = fake_correlation()};
	fake_trace(&x);
}
