/* Column files.
 * In: typed arrays and metadata, or bytes that may be hostile. Out: one file, or typed pointers into the bytes.
 * Offsets follow from the header, so there is nothing in a file that could contradict itself but its length.
 * Never: copies samples on reading, accepts a byte that the format does not explain. */
#include "store/column.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are mapped, not converted");

#define MAGIC "ASSAYCOL"
#define VERSION 1u
#define FORMAT "assay/trial-v1"
#define PREFIX_BYTES 24u
#define NAME_MAX_BYTES 64

struct prefix { /* the first 24 bytes */
	char magic[8];
	uint32_t version, zero;
	uint64_t n_header;
};
_Static_assert(sizeof(struct prefix) == PREFIX_BYTES, "no padding");

static const struct {
	const char *name, *missing;
	size_t bytes;
} type_rows[] = {
#define COLUMN_X(id, name, bytes, missing) {name, missing, bytes},
	COLUMN_TYPES(COLUMN_X)
#undef COLUMN_X
};

const char *column_type_name(enum column_type t)
{
	return type_rows[t].name;
}

size_t column_type_bytes(enum column_type t)
{
	return type_rows[t].bytes;
}

static bool type_of(struct str name, enum column_type *out)
{
	for (size_t i = 0; i < COUNT_OF(type_rows); i++) {
		if (str_is(name, type_rows[i].name)) {
			*out = (enum column_type)i;
			return true;
		}
	}
	return false;
}

static bool name_is_valid(struct str s)
{
	if (s.n == 0 || s.n > NAME_MAX_BYTES)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}

static size_t pad8(size_t n)
{
	return (8 - n % 8) % 8;
}

/* Bytes of a column with its padding; false on overflow. */
static bool column_span(enum column_type t, uint64_t n_rows, uint64_t *out)
{
	uint64_t n;
	if (__builtin_mul_overflow(n_rows, (uint64_t)type_rows[t].bytes, &n) || n > UINT64_MAX - 8)
		return false;
	*out = (n + 7) / 8 * 8;
	return true;
}

/* ---- writing ---- */

static bool check_columns(const struct column *columns, size_t n_columns, struct err *e)
{
	if (n_columns == 0 || n_columns > COLUMN_MAX_COLUMNS)
		return err_set(e, ERR_INPUT, "column file: 1 to %d columns are wanted, not %zu", COLUMN_MAX_COLUMNS,
			       n_columns);
	for (size_t i = 0; i < n_columns; i++) {
		struct str name = str_from(columns[i].name);
		if (!name_is_valid(name))
			return err_set(e, ERR_INPUT, "column %zu: \"%.*s\" is no name of a-z 0-9 _", i,
				       (int)(name.n < 80 ? name.n : 80), name.n ? name.p : "");
		for (size_t k = 0; k < i; k++) {
			if (str_is(name, columns[k].name))
				return err_set(e, ERR_INPUT, "column %s: stands twice", columns[i].name);
		}
	}
	return true;
}

static struct json *header_of(struct arena *a, const struct column *columns, size_t n_columns, uint64_t n_rows)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "format", FORMAT);
	json_set_u64(j, "n_rows", n_rows);
	struct json *list = json_set_array(j, "columns");
	for (size_t i = 0; i < n_columns; i++) {
		struct json *c = json_object(a);
		json_set_cstr(c, "name", columns[i].name);
		json_set_cstr(c, "type", type_rows[columns[i].type].name);
		json_set_cstr(c, "unit", columns[i].unit ? columns[i].unit : "");
		if (columns[i].is_optional)
			json_set_bool(c, "optional", true);
		json_push(list, c);
	}
	return j;
}

static bool add_meta(struct arena *a, struct json *header, const struct json *meta, struct err *e)
{
	if (!meta)
		return true;
	if (meta->type != JSON_OBJECT)
		return err_set(e, ERR_INPUT, "column file: the metadata is no object");
	for (size_t i = 0; i < meta->n; i++) {
		char *key = arena_strndup(a, meta->members[i].key.p, meta->members[i].key.n);
		if (json_get(header, key) || strlen(key) != meta->members[i].key.n)
			return err_set(e, ERR_INPUT, "column file: the metadata holds \"%s\", which is set here", key);
		json_set(header, key, meta->members[i].value);
	}
	return true;
}

bool column_encode(struct buf *out, const struct column *columns, size_t n_columns, uint64_t n_rows,
		   const struct json *meta, struct err *e)
{
	if (!check_columns(columns, n_columns, e))
		return false;
	uint64_t total = 0, span;
	for (size_t i = 0; i < n_columns; i++) {
		if (!column_span(columns[i].type, n_rows, &span) || __builtin_add_overflow(total, span, &total) ||
		    total > INT64_MAX)
			return err_set(e, ERR_INPUT, "column file: %llu rows are too many", (unsigned long long)n_rows);
	}
	struct arena a;
	arena_init(&a);
	struct json *header = header_of(&a, columns, n_columns, n_rows);
	struct buf text;
	buf_init(&text);
	bool ok = add_meta(&a, header, meta, e);
	if (ok) {
		json_write(&text, header, JSON_COMPACT);
		buf_repeat(&text, ' ', pad8(text.n));
		ok = text.n <= COLUMN_MAX_HEADER ||
		     err_set(e, ERR_INPUT, "column file: the header is larger than %u bytes", COLUMN_MAX_HEADER);
	}
	if (ok) {
		struct prefix p = {.magic = MAGIC, .version = VERSION, .n_header = text.n};
		buf_reserve(out, sizeof(p) + text.n + total);
		buf_add(out, &p, sizeof(p));
		buf_add(out, text.p, text.n);
		for (size_t i = 0; i < n_columns; i++) {
			size_t n = (size_t)n_rows * type_rows[columns[i].type].bytes;
			if (n)
				buf_add(out, columns[i].data, n);
			buf_repeat(out, 0, pad8(n));
		}
	}
	buf_release(&text);
	arena_release(&a);
	return ok;
}

/* ---- reading ---- */

static bool parse_column(struct arena *a, const struct json *j, struct column *out)
{
	struct str name = json_str(j, "name", STR("")), unit = json_str(j, "unit", STR(""));
	const struct json *optional = json_get(j, "optional");
	if (!j || j->type != JSON_OBJECT || !name_is_valid(name) ||
	    !type_of(json_str(j, "type", STR("")), &out->type) || (optional && optional->type != JSON_BOOL))
		return false;
	out->name = arena_strndup(a, name.p, name.n);
	out->unit = arena_strndup(a, unit.p, unit.n);
	out->is_optional = optional && optional->boolean;
	return true;
}

static bool parse_columns(struct column_file *f, struct arena *a, const char *name, struct err *e)
{
	const struct json *list = json_get(f->header, "columns");
	if (!list || list->type != JSON_ARRAY || list->n == 0 || list->n > COLUMN_MAX_COLUMNS)
		return err_set(e, ERR_INPUT, "%s: header: columns: a list of 1 to %d is wanted", name,
			       COLUMN_MAX_COLUMNS);
	f->n_columns = list->n;
	f->columns = ARENA_ARRAY(a, list->n, struct column);
	struct map seen;
	map_init(&seen, a);
	for (size_t i = 0; i < list->n; i++) {
		bool is_new;
		if (!parse_column(a, list->items[i], &f->columns[i]))
			return err_set(e, ERR_INPUT, "%s: header: columns[%zu] is not valid", name, i);
		map_intern(&seen, str_from(f->columns[i].name), &is_new);
		if (!is_new)
			return err_set(e, ERR_INPUT, "%s: header: column %s stands twice", name, f->columns[i].name);
	}
	return true;
}

/* Gives each column its place; the bytes must end where the last one does, and padding must be zero. */
static bool place_columns(struct column_file *f, const char *name, struct str data, struct err *e)
{
	uint64_t at = 0, span;
	for (size_t i = 0; i < f->n_columns; i++) {
		struct column *c = &f->columns[i];
		if (!column_span(c->type, f->n_rows, &span) || span > data.n - at)
			return err_set(e, ERR_INPUT,
				       "%s: column %s: %llu rows do not fit into the file (%zu bytes of data)", name,
				       c->name, (unsigned long long)f->n_rows, data.n);
		c->data = data.p + at;
		for (uint64_t k = f->n_rows * type_rows[c->type].bytes; k < span; k++) {
			if (data.p[at + k] != 0)
				return err_set(e, ERR_INPUT, "%s: column %s: padding is not zero", name, c->name);
		}
		at += span;
	}
	if (at != data.n)
		return err_set(e, ERR_INPUT, "%s: %llu bytes after the last column", name,
			       (unsigned long long)(data.n - at));
	return true;
}

bool column_parse(struct column_file *out, struct arena *a, const char *name, struct str bytes, struct err *e)
{
	*out = (struct column_file){0};
	struct prefix p;
	if ((uintptr_t)bytes.p % 8 != 0)
		BUG("column_parse wants aligned bytes");
	if (bytes.n < sizeof(p) || memcmp(bytes.p, MAGIC, sizeof(p.magic)) != 0)
		return err_set(e, ERR_INPUT, "%s: is no column file (it does not begin with " MAGIC ")", name);
	memcpy(&p, bytes.p, sizeof(p));
	if (p.version != VERSION || p.zero != 0)
		return err_set(e, ERR_UNSUPPORTED, "%s: column file of version %u; this program reads %u", name,
			       p.version, VERSION);
	if (p.n_header % 8 != 0 || p.n_header > COLUMN_MAX_HEADER || p.n_header > bytes.n - sizeof(p))
		return err_set(e, ERR_INPUT, "%s: header of %llu bytes: not possible in a file of %zu", name,
			       (unsigned long long)p.n_header, bytes.n);
	struct str text = {bytes.p + sizeof(p), (size_t)p.n_header};
	out->header = json_parse(a, name, text, JSON_STRICT, e);
	if (!out->header)
		return false;
	if (!str_is(json_str(out->header, "format", STR("")), FORMAT))
		return err_set(e, ERR_INPUT, "%s: header: format is not " FORMAT, name);
	int64_t n_rows = json_i64(out->header, "n_rows", -1);
	if (n_rows < 0)
		return err_set(e, ERR_INPUT, "%s: header: n_rows is no count", name);
	out->n_rows = (uint64_t)n_rows;
	struct str data = {bytes.p + sizeof(p) + p.n_header, bytes.n - sizeof(p) - (size_t)p.n_header};
	return parse_columns(out, a, name, e) && place_columns(out, name, data, e);
}

/* ---- the store ---- */

bool column_publish(struct store *s, const struct column_file *f, char digest[SHA256_HEX], struct err *e)
{
	struct buf b;
	buf_init(&b);
	bool ok = column_encode(&b, f->columns, f->n_columns, f->n_rows, f->header, e) &&
		  store_publish(s, b.p, b.n, digest, e);
	buf_release(&b);
	return ok;
}

bool column_open(struct store *s, struct arena *a, const char *digest, struct file_map *map, struct column_file *out,
		 struct err *e)
{
	if (!store_read(s, digest, map, e))
		return false;
	if (column_parse(out, a, digest, (struct str){map->p, map->n}, e))
		return true;
	file_unmap(map);
	return false;
}

const struct column *column_find(const struct column_file *f, const char *name)
{
	for (size_t i = 0; i < f->n_columns; i++) {
		if (strcmp(f->columns[i].name, name) == 0)
			return &f->columns[i];
	}
	return NULL;
}

static const void *typed(const struct column_file *f, const char *name, enum column_type t)
{
	const struct column *c = column_find(f, name);
	return c && c->type == t ? c->data : NULL;
}

const double *column_f64(const struct column_file *f, const char *name)
{
	return typed(f, name, COLUMN_F64);
}

const int64_t *column_i64(const struct column_file *f, const char *name)
{
	return typed(f, name, COLUMN_I64);
}

const uint32_t *column_u32(const struct column_file *f, const char *name)
{
	return typed(f, name, COLUMN_U32);
}

const uint8_t *column_u8(const struct column_file *f, const char *name)
{
	return typed(f, name, COLUMN_U8);
}
