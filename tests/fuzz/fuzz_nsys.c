/* Any bytes as an nsys export: an error of one line, or sheets that can all be made. SQLite wants a file by name. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "read/nsys/nsys.h"
#include "read/nsys/tables.h"
#include "read/nsys/to_trace.h"
#include "timeline/timeline.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

static void check_timeline(struct nsys_report *r)
{
	struct trace t;
	struct timeline l;
	struct err e = {0};
	int64_t sum = 0;
	trace_init(&t);
	if (nsys_to_trace(&t, r, &e)) {
		timeline_make(&l, &t, NULL, &r->arena);
		for (unsigned k = 0; k < PATH_KINDS; k++)
			sum += l.path.kind_ns[k];
		if (sum != l.path.span_ns)
			BUG("the path has a hole");
	} else if (strchr(e.text, '\n')) {
		BUG("refused without a line");
	}
	trace_release(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct nsys_report r;
	struct sheet s;
	struct err e = {0};
	char path[64];
	snprintf(path, sizeof(path), "/dev/shm/assay-fuzz-nsys-%d", (int)getpid());
	FILE *f = fopen(path, "wb");
	if (!f || fwrite(p, 1, n, f) != n || fclose(f))
		BUG("no file to write to");
	bool ok = nsys_open(&r, path, &e);
	for (size_t i = 0; ok && i < TABLES_COUNT; i++) {
		struct err one = {0};
		if (!tables_fill(&s, i, &r, &r.arena, &one) && (!*one.text || strchr(one.text, '\n')))
			BUG("refused without a line");
	}
	if (ok)
		check_timeline(&r);
	if (!ok && (e.code == ERR_NONE || strchr(e.text, '\n')))
		BUG("refused without a line");
	nsys_release(&r);
	unlink(path);
	return 0;
}
