/* Stored results in the place of kernel files.
 * In: arguments of compare. Out: why times that lie in the store are not compared.
 * What stands in the way is looked up, so that the text names it.
 * Never: compares stored times. */
#include "verb/compare_records.h"

#include <string.h>

#include "store/object.h"

bool compare_is_record(const char *text)
{
	struct str s = str_from(text);
	size_t dash = str_find_char(s, '-');
	if (dash == SIZE_MAX || s.n - dash - 1 != 32)
		return false;
	for (size_t i = dash + 1; i < s.n; i++) {
		if (!strchr("0123456789abcdef", s.p[i]))
			return false;
	}
	return true;
}

static struct str device_of(const struct json *record)
{
	const struct json *d = json_get(record, "device");
	return json_str(d, "uuid", json_str(d, "name", STR("?")));
}

bool compare_refuse_records(const struct opt_list *args, const char *root, struct verb_call *call, struct err *e)
{
	const struct json *first = NULL;
	struct store *store = store_open(root, e);
	if (!store)
		return false;
	for (size_t i = 0; i < args->n; i++) {
		const char *id = args->items[i];
		struct json *r = compare_is_record(id) ? store_record_read(store, call->arena, id, e) : NULL;
		if (!r) {
			store_close(store);
			return compare_is_record(id)
				       ? false
				       : err_set(e, ERR_USAGE, "%s is a kernel file and %s a stored result: give files",
						 id, args->items[0]);
		}
		if (!first)
			first = r;
		if (!str_eq(device_of(first), device_of(r))) {
			store_close(store);
			return err_set(e, ERR_USAGE,
				       "%s was measured on %.*s and %s on %.*s: times of two devices are not compared; "
				       "give the kernel files, to run both on one",
				       args->items[0], STR_ARG(device_of(first)), id, STR_ARG(device_of(r)));
		}
	}
	store_close(store);
	return err_set(e, ERR_USAGE,
		       "%s is a stored result: a comparison needs sides that take turns, stored times drift apart by "
		       "more than it resolves; give the kernel files",
		       args->items[0]);
}
