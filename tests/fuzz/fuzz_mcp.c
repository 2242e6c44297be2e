/* Lines of a client to the MCP server; nothing is started.
 * In: any bytes. Out: nothing.
 * Each line is taken as the server takes it; every answer it makes is JSON.
 * Never: runs a verb. */
#include "base/file.h"
#include "door/mcp/inside.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct err e;
	arena_init(&a);
	struct verb_call call = {.arena = &a};
	struct mcp m = {.call = &call,
			.root = "/nonexistent",
			.private = "/nonexistent",
			.has_session = size % 2,
			.version = size % 4};
	struct str rest = {(const char *)data, size}, line;
	buf_init(&m.out);
	while (str_split(&rest, '\n', &line))
		mcp_take_line(&m, line);
	rest = buf_view(&m.out);
	while (rest.n && str_split(&rest, '\n', &line)) {
		if (line.n && !json_parse(&a, "answer", line, JSON_STRICT, &e))
			BUG("an answer is no JSON");
	}
	mcp_jobs_free(&m, false);
	buf_release(&m.out);
	arena_release(&a);
	return 0;
}
