/* Any bytes as an nsys export: an error of one line, or sheets that can all be made. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "read/nsys/nsys.h"
#include "read/nsys/tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *p, size_t n)
{
	struct nsys_report r;
	struct sheet s;
	struct err e = {0};
	char path[64];
	int fd = file_memfd("fuzz", n, &e);
	if (fd < 0 || !file_write_all(fd, p, n, "fuzz", &e))
		BUG("no memory file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	bool ok = nsys_open(&r, path, &e);
	for (size_t i = 0; ok && i < TABLES_COUNT; i++) {
		struct err one = {0};
		if (!tables_fill(&s, i, &r, &r.arena, &one) && (!*one.text || strchr(one.text, '\n')))
			BUG("refused without a line");
	}
	if (!ok && (e.code == ERR_NONE || strchr(e.text, '\n')))
		BUG("refused without a line");
	nsys_release(&r);
	close(fd);
	return 0;
}
