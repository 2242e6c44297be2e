/* Compiler messages: one line of nvcc, ptxas, nvlink, gcc, clang or ld as severity, place and text.
 * In: one line.
 * Out: struct ptxas_message whose strings point into the line.
 * Never guesses a place that the line does not state. */
#include "read/ptxas/internal.h"

#include "read/scan.h"

static const struct {
	const char *word;
	enum ptxas_severity severity;
} severity_words[] = {
	{"fatal error", PTXAS_ERROR},
	{"catastrophic error", PTXAS_ERROR},
	{"internal error", PTXAS_ERROR},
	{"command-line error", PTXAS_ERROR},
	{"error", PTXAS_ERROR},
	{"fatal", PTXAS_ERROR},
	{"warning", PTXAS_WARNING},
	{"Warning", PTXAS_WARNING},
	{"note", PTXAS_NOTE},
	{"remark", PTXAS_NOTE},
	{"info", PTXAS_INFO},
};

/* "error #20: text", "warning : text", "fatal   : text" -> severity, code; the text is left in s */
static bool take_severity(struct str *s, struct ptxas_message *m)
{
	for (size_t i = 0; i < COUNT_OF(severity_words); i++) {
		struct str t = *s;
		if (!scan_text(&t, severity_words[i].word))
			continue;
		scan_spaces(&t);
		size_t colon = str_find_char(t, ':');
		if (colon == SIZE_MAX || colon > 16)
			return false;
		struct str code = str_trim(str_sub(t, 0, colon));
		if (code.n && code.p[0] == '#')
			code = str_sub(code, 1, code.n - 1);
		else if (str_find_char(code, ' ') != SIZE_MAX)
			return false;
		m->severity = severity_words[i].severity;
		m->code = code;
		*s = str_trim(str_sub(t, colon + 1, t.n));
		return true;
	}
	return false;
}

static bool is_path(struct str s)
{
	if (!s.n || s.n > 4096 || s.p[0] == ' ' || s.p[0] == '\t')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 0x20 || s.p[i] == '"' || s.p[i] == '\'' || s.p[i] == ';' || s.p[i] == '{')
			return false;
	return true;
}

/* CUDA front end: FILE(LINE): error #20: text */
static bool front_end(struct str line, struct ptxas_message *m)
{
	size_t close = str_find(line, STR("): "));
	if (close == SIZE_MAX)
		return false;
	size_t open = close;
	while (open && line.p[open - 1] >= '0' && line.p[open - 1] <= '9')
		open--;
	if (open == close || open < 2 || line.p[open - 1] != '(' || !is_path(str_sub(line, 0, open - 1)))
		return false;
	struct str digits = str_sub(line, open, close - open), text = str_sub(line, close + 3, line.n);
	if (!scan_u64(&digits, &m->line) || !take_severity(&text, m))
		return false;
	m->tool = STR("cc");
	m->file = str_sub(line, 0, open - 1);
	m->text = text;
	return true;
}

/* Takes ":123" off the end of s. */
static bool number_behind(struct str *s, uint64_t *out)
{
	size_t i = s->n;
	while (i && s->p[i - 1] >= '0' && s->p[i - 1] <= '9')
		i--;
	if (i == s->n || i < 2 || s->p[i - 1] != ':')
		return false;
	struct str digits = str_sub(*s, i, s->n - i);
	*s = str_sub(*s, 0, i - 1);
	return scan_u64(&digits, out);
}

static void warning_flag(struct ptxas_message *m)
{
	size_t open = str_find(m->text, STR("[-W"));
	if (open == SIZE_MAX || m->text.p[m->text.n - 1] != ']')
		return;
	m->code = str_sub(m->text, open + 1, m->text.n - open - 2);
	m->text = str_trim(str_sub(m->text, 0, open));
}

/* gcc, clang: FILE:LINE:COLUMN: error: text, FILE:LINE: error: text, TOOL: error: text */
static bool cc(struct str line, struct ptxas_message *m)
{
	for (size_t at = 0; at < line.n;) {
		size_t i = str_find(str_sub(line, at, line.n), STR(": "));
		if (i == SIZE_MAX)
			return false;
		at += i;
		struct str place = str_sub(line, 0, at), text = str_sub(line, at + 2, line.n);
		at += 2;
		if (!take_severity(&text, m))
			continue;
		if (!is_path(place))
			return false;
		uint64_t first;
		if (number_behind(&place, &first)) {
			m->line = first;
			if (number_behind(&place, &m->line))
				m->column = first;
			m->file = place;
		} else if (str_find_char(place, ' ') != SIZE_MAX || str_find_char(place, '(') != SIZE_MAX) {
			return false;
		} else if (str_find_char(place, '.') != SIZE_MAX && str_find_char(place, '/') != SIZE_MAX) {
			m->file = place;
		}
		m->tool = STR("cc");
		m->text = text;
		warning_flag(m);
		return true;
	}
	return false;
}

static struct str tool_base(struct str path)
{
	for (size_t i = path.n; i; i--)
		if (path.p[i - 1] == '/')
			return str_sub(path, i, path.n);
	return path;
}

/* ptxas FILE, line N; error   : text    and    TOOL fatal   : text */
static bool nvidia_tool(struct str line, struct ptxas_message *m)
{
	static const char *const tools[] = {"ptxas", "nvcc", "nvlink", "fatbinary", "cudafe++", "cicc"};
	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		struct str s = message_tool_text(line, tools[i]);
		if (!s.n || !scan_text(&s, tools[i]))
			continue;
		scan_spaces(&s);
		struct str t = s;
		size_t at = str_find(s, STR(", line "));
		if (at != SIZE_MAX && is_path(str_sub(s, 0, at))) {
			t = str_sub(s, at + 7, s.n);
			if (scan_u64(&t, &m->line) && scan_text(&t, ";")) {
				m->file = str_sub(s, 0, at);
				scan_spaces(&t);
			}
		}
		if (!take_severity(&t, m))
			return false;
		m->tool = str_from(tools[i]);
		m->text = t;
		return true;
	}
	return false;
}

/* ld: FILE:(.text+0x5): undefined reference to `g', FILE:2: undefined ..., /usr/bin/ld: cannot find -lx */
static bool linker(struct str line, struct ptxas_message *m)
{
	size_t at = str_find(line, STR(": undefined reference to "));
	if (at == SIZE_MAX)
		at = str_find(line, STR(": multiple definition of "));
	if (at == SIZE_MAX) {
		size_t ld = str_find(line, STR(": cannot find "));
		if (ld == SIZE_MAX || !str_starts(tool_base(str_sub(line, 0, ld)), "ld"))
			return false;
		m->text = str_sub(line, ld + 2, line.n);
	} else {
		struct str place = str_sub(line, 0, at);
		size_t section = str_find(place, STR(":(.")), ld = str_find(place, STR("ld: "));
		if (section != SIZE_MAX)
			place = str_sub(place, 0, section);
		if (ld != SIZE_MAX)
			place = str_sub(place, ld + 4, place.n);
		if (!is_path(place))
			return false;
		(void)number_behind(&place, &m->line);
		m->file = place;
		m->text = str_sub(line, at + 2, line.n);
	}
	m->severity = PTXAS_ERROR;
	m->tool = STR("ld");
	return true;
}

struct str message_tool_text(struct str line, const char *tool)
{
	size_t at = str_find(line, str_from(tool));
	if (at == SIZE_MAX)
		return (struct str){0};
	static const char *const quoted[] = {"note", "warning", "error", "\"", "'", "(", "`"};
	struct str prefix = str_sub(line, 0, at);
	for (size_t i = 0; i < COUNT_OF(quoted); i++)
		if (str_find(prefix, str_from(quoted[i])) != SIZE_MAX)
			return (struct str){0};
	if (prefix.n && prefix.p[prefix.n - 1] != ' ' && prefix.p[prefix.n - 1] != '\t')
		return (struct str){0};
	return str_sub(line, at, line.n);
}

/* ptxas names the function in its text: "... in function '_Z1kPf', ..." */
static struct str kernel_in(struct str text)
{
	size_t at = str_find(text, STR("unction '"));
	if (at == SIZE_MAX)
		return (struct str){0};
	struct str s = str_sub(text, at + 9, text.n);
	return scan_name(&s);
}

bool message_parse(struct str line, struct ptxas_message *out)
{
	*out = (struct ptxas_message){0};
	if (!line.n || line.p[0] == ' ' || line.p[0] == '\t')
		return false;
	if (nvidia_tool(line, out)) {
		out->kernel = kernel_in(out->text);
		/* "(C7510) Potential Performance Loss: ..." */
		struct str t = out->text, code;
		if (!out->code.n && scan_text(&t, "(C") && scan_until(&t, ')', &code) && code.n < 8) {
			out->code = str_sub(out->text, 1, code.n + 1);
			out->text = str_trim(t);
		}
		return true;
	}
	*out = (struct ptxas_message){0};
	if (front_end(line, out))
		return true;
	*out = (struct ptxas_message){0};
	if (cc(line, out))
		return true;
	*out = (struct ptxas_message){0};
	return linker(line, out);
}
