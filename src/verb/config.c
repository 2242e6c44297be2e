/* assay config: what is set for all calls, by file and environment.
 * In: a key, a value. Out: what is in force and where it comes from; one line of the file changed.
 * Names come from the option rows (base/config.c).
 * Never: reads a configuration for itself, so that it mends a broken one. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/config.h"
#include "base/file.h"
#include "base/output.h"
#include "base/proc.h"
#include "verb/verbs.h"

struct options {
	struct verb_common common;
	struct opt_list args;
	bool explain;
};

static const struct opt_row rows[] = {
	{.name = "explain",
	 .type = OPT_FLAG,
	 .offset = offsetof(struct options, explain),
	 .help = "Every option that can be set, of all verbs or of VERB: its value in force and where that comes "
		 "from."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {"assay config", "assay config set bench.noise 0.3",
				       "assay config --explain bench", "assay config unset bench.noise", NULL};

struct job {
	const struct options *o;
	struct verb_call *call;
	struct config config;
	struct json *doc;
};

/* An entry that another one goes before: the environment before the file. */
static const char *hidden_by(const struct job *j, const struct config_entry *x)
{
	for (size_t i = 0; i < j->config.n; i++) {
		const struct config_entry *y = &j->config.items[i];
		if (x->line && !y->line && strcmp(x->key, y->key) == 0)
			return y->origin;
	}
	return NULL;
}

static void list(struct job *j)
{
	struct term_table *t = term_table_new(j->call->arena, "key|value|from");
	struct json *settings = json_set_array(j->doc, "settings");
	for (size_t i = 0; i < j->config.n; i++) {
		const struct config_entry *x = &j->config.items[i];
		const char *hidden = hidden_by(j, x), *from = x->origin;
		struct json *s = json_object(j->call->arena);
		json_set_cstr(s, "key", x->key);
		json_set_str(s, "value", x->value);
		json_set_cstr(s, "from", x->origin);
		json_set_cstr(s, "hidden_by", hidden);
		json_push(settings, s);
		if (hidden)
			from = arena_printf(j->call->arena, "%s, behind %s", x->origin, hidden);
		term_table_cell(t, str_from(x->key));
		term_table_cell(t, x->value);
		term_table_cell(t, str_from(from));
		term_table_end_row(t);
	}
	if (j->config.n)
		term_table_write(t, &j->call->term, j->call->out);
	else
		buf_printf(j->call->out, "nothing is set; %s is the file that is read\n",
			   j->config.path ? j->config.path : "no file (neither XDG_CONFIG_HOME nor HOME)");
}

static void explain_row(struct job *j, struct term_table *t, const struct verb *v, const struct opt_row *r)
{
	struct arena *a = j->call->arena;
	const struct config_entry *x = config_find(&j->config, v->spec, r);
	const char *built_in = config_value_text(a, r, v->defaults),
		   *key = arena_printf(a, "%s.%s", v->spec->verb, r->name);
	const char *value = x ? arena_strndup(a, x->value.p, x->value.n) : built_in, *from = x ? x->origin : "built-in";
	struct json *row = json_object(a);
	json_set_cstr(row, "key", key);
	json_set_cstr(row, "value", value);
	json_set_cstr(row, "from", from);
	json_set_cstr(row, "built_in", built_in);
	json_set_cstr(row, "variable", config_variable(a, v->spec->verb, r->name));
	json_push(json_get(j->doc, "options"), row);
	term_table_cell(t, str_from(key));
	term_table_cell(t, str_from(*value ? value : "-"));
	term_table_cell(t, str_from(from));
	term_table_end_row(t);
}

static bool explain(struct job *j, struct err *e)
{
	struct term_table *t = term_table_new(j->call->arena, "key|value|from");
	const char *wanted = j->o->args.n ? j->o->args.items[0] : NULL;
	const struct verb *only = wanted ? verb_find(wanted) : NULL;
	if (j->o->args.n > 1)
		return err_set(e, ERR_USAGE, "config --explain: takes one verb at most");
	if (wanted && (!only || (only->flags & VERB_HIDDEN)))
		return err_set(e, ERR_USAGE, "config --explain: there is no verb '%s'; assay --help lists them",
			       wanted);
	json_set_array(j->doc, "options");
	for (size_t i = 0; verb_table[i]; i++) {
		const struct verb *v = verb_table[i];
		if ((v->flags & (VERB_HIDDEN | VERB_UNCONFIGURED)) || (only && only != v))
			continue;
		for (size_t k = 0; k < v->spec->n_rows; k++) {
			if (v->spec->rows[k].flags & OPT_SETTABLE)
				explain_row(j, t, v, &v->spec->rows[k]);
		}
	}
	term_table_write(t, &j->call->term, j->call->out);
	term_lines(j->call->out, &j->call->term,
		   STR("The command line goes before the environment, that before the file; `verb.option` before "
		       "`option`.\n"),
		   0);
	return true;
}

/* "verb.option": the value in force. "option": what is set for every verb; status 1 when nothing is. */
static bool get(struct job *j, const char *key, struct err *e)
{
	struct config_entry x;
	if (!config_read_key(&j->config, &x, key, e))
		return false;
	const struct verb *v = x.verb ? verb_find(x.verb) : NULL;
	const struct opt_row *r = NULL;
	for (size_t i = 0; v && i < v->spec->n_rows; i++) {
		if (strcmp(v->spec->rows[i].name, x.option) == 0)
			r = &v->spec->rows[i];
	}
	const struct config_entry *got = v ? config_find(&j->config, v->spec, r) : NULL;
	for (size_t i = 0; !v && i < j->config.n && !got; i++) {
		if (strcmp(j->config.items[i].key, key) == 0) /* the environment comes first */
			got = &j->config.items[i];
	}
	const char *value = got ? arena_strndup(j->call->arena, got->value.p, got->value.n)
			    : v ? config_value_text(j->call->arena, r, v->defaults)
				: NULL;
	json_set_cstr(j->doc, "key", key);
	json_set_cstr(j->doc, "value", value);
	json_set_cstr(j->doc, "from", got ? got->origin : v ? "built-in" : NULL);
	if (value)
		buf_printf(j->call->out, "%s\n", value);
	j->call->status = value ? 0 : 1;
	return true;
}

/* Who reads, changes and replaces the file does so alone: of two at once, the later would undo the other's line. The folder is
 * locked, since the file is replaced. */
static int lock_folder(const char *folder, struct err *e)
{
	if (!file_mkdirs(folder, 0755, e))
		return -1;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = -1;
	while (fd >= 0 && (rc = flock(fd, LOCK_EX)) != 0 && errno == EINTR && !sig_pending())
		continue;
	if (rc == 0)
		return fd;
	err_errno(e, ERR_IO, errno, "%s: cannot be locked", folder);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* The rest of the file stays as it is, broken lines too. */
static bool change(struct job *j, const char *key, struct str value, struct err *e)
{
	struct config *c = &j->config;
	bool found = false;
	struct buf text;
	if (!c->path)
		return err_set(e, ERR_USAGE,
			       "config: there is no place for the file: neither XDG_CONFIG_HOME nor HOME is set");
	int lock = lock_folder(path_dir(j->call->arena, c->path), e);
	if (lock < 0)
		return false;
	buf_init(&text);
	bool ok = config_edit(&text, c, key, value, &found, e);
	if (ok && !value.p && !found)
		ok = err_set(e, ERR_USAGE, "config: %s is not set in %s", key, c->path);
	ok = ok && output_write(c->path, buf_view(&text), e);
	close(lock);
	buf_release(&text);
	if (ok && value.p)
		buf_printf(j->call->out, "%s = %.*s in %s\n", key, STR_ARG(value), c->path);
	else if (ok)
		buf_printf(j->call->out, "%s is not set any more in %s\n", key, c->path);
	return ok;
}

static bool set(struct job *j, const char *key, const char *value, struct err *e)
{
	struct config_entry x;
	const char *line = arena_printf(j->call->arena, "%s = %s", key, value);
	if (strchr(value, '\n') || strchr(key, '=') || strchr(key, '\n'))
		return err_set(e, ERR_USAGE, "config set: key and value are one line, without = in the key");
	return config_read_line(&j->config, &x, str_from(line), "config set", e) && change(j, x.key, x.value, e);
}

static bool do_word(struct job *j, struct err *e)
{
	const struct opt_list *args = &j->o->args;
	const char *word = args->n ? args->items[0] : "list", *key = args->n > 1 ? args->items[1] : NULL;
	if (strcmp(word, "set") == 0 && args->n == 3)
		return set(j, key, args->items[2], e);
	if (strcmp(word, "unset") == 0 && args->n == 2)
		return change(j, key, (struct str){NULL, 0}, e);
	bool is_get = strcmp(word, "get") == 0 && args->n == 2, is_list = strcmp(word, "list") == 0 && args->n <= 1;
	if (!is_get && !is_list)
		return err_set(e, ERR_USAGE,
			       "config: it takes list, get KEY, set KEY VALUE, unset KEY, or --explain [VERB]");
	if (!config_load(&j->config, e))
		return false;
	if (is_get)
		return get(j, key, e);
	list(j);
	return true;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	const struct opt_spec *specs[VERB_MOST];
	struct job j = {.o = o, .call = call, .doc = json_object(call->arena)};
	config_init(&j.config, call->arena, specs, verb_specs(specs));
	json_set_cstr(j.doc, "format", "assay/config-v1");
	json_set_cstr(j.doc, "path", j.config.path);
	bool ok = o->explain ? config_load(&j.config, e) && explain(&j, e) : do_word(&j, e);
	if (ok && o->common.json) {
		buf_clear(call->out);
		verb_put_json(call, j.doc);
	}
	return ok;
}

static const struct opt_spec spec = {
	.verb = "config",
	.summary = "Shows and sets what holds for all calls.",
	.positional = "[list | get KEY | set KEY VALUE | unset KEY]",
	.min_args = 0,
	.max_args = 3,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "KEY is an option of every verb that has it, `noise`, or of one verb, `bench.noise`. The file has a "
		 "line "
		 "`KEY = VALUE` each and comments that begin with #; it is $ASSAY_CONFIG, else "
		 "$XDG_CONFIG_HOME/assay/config, else ~/.config/assay/config. The environment has ASSAY_NOISE and "
		 "ASSAY_BENCH__NOISE. The command line goes before the environment, that before the file, that before "
		 "what "
		 "is built in. What is set this way stands in the command of a result as if it had been typed. "
		 "Requests over "
		 "MCP and calls of the protocol take nothing from it but how they talk.",
};
const struct verb verb_config = {&spec, &defaults, run, VERB_PERSON | VERB_UNCONFIGURED};
