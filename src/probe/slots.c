/* The tensors of a slot: addresses, what is restored and poisoned before a call.
 * In: layout and mapped regions. Out: prepared slots.
 * The same for host and GPU, through gpu/space.
 * Never: runs while a call is timed. */
#include "probe/probe.h"

#include "base/clock.h"

void probe_delay(int64_t phase_ns)
{
	int64_t until = clock_ns() + phase_ns;
	while (phase_ns > 0 && clock_ns() < until)
		continue;
}

void probe_addresses(const struct probe *p, size_t slot, void **addresses)
{
	for (size_t i = 0; i < p->n_tensors; i++)
		addresses[i] = (void *)(uintptr_t)(p->slots[slot].base + p->tensors[i].offset);
}

bool probe_trouble(struct probe_fault *fault, const struct err *e)
{
	fault->word = "";
	snprintf(fault->text, sizeof(fault->text), "%.500s", e->text);
	return false;
}

bool probe_keep_pristine(struct probe *p, size_t slot, struct err *e)
{
	size_t bytes = 0;
	for (size_t i = 0; i < p->n_tensors; i++)
		bytes += p->tensors[i].is_output == WIRE_IN_OUT ? p->tensors[i].bytes : 0;
	space_release(p->space, &p->pristine[slot]);
	if (bytes == 0)
		return true;
	if (!space_alloc(p->space, &p->pristine[slot], bytes, e))
		return false;
	uint64_t at = p->pristine[slot].base;
	for (size_t i = 0; i < p->n_tensors; i++) {
		const struct wire_tensor *t = &p->tensors[i];
		if (t->is_output != WIRE_IN_OUT)
			continue;
		if (!space_copy(p->space, at, p->slots[slot].base + t->offset, t->bytes, e))
			return false;
		at += t->bytes;
	}
	return true;
}

static bool prepare_tensor(struct probe *p, const struct wire_calls *calls, size_t slot, size_t i, uint64_t *kept,
			   struct err *e)
{
	const struct wire_tensor *t = &p->tensors[i];
	uint64_t at = p->slots[slot].base + t->offset;
	if (t->is_output == WIRE_IN_OUT) {
		uint64_t from = *kept;
		*kept += t->bytes;
		return space_copy(p->space, at, from, t->bytes, e);
	}
	if (t->is_output == WIRE_OUTPUT_ONLY && (calls->flags & WIRE_CALL_POISON))
		return space_poison(p->space, at, t->bytes, calls->pattern, e);
	return true;
}

bool probe_prepare(struct probe *p, const struct wire_calls *calls, size_t slot, struct probe_fault *fault)
{
	struct err e = {ERR_NONE, ""};
	uint64_t kept = p->pristine[slot].base;
	for (size_t i = 0; i < p->n_tensors; i++) {
		if (!prepare_tensor(p, calls, slot, i, &kept, &e))
			return probe_trouble(fault, &e);
	}
	return true;
}
