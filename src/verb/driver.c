/* assay driver new: a workload driver to start from.
 * In: a language. Out: its text, on stdout or as an executable file.
 * The texts are src/protocol/skeleton*.
 * Never: overwrites a file. */
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "base/file.h"
#include "verb/verbs.h"

extern const char skeleton_python[], skeleton_python_end[];
extern const char skeleton_shell[], skeleton_shell_end[];
extern const char skeleton_c[], skeleton_c_end[];

struct options {
	struct verb_common common;
	struct opt_list args;
	const char *lang, *output;
};

static const struct opt_row rows[] = {
	{.name = "lang",
	 .type = OPT_ENUM,
	 .offset = offsetof(struct options, lang),
	 .choices = "python|c|sh",
	 .meta = "L",
	 .flags = OPT_SETTABLE,
	 .help = "Language of the driver."},
	{.name = "output",
	 .letter = 'o',
	 .type = OPT_STRING,
	 .offset = offsetof(struct options, output),
	 .meta = "FILE",
	 .help = "File to make; without it the text goes to stdout."},
	VERB_COMMON_ROWS,
};
static const struct options defaults = {.common = VERB_COMMON_DEFAULTS, .lang = "python"};
static const char *const examples[] = {"assay driver new --lang python -o driver.py", NULL};

static struct str skeleton(const char *lang)
{
	if (strcmp(lang, "c") == 0)
		return str_upto(skeleton_c, skeleton_c_end);
	if (strcmp(lang, "sh") == 0)
		return str_upto(skeleton_shell, skeleton_shell_end);
	return str_upto(skeleton_python, skeleton_python_end);
}

static bool put_file(const char *path, struct str text, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (fd < 0)
		return err_set(e, ERR_INPUT, "%s: cannot be made, or is there already", path);
	bool ok = file_write_all(fd, text.p, text.n, path, e);
	close(fd);
	return ok;
}

static bool run(void *options, struct verb_call *call, struct err *e)
{
	const struct options *o = options;
	struct str text = skeleton(o->lang);
	if (strcmp(o->args.items[0], "new") != 0)
		return err_set(e, ERR_USAGE, "driver %.40s: there is new", o->args.items[0]);
	if (o->output)
		return put_file(o->output, text, e);
	buf_str(call->out, text);
	return true;
}

static const struct opt_spec spec = {
	.verb = "driver",
	.summary = "Writes a workload driver to start from.",
	.positional = "new",
	.min_args = 1,
	.max_args = 1,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = offsetof(struct options, args),
	.dims_offset = SIZE_MAX,
	.examples = examples,
};
const struct verb verb_driver = {&spec, &defaults, run, 0};
