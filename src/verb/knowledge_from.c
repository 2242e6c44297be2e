/* Values of a profile by id.
 * In: an iteration folder, a report, a trace. Out: launches, and their values in base units.
 * Reports of ncu are asked metric by metric; of other files the facts are taken, as one subject.
 * Never: derives a value that the file does not hold. */
#include "verb/knowledge_from.h"

#include "base/file.h"
#include "facts/metric.h"
#include "read/ncu/facts.h"
#include "read/reader.h"
#include "timeline/timeline.h"

struct knowledge_source {
	struct arena arena;
	const char *path;
	bool is_ncu;
	struct ncu_report report;
	struct fact_set facts;
};

static const char *report_of(struct arena *a, const char *path)
{
	static const char *const names[] = {"full.ncu-rep", "targeted.ncu-rep"};
	for (size_t i = 0; file_is_dir(path) && i < COUNT_OF(names); i++) {
		const char *file = path_join(a, path, names[i]);
		if (file_exists(file))
			return file;
	}
	return path;
}

/* What ran when, as facts. A trace that cannot be put in order leaves the reader's own facts. */
static void add_timeline(struct knowledge_source *s, const struct reader *reader, void *report)
{
	struct trace t;
	struct timeline l;
	struct timeline_options o = {.is_brief = true};
	struct err ignored;
	if (!reader->trace)
		return;
	trace_init(&t);
	if (reader->trace(report, &t, &ignored)) {
		timeline_make(&l, &t, &o, &s->arena);
		timeline_facts(&s->facts, &l);
	}
	trace_release(&t);
}

static bool open_other(struct knowledge_source *s, struct err *e)
{
	const struct reader *reader;
	struct reader_json_options o = {NULL, NULL};
	void *report = reader_open(&reader, s->path, NULL, e);
	if (!report)
		return false;
	fact_set_init(&s->facts, &s->arena, reader->name);
	if (reader->facts)
		reader->facts(report, &s->facts, &o);
	add_timeline(s, reader, report);
	/* Texts of facts may live in the report; numbers are all that is asked for, ids are copied. */
	for (size_t i = 0; i < s->facts.n; i++)
		s->facts.items[i].id = arena_str(&s->arena, s->facts.items[i].id);
	reader->close(report);
	return true;
}

struct knowledge_source *knowledge_open(const char *path, struct err *e)
{
	struct str head = {NULL, 0};
	struct knowledge_source *s = calloc(1, sizeof(*s));
	if (!s)
		BUG("out of memory");
	arena_init(&s->arena);
	s->path = report_of(&s->arena, path);
	bool ok = file_is_dir(s->path)
			  ? err_set(e, ERR_INPUT, "%s: neither full.ncu-rep nor targeted.ncu-rep is in it", path)
			  : true;
	struct file_map map = {0};
	ok = ok && file_map(&map, s->path, e);
	if (ok) {
		head = str_sub((struct str){map.p, map.n}, 0, READER_HEAD);
		s->is_ncu = ncu_is_report(head) || str_ends(str_from(s->path), ".ncu-rep");
		file_unmap(&map);
	}
	ok = ok && (s->is_ncu ? ncu_open(&s->report, s->path, e) : open_other(s, e));
	if (ok)
		return s;
	knowledge_close(s);
	return NULL;
}

void knowledge_close(struct knowledge_source *s)
{
	if (s->is_ncu)
		ncu_release(&s->report);
	arena_release(&s->arena);
	free(s);
}

const char *knowledge_path(const struct knowledge_source *s)
{
	return s->path;
}

size_t knowledge_subjects(const struct knowledge_source *s, struct knowledge_subject *out, size_t max)
{
	size_t n = 0;
	if (!s->is_ncu) {
		out[0] = (struct knowledge_subject){.name = str_from(path_base(s->path)), .source = s};
		return 1;
	}
	for (size_t i = 0; i < s->report.n_results && n < max; i++) {
		const struct ncu_result *r = &s->report.results[i];
		out[n++] = (struct knowledge_subject){.name = r->function.n ? r->function : r->name,
						      .i = i,
						      .sm = r->has_cc ? 10 * (int64_t)r->cc_major + r->cc_minor : 0,
						      .source = s};
	}
	return n;
}

static bool by_names(const struct knowledge_subject *k, const char *names, double *out)
{
	const struct ncu_report *r = &k->source->report;
	struct str rest = str_from(names), name;
	while (rest.n && str_split(&rest, '|', &name)) {
		uint32_t at = ncu_name(r, name);
		const struct ncu_metric *m = at == NCU_NO_METRIC ? NULL : ncu_metric_at(&r->results[k->i], at);
		if (m && ncu_number(m, out))
			return true;
	}
	return false;
}

bool knowledge_lookup(void *ctx, struct str id, double *out)
{
	const struct knowledge_subject *k = ctx;
	const struct knowledge_source *s = k->source;
	const struct signal_row *signal = signal_find(id);
	enum metric_id m;
	if (str_is(id, "device.sm")) {
		*out = (double)k->sm;
		return k->sm > 0;
	}
	if (s->is_ncu && signal && *signal->names)
		return by_names(k, signal->names, out);
	if (s->is_ncu) {
		struct ncu_subject subject = {&s->report, &s->report.results[k->i]};
		return metric_from_id(id, &m) && ncu_rule_lookup(&subject, m, out);
	}
	for (size_t i = 0; i < s->facts.n; i++) {
		const struct fact *f = &s->facts.items[i];
		if (!str_eq(f->id, id) || f->type == FACT_TEXT)
			continue;
		*out = f->type == FACT_COUNT ? (double)f->count : f->real;
		return true;
	}
	return false;
}
