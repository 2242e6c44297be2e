/* What this program is.
 * In: its own build, the libraries in it, this kernel. Out: one document, or its text.
 * The least glibc is the highest version among the symbols that the running file asks for.
 * Never: reads a configuration; opens a GPU. */
#include "verb/about.h"

#include <elfutils/version.h>
#include <ffi.h>
#include <link.h>
#include <openssl/crypto.h>
#include <seccomp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/os.h"
#include "base/version.h"
#include "run/sandbox.h"

#ifndef ASSAY_FLAGS
#define ASSAY_FLAGS "unknown"
#endif
#ifndef ASSAY_LINK_FLAGS
#define ASSAY_LINK_FLAGS "unknown"
#endif
#ifdef __clang__ /* it names itself */
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif
#ifndef FFI_VERSION_STRING /* since libffi 3.5 */
#define FFI_VERSION_STRING "of no stated version"
#endif

struct needs { /* the highest GLIBC_2.x that the program's own symbols name */
	unsigned minor;
};

/* The first object is the program itself. */
static int look_at_needs(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct needs *out = ctx;
	const ElfW(Dyn) *dynamic = NULL;
	const char *names = NULL, *versions = NULL;
	size_t n = 0;
	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	}
	for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
		/* Some of these are moved to where the program lies, some are not. */
		uintptr_t at = dynamic->d_un.d_ptr < info->dlpi_addr ? dynamic->d_un.d_ptr + info->dlpi_addr
								     : dynamic->d_un.d_ptr;
		if (dynamic->d_tag == DT_STRTAB)
			names = (const char *)at;
		else if (dynamic->d_tag == DT_VERNEED)
			versions = (const char *)at;
		else if (dynamic->d_tag == DT_VERNEEDNUM)
			n = dynamic->d_un.d_val;
	}
	for (size_t i = 0; names && versions && i < n; i++) {
		const ElfW(Verneed) *need = (const void *)versions;
		const char *one = versions + need->vn_aux;
		for (size_t k = 0; k < need->vn_cnt; k++) {
			const ElfW(Vernaux) *aux = (const void *)one;
			unsigned minor = 0;
			if (sscanf(names + aux->vna_name, "GLIBC_2.%u", &minor) == 1 && minor > out->minor)
				out->minor = minor;
			one += aux->vna_next;
		}
		versions += need->vn_next;
	}
	return 1;
}

static void put_libraries(struct json *list)
{
	const struct scmp_version *seccomp = seccomp_version();
	char text[32] = "?";
	if (seccomp)
		snprintf(text, sizeof(text), "%u.%u.%u", seccomp->major, seccomp->minor, seccomp->micro);
	const struct {
		const char *name, *version;
	} all[] = {{"libcrypto", OpenSSL_version(OPENSSL_VERSION_STRING)},
		   {"SQLite", sqlite3_libversion()},
		   {"libseccomp", text},
		   {"libffi", FFI_VERSION_STRING},
		   {"zstd", ZSTD_versionString()},
		   {"zlib", zlibVersion()}};
	for (size_t i = 0; i < COUNT_OF(all); i++)
		json_set_cstr(list, all[i].name, all[i].version);
	snprintf(text, sizeof(text), "%d.%d", _ELFUTILS_VERSION / 1000, _ELFUTILS_VERSION % 1000);
	json_set_cstr(list, "libelf", text);
}

/* Each layer as a worker's child would have it. */
static void put_sandbox(struct json *list)
{
#define SANDBOX_X(id, name, what) name,
	static const char *const names[] = {SANDBOX_LAYERS(SANDBOX_X)};
#undef SANDBOX_X
	struct sandbox_plan plan = {.kind = SANDBOX_NATIVE, .flags = SANDBOX_ALLOW_USERNS};
	struct err e;
	struct sandbox *s = sandbox_new(&plan, &e);
	pid_t pid = s ? fork() : -1;
	if (pid == 0)
		_exit(sandbox_apply(s) ? 0 : 1);
	if (pid > 0)
		(void)!waitpid(pid, NULL, 0);
	/* Orphans come to a parent that asks for them: that is no ability of the kernel. */
	for (int i = 0; pid > 0 && i < SANDBOX_LAYER_SUBREAPER; i++) {
		const struct sandbox_layer *x = &sandbox_report(s)->layer[i];
		if (x->state == SANDBOX_ACTIVE || x->state == SANDBOX_UNAVAILABLE)
			json_set_cstr(list, names[i], x->state == SANDBOX_ACTIVE ? "active" : x->reason);
	}
	sandbox_free(s);
}

struct json *about_json(struct arena *a)
{
	struct json *j = version_json(a), *build = json_set_object(j, "build");
	struct needs needs = {0};
	struct os os;
	os_read(&os, a);
	dl_iterate_phdr(look_at_needs, &needs);
	json_set_cstr(j, "format", "assay/about-v1");
	json_set_cstr(build, "kind", ASSAY_BUILD);
	json_set_cstr(build, "compiler", COMPILER __VERSION__);
	json_set_i64(build, "c_standard", __STDC_VERSION__);
	json_set_cstr(build, "flags", ASSAY_FLAGS);
	json_set_cstr(build, "link_flags", ASSAY_LINK_FLAGS);
	json_set_cstr(j, "arch", os.arch);
	json_set_cstr(j, "kernel", os.kernel);
	json_set_cstr(j, "glibc_at_least", needs.minor ? arena_printf(a, "2.%u", needs.minor) : NULL);
	put_libraries(json_set_object(j, "libraries"));
	put_sandbox(json_set_object(j, "sandbox"));
	return j;
}

/* "zlib 1.2.13, zstd 1.5.4", without what is just active. */
static const char *values(struct arena *a, const struct json *list)
{
	const char *text = "";
	for (size_t i = 0; list && i < list->n; i++) {
		struct str key = list->members[i].key, value = list->members[i].value->text;
		if (!str_is(value, "active"))
			text = arena_printf(a, "%s%s%.*s %.*s", text, *text ? ", " : "", STR_ARG(key), STR_ARG(value));
	}
	return text;
}

static const char *active(struct arena *a, const struct json *list)
{
	const char *text = "";
	for (size_t i = 0; list && i < list->n; i++) {
		if (str_is(list->members[i].value->text, "active"))
			text = arena_printf(a, "%s%s%.*s", text, *text ? ", " : "", STR_ARG(list->members[i].key));
	}
	return text;
}

void about_text(const struct json *about, const struct term *term, struct buf *out)
{
	const struct json *build = json_get(about, "build"), *sandbox = json_get(about, "sandbox");
	struct arena a;
	struct buf lines;
	arena_init(&a);
	buf_init(&lines);
	const char *missing = values(&a, sandbox);
	buf_printf(&lines, "assay %.*s (%.*s)\n", STR_ARG(json_str(about, "version", STR("?"))),
		   STR_ARG(json_str(about, "commit", STR("?"))));
	buf_printf(&lines, "build      %.*s, %.*s, C %lld\n", STR_ARG(json_str(build, "kind", STR("?"))),
		   STR_ARG(json_str(build, "compiler", STR("?"))), (long long)json_i64(build, "c_standard", 0));
	buf_printf(&lines, "flags      %.*s\n", STR_ARG(json_str(build, "flags", STR("?"))));
	buf_printf(&lines, "linked     %.*s\n", STR_ARG(json_str(build, "link_flags", STR("?"))));
	buf_printf(&lines, "libraries  %s\n", values(&a, json_get(about, "libraries")));
	buf_printf(&lines, "needs      Linux on %.*s, glibc %.*s or newer\n",
		   STR_ARG(json_str(about, "arch", STR("?"))), STR_ARG(json_str(about, "glibc_at_least", STR("?"))));
	buf_printf(&lines, "sandbox    on %.*s: %s\n", STR_ARG(json_str(about, "kernel", STR("?"))),
		   active(&a, sandbox));
	if (*missing)
		buf_printf(&lines, "           not here: %s\n", missing);
	term_lines(out, term, buf_view(&lines), 11);
	buf_release(&lines);
	arena_release(&a);
}
