/* Option rows as text for people: --help and the man page.
 * In: the rows of a verb.
 * Out: text no wider than asked; troff with the man macros.
 * Never: shows a hidden row. */
#include "base/opt.h"

#include <ctype.h>

#include "base/config.h"
#include "base/opt_row.h"
#include "base/term.h"
#include "base/version.h"

#define LABEL_MOST 28 /* a longer label stands on a line of its own */

static const struct opt_row *command_row(const struct opt_spec *s)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		if (s->rows[i].type == OPT_COMMAND && !(s->rows[i].flags & OPT_HIDDEN))
			return &s->rows[i];
	}
	return NULL;
}

static bool is_listed(const struct opt_row *r)
{
	return !(r->flags & OPT_HIDDEN) && r->type != OPT_COMMAND;
}

static bool has_letter(const struct opt_spec *s, char letter)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		if (s->rows[i].letter == letter)
			return true;
	}
	return false;
}

/* "assay bench --max-iterations=N [OPTIONS] FILE [--NAME=VALUE ...] -- CMD" */
static void synopsis(const struct opt_spec *s, struct buf *out)
{
	const struct opt_row *command = command_row(s);
	buf_printf(out, "assay %s", s->verb);
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct opt_row *r = &s->rows[i];
		if (is_listed(r) && (r->flags & OPT_REQUIRED))
			buf_printf(out, " --%s=%s", r->name, r->meta ? r->meta : "VALUE");
	}
	buf_puts(out, " [OPTIONS]");
	if (s->positional)
		buf_printf(out, " %s", s->positional);
	if (s->dims_offset != SIZE_MAX)
		buf_puts(out, " [--NAME=VALUE ...]");
	if (command) {
		const char *meta = command->meta ? command->meta : "COMMAND";
		buf_printf(out, command->flags & OPT_REQUIRED ? " -- %s" : " [-- %s]", meta);
	}
}

/* help text and, in parentheses, what the type and the flags add. */
static void describe(const struct opt_spec *s, const struct opt_row *r, struct buf *out)
{
	char range[64];
	struct arena a;
	struct str rest = str_from(r->choices), choice;
	buf_puts(out, r->help);
	size_t start = out->n;
	opt_range(r, range);
	if (range[0])
		buf_printf(out, "; %s", range);
	if (r->type == OPT_ENUM) {
		buf_puts(out, "; one of ");
		for (size_t i = 0; str_split(&rest, '|', &choice); i++)
			buf_printf(out, "%s%.*s", i ? ", " : "", STR_ARG(choice));
	}
	if (r->type == OPT_LIST)
		buf_puts(out, "; repeatable, or a comma list");
	if (r->flags & OPT_REQUIRED)
		buf_puts(out, "; required");
	arena_init(&a);
	const char *value = s->defaults && r->type != OPT_FLAG ? config_value_text(&a, r, s->defaults) : "";
	if (*value && strcmp(value, "0") != 0 && value[0] != '-') /* these stand for none: the text says so */
		buf_printf(out, "; default %s", value);
	arena_release(&a);
	if (out->n > start) {
		out->p[start] = ' ';
		out->p[start + 1] = '(';
		buf_char(out, ')');
	}
}

static void label(const struct opt_row *r, struct buf *out)
{
	if (r->letter)
		buf_printf(out, "-%c, --%s", r->letter, r->name);
	else
		buf_printf(out, "    --%s", r->name);
	if (r->type != OPT_FLAG)
		buf_printf(out, "=%s", r->meta ? r->meta : "VALUE");
}

struct layout {
	struct buf *out;
	size_t column, width; /* where descriptions begin; columns of the page */
};

static void help_line(const struct layout *l, const char *name, struct str text)
{
	size_t n = 2 + strlen(name);
	buf_printf(l->out, "  %s", name);
	if (n + 2 > l->column) {
		buf_char(l->out, '\n');
		n = 0;
	}
	buf_repeat(l->out, ' ', l->column - n);
	term_wrap(l->out, text, l->column, l->column, l->width);
	buf_char(l->out, '\n');
}

static size_t description_column(const struct opt_spec *s, size_t width, struct buf *scratch)
{
	size_t widest = strlen("    --help");
	for (size_t i = 0; i < s->n_rows; i++) {
		if (!is_listed(&s->rows[i]))
			continue;
		buf_clear(scratch);
		label(&s->rows[i], scratch);
		if (scratch->n > widest && scratch->n <= LABEL_MOST)
			widest = scratch->n;
	}
	return widest + 4 < width / 2 ? widest + 4 : width / 2;
}

static void help_options(const struct opt_spec *s, struct buf *out, size_t width)
{
	struct buf name, text;
	buf_init(&name);
	buf_init(&text);
	struct layout l = {out, description_column(s, width, &name), width};
	buf_puts(out, "\noptions:\n");
	for (size_t i = 0; i < s->n_rows; i++) {
		const struct opt_row *r = &s->rows[i];
		if (!is_listed(r))
			continue;
		buf_clear(&name);
		buf_clear(&text);
		label(r, &name);
		describe(s, r, &text);
		help_line(&l, name.p, buf_view(&text));
	}
	help_line(&l, has_letter(s, 'h') ? "    --help" : "-h, --help", STR("this text"));
	if (s->dims_offset != SIZE_MAX)
		help_line(&l, "    --NAME=VALUE", STR("a dim of the operator, as in --M=4096; a whole number"));
	const struct opt_row *command = command_row(s);
	if (command) {
		buf_clear(&name);
		buf_clear(&text);
		buf_printf(&name, "-- %s", command->meta ? command->meta : "COMMAND");
		describe(s, command, &text);
		help_line(&l, name.p, buf_view(&text));
	}
	buf_release(&name);
	buf_release(&text);
}

/* One command line; a longer one is continued with a backslash at a space outside quotes. */
static void example(struct buf *out, const char *line, size_t width)
{
	size_t at = 2, space;
	char quote = 0;
	buf_puts(out, "  ");
	while (*line) {
		/* One word with its leading space; -3: the space and the backslash behind it. */
		for (space = 0; line[space] && (quote || line[space] != ' ' || space == 0); space++) {
			if (quote ? line[space] == quote : line[space] == '\'' || line[space] == '"')
				quote = quote ? 0 : line[space];
		}
		if (line[0] == ' ' && at + space > width - 2) {
			buf_puts(out, " \\\n     ");
			at = 5;
		}
		buf_add(out, line, space);
		at += space;
		line += space;
	}
	buf_char(out, '\n');
}

void opt_help(const struct opt_spec *s, struct buf *out, size_t width)
{
	struct buf line;
	buf_init(&line);
	synopsis(s, &line);
	buf_puts(out, "usage: ");
	term_wrap(out, buf_view(&line), 7, 7, width);
	buf_puts(out, "\n\n");
	term_wrap(out, str_from(s->summary), 0, 0, width);
	buf_char(out, '\n');
	help_options(s, out, width);
	if (s->examples && s->examples[0])
		buf_puts(out, "\nexamples:\n");
	for (size_t i = 0; s->examples && s->examples[i]; i++)
		example(out, s->examples[i], width);
	struct str rest = str_from(s->notes), text;
	if (s->notes)
		buf_char(out, '\n');
	while (s->notes && str_split(&rest, '\n', &text)) {
		if (str_starts(text, " "))
			buf_str(out, text); /* laid out by its author */
		else
			term_wrap(out, text, 0, 0, width);
		buf_char(out, '\n');
	}
	buf_release(&line);
}

/* Text of one input line: backslash, hyphen and a leading control character lose their meaning. */
static void troff(struct buf *out, struct str s)
{
	if (str_starts(s, ".") || str_starts(s, "'"))
		buf_puts(out, "\\&");
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\')
			buf_puts(out, "\\e");
		else if (s.p[i] == '-')
			buf_puts(out, "\\-");
		else
			buf_char(out, s.p[i]);
	}
}

static void man_option(const struct opt_spec *s, const struct opt_row *r, struct buf *out)
{
	struct buf text;
	buf_init(&text);
	buf_puts(out, ".TP\n");
	if (r->type == OPT_COMMAND) {
		buf_printf(out, "\\fB\\-\\-\\fR \\fI%s\\fR\n", r->meta ? r->meta : "COMMAND");
	} else {
		if (r->letter)
			buf_printf(out, "\\fB\\-%c\\fR, ", r->letter);
		buf_puts(out, "\\fB\\-\\-");
		troff(out, str_from(r->name));
		buf_puts(out, "\\fR");
		if (r->type != OPT_FLAG)
			buf_printf(out, "=\\fI%s\\fR", r->meta ? r->meta : "VALUE");
		buf_char(out, '\n');
	}
	describe(s, r, &text);
	troff(out, buf_view(&text));
	buf_char(out, '\n');
	buf_release(&text);
}

static void man_notes(const char *notes, struct buf *out)
{
	struct str rest = str_from(notes), line;
	bool laid_out = false;
	while (str_split(&rest, '\n', &line)) {
		if (str_starts(line, " ") != laid_out) {
			laid_out = !laid_out;
			buf_puts(out, laid_out ? ".EX\n" : ".EE\n");
		}
		if (line.n == 0)
			buf_puts(out, ".PP");
		else
			troff(out, line);
		buf_char(out, '\n');
	}
	if (laid_out)
		buf_puts(out, ".EE\n");
}

void opt_man(const struct opt_spec *s, struct buf *out)
{
	struct buf line;
	buf_init(&line);
	buf_puts(out, ".TH ASSAY\\-");
	for (const char *c = s->verb; *c; c++)
		buf_char(out, (char)toupper((unsigned char)*c));
	buf_printf(out, " 1 \"\" \"assay %s\" \"assay\"\n.SH NAME\nassay\\-%s \\- ", version_number(), s->verb);
	troff(out, str_from(s->summary));
	buf_puts(out, "\n.SH SYNOPSIS\n");
	synopsis(s, &line);
	troff(out, buf_view(&line));
	buf_char(out, '\n');
	if (s->notes) {
		buf_puts(out, ".SH DESCRIPTION\n");
		man_notes(s->notes, out);
	}
	buf_puts(out, ".SH OPTIONS\n");
	for (size_t i = 0; i < s->n_rows; i++) {
		if (!(s->rows[i].flags & OPT_HIDDEN))
			man_option(s, &s->rows[i], out);
	}
	if (s->examples && s->examples[0]) {
		buf_puts(out, ".SH EXAMPLES\n.EX\n");
		for (size_t i = 0; s->examples[i]; i++) {
			troff(out, str_from(s->examples[i]));
			buf_char(out, '\n');
		}
		buf_puts(out, ".EE\n");
	}
	buf_release(&line);
}
