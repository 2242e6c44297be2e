/* Messages: every one there and back, cut at every byte, with too much behind it, with lengths that lie. */
#include "wire/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

enum kind { KIND_U64, KIND_I64, KIND_F64, KIND_STR, KIND_BLOB };
struct field {
	const char *name;
	enum kind kind;
	size_t offset;
};
#define WIRE_F(m, kind, name) {#name, KIND_##kind, offsetof(struct wire_##m, name)},
#define WIRE_M(TYPE, name) static const struct field fields_##name[] = {WIRE_##TYPE(WIRE_F, name)};
WIRE_MESSAGES(WIRE_M)
#undef WIRE_M
static const struct {
	const char *name;
	const struct field *fields;
	size_t n;
} types[] = {
#define WIRE_M(TYPE, name) {#name, fields_##name, COUNT_OF(fields_##name)},
	WIRE_MESSAGES(WIRE_M)
#undef WIRE_M
};

static uint64_t next(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *state ^ *state >> 29;
}

static const char bytes[] = "\0\xff text with\nany bytes \x80";

/* A message of that type with every field set; strings of 0 to 24 bytes. */
static void make(struct wire_message *m, enum wire_type type, uint64_t *seed)
{
	memset(m, 0, sizeof(*m));
	m->type = type;
	for (size_t i = 0; i < types[type].n; i++) {
		const struct field *f = &types[type].fields[i];
		char *at = (char *)&m->u + f->offset;
		uint64_t v = next(seed);
		struct str s = {bytes, v % sizeof(bytes)};
		if (f->kind == KIND_STR || f->kind == KIND_BLOB)
			memcpy(at, &s, sizeof(s));
		else
			memcpy(at, &v, sizeof(v)); /* a double of any bits, NaNs too */
	}
}

static bool same(const struct wire_message *a, const struct wire_message *b)
{
	if (a->type != b->type)
		return false;
	for (size_t i = 0; i < types[a->type].n; i++) {
		const struct field *f = &types[a->type].fields[i];
		const char *x = (const char *)&a->u + f->offset, *y = (const char *)&b->u + f->offset;
		struct str s, t;
		memcpy(&s, x, f->kind == KIND_STR || f->kind == KIND_BLOB ? sizeof(s) : 0);
		memcpy(&t, y, f->kind == KIND_STR || f->kind == KIND_BLOB ? sizeof(t) : 0);
		bool is_text = f->kind == KIND_STR || f->kind == KIND_BLOB;
		if (is_text ? !str_eq(s, t) : memcmp(x, y, 8) != 0)
			return false;
	}
	return true;
}

/* The payload on a heap block of exactly its size: a sanitizer sees any byte read behind it. */
static struct str exact(const struct buf *b, size_t n)
{
	char *p = malloc(n ? n : 1);
	assert_non_null(p);
	if (n)
		memcpy(p, b->p, n);
	return (struct str){p, n};
}

static void discard(struct str s)
{
	union {
		const char *in;
		void *out;
	} p = {s.p};
	free(p.out);
}

static void round_trip(void **state)
{
	(void)state;
	uint64_t seed = 1;
	struct buf b;
	buf_init(&b);
	assert_int_equal(COUNT_OF(types), WIRE_TYPE_COUNT);
	for (size_t t = 0; t < 50 * WIRE_TYPE_COUNT; t++) {
		struct wire_message in, out;
		struct err e = {ERR_NONE, ""};
		make(&in, (enum wire_type)(t % WIRE_TYPE_COUNT), &seed);
		buf_clear(&b);
		wire_encode(&b, &in);
		struct str s = exact(&b, b.n);
		if (!wire_decode(&out, in.type, s, &e) || !same(&in, &out))
			fail_msg("%s: %s", types[in.type].name, e.text);
		assert_string_equal(wire_name(in.type), types[in.type].name);
		discard(s);
	}
	buf_release(&b);
	assert_string_equal(wire_name(WIRE_TYPE_COUNT), "unknown");
}

static void cut(void **state)
{
	(void)state;
	uint64_t seed = 2;
	struct buf b;
	buf_init(&b);
	for (size_t t = 0; t < WIRE_TYPE_COUNT; t++) {
		struct wire_message in, out;
		make(&in, (enum wire_type)t, &seed);
		buf_clear(&b);
		wire_encode(&b, &in);
		for (size_t n = 0; n < b.n; n++) {
			struct err e = {ERR_NONE, ""};
			struct str s = exact(&b, n);
			assert_false(wire_decode(&out, in.type, s, &e));
			assert_int_equal(e.code, ERR_PROTOCOL);
			assert_non_null(strstr(e.text, types[t].name));
			assert_null(strchr(e.text, '\n'));
			discard(s);
		}
	}
	buf_release(&b);
}

static void too_long(void **state)
{
	(void)state;
	uint64_t seed = 3;
	struct buf b;
	buf_init(&b);
	for (size_t t = 0; t < WIRE_TYPE_COUNT; t++) {
		struct wire_message in, out;
		struct err e = {ERR_NONE, ""};
		make(&in, (enum wire_type)t, &seed);
		buf_clear(&b);
		wire_encode(&b, &in);
		buf_char(&b, 'x');
		assert_false(wire_decode(&out, in.type, buf_view(&b), &e));
		assert_non_null(strstr(e.text, "1 bytes too many"));
	}
	buf_release(&b);
}

/* A length that goes past the end, also by as much as wraps around. */
static void lying_length(void **state)
{
	(void)state;
	static const uint64_t lies[] = {6, 1u << 30, UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 63};
	struct wire_message in = {.type = WIRE_TYPE_READY}, out;
	in.u.ready.facts = STR("12345");
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < COUNT_OF(lies); i++) {
		struct err e = {ERR_NONE, ""};
		buf_clear(&b);
		wire_encode(&b, &in);
		memcpy(b.p, &lies[i], sizeof(lies[i]));
		assert_false(wire_decode(&out, in.type, buf_view(&b), &e));
		assert_string_equal(e.text, "message ready: field facts is longer than the message");
	}
	buf_release(&b);
}

static void unknown_type(void **state)
{
	(void)state;
	static const unsigned numbers[] = {WIRE_TYPE_COUNT, 255, 65535, 0x7fffffff};
	struct wire_message out;
	for (size_t i = 0; i < COUNT_OF(numbers); i++) {
		struct err e = {ERR_NONE, ""};
		assert_false(wire_decode(&out, (enum wire_type)numbers[i], STR(""), &e));
		assert_int_equal(e.code, ERR_PROTOCOL);
	}
}

/* The byte order is fixed, whatever the machine: known bytes of one message. */
static void known_bytes(void **state)
{
	(void)state;
	struct wire_message m = {.type = WIRE_TYPE_FAIL};
	m.u.fail.word = STR("hang");
	m.u.fail.text = STR("");
	struct buf b;
	buf_init(&b);
	wire_encode(&b, &m);
	assert_int_equal(b.n, 20);
	assert_memory_equal(b.p, "\4\0\0\0\0\0\0\0hang\0\0\0\0\0\0\0\0", 20);
	buf_clear(&b);
	m = (struct wire_message){.type = WIRE_TYPE_FILL};
	m.u.fill = (struct wire_fill){.region = 0x0102030405060708, .lo = 1.0};
	wire_encode(&b, &m);
	assert_int_equal(b.n, 56);
	assert_memory_equal(b.p, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
	assert_memory_equal(b.p + 32, "\0\0\0\0\0\0\xf0\x3f", 8);
	buf_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trip),   cmocka_unit_test(cut),          cmocka_unit_test(too_long),
		cmocka_unit_test(lying_length), cmocka_unit_test(unknown_type), cmocka_unit_test(known_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
