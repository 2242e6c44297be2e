/* Operator to artifact.
 * In: a source file and how to compile it. Out: a shared object with its symbol and facts, or what the compiler said.
 * The cache is keyed by source, flags and compiler; an entry also lists every file that was included, with digests.
 * Never: runs what it built. */
#include "build/build.h"

#include "base/border.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include "build/compiler.h"
#include "build/tool.h"
#include "read/elf/elf.h"
#include "read/ptxas/ptxas.h"
#include "store/cache.h"

extern char **environ;
static const char BUILD_CACHE[] = "build";

struct plan { /* one compile, worked out */
	const struct build_options *o;
	const struct compiler *compiler;
	const char **argv; /* with the output path last */
	size_t n_argv;
	const char *library, *deps;
	char key[SHA256_HEX];
};

static bool make_key(struct plan *p, struct arena *a, struct err *e)
{
	struct str source;
	struct sha256 s;
	if (!file_read(a, &source, p->o->source, 64u << 20, e))
		return false;
	sha256_init(&s);
	sha256_str(&s, STR("assay/build-v1"));
	sha256_str(&s, source);
	sha256_str(&s, str_from(path_absolute(a, p->o->source))); /* relative includes */
	sha256_str(&s, str_from(p->compiler->path));
	sha256_str(&s, str_from(p->compiler->version));
	for (size_t i = 0; i < p->n_argv; i++) {
		if (p->argv[i] != p->library && p->argv[i] != p->deps)
			sha256_str(&s, str_from(p->argv[i]));
	}
	sha256_hex(&s, p->key);
	return true;
}

/* The files of a make rule "target: a b \", with their digests, as lines "digest path". The toolkit's own headers are
 * covered by the compiler's version. */
static struct str digest_deps(struct arena *a, const char *path)
{
	struct str text, word;
	struct err e;
	struct buf out;
	buf_init(&out);
	if (!file_read(a, &text, path, 16u << 20, &e))
		return STR("");
	size_t colon = str_find(text, STR(": "));
	text = colon == SIZE_MAX ? STR("") : str_sub(text, colon + 2, text.n);
	while (str_split(&text, ' ', &word)) {
		word = str_trim(word);
		if (word.n && word.p[0] == '\\')
			word = str_trim(str_sub(word, 1, word.n));
		if (!word.n || str_starts(word, "/usr/"))
			continue;
		char digest[SHA256_HEX];
		const char *file = arena_strndup(a, word.p, word.n);
		if (sha256_file(file, digest, &e))
			buf_printf(&out, "%s %s\n", digest, file);
	}
	struct str kept = arena_str(a, buf_view(&out));
	buf_release(&out);
	return kept;
}

static bool deps_hold(struct arena *a, struct str deps)
{
	struct str line;
	while (str_split(&deps, '\n', &line)) {
		char digest[SHA256_HEX];
		struct err e;
		if (line.n <= 65)
			continue;
		if (!sha256_file(arena_strndup(a, line.p + 65, line.n - 65), digest, &e) ||
		    !str_eq(str_sub(line, 0, 64), str_from(digest)))
			return false;
	}
	return true;
}

static const char *quoted(struct arena *a, const char *const *argv)
{
	struct buf b;
	buf_init(&b);
	for (size_t i = 0; argv[i]; i++)
		buf_printf(&b, strpbrk(argv[i], " \t\"'$&;|<>()*?") ? "%s'%s'" : "%s%s", i ? " " : "", argv[i]);
	const char *text = arena_strndup(a, b.p, b.n);
	buf_release(&b);
	return text;
}

static void read_log(struct artifact *out, struct arena *a)
{
	struct ptxas_log *log = ARENA_NEW(a, struct ptxas_log);
	ptxas_read(log, a, out->log);
	out->facts = ptxas_json(log, a);
	const struct ptxas_message *first = ptxas_first_error(log);
	if (!first)
		return;
	struct buf b;
	buf_init(&b);
	ptxas_message_write(&b, first);
	out->message = arena_strndup(a, b.p, b.n);
	buf_release(&b);
}

/* For a job that another program asked for: the compiler reads the workspace and its own installation, nothing else. Where
 * the kernel cannot hold that, the door has looked at the flags by their paths. */
static void hold_border(struct proc_options *o, struct confine_paths *paths, struct arena *a, const struct plan *p)
{
	const char *root = border_root();
	if (!root || !confine_is_possible())
		return;
	struct confine_paths toolchain = border_toolchain(a, p->compiler->path);
	const char **all = ARENA_ARRAY(a, toolchain.n + 2, const char *);
	memcpy(all, toolchain.paths, toolchain.n * sizeof(*all));
	all[toolchain.n] = root;
	all[toolchain.n + 1] = path_dir(a, p->library); /* scratch, where somebody moved it elsewhere */
	*paths = (struct confine_paths){all, toolchain.n + 2};
	o->child_setup = confine_reads;
	o->child_arg = paths;
}

/* The compiler's temporary files lie beside what it makes: when it is killed they go with that. */
static const char *const *environment(struct arena *a, const struct plan *p)
{
	size_t n = 0, k = 0;
	while (environ[n])
		n++;
	const char **env = ARENA_ARRAY(a, n + 2, const char *);
	for (size_t i = 0; i < n; i++) {
		if (strncmp(environ[i], "TMPDIR=", 7) != 0)
			env[k++] = environ[i];
	}
	env[k] = arena_printf(a, "TMPDIR=%s", path_dir(a, p->library));
	return env;
}

static bool compile(struct artifact *out, struct arena *a, const struct plan *p, struct err *e)
{
	struct proc_result r;
	struct proc_options o = {.argv = p->argv,
				 .env = environment(a, p),
				 .timeout_ns = p->o->timeout_ns ? p->o->timeout_ns : (int64_t)300 * 1000000000,
				 .flags = PROC_MERGE_STDERR | PROC_PDEATHSIG};
	struct confine_paths readable;
	hold_border(&o, &readable, a, p);
	bool ok = proc_run(&r, &o, e);
	if (ok) {
		out->log = arena_str(a, buf_view(&r.out));
		out->compile_ns = r.wall_ns;
		out->result = r.timed_out ? BUILD_TIMED_OUT : r.exit_status != 0 ? BUILD_FAILED : BUILD_OK;
		read_log(out, a);
		if (out->result == BUILD_FAILED && !out->message)
			out->message = arena_printf(a, "%s: %s", path_base(p->argv[0]), proc_describe(a, &r));
		if (out->result == BUILD_FAILED && str_find(out->log, STR("No space left on device")) != SIZE_MAX)
			ok = err_set(e, ERR_NO_SPACE,
				     "%s: the compiler ran out of disk space; TMPDIR names another place",
				     p->o->source);
		if (r.interrupted)
			ok = err_set(e, ERR_INTERRUPTED, "interrupted while compiling %s", p->o->source);
	}
	proc_result_release(&r);
	return ok;
}

static bool find_symbol(struct artifact *out, struct arena *a, const struct plan *p)
{
	struct str symbol;
	struct err e;
	if (elf_find_entry(a, p->library, p->o->entry, &symbol, &e)) {
		out->symbol = arena_strndup(a, symbol.p, symbol.n);
		return true;
	}
	out->result = BUILD_NO_SYMBOL;
	/* People know the source, not the object in our scratch folder. */
	size_t n = strlen(p->library);
	bool names_object = strncmp(e.text, p->library, n) == 0;
	out->message = arena_printf(a, "%s%s", names_object ? p->o->source : "", e.text + (names_object ? n : 0));
	return false;
}

/* What a later hit must know beside the object: {"log", "compile_ns", "deps"} */
static bool keep(struct cache *c, struct arena *a, const struct plan *p, const struct artifact *x, struct err *e)
{
	struct cache_draft draft;
	struct buf b;
	if (!cache_begin(c, a, p->key, &draft, e))
		return false;
	buf_init(&b);
	struct json *meta = json_object(a);
	json_set_str(meta, "log", x->log);
	json_set_i64(meta, "compile_ns", x->compile_ns);
	json_set_str(meta, "deps", digest_deps(a, p->deps));
	json_write(&b, meta, JSON_PRETTY);
	bool ok = file_copy(p->library, path_join(a, draft.path, "object.so"), e) &&
		  file_write_str(path_join(a, draft.path, "meta.json"), buf_view(&b), e);
	buf_release(&b);
	if (!ok) {
		cache_abandon(&draft);
		return false;
	}
	return cache_commit(c, &draft, e);
}

struct held { /* a cached build being looked at */
	struct arena *arena;
	struct json *meta;
};

static bool deps_are_same(void *ctx, const struct cache_entry *entry)
{
	struct held *h = ctx;
	struct err e;
	h->meta = json_read_file(h->arena, path_join(h->arena, entry->path, "meta.json"), JSON_STRICT, &e);
	return h->meta && deps_hold(h->arena, json_str(h->meta, "deps", STR("")));
}

static bool fetch(struct artifact *out, struct arena *a, struct cache *c, struct plan *p)
{
	struct cache_entry entry;
	struct err e;
	struct held h = {.arena = a};
	struct cache_check check = {deps_are_same, &h};
	char vacant[SHA256_HEX];
	if (!cache_get_checked(c, a, p->key, &check, &entry, vacant)) {
		memcpy(p->key, vacant, sizeof(p->key));
		return false;
	}
	bool ok = file_copy(path_join(a, entry.path, "object.so"), p->library, &e);
	cache_done(&entry);
	if (!ok)
		return false;
	out->log = json_str(h.meta, "log", STR(""));
	out->compile_ns = json_i64(h.meta, "compile_ns", 0);
	out->from_cache = true;
	read_log(out, a);
	return true;
}

static bool includes_cutlass(struct arena *a, const char *source)
{
	static const char *const marks[] = {"<cutlass/", "\"cutlass/", "<cute/", "\"cute/"};
	struct str text, line;
	struct err ignored; /* a source that cannot be read is make_key's to report */
	if (!file_read(a, &text, source, 64u << 20, &ignored))
		return false;
	while (str_split(&text, '\n', &line)) {
		line = str_trim(line);
		for (size_t i = 0; line.n && line.p[0] == '#' && i < COUNT_OF(marks); i++) {
			if (str_find(line, str_from(marks[i])) != SIZE_MAX)
				return true;
		}
	}
	return false;
}

/* Include folder; NULL: not wanted, or not found: the compiler then says which header it misses. */
static const char *cutlass_for(struct arena *a, const struct build_options *o)
{
	const char *version = NULL;
	if (o->language != BUILD_CUDA || (!o->cutlass && !includes_cutlass(a, o->source)))
		return NULL;
	const char *folder = tool_cutlass(a, &version);
	return folder ? folder : tool_cutlass_package(a);
}

static bool finish(struct artifact *out, struct arena *a, const struct plan *p, struct err *e)
{
	if (out->result != BUILD_OK || !find_symbol(out, a, p))
		return true;
	out->library = p->library;
	return sha256_file(p->library, out->sha256, e);
}

bool build_make(struct artifact *out, struct arena *a, const struct build_options *o, struct err *e)
{
	struct compiler compiler;
	struct plan p = {.o = o, .compiler = &compiler};
	struct err ignored;
	*out = (struct artifact){.facts = json_object(a)};
	if (!compiler_find(&compiler, a, o->language, o->nvcc, e) || !file_mkdirs(o->folder, 0755, e))
		return false;
	p.library = arena_printf(a, "%s/%s.so", path_absolute(a, o->folder), o->name);
	p.deps = arena_printf(a, "%s/%s.d", path_absolute(a, o->folder), o->name);
	compiler.cutlass = cutlass_for(a, o);
	p.argv = compiler_argv(a, &compiler, o, p.library, p.deps, &p.n_argv);
	out->command = quoted(a, p.argv);
	out->compiler = compiler.path;
	out->version = compiler.version;
	if (!make_key(&p, a, e))
		return false;
	struct cache *c = o->options & BUILD_NO_CACHE ? NULL : cache_open(BUILD_CACHE, 0, &ignored);
	bool ok = true;
	if (!c || !fetch(out, a, c, &p)) {
		ok = compile(out, a, &p, e);
		if (ok && c && p.key[0] && out->result == BUILD_OK && !keep(c, a, &p, out, &ignored))
			out->from_cache = false; /* a cache that cannot be written costs time only */
	}
	cache_free(c);
	return ok && finish(out, a, &p, e);
}

const char *build_command(struct arena *a, const struct build_options *o, struct err *e)
{
	struct compiler compiler;
	const char *version, *library = arena_printf(a, "%s/%s.so", o->folder, o->name);
	size_t n;
	if (!compiler_locate(&compiler, a, o->language, o->nvcc, e))
		return NULL;
	if (o->language == BUILD_CUDA && (o->cutlass || includes_cutlass(a, o->source)))
		compiler.cutlass = tool_cutlass(a, &version);
	return quoted(a, compiler_argv(a, &compiler, o, library, arena_printf(a, "%s/%s.d", o->folder, o->name), &n));
}

const char *build_find_nvcc(struct arena *a, const char *wanted)
{
	struct compiler c;
	struct err e;
	return compiler_find(&c, a, BUILD_CUDA, wanted, &e) ? c.path : NULL;
}

const char *build_find_cc(struct arena *a, enum build_language language)
{
	struct compiler c;
	struct err e;
	return compiler_find(&c, a, language, NULL, &e) ? c.path : NULL;
}

struct json *artifact_json(struct arena *a, const struct artifact *x)
{
	static const char *const results[] = {"built", "build_failed", "build_timeout", "no_entry"};
	struct json *j = json_object(a);
	json_set_cstr(j, "result", results[x->result]);
	json_set_cstr(j, "command", x->command);
	json_set_cstr(j, "compiler", x->compiler);
	json_set_cstr(j, "compiler_version", x->version);
	json_set_f64(j, "compile_seconds", (double)x->compile_ns / 1e9);
	json_set_bool(j, "from_cache", x->from_cache);
	json_set_cstr(j, "message", x->message);
	json_set_cstr(j, "symbol", x->symbol);
	json_set_cstr(j, "sha256", x->result == BUILD_OK ? x->sha256 : NULL);
	json_set(j, "facts", x->facts);
	return j;
}
