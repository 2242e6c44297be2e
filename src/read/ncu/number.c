/* Numbers as ncu prints them.
 * In: cells of an export, or stored values.
 * Out: values, or cells.
 * Never: rounds a whole number. */
#include "read/ncu/number.h"

#include <math.h>
#include <string.h>

/* Takes thousands commas out: "1,980,000" -> "1980000". False: commas stand elsewhere ("23,45"). */
static bool without_commas(char out[64], struct str s, size_t *n)
{
	size_t digits = 0; /* since the last comma */
	bool any = false, fraction = false;
	*n = 0;
	if (s.n >= 64)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (c == ',') {
			if (fraction || !digits || (any ? digits != 3 : digits > 3))
				return false;
			any = true;
			digits = 0;
			continue;
		}
		if (any && !fraction && !(c >= '0' && c <= '9') && digits != 3)
			return false;
		fraction |= c == '.' || c == 'e';
		digits += c >= '0' && c <= '9';
		out[(*n)++] = c;
	}
	return !any || fraction || digits == 3;
}

static bool parse_plain(struct ncu_metric *out, struct str s, double factor)
{
	char text[64];
	size_t n;
	double v;
	if (!s.n || !without_commas(text, s, &n))
		return false;
	struct str plain = {text, n};
	if (factor == 1.0 && str_u64(plain, &out->u)) {
		out->kind = NCU_U64;
		return true;
	}
	if (str_is(s, "nan") || str_is(s, "-nan"))
		v = NAN;
	else if (str_is(s, "inf") || str_is(s, "-inf"))
		v = *s.p == '-' ? -INFINITY : INFINITY;
	else if (!str_f64(plain, &v))
		return false;
	out->kind = NCU_DOUBLE;
	out->real = v * factor;
	return true;
}

bool number_parse(struct ncu_metric *out, struct str cell, double factor)
{
	struct str main = str_trim(cell);
	out->kind = NCU_NO_VALUE;
	if (str_is(main, "no data") || str_is(main, "n/a") || !main.n)
		return true;
	size_t open = str_find_char(main, '(');
	if (open != SIZE_MAX && main.p[main.n - 1] == ')') { /* --print-metric-instances */
		struct str list = str_sub(main, open, SIZE_MAX);
		out->n_instances = 1;
		for (size_t i = 0; i < list.n; i++)
			out->n_instances += list.p[i] == ';';
		main = str_trim(str_sub(main, 0, open));
		if (!main.n)
			return true;
	}
	if (parse_plain(out, main, factor))
		return true;
	out->n_instances = 0;
	out->kind = NCU_STRING;
	return false;
}

void number_put_real(struct buf *out, double v)
{
	if (isnan(v))
		buf_puts(out, "nan");
	else if (isinf(v))
		buf_puts(out, v < 0 ? "-inf" : "inf");
	else if (v == trunc(v))
		buf_printf(out, "%.0f", v);
	else
		buf_printf(out, "%.2f", v);
}

void number_put(struct buf *out, const struct ncu_metric *m)
{
	switch ((enum ncu_value_kind)m->kind) {
	case NCU_NO_VALUE:
		if (m->text)
			buf_add(out, m->text, m->n_text);
		else if (!m->n_instances)
			buf_puts(out, "no data");
		return;
	case NCU_STRING:
		buf_add(out, m->text, m->n_text);
		return;
	case NCU_FLOAT:
	case NCU_DOUBLE:
		if (m->text && memchr(m->text, '.', m->n_text)) /* of a CSV: "1.00" stays so */
			buf_printf(out, "%.2f", m->real);
		else
			number_put_real(out, m->real);
		return;
	case NCU_U32:
	case NCU_U64:
		buf_printf(out, "%llu", (unsigned long long)m->u);
		return;
	}
}
