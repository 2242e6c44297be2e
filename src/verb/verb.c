/* What all verbs share: finding one, printing.
 * In: names, documents. Out: rows of the table, bytes on stdout.
 * The table itself is verb/table.c.
 * Never: knows what a verb does. */
#include "verb/verb.h"

const struct verb *verb_find(const char *name)
{
	for (size_t i = 0; verb_table[i]; i++) {
		if (strcmp(verb_table[i]->spec->verb, name) == 0)
			return verb_table[i];
	}
	return NULL;
}

void verb_flush(struct verb_call *call)
{
	if (call->out->n)
		fwrite(call->out->p, 1, call->out->n, stdout);
	fflush(stdout);
	buf_clear(call->out);
}

void verb_put_json(struct verb_call *call, const struct json *j)
{
	json_write(call->out, j, JSON_PRETTY);
}
