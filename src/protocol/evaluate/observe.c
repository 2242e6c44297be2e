/* Observation of formal samples.
 * In: samples of run/sampler, the times of a call. Out: what stood in the call's way, kept with it.
 * The rules are those of measure/telemetry.h; a short event between two calls changes nothing.
 * Never: ends or repeats a call. */
#include "protocol/evaluate/observe.h"

#include <math.h>
#include <stdlib.h>

#include "measure/device.h"
#include "measure/telemetry.h"
#include "run/sampler.h"

#define MOST 16 /* GPUs of one Target that are watched */

struct observer {
	struct arena *arena;
	bool is_required;
	const char *because; /* why nobody watches, or what was busy before */
	bool is_idle, is_watched;
	struct telemetry eyes[MOST];
	struct lab_device devices[MOST];
	int pids[MOST];
	size_t n;
};

static void open_eye(struct observer *o, struct protocol *p, const char *folder, const char *gpu)
{
	struct lab_device *d = &o->devices[o->n];
	struct telemetry *t = &o->eyes[o->n];
	struct telemetry_options how = {.program = p->program, .folder = folder, .device = d};
	*d = (struct lab_device){.backend = gpu ? "cuda" : "c", .gpu = gpu};
	telemetry_start(t, o->arena, &how);
	o->pids[o->n++] = t->sampler ? sampler_pid(t->sampler) : -1;
	if (t->sampler)
		return;
	o->is_watched = false;
	o->because = t->reason;
}

struct observer *observe_start(struct protocol *p, const char *folder, const struct target *t)
{
	const struct json *gpus = target_gpus(t);
	size_t n = gpus ? gpus->n : 0;
	struct observer *o = calloc(1, sizeof(*o));
	if (!o)
		BUG("out of memory");
	o->arena = p->arena;
	o->is_idle = o->is_watched = true;
	o->is_required = n > 0 || str_is(json_str(json_get(t->record, "assay"), "observation", STR("")), "required");
	for (size_t i = 0; i < (n ? n : 1) && i < MOST; i++)
		open_eye(o, p, folder, n ? gpus->items[i]->text.p : NULL);
	if (n > MOST) {
		o->is_watched = false;
		o->because = "more GPUs than are watched at once";
	}
	for (size_t i = 0; o->is_required && i < o->n; i++) {
		struct telemetry *eye = &o->eyes[i];
		telemetry_wait_idle(eye, n ? TELEMETRY_PATIENCE_GPU_NS : TELEMETRY_PATIENCE_CPU_NS);
		if (eye->sampler && !eye->is_idle) {
			o->is_idle = false;
			o->because = eye->busy;
		}
	}
	return o;
}

struct counts {
	size_t contaminated, unobserved, throttled;
	double worst;
};

static void look(struct counts *c, struct telemetry *t, int64_t begin_ns, int64_t end_ns)
{
	size_t n = 0;
	if (!t->sampler) {
		c->unobserved++;
		return;
	}
	c->unobserved += !sampler_is_there(t->sampler); /* before its silence is long enough to be seen */
	sampler_take(t->sampler);
	const struct sampler_sample *s = sampler_samples(t->sampler, &n);
	for (size_t i = 1; i < n && s[i - 1].t_ns < end_ns; i++) {
		double foreign = 0;
		if (s[i].t_ns <= begin_ns)
			continue;
		unsigned flags = telemetry_judge(s, i, t->is_gpu, &foreign);
		c->contaminated += (flags & TELEMETRY_CONTAMINATED) != 0;
		c->unobserved += (flags & TELEMETRY_UNOBSERVED) != 0;
		c->throttled += (flags & TELEMETRY_THROTTLED) != 0;
		if (flags & TELEMETRY_CONTAMINATED)
			c->worst = fmax(c->worst, foreign);
	}
}

struct json *observe_call(struct observer *o, int64_t begin_ns, int64_t end_ns)
{
	struct counts c = {0, 0, 0, 0};
	struct json *j = json_object(o->arena);
	for (size_t i = 0; i < o->n; i++)
		look(&c, &o->eyes[i], begin_ns, end_ns);
	json_set_bool(j, "required", o->is_required);
	json_set_bool(j, "idle", o->is_idle);
	json_set_bool(j, "watched", o->is_watched);
	json_set_u64(j, "contaminated", c.contaminated);
	json_set_u64(j, "unobserved", c.unobserved);
	json_set_u64(j, "throttled", c.throttled);
	json_set_f64(j, "worst_foreign", c.worst);
	json_set_cstr(j, "because", o->because);
	return j;
}

const int *observe_pids(const struct observer *o, size_t *n)
{
	*n = o->n;
	return o->pids;
}

void observe_stop(struct observer *o)
{
	for (size_t i = 0; o && i < o->n; i++) {
		telemetry_stop(&o->eyes[i]);
		telemetry_free(&o->eyes[i]);
	}
	free(o);
}

const char *observe_problem(const struct json *calls)
{
	const char *found = NULL;
	for (size_t i = 0; i < calls->n; i++) {
		const struct json *x = json_get(calls->items[i], "observation");
		if (!x || !json_bool(x, "required", false))
			continue;
		if (!json_bool(x, "idle", false))
			return "not_idle";
		if (json_i64(x, "contaminated", 0) > 0)
			found = "contaminated";
		else if (!found && (!json_bool(x, "watched", false) || json_i64(x, "unobserved", 0) > 0))
			found = "unobserved";
	}
	return found;
}
