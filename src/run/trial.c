/* A trial and its column file.
 * In: rows as workers sent them. Out: columns in the store.
 * Columns are little-endian and self-describing; a missing time is NaN there as here.
 * Never: drops or changes a row. */
#include "run/trial.h"

#include <stddef.h>

#include "store/column.h"

void trial_init(struct trial *t, struct arena *a)
{
	*t = (struct trial){.arena = a};
}

size_t trial_add(struct trial *t, const struct wire_row *rows, size_t n, const struct trial_batch *b)
{
	size_t first = t->n;
	if (t->n + n > t->cap) {
		size_t cap = (t->n + n) * 2;
		struct trial_row *more = ARENA_ARRAY(t->arena, cap, struct trial_row);
		if (t->n)
			memcpy(more, t->rows, t->n * sizeof(*more));
		t->rows = more;
		t->cap = cap;
	}
	for (size_t i = 0; i < n; i++)
		t->rows[t->n++] = (struct trial_row){.w = rows[i],
						     .begin_ns = b->begin_ns,
						     .end_ns = b->begin_ns + b->wall_ns,
						     .mode = (uint8_t)b->mode,
						     .flags = (uint8_t)b->flags,
						     .i_case = (uint8_t)b->i_case,
						     .quarter = (uint8_t)b->quarter};
	return first;
}

const char *trial_mode_name(enum trial_mode m)
{
	static const char *const names[] = {"identity", "time", "event", "count"};
	return names[m];
}

/* name, column type, unit, optional, member */
static const struct {
	const char *name, *unit;
	enum column_type type;
	bool is_optional;
	size_t offset;
} columns[] = {
	{"call", "1", COLUMN_I64, false, offsetof(struct trial_row, w.call)},
	{"placement", "1", COLUMN_I64, false, offsetof(struct trial_row, w.placement)},
	{"block", "1", COLUMN_I64, false, offsetof(struct trial_row, w.block)},
	{"side", "1", COLUMN_I64, false, offsetof(struct trial_row, w.side)},
	{"slot", "1", COLUMN_I64, false, offsetof(struct trial_row, w.slot)},
	{"phase_ns", "ns", COLUMN_I64, false, offsetof(struct trial_row, w.phase_ns)},
	{"clock_mhz", "mhz", COLUMN_F64, true, offsetof(struct trial_row, w.clock_mhz)},
	{"span_ns", "ns", COLUMN_F64, true, offsetof(struct trial_row, w.span_ns)},
	{"busy_ns", "ns", COLUMN_F64, true, offsetof(struct trial_row, w.busy_ns)},
	{"kernel_sum_ns", "ns", COLUMN_F64, true, offsetof(struct trial_row, w.kernel_sum_ns)},
	{"event_ns", "ns", COLUMN_F64, true, offsetof(struct trial_row, w.event_ns)},
	{"host_ns", "ns", COLUMN_F64, true, offsetof(struct trial_row, w.host_ns)},
	{"wall_ns", "ns", COLUMN_F64, true, offsetof(struct trial_row, w.wall_ns)},
	{"n_launch", "1", COLUMN_I64, false, offsetof(struct trial_row, w.n_launch)},
	{"n_copy", "1", COLUMN_I64, false, offsetof(struct trial_row, w.n_copy)},
	{"n_stream", "1", COLUMN_I64, false, offsetof(struct trial_row, w.n_stream)},
	{"marks", "bits", COLUMN_I64, false, offsetof(struct trial_row, w.marks)},
	{"mode", "code", COLUMN_U8, false, offsetof(struct trial_row, mode)},
	{"flags", "bits", COLUMN_U8, false, offsetof(struct trial_row, flags)},
	{"case", "1", COLUMN_U8, false, offsetof(struct trial_row, i_case)},
	{"quarter", "1", COLUMN_U8, true, offsetof(struct trial_row, quarter)},
	{"begin_ns", "ns", COLUMN_I64, false, offsetof(struct trial_row, begin_ns)},
	{"end_ns", "ns", COLUMN_I64, false, offsetof(struct trial_row, end_ns)},
};

static void *gather(const struct trial *t, size_t i_column, struct arena *a)
{
	size_t size = column_type_bytes(columns[i_column].type);
	char *out = arena_array(a, t->n + 1, size);
	for (size_t i = 0; i < t->n; i++)
		memcpy(out + i * size, (const char *)&t->rows[i] + columns[i_column].offset, size);
	return out;
}

static struct json *codes(struct arena *a)
{
	struct json *j = json_object(a), *modes = json_set_object(j, "mode");
	for (size_t i = 0; i < 4; i++)
		json_set_i64(modes, trial_mode_name((enum trial_mode)i), (int64_t)i);
	struct json *flags = json_set_object(j, "flags");
	json_set_i64(flags, "cold", TRIAL_COLD);
	json_set_i64(flags, "warmup", TRIAL_WARMUP);
	json_set_i64(flags, "held", TRIAL_HELD);
	json_set_i64(flags, "outputs_looked_at", TRIAL_CHECKED);
	struct json *marks = json_set_object(j, "marks");
	json_set_i64(marks, "released_by_helper", WIRE_MARK_RELEASED);
	json_set_i64(marks, "synced_inside", WIRE_MARK_SYNCED);
	json_set_i64(marks, "allocated_inside", WIRE_MARK_ALLOCATED);
	json_set_i64(marks, "no_record", WIRE_MARK_NO_RECORD);
	json_set_i64(marks, "records_dropped", WIRE_MARK_DROPPED);
	json_set_i64(marks, "contaminated", WIRE_MARK_CONTAMINATED);
	json_set_i64(marks, "throttled", WIRE_MARK_THROTTLED);
	json_set_i64(marks, "unobserved", WIRE_MARK_UNOBSERVED);
	return j;
}

bool trial_publish(const struct trial *t, struct store *s, const struct json *meta, char digest[SHA256_HEX],
		   struct err *e)
{
	struct arena a;
	arena_init(&a);
	struct column c[COUNT_OF(columns)];
	for (size_t i = 0; i < COUNT_OF(columns); i++)
		c[i] = (struct column){.name = columns[i].name,
				       .unit = columns[i].unit,
				       .type = columns[i].type,
				       .is_optional = columns[i].is_optional,
				       .data = gather(t, i, &a)};
	struct json *header = json_object(&a);
	for (size_t i = 0; meta && i < meta->n; i++)
		json_set(header, arena_strndup(&a, meta->members[i].key.p, meta->members[i].key.n),
			 meta->members[i].value);
	json_set(header, "codes", codes(&a));
	struct column_file f = {.header = header, .n_rows = t->n, .n_columns = COUNT_OF(columns), .columns = c};
	bool ok = column_publish(s, &f, digest, e);
	arena_release(&a);
	return ok;
}
