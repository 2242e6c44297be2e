/* Outputs of references kept from run to run.
 * In: a job of the public sets of one case. Out: its memory files filled, or an entry made from them.
 * The key is all that decides the outputs; of a Python reference also what it read, looked at again at every hit.
 * Never: keeps an answer to fresh data. */
#include "measure/reference_inside.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"
#include "store/cache.h"

struct json *reference_digest_files(struct arena *a, const struct json *paths)
{
	struct json *list = json_array(a);
	for (size_t i = 0; paths && i < paths->n; i++) {
		char digest[SHA256_HEX];
		struct err gone;
		struct json *x = json_object(a);
		const char *path = arena_strndup(a, paths->items[i]->text.p, paths->items[i]->text.n);
		json_set_cstr(x, "path", path);
		json_set_cstr(x, "sha256", sha256_file(path, digest, &gone) ? digest : "gone");
		json_push(list, x);
	}
	return list;
}

static bool files_hold(struct arena *a, const struct json *list)
{
	for (size_t i = 0; list && i < list->n; i++) {
		char digest[SHA256_HEX];
		struct err gone;
		struct str path = json_str(list->items[i], "path", STR(""));
		if (!sha256_file(arena_strndup(a, path.p, path.n), digest, &gone) ||
		    !str_is(json_str(list->items[i], "sha256", STR("")), digest))
			return false;
	}
	return true;
}

void reference_cache_key(const struct fill_job *j, char key[SHA256_HEX])
{
	struct sha256 s;
	const struct layout *y = lab_layout(j->lab);
	const struct op_case *c = &j->op->cases[j->i_case];
	sha256_init(&s);
	sha256_str(&s, str_from(j->r->identity));
	if (*lab_data_digest(j->lab))
		sha256_str(&s, str_from(lab_data_digest(j->lab)));
	sha256_add(&s, y->tensors, y->n_tensors * sizeof(*y->tensors));
	sha256_add(&s, y->scalars, y->n_args * sizeof(*y->scalars));
	for (size_t i = 0; i < y->n_tensors; i++) {
		struct wire_fill f = layout_fill(y, i, c->seed);
		sha256_add(&s, &f, sizeof(f));
	}
	sha256_str(&s, str_from(j->r->python && j->device->gpu ? "gpu" : "cpu"));
	sha256_hex(&s, key);
}

uint64_t reference_output_bytes(const struct layout *y)
{
	uint64_t n = 0;
	for (size_t i = 0; i < y->n_tensors; i++)
		n += layout_is_output(y, i) ? y->tensors[i].bytes : 0;
	return n;
}

struct held { /* cached outputs being looked at */
	struct arena *arena;
	struct json *meta;
};

static bool files_are_same(void *ctx, const struct cache_entry *entry)
{
	struct held *h = ctx;
	struct err e;
	h->meta = json_read_file(h->arena, path_join(h->arena, entry->path, "meta.json"), JSON_STRICT, &e);
	return h->meta && files_hold(h->arena, json_get(h->meta, "files"));
}

bool reference_fetch(struct fill_job *j, struct cache *c, char key[SHA256_HEX])
{
	struct cache_entry entry;
	struct err e;
	const struct layout *y = lab_layout(j->lab);
	struct held h = {.arena = j->arena};
	struct cache_check check = {files_are_same, &h};
	char vacant[SHA256_HEX];
	if (!cache_get_checked(c, j->arena, key, &check, &entry, vacant)) {
		memcpy(key, vacant, SHA256_HEX);
		return false;
	}
	struct json *meta = h.meta;
	bool ok = true;
	for (size_t s = 0; ok && s < LAB_SEEDS; s++) {
		struct file_map m;
		const char *name = arena_printf(j->arena, "outputs%zu.bin", s);
		ok = file_map(&m, path_join(j->arena, entry.path, name), &e);
		if (!ok)
			break;
		ok = m.n == reference_output_bytes(y);
		size_t at = 0;
		for (size_t i = 0; ok && i < y->n_tensors; i++) {
			if (!layout_is_output(y, i))
				continue;
			size_t n = (size_t)y->tensors[i].bytes;
			ok = pwrite(j->files[s], m.p + at, n, (off_t)y->tensors[i].offset) == (ssize_t)n;
			at += n;
		}
		file_unmap(&m);
	}
	cache_done(&entry);
	if (!ok)
		return false;
	struct json *facts = json_get(meta, "facts");
	for (size_t i = 0; facts && i < facts->n; i++)
		json_set(j->r->facts, arena_strndup(j->arena, facts->members[i].key.p, facts->members[i].key.n),
			 facts->members[i].value);
	if (json_get(meta, "atol"))
		j->r->flags |= REFERENCE_HAS_ATOL;
	if (json_get(meta, "rtol"))
		j->r->flags |= REFERENCE_HAS_RTOL;
	j->r->atol = json_f64(meta, "atol", 0);
	j->r->rtol = json_f64(meta, "rtol", 0);
	j->r->call_ns = json_f64(meta, "call_ns", 0);
	struct json *timing = json_get(meta, "timing");
	if (timing && timing->type == JSON_OBJECT && !j->r->timing) {
		j->r->timing = timing;
		json_set_bool(timing, "cached", true);
	}
	return true;
}

static bool write_outputs(struct fill_job *j, const char *folder, size_t s, struct err *e)
{
	const struct layout *y = lab_layout(j->lab);
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; i < y->n_tensors; i++) {
		if (!layout_is_output(y, i))
			continue;
		size_t n = (size_t)y->tensors[i].bytes;
		buf_reserve(&b, n);
		if (pread(j->files[s], b.p + b.n, n, (off_t)y->tensors[i].offset) != (ssize_t)n) {
			buf_release(&b);
			return err_errno(e, ERR_IO, errno, "reading reference outputs");
		}
		b.n += n;
	}
	bool ok = file_write_str(path_join(j->arena, folder, arena_printf(j->arena, "outputs%zu.bin", s)), buf_view(&b),
				 e);
	buf_release(&b);
	return ok;
}

/* A cache that cannot be written costs the next run its time, nothing else. */
void reference_keep(struct fill_job *j, struct cache *c, const char *key)
{
	struct cache_draft draft;
	struct err e;
	struct buf b;
	if (!cache_begin(c, j->arena, key, &draft, &e))
		return;
	struct json *meta = json_object(j->arena);
	json_set(meta, "facts", j->r->facts);
	json_set(meta, "files", j->files_read ? j->files_read : json_array(j->arena));
	if (j->r->flags & REFERENCE_HAS_ATOL)
		json_set_f64(meta, "atol", j->r->atol);
	if (j->r->flags & REFERENCE_HAS_RTOL)
		json_set_f64(meta, "rtol", j->r->rtol);
	json_set_f64(meta, "call_ns", j->r->call_ns);
	json_set(meta, "timing", j->r->timing ? j->r->timing : json_new_null(j->arena));
	buf_init(&b);
	json_write(&b, meta, JSON_PRETTY);
	bool ok = file_write_str(path_join(j->arena, draft.path, "meta.json"), buf_view(&b), &e);
	buf_release(&b);
	for (size_t s = 0; ok && s < LAB_SEEDS; s++)
		ok = write_outputs(j, draft.path, s, &e);
	if (!ok || !cache_commit(c, &draft, &e))
		cache_abandon(&draft);
}
