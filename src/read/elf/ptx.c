/* PTX text: version, target, entry functions and their launch bounds.
 * In: the text of one PTX module.
 * Out: an image of kind PTX.
 * Never takes a word out of a comment or a string. Grammar: PTX ISA 9.0, chapters 5, 10 and 11. */
#include "read/elf/internal.h"

#include <string.h>

#include "read/scan.h"

#define MAX_ENTRIES ((size_t)65536)

/* Moves s to the next token that starts with '.' or a name, and takes it. Comments, strings and the rest are skipped. */
static bool next_word(struct str *s, struct str *word)
{
	while (s->n) {
		char c = s->p[0];
		size_t skip = 1;
		if (str_starts(*s, "//")) {
			skip = str_find_char(*s, '\n');
		} else if (str_starts(*s, "/*")) {
			skip = str_find(*s, STR("*/"));
		} else if (c == '"') {
			skip = str_find_char(str_sub(*s, 1, s->n), '"');
			skip = skip == SIZE_MAX ? skip : skip + 2;
		} else if (c == '.' || c == '_' || c == '$' || c == '%' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) {
			*s = str_sub(*s, c == '%', s->n);
			*word = scan_name(s);
			if (word->n)
				return true;
			skip = 1;
		}
		*s = str_sub(*s, skip, s->n);
	}
	return false;
}

static uint64_t dimensions(struct str s)
{
	uint64_t product = 1, v;
	for (;;) {
		scan_spaces(&s);
		if (!scan_u64(&s, &v) || __builtin_mul_overflow(product, v, &product))
			return product;
		scan_spaces(&s);
		if (!scan_text(&s, ","))
			return product;
	}
}

static void entry(struct elf_image *image, struct arena *a, struct str name, size_t *cap)
{
	if (image->n_kernels == *cap) {
		size_t n = *cap ? *cap * 2 : 16;
		struct elf_kernel *k = ARENA_ARRAY(a, n, struct elf_kernel);
		if (image->n_kernels)
			memcpy(k, image->kernels, image->n_kernels * sizeof *k);
		image->kernels = k;
		*cap = n;
	}
	image->kernels[image->n_kernels++] = (struct elf_kernel){.name = arena_str(a, name), .is_entry = true};
}

static void directive(struct elf_image *image, struct str word, struct str rest)
{
	if (!image->n_kernels)
		return;
	struct resources *r = &image->kernels[image->n_kernels - 1].r;
	if (str_is(word, ".maxntid") || str_is(word, ".reqntid"))
		resources_set(r, RESOURCE_MAX_THREADS, dimensions(rest));
	else if (str_is(word, ".minnctapersm"))
		resources_set(r, RESOURCE_MIN_BLOCKS, dimensions(rest));
	else if (str_is(word, ".reqnctapercluster"))
		resources_set(r, RESOURCE_CLUSTER, dimensions(rest));
}

static struct str version_text(struct str rest)
{
	scan_spaces(&rest);
	size_t n = 0;
	while (n < rest.n && ((rest.p[n] >= '0' && rest.p[n] <= '9') || rest.p[n] == '.'))
		n++;
	return str_sub(rest, 0, n);
}

/* PTX ISA 9.0: directives that stand alone. */
static const char *const directives[] = {
	".address_size",
	".alias",
	".align",
	".attribute",
	".branchtargets",
	".callprototype",
	".calltargets",
	".common",
	".const",
	".entry",
	".explicitcluster",
	".extern",
	".file",
	".func",
	".global",
	".loc",
	".local",
	".managed",
	".maxclusterrank",
	".maxnctapersm",
	".maxnreg",
	".maxntid",
	".minnctapersm",
	".noreturn",
	".param",
	".pragma",
	".ptr",
	".reg",
	".reqnctapercluster",
	".reqntid",
	".section",
	".shared",
	".sreg",
	".target",
	".tex",
	".unified",
	".version",
	".visible",
	".weak",
	".abi_preserve",
	".abi_preserve_control",
	".blocksareclusters",
	".pred",
	".texref",
	".samplerref",
	".surfref",
	".v2",
	".v4",
	".v8",
	".x",
	".y",
	".z",
	".w",
	".r",
	".g",
	".b",
	".a",
};

/* These and types: .u64, .bf16x2: a letter or two, digits. */
static bool is_known(struct str word)
{
	for (size_t i = 0; i < COUNT_OF(directives); i++)
		if (str_is(word, directives[i]))
			return true;
	size_t n = 1;
	while (n < word.n && n < 3 && word.p[n] >= 'a' && word.p[n] <= 'z')
		n++;
	return n > 1 && n < word.n && word.p[n] >= '0' && word.p[n] <= '9';
}

/* What stands behind .visible and .weak begins a kernel, a function or a variable. */
static bool is_declared(struct str word)
{
	static const char *const words[] = {".entry", ".func", ".global", ".const", ".shared", ".extern", ".tex"};
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_is(word, words[i]))
			return true;
	return false;
}

bool ptx_read(struct elf_image *image, struct arena *a, struct str text)
{
	struct str word, before = {0};
	size_t cap = 0;
	image->kind = ELF_IMAGE_PTX;
	map_init(&image->unmodeled, a);
	for (; next_word(&text, &word); before = word) {
		bool is_linked = str_is(before, ".visible") || str_is(before, ".weak");
		if (is_linked && !is_declared(word)) {
			image->problem = str_from(arena_printf(a, "\"%.*s %.*s\": no directive that is known",
							       STR_ARG(before), STR_ARG(str_sub(word, 0, 48))));
			return false;
		}
		if (word.n > 1 && word.p[0] == '.' && (word.p[1] < '0' || word.p[1] > '9') && !is_known(word))
			elf_unmodeled(image, a, "", word);
		if (str_is(word, ".version") && !image->ptx_version.n) {
			image->ptx_version = arena_str(a, version_text(text));
		} else if (str_is(word, ".target") && !image->ptx_target.n) {
			scan_spaces(&text);
			image->ptx_target = arena_str(a, scan_name(&text));
		} else if (str_is(word, ".entry") && image->n_kernels < MAX_ENTRIES) {
			if (next_word(&text, &word))
				entry(image, a, word, &cap);
		} else if (str_is(word, ".loc")) {
			image->flags |= ELF_LINE_TABLE;
		} else {
			directive(image, word, text);
		}
	}
	if (!image->ptx_version.n || !image->ptx_target.n) {
		image->problem = STR("PTX without .version or .target");
		return false;
	}
	if (!image->arch.n && str_starts(image->ptx_target, "sm_"))
		image->arch = str_from(
			arena_printf(a, "compute_%.*s", (int)(image->ptx_target.n - 3), image->ptx_target.p + 3));
	return true;
}
