/* The tensors of a slot: addresses, what is restored and poisoned before a call.
 * In: layout and mapped regions. Out: prepared slots.
 * The same for host and GPU, through gpu/space.
 * Never: runs while a call is timed. */
#include "probe/probe.h"

#include "base/clock.h"
#include "probe/guest.h"

void probe_delay(int64_t phase_ns)
{
	int64_t until = clock_ns() + phase_ns;
	while (phase_ns > 0 && clock_ns() < until)
		continue;
}

bool probe_has_tool(const struct probe *p)
{
	return p->mode == PROBE_TOOL || p->mode == PROBE_SANITIZE;
}

uint64_t probe_address(const struct probe *p, size_t slot, size_t i)
{
	return p->mode == PROBE_SANITIZE ? p->apart[i].base : p->slots[slot].base + p->tensors[i].offset;
}

void probe_addresses(const struct probe *p, size_t slot, void **addresses)
{
	for (size_t i = 0; i < p->n_tensors; i++)
		addresses[i] = (void *)(uintptr_t)probe_address(p, slot, i);
}

/* What an output holds before the call stays unwritten: a tool that looks for reads of such memory sees them. */
static bool bring_apart(struct probe *p, size_t slot, struct err *e)
{
	for (size_t i = 0; p->mode == PROBE_SANITIZE && i < p->n_tensors; i++) {
		const struct wire_tensor *t = &p->tensors[i];
		if (t->is_output != WIRE_OUTPUT_ONLY && t->bytes &&
		    !space_copy(p->space, p->apart[i].base, p->slots[slot].base + t->offset, t->bytes, e))
			return false;
	}
	return true;
}

bool probe_guest_fault(const struct probe *p, struct probe_fault *fault)
{
	static const char *const words[] = {
		"load_failed",  "no_entry",    "entry_raised", "entry_failed", "output_shape",
		"output_dtype", "output_type", "exited_early", "cuda_error",   "out_of_device_memory"};
	char word[64] = "";
	fault->text[0] = '\0';
	p->guest->why(word, sizeof(word), fault->text, sizeof(fault->text));
	word[sizeof(word) - 1] = fault->text[sizeof(fault->text) - 1] = '\0';
	fault->word = "";
	for (size_t i = 0; i < COUNT_OF(words); i++) {
		if (strcmp(word, words[i]) == 0)
			fault->word = words[i];
	}
	return false;
}

int probe_call_entry(struct probe *p, size_t slot, void *const *addresses)
{
	return p->guest ? p->guest->call(slot) : entry_call(p->entry, addresses);
}

bool probe_call_good(const struct probe *p, int result, struct probe_fault *fault)
{
	if (p->guest && result != 0)
		return probe_guest_fault(p, fault);
	if (!p->returns_int || result == 0)
		return true;
	fault->word = "entry_failed";
	snprintf(fault->text, sizeof(fault->text), "the entry returned %d", result);
	return false;
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
	if (calls->flags & WIRE_CALL_AS_IS)
		return true;
	for (size_t i = 0; i < p->n_tensors; i++) {
		if (!prepare_tensor(p, calls, slot, i, &kept, &e))
			return probe_trouble(fault, &e);
	}
	return bring_apart(p, slot, &e) || probe_trouble(fault, &e);
}
