/* What a tool said.
 * In: its output. Out: the one line that a message shows.
 * Tools print what went wrong near the end, often with a summary behind it.
 * Never: more than a line. */
#include "collect/said.h"

enum { SAID_MOST = 300 };

struct str said_last(struct str text)
{
	struct str line, last = STR("");
	while (str_split(&text, '\n', &line)) {
		line = str_trim(line);
		last = line.n ? line : last;
	}
	return last;
}

const char *said_why(struct arena *a, struct str text)
{
	struct str rest = text, line, pick = STR("");
	while (str_split(&rest, '\n', &line)) {
		if (str_find(line, STR("rror")) != SIZE_MAX || str_find(line, STR("ERROR")) != SIZE_MAX)
			pick = str_trim(line);
	}
	pick = pick.n ? pick : said_last(text);
	pick = pick.n ? pick : STR("it printed nothing");
	return arena_strndup(a, pick.p, pick.n > SAID_MOST ? SAID_MOST : pick.n);
}
