/* What this program is.
 * In: the version below and ASSAY_COMMIT of the build.
 * Out: strings and the "tool" object of every record.
 * Never: reads a file. */
#include "base/version.h"

#ifndef ASSAY_COMMIT
#define ASSAY_COMMIT "unknown"
#endif

const char *version_number(void)
{
	return "0.1.0";
}

const char *version_commit(void)
{
	return ASSAY_COMMIT;
}

struct json *version_json(struct arena *a)
{
	struct json *j = json_object(a);
	json_set_cstr(j, "name", "assay");
	json_set_cstr(j, "version", version_number());
	json_set_cstr(j, "commit", version_commit());
	return j;
}
