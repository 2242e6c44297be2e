/* Redaction of texts.
 * In: a text, words to take out.
 * Out: the text without them.
 * Never: keeps what it recognises; never claims that nothing else is there. */
#include "read/redact.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_token(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static bool stops_path(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'`,;:()<>|[]{}*?=&", c) != NULL;
}

/* Whether a path, a token or a number may begin at s[i]. */
static bool is_boundary(struct str s, size_t i)
{
	return i == 0 || (!is_word(s.p[i - 1]) && s.p[i - 1] != '/' && s.p[i - 1] != '.' && s.p[i - 1] != '\\');
}

/* End of a path that begins at s[i], or i. *last: where its last part begins. */
static size_t path_end(struct str s, size_t i, size_t *last)
{
	size_t k = i, n_parts = 0;
	bool drive = i + 2 < s.n && isalpha((unsigned char)s.p[i]) && s.p[i + 1] == ':' &&
		     (s.p[i + 2] == '\\' || s.p[i + 2] == '/');
	bool home = i + 1 < s.n && s.p[i] == '~' && s.p[i + 1] == '/';
	bool unc = i + 2 < s.n && s.p[i] == '\\' && s.p[i + 1] == '\\' && is_word(s.p[i + 2]);
	bool root = s.p[i] == '/' && i + 1 < s.n && (is_word(s.p[i + 1]) || s.p[i + 1] == '.' || s.p[i + 1] == '~');
	if (!drive && !home && !unc && !root)
		return i;
	*last = i;
	for (k = drive ? i + 2 : i; k < s.n && !stops_path(s.p[k]); k++) {
		if (s.p[k] != '/' && s.p[k] != '\\')
			continue;
		n_parts++;
		*last = k + 1;
	}
	return n_parts > (root ? 1 : 0) ? k : i;
}

static size_t digits(struct str s, size_t i, unsigned *v)
{
	size_t k = i;
	for (*v = 0; k < s.n && k < i + 4 && isdigit((unsigned char)s.p[k]); k++)
		*v = *v * 10 + (unsigned)(s.p[k] - '0');
	return k;
}

/* a.b.c.d */
static size_t address_end(struct str s, size_t i)
{
	size_t k = i;
	for (int part = 0; part < 4; part++) {
		unsigned v;
		size_t end = digits(s, k, &v);
		if (end == k || end > k + 3 || v > 255 || (part < 3 && (end >= s.n || s.p[end] != '.')))
			return i;
		k = part < 3 ? end + 1 : end;
	}
	return k < s.n && (is_word(s.p[k]) || (s.p[k] == '.' && k + 1 < s.n && is_word(s.p[k + 1]))) ? i : k;
}

static size_t hex_end(struct str s, size_t i)
{
	while (i < s.n && isxdigit((unsigned char)s.p[i]))
		i++;
	return i;
}

/* aa:bb:cc:dd:ee:ff, GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx (also MIG-) */
static size_t identity_end(struct str s, size_t i)
{
	static const size_t groups[] = {8, 4, 4, 4, 12};
	size_t k = i;
	for (int part = 0; part < 6; part++, k++) {
		size_t end = hex_end(s, k);
		if (end != k + 2 || (part < 5 && (end >= s.n || s.p[end] != ':')))
			break;
		k = end;
		if (part == 5)
			return k;
	}
	struct str rest = str_sub(s, i, s.n);
	if (!str_starts(rest, "GPU-") && !str_starts(rest, "MIG-"))
		return i;
	k = i + 4;
	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
		size_t end = hex_end(s, k);
		if (end != k + groups[g] || (g < 4 && (end >= s.n || s.p[end] != '-')))
			return i;
		k = g < 4 ? end + 1 : end;
	}
	return k;
}

/* name@host.tld */
static size_t mail_end(struct str s, size_t i)
{
	size_t k = i, dot = 0;
	while (k < s.n && (is_token(s.p[k]) || s.p[k] == '+' || s.p[k] == '%'))
		k++;
	if (k == i || k >= s.n || s.p[k] != '@')
		return i;
	size_t host = ++k;
	while (k < s.n && (isalnum((unsigned char)s.p[k]) || s.p[k] == '-' || s.p[k] == '.')) {
		dot = s.p[k] == '.' ? k : dot;
		k++;
	}
	return dot > host && k > dot + 2 ? k : i;
}

/* Tokens by the beginnings that their makers gave them. */
static size_t secret_end(struct str s, size_t i)
{
	static const char *const heads[] = {"hf_",    "ghp_", "gho_",  "ghs_",  "ghu_",  "github_pat_",
					    "glpat-", "sk-",  "xoxb-", "xoxp-", "AKIA",  "ASIA",
					    "AIza",   "eyJ",  "ya29.", "npm_",  "pypi-", "dop_v1_"};
	struct str rest = str_sub(s, i, s.n);
	for (size_t h = 0; h < sizeof(heads) / sizeof(*heads); h++) {
		if (!str_starts(rest, heads[h]))
			continue;
		size_t k = i;
		while (k < s.n && is_token(s.p[k]))
			k++;
		if (k - i >= strlen(heads[h]) + 12)
			return k;
	}
	return i;
}

static bool holds(struct str key, const char *what)
{
	size_t n = strlen(what);
	for (size_t i = 0; i + n <= key.n; i++) {
		if (strncasecmp(key.p + i, what, n) == 0)
			return true;
	}
	return false;
}

static bool names_secret(struct str key)
{
	static const char *const parts[] = {"token",       "secret",        "password",   "passwd",
					    "api_key",     "apikey",        "access_key", "credential",
					    "private_key", "authorization", "cookie"};
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (holds(key, parts[i]))
			return true;
	}
	return false;
}

bool redact_key(struct str key)
{
	static const char *const whole[] = {"env",       "environ", "environment",  "user",      "username",
					    "user_name", "host",    "hostname",     "host_name", "cwd",
					    "cmdline",   "command", "command_line", "argv",      "home",
					    "email",     "ip",      "address",      "traceName", "metadata"};
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++) {
		if (key.n == strlen(whole[i]) && strncasecmp(key.p, whole[i], key.n) == 0)
			return true;
	}
	return names_secret(key);
}

/* TOKEN=value, password: value, Bearer value: where the value begins and ends. */
static size_t assigned_end(struct str s, size_t i, size_t *value)
{
	size_t k = i;
	while (k < s.n && (is_word(s.p[k]) || s.p[k] == '-'))
		k++;
	struct str key = str_sub(s, i, k - i);
	bool bearer = str_is(key, "Bearer");
	if (!bearer && !names_secret(key))
		return i;
	while (k < s.n && (s.p[k] == '"' || s.p[k] == '\''))
		k++;
	if (!bearer && (k >= s.n || (s.p[k] != '=' && s.p[k] != ':') || (k + 1 < s.n && s.p[k + 1] == ':')))
		return i; /* C++ scopes are no assignments */
	k += !bearer;
	while (k < s.n && (s.p[k] == ' ' || s.p[k] == '"' || s.p[k] == '\''))
		k++;
	*value = k;
	if (str_starts(str_sub(s, k, s.n), "Bearer ") || str_starts(str_sub(s, k, s.n), "Basic "))
		k = str_find_char(str_sub(s, k, s.n), ' ') + k + 1;
	while (k < s.n && (unsigned char)s.p[k] > ' ' && s.p[k] != '"' && s.p[k] != '\'' && s.p[k] != ',' &&
	       s.p[k] != ';')
		k++;
	return k > *value ? k : i;
}

static size_t word_end(const struct redact *r, struct str s, size_t i)
{
	for (size_t w = 0; w < r->n_words; w++) {
		size_t n = strlen(r->words[w]);
		if (n && str_starts(str_sub(s, i, s.n), r->words[w]) && (i + n == s.n || !is_word(s.p[i + n])))
			return i + n;
	}
	return i;
}

/* Takes out what begins at s[i]; returns where it goes on, i when nothing does. */
static size_t take_out(struct redact *r, struct buf *out, struct str s, size_t i)
{
	size_t at = i, end = word_end(r, s, i);
	if (end > i) {
		r->n_names++;
		buf_puts(out, REDACTED);
		return end;
	}
	if ((end = path_end(s, i, &at)) > i) {
		r->n_paths++;
		buf_puts(out, "[path]/");
		size_t name = word_end(r, s, at);
		if (name > at) { /* the last part is a name itself */
			r->n_names++;
			buf_puts(out, REDACTED);
			return name;
		}
		buf_str(out, str_sub(s, at, end - at));
		return end;
	}
	if ((end = secret_end(s, i)) > i) {
		r->n_secrets++;
		buf_puts(out, REDACTED);
		return end;
	}
	if ((end = assigned_end(s, i, &at)) > i) {
		r->n_secrets++;
		buf_str(out, str_sub(s, i, at - i));
		buf_puts(out, REDACTED);
		return end;
	}
	if ((end = mail_end(s, i)) > i || (end = address_end(s, i)) > i || (end = identity_end(s, i)) > i) {
		r->n_addresses++;
		buf_puts(out, REDACTED);
		return end;
	}
	return i;
}

bool redact_text(struct redact *r, struct buf *out, struct str s)
{
	bool changed = false;
	for (size_t i = 0; i < s.n;) {
		size_t end = is_boundary(s, i) ? take_out(r, out, s, i) : i;
		changed |= end > i;
		if (end == i)
			buf_char(out, s.p[i++]);
		else
			i = end;
	}
	return changed;
}
