/* The Python interpreter.
 * In: an interpreter's path. Out: what it is and holds, as it says itself.
 * The two scripts are passed with -c and print one JSON object on their last line.
 * Never: imports a package unless asked to; keeps a failure. */
#include "collect/interpreter.h"

#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "collect/said.h"
#include "store/cache.h"

enum { MOST_OUTPUT = 1 << 20 };

/* "paths" is what the answer depends on: each is stamped with its mtime. */
static const char PACKAGES[] =
	PROC_PYTHON_ALONE "import os, json\n"
			  "try: from importlib import metadata\n"
			  "except ImportError: metadata = None\n"
			  "def find(*names):\n"
			  "    for n in names:\n"
			  "        try:\n"
			  "            d = metadata.distribution(n)\n"
			  "            return {'version': d.version, 'path': str(d.locate_file(names[0]))}\n"
			  "        except Exception: pass\n"
			  "heads = [os.path.join(p, 'cutlass_library/source/include') for p in sys.path]\n"
			  "heads = [p for p in heads if os.path.isfile(os.path.join(p, 'cutlass/cutlass.h'))]\n"
			  "print(json.dumps({'version': sys.version.split()[0], 'executable': sys.executable,\n"
			  "    'torch': find('torch'), 'triton': find('triton', 'pytorch-triton'),\n"
			  "    'cutlass_include': heads[0] if heads else None,\n"
			  "    'paths': [sys.executable] + [p for p in sys.path if p]}))\n";

static const char IMPORT[] = PROC_PYTHON_ALONE
	"import os, json\n"
	"if len(sys.argv) > 1: os.environ['CUDA_VISIBLE_DEVICES'] = sys.argv[1]\n"
	"def line(x): return (type(x).__name__ + ': ' + ' '.join(str(x).split()))[:300]\n"
	"out = {}\n"
	"try:\n"
	"    import torch\n"
	"    t = {'version': torch.__version__, 'cuda': torch.version.cuda, 'path': os.path.dirname(torch.__file__)}\n"
	"    t['cuda_available'] = torch.cuda.is_available()\n"
	"    t['n_devices'] = torch.cuda.device_count() if t['cuda_available'] else 0\n"
	"    if t['n_devices']: t['device'] = torch.cuda.get_device_name(0)\n"
	"    out['torch'] = t\n"
	"except BaseException as x: out['torch'] = {'error': line(x)}\n"
	"try:\n"
	"    import triton\n"
	"    out['triton'] = {'version': triton.__version__, 'path': os.path.dirname(triton.__file__)}\n"
	"except BaseException as x: out['triton'] = {'error': line(x)}\n"
	"print('\\n' + json.dumps(out))\n";

const char *interpreter_find(struct arena *a, const char *wanted)
{
	return path_which(a, wanted ? wanted : "python3", NULL);
}

/* argv: python, "-c", script, ... */
static struct json *run_script(struct arena *a, const char *const *argv, int64_t timeout_ns, struct err *e)
{
	struct proc_options o = {.argv = argv, .timeout_ns = timeout_ns, .max_output = MOST_OUTPUT};
	struct proc_result r;
	struct json *j = NULL;
	struct err bad;
	char shown[STR_SHOWN];
	if (!proc_run(&r, &o, e)) {
		if (e)
			e->code = ERR_ENVIRONMENT;
	} else if (r.interrupted) {
		err_set(e, ERR_INTERRUPTED, "interrupted while %s was asked for its packages", argv[0]);
	} else if (r.exit_status != 0) {
		struct str said = said_last(buf_view(&r.err));
		err_set(e, ERR_ENVIRONMENT, "%s does not run: %s%s%s", argv[0], proc_describe(a, &r),
			said.n ? ": " : "", said.n ? str_shown(shown, said) : "");
	} else {
		j = json_parse(a, argv[0], arena_str(a, said_last(buf_view(&r.out))), JSON_STRICT, &bad);
		if (!j || j->type != JSON_OBJECT) {
			j = NULL;
			err_set(e, ERR_ENVIRONMENT, "%s is no Python: it did not print what a script asked for",
				argv[0]);
		}
	}
	proc_result_release(&r);
	return j;
}

static void put_stamp(struct buf *out, const char *path)
{
	buf_printf(out, "%s %lld %lld\n", path, (long long)file_size(path), (long long)file_mtime_ns(path));
}

/* A script in the interpreter's place (pyenv, asdf, mise) picks one by files in this folder and above. */
static void put_shim_files(struct buf *out, struct arena *a)
{
	static const char *const names[] = {".python-version", ".tool-versions", "mise.toml"};
	const char *root = getenv("PYENV_ROOT"), *home = getenv("HOME");
	if (root || home)
		put_stamp(out, root ? path_join(a, root, "version") : arena_printf(a, "%s/.pyenv/version", home));
	for (size_t i = 0; home && i < COUNT_OF(names); i++)
		put_stamp(out, path_join(a, home, names[i]));
	const char *folder = path_absolute(a, ".");
	char here[4096];
	folder = getcwd(here, sizeof(here)) ? here : folder;
	for (;;) {
		for (size_t i = 0; i < COUNT_OF(names); i++)
			put_stamp(out, path_join(a, folder, names[i]));
		const char *up = path_dir(a, folder);
		if (strcmp(up, folder) == 0 || strcmp(up, ".") == 0)
			return;
		folder = up;
	}
}

static bool is_script(const char *path)
{
	FILE *f = fopen(path, "rb");
	char head[2] = "";
	bool is = f && fread(head, 1, 2, f) == 2 && head[0] == '#' && head[1] == '!';
	if (f)
		fclose(f);
	return is;
}

/* All that decides which interpreter runs and where it imports from. */
static void put_identity(struct buf *out, struct arena *a, const char *python)
{
	static const char *const steering[] = {
		"HOME",       "PATH",        "PYTHONPATH",    "PYTHONHOME",   "PYTHONUSERBASE",
		"PYENV_ROOT", "VIRTUAL_ENV", "PYENV_VERSION", "CONDA_PREFIX", "PYTHONNOUSERSITE"};
	buf_puts(out, "python-v1\n");
	put_stamp(out, python);
	for (size_t i = 0; i < COUNT_OF(steering); i++) {
		const char *v = getenv(steering[i]);
		buf_printf(out, "%s=%s\n", steering[i], v ? v : "");
	}
	put_stamp(out, path_join(a, path_dir(a, python), "../pyvenv.cfg"));
	if (is_script(python))
		put_shim_files(out, a);
}

static void put_paths(struct buf *out, struct arena *a, const struct json *answer)
{
	const struct json *paths = json_get(answer, "paths");
	for (size_t i = 0; paths && i < paths->n; i++)
		put_stamp(out, arena_strndup(a, paths->items[i]->text.p, paths->items[i]->text.n));
}

static struct json *get_json(struct cache *c, struct arena *a, const struct buf *id)
{
	char key[SHA256_HEX];
	struct str text;
	struct err bad;
	sha256_of(id->p, id->n, key);
	if (!cache_get_bytes(c, a, key, &text))
		return NULL;
	return json_parse(a, "cache", text, JSON_STRICT, &bad);
}

static void put_json(struct cache *c, const struct buf *id, const struct json *j)
{
	char key[SHA256_HEX];
	struct buf text;
	struct err ignored;
	buf_init(&text);
	json_write(&text, j, JSON_COMPACT);
	sha256_of(id->p, id->n, key);
	if (!cache_put_bytes(c, key, buf_view(&text), &ignored))
		buf_clear(&text); /* asked again next time */
	buf_release(&text);
}

/* Two steps: the interpreter's identity gives the folders it imports from, those and their mtimes give the answer. An
 * answer with other folders than the first one is not kept, as their changes would not be seen. */
struct json *interpreter_packages(struct arena *a, const char *python, int64_t timeout_ns, struct err *e)
{
	struct err ignored;
	struct cache *c = cache_open("tools", 0, &ignored);
	struct buf id;
	buf_init(&id);
	put_identity(&id, a, python);
	struct json *first = c ? get_json(c, a, &id) : NULL, *answer = NULL;
	size_t n_id = id.n;
	if (first) {
		put_paths(&id, a, first);
		answer = get_json(c, a, &id);
	}
	if (!answer) {
		const char *argv[] = {python, "-c", PACKAGES, NULL};
		answer = run_script(a, argv, timeout_ns, e);
		if (answer && c && !first) {
			put_json(c, &id, answer);
			put_paths(&id, a, answer);
			put_json(c, &id, answer);
		} else if (answer && c) {
			struct buf now;
			buf_init(&now);
			buf_add(&now, id.p, n_id);
			put_paths(&now, a, answer);
			if (str_eq(buf_view(&now), buf_view(&id)))
				put_json(c, &now, answer);
			buf_release(&now);
		}
	}
	buf_release(&id);
	cache_free(c);
	return answer;
}

struct json *interpreter_import(struct arena *a, const char *python, const char *gpu, int64_t timeout_ns, struct err *e)
{
	const char *argv[] = {python, "-c", IMPORT, gpu, NULL};
	return run_script(a, argv, timeout_ns, e);
}
