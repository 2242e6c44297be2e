/* assay mcp: the verbs as tools of the Model Context Protocol.
 * In: JSON-RPC lines on stdin. Out: JSON-RPC lines on stdout.
 * The row stands here with the others; door/mcp/ serves it.
 * Never: has a body: it is a door, not a verb. */
#include "verb/mcp.h"

#include <stddef.h>

#include "verb/verbs.h"

static const struct opt_row rows[] = {
	{.name = "root",
	 .type = OPT_STRING,
	 .offset = offsetof(struct mcp_options, root),
	 .meta = "DIR",
	 .help = "Workspace: files outside it are refused, writes outside it are stopped by the kernel."},
	VERB_COMMON_ROWS,
};
static const struct mcp_options defaults = {.common = VERB_COMMON_DEFAULTS};
static const char *const examples[] = {
	"assay mcp --root . < /dev/null",
	"claude mcp add --transport stdio assay -- assay mcp",
	NULL,
};
static const struct opt_spec spec = {
	.verb = "mcp",
	.summary = "Serves the verbs as MCP tools on stdin and stdout.",
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct mcp_options),
	.dims_offset = SIZE_MAX,
	.examples = examples,
	.notes = "Protocol versions 2024-11-05 to 2025-11-25 (initialize) and 2026-07-28 (server/discover). Without "
		 "--root the "
		 "working folder is the workspace. Store, strategy memory, caches and temporary files of the tools lie "
		 "in "
		 ".assay/ there. Verbs that take minutes are jobs: the call returns a handle at once, and the tool "
		 "`job` "
		 "waits for it.",
};
const struct verb verb_mcp = {&spec, &defaults, NULL, VERB_DOOR | VERB_PERSON};
