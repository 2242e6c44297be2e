/* Freezing into an evidence root against cp -r and sha256sum, in the same run: FOLDER is where it works.
 * In: a folder, "small" (10,000 files of 1 KiB) or "large" (one file of MB megabytes). Out: seconds and ratios.
 * Every figure is the median of N; files are in the page cache; what is written is flushed by all of them alike.
 * Never: part of the program. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "protocol/evidence.h"

#define N 5

static struct err e;

static void must(bool ok)
{
	if (ok)
		return;
	fprintf(stderr, "evidence: %s\n", e.text);
	exit(1);
}

static void make_small(struct arena *a, const char *folder)
{
	char text[1024];
	for (int i = 0; i < 100; i++) {
		char *sub = arena_printf(a, "%s/d%02d", folder, i);
		must(file_mkdirs(sub, 0755, &e));
		for (int k = 0; k < 100; k++) {
			memset(text, 'a' + k % 26, sizeof(text));
			snprintf(text, sizeof(text), "%d/%d", i, k);
			int fd = open(arena_printf(a, "%s/f%02d", sub, k), O_WRONLY | O_CREAT | O_TRUNC, 0644);
			must(fd >= 0 && file_write_all(fd, text, sizeof(text), sub, &e));
			close(fd);
		}
	}
}

static void make_large(struct arena *a, const char *folder, size_t megabytes)
{
	char *chunk = malloc(1 << 20);
	int fd = open(path_join(a, folder, "large"), O_WRONLY | O_CREAT | O_TRUNC, 0644);
	for (size_t i = 0; chunk && i < megabytes; i++) {
		memset(chunk, (int)i, 1 << 20);
		must(file_write_all(fd, chunk, 1 << 20, "large", &e));
	}
	close(fd);
	free(chunk);
}

static double shell(const char *command)
{
	int64_t begin = clock_ns();
	if (system(command) != 0)
		exit(1);
	return (double)(clock_ns() - begin) / 1e9;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static double median(double *v)
{
	qsort(v, N, sizeof(*v), by_value);
	return v[N / 2];
}

static double freeze(const char *from, const char *root)
{
	struct arena a;
	struct json *ref;
	struct tree_limits limits = {.max_files = 1000000};
	arena_init(&a);
	struct protocol p = {.arena = &a, .root = root};
	must(file_remove_tree(root, &e) && file_mkdirs(root, 0755, &e));
	shell("sync");
	int64_t begin = clock_ns();
	must(evidence_freeze(&p, from, &limits, &ref, &e));
	double s = (double)(clock_ns() - begin) / 1e9;
	arena_release(&a);
	return s;
}

static double digest(const char *from)
{
	struct tree t;
	int64_t begin = clock_ns();
	must(tree_digest(from, NULL, &t, &e));
	return (double)(clock_ns() - begin) / 1e9;
}

int main(int argc, char **argv)
{
	struct arena a;
	double t[4][N];
	arena_init(&a);
	if (argc < 3)
		return fprintf(stderr, "usage: evidence FOLDER small|MB\n"), 2;
	const char *from = path_join(&a, argv[1], "from"), *root = path_join(&a, argv[1], "root"),
		   *copy = path_join(&a, argv[1], "copy");
	double mb = strtod(argv[2], NULL);
	must(file_remove_tree(from, &e) && file_mkdirs(from, 0755, &e));
	if (mb > 0)
		make_large(&a, from, (size_t)mb);
	else
		make_small(&a, from);
	for (int i = 0; i < N; i++) {
		t[0][i] = freeze(from, root);
		must(file_remove_tree(copy, &e));
		shell("sync");
		t[1][i] = shell(arena_printf(&a, "cp -r %s %s && sync -f %s", from, copy, copy));
		t[2][i] = digest(from);
		t[3][i] = shell(arena_printf(&a, "find %s -type f -print0 | xargs -0 sha256sum >/dev/null", from));
	}
	double f = median(t[0]), c = median(t[1]), d = median(t[2]), s = median(t[3]);
	printf("freeze %s: %.3f s, cp -r and sync %.3f s, ratio %.2f", argv[2], f, c, f / c);
	if (mb > 0)
		printf(", %.2f GB/s", mb * 1.048576e-3 / f);
	printf("\ndigest %s: %.3f s, sha256sum %.3f s, ratio %.2f", argv[2], d, s, d / s);
	if (mb > 0)
		printf(", %.2f GB/s", mb * 1.048576e-3 / d);
	printf("\n");
	must(file_remove_tree(from, &e) && file_remove_tree(root, &e) && file_remove_tree(copy, &e));
	arena_release(&a);
	return 0;
}
