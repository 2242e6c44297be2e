/* Tested tool versions.
 * In: a tool's name and the version text that its output carries.
 * Out: whether our tests cover it.
 * Never: refuses; that is the caller's rule. */
#include "facts/tool.h"

struct tool_row {
	const char *tool, *version;
};
static const struct tool_row tool_rows[] = {
#define TOOL(tool, version) {tool, version},
#include "facts/tool.def"
#undef TOOL
};

bool tool_is_tested(const char *tool, struct str version)
{
	for (size_t i = 0; i < COUNT_OF(tool_rows); i++) {
		struct str row = str_from(tool_rows[i].version);
		if (!str_is(str_from(tool), tool_rows[i].tool) || !str_starts(version, tool_rows[i].version))
			continue;
		if (version.n == row.n || version.p[row.n] == '.' || version.p[row.n] == ' ')
			return true;
	}
	return false;
}

bool tool_covers_arch(struct str arch)
{
	size_t from = str_starts(arch, "sm_") ? 3 : str_starts(arch, "compute_") ? 8 : arch.n, n = from;
	while (n < arch.n && arch.p[n] >= '0' && arch.p[n] <= '9')
		n++;
	return n == from || tool_is_tested("cuda-arch", str_sub(arch, from, n - from));
}
