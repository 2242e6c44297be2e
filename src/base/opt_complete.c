/* Option rows as shell completion: bash, zsh, fish.
 * In: the specs of all verbs.
 * Out: one script that completes verbs, options, the words of an enum and files.
 * Never: calls the program back: completing costs no start. */
#include "base/opt.h"

#include "base/opt_row.h"

static bool is_listed(const struct opt_row *r)
{
	return !(r->flags & OPT_HIDDEN) && r->type != OPT_COMMAND;
}

static bool wants_file(const struct opt_row *r)
{
	struct str meta = str_from(r->meta);
	return (r->type == OPT_STRING || r->type == OPT_LIST) &&
	       (str_starts(meta, "FILE") || str_starts(meta, "DIR") || str_starts(meta, "PATH"));
}

/* Appends s; every character of `special` gets `before` in front (and "'" as '\'' when `shell_quotes`). */
static void quoted(struct buf *out, const char *s, const char *special, bool shell_quotes)
{
	for (; *s; s++) {
		if (*s == '\'' && shell_quotes) {
			buf_puts(out, "'\\''");
			continue;
		}
		if (strchr(special, *s))
			buf_char(out, '\\');
		buf_char(out, *s);
	}
}

static void choices(struct buf *out, const struct opt_row *r)
{
	struct str rest = str_from(r->choices), word;
	for (size_t i = 0; str_split(&rest, '|', &word); i++)
		buf_printf(out, "%s%.*s", i ? " " : "", STR_ARG(word));
}

static void bash_words(const struct opt_spec *s, struct buf *out)
{
	for (size_t i = 0; i < s->n_rows; i++) {
		if (is_listed(&s->rows[i]))
			buf_printf(out, "--%s%s ", s->rows[i].name, s->rows[i].type == OPT_FLAG ? "" : "=");
	}
	buf_puts(out, "--help");
}

static void bash(const struct opt_spec *const *specs, size_t n, struct buf *out)
{
	buf_puts(out, "# bash completion of assay\n_assay() {\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words=\n"
		      "\tCOMPREPLY=()\n"
		      "\tif ((COMP_CWORD == 1)); then\n"
		      "\t\tCOMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s%s", i ? " " : "", specs[i]->verb);
	buf_puts(out,
		 "' -- \"$cur\"))\n\t\treturn\n\tfi\n"
		 "\t# the = of --a=b is a word of its own here\n"
		 "\tif [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
		 "\tcase ${COMP_WORDS[1]}:$prev in\n");
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < specs[i]->n_rows; k++) {
			const struct opt_row *r = &specs[i]->rows[k];
			if (r->type != OPT_ENUM || !is_listed(r))
				continue;
			buf_printf(out, "\t%s:--%s", specs[i]->verb, r->name);
			if (r->letter)
				buf_printf(out, "|%s:-%c", specs[i]->verb, r->letter);
			buf_puts(out, ")\n\t\tCOMPREPLY=($(compgen -W '");
			choices(out, r);
			buf_puts(out, "' -- \"$cur\"))\n\t\treturn\n\t\t;;\n");
		}
	}
	buf_puts(out, "\tesac\n\tcase ${COMP_WORDS[1]} in\n");
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "\t%s) words='", specs[i]->verb);
		bash_words(specs[i], out);
		buf_puts(out, "' ;;\n");
	}
	buf_puts(out, "\tesac\n"
		      "\tif [[ $cur == -* ]]; then\n"
		      "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		      "\t\tif [[ ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi\n"
		      "\tfi\n}\ncomplete -o default -F _assay assay\n");
}

static void zsh_row(const struct opt_row *r, struct buf *out)
{
	bool flag = r->type == OPT_FLAG, many = r->type == OPT_LIST;
	buf_puts(out, "\t\t\t");
	if (r->letter && !many)
		buf_printf(out, "'(-%c --%s)'", r->letter, r->name);
	else if (many)
		buf_puts(out, "'*'");
	if (r->letter)
		buf_printf(out, "{-%c%s,--%s%s}'", r->letter, flag ? "" : "+", r->name, flag ? "" : "=");
	else
		buf_printf(out, "'--%s%s", r->name, flag ? "" : "=");
	buf_char(out, '[');
	quoted(out, r->help, "[]:\\", true);
	buf_char(out, ']');
	if (!flag) {
		buf_char(out, ':');
		quoted(out, r->meta ? r->meta : "VALUE", "[]:\\", true);
		buf_char(out, ':');
		if (r->type == OPT_ENUM) {
			buf_char(out, '(');
			choices(out, r);
			buf_char(out, ')');
		} else {
			buf_puts(out, wants_file(r) ? "_files" : " ");
		}
	}
	buf_puts(out, "' \\\n");
}

static void zsh(const struct opt_spec *const *specs, size_t n, struct buf *out)
{
	buf_puts(out, "#compdef assay\n_assay() {\n\tlocal -a verbs\n\tverbs=(\n");
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "\t\t'%s:", specs[i]->verb);
		quoted(out, specs[i]->summary, "\\", true);
		buf_puts(out, "'\n");
	}
	buf_puts(out, "\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe -t verbs verb verbs\n\t\treturn\n\tfi\n"
		      "\tlocal verb=$words[2]\n\tshift words\n\t((CURRENT--))\n\tcase $verb in\n");
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "\t%s)\n\t\t_arguments -s \\\n", specs[i]->verb);
		for (size_t k = 0; k < specs[i]->n_rows; k++) {
			if (is_listed(&specs[i]->rows[k]))
				zsh_row(&specs[i]->rows[k], out);
		}
		buf_puts(out, "\t\t\t'--help[this text]'");
		buf_puts(out, specs[i]->positional ? " \\\n\t\t\t'*:file:_files'\n\t\t;;\n" : "\n\t\t;;\n");
	}
	buf_puts(out, "\tesac\n}\n_assay \"$@\"\n");
}

static void fish_row(const char *verb, const struct opt_row *r, struct buf *out)
{
	buf_printf(out, "complete -c assay -n '__fish_seen_subcommand_from %s' -l %s", verb, r->name);
	if (r->letter)
		buf_printf(out, " -s %c", r->letter);
	if (r->type == OPT_ENUM) {
		buf_puts(out, " -x -a '");
		choices(out, r);
		buf_char(out, '\'');
	} else if (r->type != OPT_FLAG) {
		buf_puts(out, wants_file(r) ? " -r" : " -x");
	}
	buf_puts(out, " -d '");
	quoted(out, r->help, "'\\", false);
	buf_puts(out, "'\n");
}

static void fish(const struct opt_spec *const *specs, size_t n, struct buf *out)
{
	buf_puts(out, "# fish completion of assay\n");
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "complete -c assay -f -n __fish_use_subcommand -a %s -d '", specs[i]->verb);
		quoted(out, specs[i]->summary, "'\\", false);
		buf_puts(out, "'\n");
		if (!specs[i]->positional)
			buf_printf(out, "complete -c assay -f -n '__fish_seen_subcommand_from %s'\n", specs[i]->verb);
		for (size_t k = 0; k < specs[i]->n_rows; k++) {
			if (is_listed(&specs[i]->rows[k]))
				fish_row(specs[i]->verb, &specs[i]->rows[k], out);
		}
	}
}

void opt_completion(const struct opt_spec *const *specs, size_t n, enum opt_shell shell, struct buf *out)
{
	switch (shell) {
	case OPT_BASH:
		bash(specs, n, out);
		return;
	case OPT_ZSH:
		zsh(specs, n, out);
		return;
	case OPT_FISH:
		fish(specs, n, out);
		return;
	}
	BUG("shell");
}
