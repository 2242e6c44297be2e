/* What all verbs share: finding one, printing.
 * In: names, documents. Out: rows of the table, bytes on stdout.
 * The table itself is verb/table.c.
 * Never: knows what a verb does. */
#include "verb/verb.h"

#include <errno.h>
#include <unistd.h>

#include "base/confine.h"
#include "base/log.h"
#include "base/output.h"
#include "knowledge/document.h"
#include "store/lease.h"
#include "verb/documents.h"

const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; verb_table[i]; i++) {
		if (strcmp(verb_table[i]->spec->verb, name) == 0)
			return verb_table[i];
	}
	return NULL;
}

size_t verb_specs(const struct opt_spec **out)
{
	size_t n = 0;
	for (size_t i = 0; verb_table[i] && n < VERB_MOST; i++) {
		if (!(verb_table[i]->flags & VERB_HIDDEN))
			out[n++] = verb_table[i]->spec;
	}
	return n;
}

void verb_flush(struct verb_call *call)
{
	log_progress_end();                               /* on a terminal both are seen in one place */
	if (call->out->n && isatty(STDOUT_FILENO) == 1) { /* names in it may come from anywhere */
		struct buf safe;
		buf_init(&safe);
		term_safe(&safe, buf_view(call->out));
		fwrite(safe.p, 1, safe.n, stdout);
		buf_release(&safe);
	} else if (call->out->n) {
		fwrite(call->out->p, 1, call->out->n, stdout);
	}
	fflush(stdout);
	buf_clear(call->out);
}

bool verb_can_confine(char why[100])
{
	bool ok = confine_is_possible();
	snprintf(why, 100, "%s",
		 ok                                       ? ""
		 : errno == ENOSYS || errno == EOPNOTSUPP ? "no Landlock here"
							  : strerror(errno));
	return ok;
}

bool verb_confine(const char *const *folders, size_t n)
{
	const char *all[8];
	struct arena a;
	struct err e;
	size_t k = 0;
	arena_init(&a);
	for (size_t i = 0; i < n && k < COUNT_OF(all) - 1; i++)
		all[k++] = folders[i];
	const char *leases = lease_folder(&a, &e);
	if (leases)
		all[k++] = leases;
	bool ok = confine_writes(all, k);
	arena_release(&a);
	return ok;
}

bool verb_document(size_t i, const char **path, struct str *text)
{
	struct document d;
	if (!document_at(&d, i))
		return false;
	*path = d.path;
	*text = d.text;
	return true;
}

void verb_put_json(struct verb_call *call, const struct json *j)
{
	json_write(call->out, j, JSON_PRETTY);
}

bool verb_may_write(struct verb_call *call, const char *path, struct err *e)
{
	return !path || output_place(call->arena, path, e) != NULL;
}

bool verb_write_json(const char *path, const struct json *j, struct err *e)
{
	struct buf b;
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = output_write(path, buf_view(&b), e);
	buf_release(&b);
	return ok;
}
