/* The argv door.
 * In: argv. Out: the verb's output on stdout, one line for an err on stderr, the exit status.
 * Options come from the verb's rows; help and version are answered here.
 * Never: does a verb's work. */
#include "door/cli.h"

#include <errno.h>
#include <unistd.h>

#include "base/config.h"
#include "base/file.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/shell.h"
#include "base/version.h"
#include "door/job.h"
#include "door/mcp/mcp.h"
#include "door/quote.h"
#include "verb/about.h"
#include "verb/verb.h"

static void put_verbs(struct buf *out)
{
	for (size_t i = 0; verb_table[i]; i++) {
		const struct opt_spec *s = verb_table[i]->spec;
		if (!(verb_table[i]->flags & VERB_HIDDEN))
			buf_printf(out, "  %-10s %s\n", s->verb, s->summary);
	}
}

static void print_help(struct buf *out)
{
	struct term t;
	struct buf verbs;
	buf_init(&verbs);
	put_verbs(&verbs);
	term_init(&t, STDOUT_FILENO, TERM_NEVER);
	term_lines(out, &t,
		   STR("usage: assay VERB [OPTIONS]\n\n"
		       "assay proves whether a GPU kernel, operator or workload got faster, and keeps the proof.\n\n"),
		   0);
	term_lines(out, &t, buf_view(&verbs), 13);
	term_lines(out, &t,
		   STR("\nassay VERB --help says more.\n"
		       "Exit status: 0 done and passed, 1 the measured thing failed, 2 usage or invalid\n"
		       "input, 3 environment not ready, 4 assay could not do its job, 130 interrupted.\n"),
		   0);
	buf_release(&verbs);
}

/* --version [--verbose [--json]] */
static bool print_version(struct verb_call *call, int argc, char **argv, struct err *e)
{
	bool is_verbose = false, is_json = false;
	for (int i = 2; i < argc; i++) {
		bool known = strcmp(argv[i], "--verbose") == 0 || strcmp(argv[i], "-v") == 0;
		is_verbose = is_verbose || known;
		is_json = is_json || strcmp(argv[i], "--json") == 0;
		if (!known && strcmp(argv[i], "--json") != 0)
			return err_set(e, ERR_USAGE, "--version: it takes --verbose and --json, not '%s'", argv[i]);
	}
	term_init(&call->term, STDOUT_FILENO, TERM_NEVER);
	if (is_json)
		verb_put_json(call, is_verbose ? about_json(call->arena) : version_json(call->arena));
	else if (is_verbose)
		about_text(about_json(call->arena), &call->term, call->out);
	else
		buf_printf(call->out, "assay %s (%s)\n", version_number(), version_commit());
	return true;
}

/* What a configuration set stands in it as if it had been typed: a record says all that its result rests on. */
static const char *quote_command(struct arena *a, int argc, char **argv, const char *const *set)
{
	struct buf b;
	buf_init(&b);
	for (int i = 0; i < argc; i++) {
		shell_word(&b, argv[i]);
		for (size_t k = 0; i == 1 && set && set[k]; k++)
			shell_word(&b, set[k]);
	}
	const char *text = arena_strndup(a, b.p ? b.p : "", b.n);
	buf_release(&b);
	return text;
}

static void print_verb_help(const struct verb *v, struct buf *out, size_t width)
{
	struct opt_spec s = *v->spec;
	s.defaults = v->defaults;
	opt_help(&s, out, width);
}

static const char *nearest_verb(const char *name)
{
	const char *best = NULL;
	size_t least = 3;
	for (size_t i = 0; verb_table[i]; i++) {
		size_t d = str_distance(str_from(name), str_from(verb_table[i]->spec->verb));
		if (!(verb_table[i]->flags & VERB_HIDDEN) && d < least) {
			least = d;
			best = verb_table[i]->spec->verb;
		}
	}
	return best;
}

static enum term_colour colour_of(const char *word)
{
	if (word && strcmp(word, "always") == 0)
		return TERM_ALWAYS;
	return word && strcmp(word, "never") == 0 ? TERM_NEVER : TERM_AUTO;
}

/* The configuration first, the words of the command line over it. Words that only say how this call talks (the rows of
 * verb_common) are not echoed. */
static bool take_options(const struct verb *v, void *options, struct verb_call *call, int argc, char **argv,
			 struct err *e)
{
	const struct opt_spec *s = v->spec, *specs[VERB_MOST];
	const struct config_entry **used = ARENA_ARRAY(call->arena, s->n_rows + 1, const struct config_entry *);
	const char **set = ARENA_ARRAY(call->arena, s->n_rows + 1, const char *);
	struct opt_words words = {(size_t)argc - 2, argv + 2, ARENA_ARRAY(call->arena, s->n_rows + 1, bool)};
	struct config c;
	size_t n = 0;
	config_init(&c, call->arena, specs, verb_specs(specs));
	if (!(v->flags & (VERB_HIDDEN | VERB_UNCONFIGURED)) &&
	    (!config_load(&c, e) || !config_apply(&c, s, options, used, e)))
		return false;
	if (!opt_parse_words(s, options, call->arena, &words, e))
		return false;
	for (size_t i = 0; i < s->n_rows; i++) {
		if (used[i] && !words.seen[i] && s->rows[i].offset >= sizeof(struct verb_common))
			set[n++] = config_word(call->arena, &s->rows[i], used[i]->value);
	}
	if (n)
		call->command = quote_command(call->arena, argc, argv, set);
	return true;
}

static bool run_verb(const struct verb *v, struct verb_call *call, int argc, char **argv, struct err *e)
{
	const struct opt_spec *s = v->spec;
	void *options = arena_alloc(call->arena, s->options_size);
	memcpy(options, v->defaults, s->options_size);
	bool wants_help = opt_wants_help(s, (size_t)argc - 2, argv + 2);
	if (!wants_help && !take_options(v, options, call, argc, argv, e))
		return false;
	const struct verb_common *common = options;
	term_init(&call->term, STDOUT_FILENO, colour_of(common->color));
	if (wants_help) {
		print_verb_help(v, call->out, call->term.width);
		return true;
	}
	log_level(common->quiet ? LOG_QUIET : common->verbose ? LOG_VERBOSE : LOG_NORMAL);
	return v->flags & VERB_DOOR ? mcp_serve(options, call, e) : v->run(options, call, e);
}

static void print_error(const struct err *e)
{
	struct term t;
	struct buf line, shown;
	buf_init(&line);
	buf_init(&shown);
	buf_printf(&line, "assay: %s\n", e->text);
	term_init(&t, STDERR_FILENO, TERM_NEVER);
	term_lines(&shown, &t, buf_view(&line), 7);
	buf_clear(&line);
	term_safe(&line, buf_view(&shown));
	fputs(t.is_terminal ? line.p : shown.p, stderr);
	buf_release(&line);
	buf_release(&shown);
}

/* With --json stdout carries one document in every case. */
static void put_error(struct verb_call *call, int argc, char **argv, const struct err *e)
{
	bool wants_json = false;
	for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
		wants_json = wants_json || strcmp(argv[i], "--json") == 0;
	print_error(e);
	if (!wants_json)
		return;
	verb_put_json(call, job_error(call->arena, e));
}

static bool dispatch(struct verb_call *call, int argc, char **argv, struct err *e)
{
	if (argc < 2) {
		print_help(call->out);
		call->status = 2;
		return true;
	}
	if (strcmp(argv[1], "--version") == 0)
		return print_version(call, argc, argv, e);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
		const struct verb *v = argc > 2 ? verb_find(argv[2]) : NULL;
		if (v)
			print_verb_help(v, call->out, 80);
		else
			print_help(call->out);
		return true;
	}
	const struct verb *v = verb_find(argv[1]);
	if (!v) {
		const char *near = nearest_verb(argv[1]);
		return err_set(e, ERR_USAGE, "unknown verb '%s'%s%s%s; assay --help lists them", argv[1],
			       near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
	}
	return run_verb(v, call, argc, argv, e);
}

int cli_main(int argc, char **argv)
{
	struct arena a;
	struct buf out;
	struct err e = {ERR_NONE, ""};
	arena_init(&a);
	buf_init(&out);
	sig_install();
	struct verb_call call = {.arena = &a, .out = &out, .term = {80, false}};
	call.command = quote_command(&a, argc, argv, NULL);
	call.program = path_real(&a, "/proc/self/exe");
	bool ok = dispatch(&call, argc, argv, &e);
	log_progress_end();
	if (!ok) {
		buf_clear(&out); /* half a document is none */
		put_error(&call, argc, argv, &e);
	}
	verb_flush(&call);
	int why = errno;
	if (!ok) {
		call.status = err_exit(e.code);
	} else if (ferror(stdout) && why != EPIPE) { /* a reader that has seen enough, like head, is no failure */
		fprintf(stderr, "assay: the output could not be written\n");
		call.status = 4;
	}
	buf_release(&out);
	arena_release(&a);
	return call.status;
}
