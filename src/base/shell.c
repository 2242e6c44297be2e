/* Command lines as text.
 * In: words. Out: text that a shell reads back.
 * Records keep it, so that a person can run again what ran.
 * Never: runs anything. */
#include "base/shell.h"

#include <string.h>

static bool needs_quotes(const char *s)
{
	if (!*s)
		return true;
	for (; *s; s++) {
		bool is_plain = (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9') ||
				strchr("_-+=./:,@%", *s);
		if (!is_plain)
			return true;
	}
	return false;
}

void shell_word(struct buf *out, const char *word)
{
	if (out->n)
		buf_char(out, ' ');
	if (!needs_quotes(word)) {
		buf_puts(out, word);
		return;
	}
	buf_char(out, '\'');
	for (const char *p = word; *p; p++) {
		if (*p == '\'')
			buf_puts(out, "'\\''");
		else
			buf_char(out, *p);
	}
	buf_char(out, '\'');
}

const char *shell_line(struct arena *a, const char *const *env, const char *const *argv)
{
	struct buf b;
	buf_init(&b);
	if (env && env[0])
		shell_word(&b, "env");
	for (size_t i = 0; env && env[i]; i++)
		shell_word(&b, env[i]);
	for (size_t i = 0; argv[i]; i++)
		shell_word(&b, argv[i]);
	const char *text = arena_strndup(a, b.p ? b.p : "", b.n);
	buf_release(&b);
	return text;
}
