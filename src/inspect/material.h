/* Inside inspect/: what a request names, from the Target's materials to a path whose bytes were hashed again. */
#ifndef ASSAY_INSPECT_MATERIAL_H
#define ASSAY_INSPECT_MATERIAL_H

#include "inspect/family.h"
#include "read/reader.h"

struct material_rule {
	const char *kind;     /* "report"; NULL: any */
	const char *tool;     /* NULL: any */
	const char *dialects; /* "a|b" */
	const char *what;     /* of the error codes: "report" gives report_not_found, report_changed */
};
/* The material of the Target that `ref` {id, sha256} names; NULL and an error (what_not_found, what_changed, unsupported_what). */
MUST_USE const struct json *material_find(struct inspection *i, const struct json *ref, const struct material_rule *r,
					  struct err *e);
/* The report that the request's report_ref names goes into i->frozen: report_ref, material. */
MUST_USE bool material_freeze_report(struct inspection *i, const char *tool, const char *dialects, struct err *e);
/* Where the object's only file lies, hashed again (what_changed). NULL and an error. */
MUST_USE const char *material_path(struct inspection *i, const struct json *object_ref, const char *what,
				   struct err *e);

/* A profiler report as our readers see it. */
struct material_report {
	const char *path; /* NULL: not found or changed */
	bool is_open;     /* the reader took it: what is refused then is its state */
	const struct json *material;
	struct json *assay; /* {reader, report_version, version_verified, version_agrees, facts} */
	struct json *tool;  /* {name, version} as the material says: stands in every observation */
};
/* Opens i->frozen's material with the reader of that name, refuses what is damaged, made by assay from another file or of an
 * untested version that the material does not name (unsupported_report, unsupported_tool_version), and takes the facts. */
MUST_USE bool material_open(struct material_report *out, struct inspection *i, const char *reader, struct err *e);
/* provenance {tool, metrics, parser_version, tool_identity, command_receipts, driver_output, report} */
struct json *material_provenance(struct inspection *i, const struct material_report *r);

#endif
