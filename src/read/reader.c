/* The table of report readers.
 * In: the beginning of a file.
 * Out: its reader.
 * Never: decides by a file's name what its bytes say otherwise. */
#include "read/reader.h"

#include "base/file.h"
#include "read/elf/reader_elf.h"
#include "read/kineto/reader_kineto.h"
#include "read/ncu/reader_ncu.h"
#include "read/nsys/reader_nsys.h"
#include "read/ptxas/reader_ptxas.h"
#include "read/sanitizer/reader_sanitizer.h"
#include "read/sass/reader_sass.h"

static const struct reader *const readers[] = {
	&reader_ncu,  &reader_nsys,      &reader_kineto, &reader_elf,
	&reader_sass, &reader_sanitizer, &reader_ptxas, /* last: any text with a compiler's message */
};

const struct reader *const *reader_table(size_t *n)
{
	*n = COUNT_OF(readers);
	return readers;
}

const struct reader *reader_find(struct str head, const char *path)
{
	for (size_t i = 0; i < COUNT_OF(readers); i++) {
		if (readers[i]->accepts(head, path))
			return readers[i];
	}
	return NULL;
}

static bool no_reader(const char *path, size_t n_bytes, struct err *e)
{
	struct buf b;
	if (!n_bytes)
		return err_set(e, ERR_INPUT, "%s: offset 0: the file is empty", path);
	buf_init(&b);
	for (size_t i = 0; i < COUNT_OF(readers); i++)
		buf_printf(&b, "%s%s", i ? ", " : "", readers[i]->title);
	err_set(e, ERR_INPUT, "%s: offset 0: no report that assay can read: %s", path, b.p);
	buf_release(&b);
	return false;
}

void *reader_open(const struct reader **which, const char *path, const char *table, struct err *e)
{
	struct file_map map = {0};
	if (!file_map(&map, path, e))
		return NULL;
	struct str head = str_sub((struct str){map.p, map.n}, 0, READER_HEAD);
	*which = reader_find(head, path);
	size_t n = map.n;
	file_unmap(&map);
	if (*which && table && (*which)->open_table)
		return (*which)->open_table(path, table, e);
	if (*which)
		return (*which)->open(path, e);
	(void)no_reader(path, n, e);
	return NULL;
}
