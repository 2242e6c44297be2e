/* Opcodes: class, memory space and width of access from the name with its modifiers.
 * In: "LDG.E.128.CONSTANT".
 * Out: load, global, 16 bytes.
 * Never looks at operands. */
#include "read/sass/internal.h"

#include <string.h>

#include "read/scan.h"

static const struct {
	const char *name;
	enum sass_class class_of;
	enum sass_space space;
} opcodes[] = {
#define OPCODE(name, class_of, space) {name, SASS_##class_of, SASS_##space},
#include "read/sass/opcode.def"
#undef OPCODE
};

struct str opcode_base(struct str name)
{
	size_t dot = str_find_char(name, '.');
	return dot == SIZE_MAX ? name : str_sub(name, 0, dot);
}

bool opcode_has_modifier(struct str name, struct str modifier)
{
	struct str part;
	(void)str_split(&name, '.', &part); /* the base */
	while (str_split(&name, '.', &part))
		if (str_eq(part, modifier))
			return true;
	return false;
}

unsigned opcode_sm(struct str arch)
{
	uint64_t v;
	if (!scan_text(&arch, "sm_") && !scan_text(&arch, "SM") && !scan_text(&arch, "compute_"))
		return 0;
	return scan_u64(&arch, &v) && v < 1000 ? (unsigned)v : 0;
}

/* A modifier of digits alone: a width that is not known. */
static bool has_number(struct str name)
{
	struct str part;
	uint64_t v;
	(void)str_split(&name, '.', &part);
	while (str_split(&name, '.', &part))
		if (str_u64(part, &v))
			return true;
	return false;
}

/* bytes a thread moves; 0: not known; ldmatrix and stmatrix: 4 a matrix */
static uint32_t width_of(struct str name, enum sass_class class_of)
{
	static const struct {
		const char *modifier;
		uint32_t bytes;
	} widths[] = {
		{"U8", 1},    {"S8", 1},     {"U16", 2},    {"S16", 2},     {"F16x2", 4}, {"F32x2", 8},
		{"F16x4", 8}, {"BF16x4", 8}, {"64", 8},     {"F64", 8},     {"S64", 8},   {"U64", 8},
		{"32", 4},    {"F32x4", 16}, {"F16x8", 16}, {"BF16x8", 16}, {"128", 16},  {"256", 32},
	};
	struct str base = opcode_base(name);
	if (str_is(base, "LDSM") || str_is(base, "STSM"))
		return opcode_has_modifier(name, STR("4")) ? 16 : opcode_has_modifier(name, STR("2")) ? 8 : 4;
	if (class_of == SASS_ASYNC && !str_is(base, "LDGSTS"))
		return 0;
	for (size_t i = 0; i < COUNT_OF(widths); i++)
		if (opcode_has_modifier(name, str_from(widths[i].modifier)))
			return widths[i].bytes;
	return has_number(name) ? 0 : 4;
}

void opcode_classify(struct sass_opcode *o)
{
	struct str base = opcode_base(o->name);
	o->class_of = SASS_OTHER;
	o->is_unknown = true;
	for (size_t i = 0; i < COUNT_OF(opcodes); i++) {
		if (!str_is(base, opcodes[i].name))
			continue;
		o->class_of = opcodes[i].class_of;
		o->space = opcodes[i].space;
		o->is_unknown = false;
		break;
	}
	bool has_width = o->class_of == SASS_LOAD || o->class_of == SASS_STORE || o->class_of == SASS_ATOMIC ||
			 o->class_of == SASS_ASYNC;
	if (has_width && o->space != SASS_TENSOR_MEMORY && o->space != SASS_TEXTURE)
		o->width = width_of(o->name, o->class_of);
}

const char *sass_class_name(enum sass_class c)
{
	static const char *const names[SASS_CLASSES] = {"other",      "load",     "store",      "atomic",
							"async_copy", "prefetch", "tensor",     "barrier",
							"fence",      "branch",   "divergence", "call"};
	return names[c];
}

const char *sass_space_name(enum sass_space s)
{
	static const char *const names[SASS_SPACES] = {"none",     "global",      "shared",        "local",  "generic",
						       "constant", "distributed", "tensor_memory", "texture"};
	return names[s];
}
