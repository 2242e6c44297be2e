/* Unit tests of base/opt: argv, JSON, schema, help, man page and completion of one made-up verb.
 * In: literals.
 * Out: cmocka's report.
 * Never: uses the rows of a real verb. */
#include "base/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

struct options {
	bool quick, check;
	const char *ref, *backend;
	int64_t repeat, offset, n;
	double atol;
	struct opt_list arch, command, args;
	struct opt_dims dims;
	const char *secret;
};

#define AT(field) offsetof(struct options, field)
static const struct opt_row rows[] = {
	{.name = "quick", .letter = 'q', .type = OPT_FLAG, .offset = AT(quick), .help = "fewer samples"},
	{.name = "check", .letter = 'c', .type = OPT_FLAG, .offset = AT(check), .help = "check the answer"},
	{.name = "ref", .type = OPT_STRING, .offset = AT(ref), .meta = "FILE", .help = "reference"},
	{.name = "backend",
	 .letter = 'b',
	 .type = OPT_ENUM,
	 .offset = AT(backend),
	 .meta = "NAME",
	 .choices = "cuda|c|triton",
	 .help = "who builds it"},
	{.name = "repeat",
	 .letter = 'r',
	 .type = OPT_I64,
	 .offset = AT(repeat),
	 .meta = "N",
	 .min = 1,
	 .max = 1000,
	 .help = "calls per block"},
	{.name = "offset", .type = OPT_I64, .offset = AT(offset), .meta = "N", .help = "any whole number"},
	{.name = "max-iterations",
	 .letter = 'n',
	 .type = OPT_I64,
	 .offset = AT(n),
	 .meta = "N",
	 .min = 1,
	 .max = 1e19,
	 .flags = OPT_REQUIRED,
	 .help = "optimisations after v0; there is no default because each one costs a build, a measurement and two "
		 "reports"},
	{.name = "atol", .type = OPT_F64, .offset = AT(atol), .meta = "X", .min = 0, .max = 0.5, .help = "tolerance"},
	{.name = "arch", .letter = 'a', .type = OPT_LIST, .offset = AT(arch), .meta = "SM", .help = "architectures"},
	{.name = "command", .type = OPT_COMMAND, .offset = AT(command), .meta = "CMD", .help = "what to run"},
	{.name = "secret-fd",
	 .type = OPT_STRING,
	 .offset = AT(secret),
	 .meta = "N",
	 .flags = OPT_HIDDEN,
	 .help = "internal"},
};
static const char *const examples[] = {"assay bench examples/softmax/v0.c --max-iterations=3", NULL};
static const struct opt_spec spec = {
	.verb = "bench",
	.summary = "Time one kernel.",
	.positional = "FILE [FILE]",
	.min_args = 1,
	.max_args = 2,
	.rows = rows,
	.n_rows = COUNT_OF(rows),
	.options_size = sizeof(struct options),
	.args_offset = AT(args),
	.dims_offset = AT(dims),
	.examples = examples,
	.notes = "Cold by default.\n\n  kept   as it is\nA path\\name and .so stay as they are.",
};
static const struct opt_row alone_rows[] = {
	{.name = "max-iterations", .type = OPT_I64, .offset = AT(n), .flags = OPT_REQUIRED, .help = "n"},
	{.name = "look-at", .type = OPT_STRING, .offset = AT(secret), .flags = OPT_ALONE, .help = "instead"},
};
static const struct opt_spec alone = {
	.verb = "optimize",
	.summary = "x",
	.positional = "FILE",
	.min_args = 1,
	.max_args = 1,
	.rows = alone_rows,
	.n_rows = COUNT_OF(alone_rows),
	.options_size = sizeof(struct options),
	.args_offset = AT(args),
	.dims_offset = SIZE_MAX,
};
static const struct opt_row bare_rows[] = {
	{.name = "verbose", .letter = 'h', .type = OPT_FLAG, .offset = AT(quick), .help = "more"},
};
static const struct opt_spec bare = {
	.verb = "doctor",
	.summary = "What's here: it's [all] said.",
	.rows = bare_rows,
	.n_rows = COUNT_OF(bare_rows),
	.options_size = sizeof(struct options),
	.dims_offset = SIZE_MAX,
};

struct fixture {
	struct arena a;
	struct buf b;
	struct err e;
	struct options o;
	bool help;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	arena_init(&f->a);
	buf_init(&f->b);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	arena_release(&f->a);
	buf_release(&f->b);
	free(f);
	return 0;
}

/* One space between arguments; ~ stands for an empty one. */
static bool parse_with(struct fixture *f, const struct opt_spec *s, const char *line)
{
	static const char *items[] = {"sm_1", "sm_2", "sm_3"};
	char *argv[64];
	size_t argc = 0;
	struct str rest = str_from(line), word;
	while (line[0] && str_split(&rest, ' ', &word))
		argv[argc++] = arena_strndup(&f->a, word.p, str_is(word, "~") ? 0 : word.n);
	f->o = (struct options){.repeat = 20, .check = true, .backend = "c", .arch = {items, 3}};
	f->e.code = ERR_NONE;
	f->e.text[0] = '\0';
	f->help = opt_wants_help(s, argc, argv);
	return f->help || opt_parse(s, &f->o, &f->a, argc, argv, &f->e);
}

static bool parse(struct fixture *f, const char *line)
{
	return parse_with(f, &spec, line);
}

static void every_form(void **state)
{
	struct fixture *f = *state;
	assert_true(parse(f,
			  "x.cu --ref=a=b.py --backend triton -r5 -n 7 -q --no-check --atol=1e-3 --offset -3 --M=4096 "
			  "--n_2=-1 --K=0 y.cu"));
	assert_string_equal(f->o.ref, "a=b.py");
	assert_string_equal(f->o.backend, "triton");
	assert_true(f->o.repeat == 5 && f->o.n == 7 && f->o.offset == -3 && f->o.atol == 1e-3);
	assert_true(f->o.quick && !f->o.check && !f->help);
	assert_int_equal(f->o.args.n, 2);
	assert_string_equal(f->o.args.items[0], "x.cu");
	assert_string_equal(f->o.args.items[1], "y.cu");
	assert_int_equal(f->o.dims.n, 3);
	assert_string_equal(f->o.dims.items[0].name, "M");
	assert_true(f->o.dims.items[0].value == 4096 && f->o.dims.items[1].value == -1 &&
		    f->o.dims.items[2].value == 0);
	assert_string_equal(f->o.dims.items[1].name, "n_2");
	assert_int_equal(f->o.arch.n, 3); /* the default stays */
}

static void lists_and_commands(void **state)
{
	struct fixture *f = *state;
	assert_true(parse(f, "x -qcn1 -a sm_80,sm_90 --arch=sm_100 - -- python3 a.py --help --M=1"));
	assert_true(f->o.quick && f->o.check && f->o.n == 1 && !f->help);
	assert_int_equal(f->o.arch.n, 3);
	assert_string_equal(f->o.arch.items[0], "sm_80");
	assert_string_equal(f->o.arch.items[2], "sm_100");
	assert_int_equal(f->o.command.n, 4);
	assert_string_equal(f->o.command.items[3], "--M=1");
	assert_int_equal(f->o.args.n, 2);
	assert_string_equal(f->o.args.items[1], "-"); /* standard input */
	assert_int_equal(f->o.dims.n, 0);
	assert_true(parse(f, "x -n1 --ref= --ref=~"));
	assert_string_equal(f->o.ref, "~");
	assert_true(parse(f, "x -n1 --ref=a --ref ~"));
	assert_string_equal(f->o.ref, "");
}

static void help_wins(void **state)
{
	struct fixture *f = *state;
	assert_true(parse(f, "--nonsense -r0 --help") && f->help);
	assert_true(parse(f, "-h") && f->help);
	assert_true(parse_with(f, &bare, "-h") && !f->help && f->o.quick); /* its own -h */
	assert_true(parse_with(f, &bare, "--help") && f->help);
}

static void one_that_stands_alone(void **state)
{
	struct fixture *f = *state;
	assert_true(parse_with(f, &alone, "--look-at=x"));
	assert_string_equal(f->o.secret, "x");
	assert_int_equal(f->o.args.n, 0);
	assert_false(parse_with(f, &alone, "x"));
	assert_string_equal(f->e.text, "optimize: --max-iterations is missing and required: n");
	assert_false(parse_with(f, &alone, "--max-iterations=1"));
	assert_false(parse_with(f, &alone, "a b --look-at=x")); /* too many are too many */
}

static void refusals(void **state)
{
	static const struct {
		const char *line, *want;
	} cases[] = {
		{"x", "bench: --max-iterations=N is missing and required: optimisations"},
		{"-n1", "bench: needs FILE [FILE]; 0 of at least 1 given (see assay bench --help)"},
		{"-n1 a b c", "bench: 'c' is one argument too many; it takes FILE [FILE]"},
		{"x -n1 --repeet 3", "bench: unknown option --repeet; did you mean --repeat?"},
		{"x -n1 --repeats=3", "bench: unknown option --repeats=3; did you mean --repeat?"},
		{"x --max-iter=3", "bench: unknown option --max-iter=3; did you mean --max-iterations?"},
		{"x -n1 --zzzzzzzz-z", "bench: unknown option --zzzzzzzz-z (see assay bench --help)"},
		{"x -n1 --M 4096", "bench: unknown option --M; a dim is written --M=VALUE"},
		{"x -n1 --no-repeat", "bench: unknown option --no-repeat"},
		{"x -n1 -z", "bench: unknown option -z"},
		{"x -n1 -qz", "bench: unknown option -qz"},
		{"x -n0", "bench: -n: 0 is out of range; it must be at least 1"},
		{"x -n1 --repeat=1001", "bench: --repeat: 1001 is out of range; it must be 1..1000"},
		{"x -n1 --repeat=0", "it must be 1..1000"},
		{"x -n1 --repeat=4x", "bench: --repeat: '4x' is not a whole number"},
		{"x -n1 --repeat=9223372036854775808", "is not a whole number (of 64 bits)"},
		{"x -n1 --repeat=", "bench: --repeat: '' is not a whole number"},
		{"x -n1 --repeat", "bench: --repeat needs a value"},
		{"x -n1 --ref --M=3", "bench: --ref needs a value; write --ref=VALUE if it begins with --"},
		{"x -n1 -r", "bench: -r needs a value"},
		{"x -n1 --atol=nan", "bench: --atol: must be a finite number"},
		{"x -n1 --atol=0.75", "bench: --atol: 0.75 is out of range; it must be 0..0.5"},
		{"x -n1 --atol=a", "bench: --atol: 'a' is not a number"},
		{"x -n1 --backend=tritn",
		 "bench: --backend: 'tritn' is not one of cuda, c, triton; did you mean triton?"},
		{"x -n1 --backend=opencl", "bench: --backend: 'opencl' is not one of cuda, c, triton"},
		{"x -n1 --quick=yes", "bench: --quick takes no value (--no-quick turns it off)"},
		{"x -n1 --arch=a,,b", "bench: --arch: empty item"},
		{"x -n1 --command=ls", "bench: write the command behind a lone --"},
		{"x -n1 --M=4K", "bench: dim M: '4K' is not a whole number (of 64 bits) like 4096"},
		{"x -n1 --M=", "bench: dim M: '' is not a whole number"},
		{"x -n1 --M=1.5", "bench: dim M: '1.5'"},
		{"x -n1 --M=0x10", "bench: dim M: '0x10'"},
		{"x -n1 --M=9223372036854775808", "bench: dim M: '9223372036854775808'"},
		{"x -n1 --backnd=cuda", "bench: unknown option --backnd=cuda; did you mean --backend?"},
		{"x -n1 --M=1 --M=1", "bench: dim M is given twice"},
		{"x -n1 --_M=1", "bench: unknown option --_M=1"},
		{"x -n1 --=1", "bench: unknown option --=1"},
		{"x -n1 --a\nb=1", "bench: unknown option --a?b=1"},
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_false(parse(f, cases[i].line));
		assert_int_equal(f->e.code, ERR_USAGE);
		if (!strstr(f->e.text, cases[i].want))
			fail_msg("%s: got \"%s\", want \"%s\"", cases[i].line, f->e.text, cases[i].want);
	}
	assert_false(parse_with(f, &bare, "x"));
	assert_string_equal(f->e.text, "doctor: takes no argument: 'x'");
	assert_false(parse_with(f, &bare, "--M=3"));
	assert_string_equal(f->e.text, "doctor: unknown option --M=3 (see assay doctor --help)");
	assert_false(parse_with(f, &bare, "-- x"));
	assert_string_equal(f->e.text, "doctor: takes nothing behind --");
}

static bool from_json(struct fixture *f, const char *text)
{
	f->o = (struct options){.repeat = 20, .backend = "c"};
	struct json *j = json_parse(&f->a, "t", str_from(text), 0, &f->e);
	if (!j)
		fail_msg("%s", f->e.text);
	return opt_from_json(&spec, &f->o, &f->a, j, &f->e);
}

static void json_door(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"[]", "bench: the options must be a JSON object"},
		{"{\"args\":[\"x\"]}", "bench: \"max_iterations\" is missing and required"},
		{"{\"max_iterations\":1}", "bench: needs FILE"},
		{"{\"max-iterations\":1}", "bench: unknown key \"max-iterations\"; did you mean \"max_iterations\"?"},
		{"{\"secret_fd\":\"3\"}", "bench: unknown key \"secret_fd\""},
		{"{\"repeat\":0}", "bench: repeat: 0 is out of range; it must be 1..1000"},
		{"{\"repeat\":\"5\"}", "bench: \"repeat\" must be a whole number"},
		{"{\"repeat\":5.5}", "bench: \"repeat\" must be a whole number"},
		{"{\"repeat\":18446744073709551615}", "bench: \"repeat\" must be a whole number"},
		{"{\"quick\":1}", "bench: \"quick\" must be true or false"},
		{"{\"ref\":\"a\\u0000b\"}", "bench: \"ref\" must be a string without NUL"},
		{"{\"ref\":null}", "bench: \"ref\" must be a string"},
		{"{\"backend\":\"x\\ny\"}", "bench: backend: 'x?y' is not one of"},
		{"{\"atol\":true}", "bench: \"atol\" must be a number"},
		{"{\"arch\":\"sm_90\"}", "bench: \"arch\" must be an array of strings"},
		{"{\"arch\":[\"a\",2]}", "bench: \"arch\": element 1 must be a string"},
		{"{\"args\":\"x\"}", "bench: \"args\" must be an array of strings"},
		{"{\"dims\":[]}", "bench: \"dims\" must be an object"},
		{"{\"dims\":{\"M\":\"4\"}}", "bench: dim M must be a whole number"},
		{"{\"dims\":{\"M-x\":4}}", "bench: dim 'M-x': a name is a letter"},
	};
	struct fixture *f = *state;
	assert_true(from_json(
		f, "{\"args\":[\"x.cu\"],\"dims\":{\"M\":4096,\"K\":-2},\"max_iterations\":3.0,\"quick\":true,"
		   "\"arch\":[\"a,b\"],\"atol\":0.25,\"backend\":\"cuda\",\"command\":[\"ls\",\"-l\"]}"));
	assert_true(f->o.n == 3 && f->o.quick && f->o.atol == 0.25 && f->o.repeat == 20);
	assert_string_equal(f->o.backend, "cuda");
	assert_int_equal(f->o.arch.n, 1);
	assert_string_equal(f->o.arch.items[0], "a,b");
	assert_string_equal(f->o.command.items[1], "-l");
	assert_string_equal(f->o.args.items[0], "x.cu");
	assert_true(f->o.dims.n == 2 && f->o.dims.items[1].value == -2);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		assert_false(from_json(f, cases[i].text));
		assert_int_equal(f->e.code, ERR_INPUT);
		if (!strstr(f->e.text, cases[i].want))
			fail_msg("%s: got \"%s\", want \"%s\"", cases[i].text, f->e.text, cases[i].want);
	}
}

static void schema(void **state)
{
	struct fixture *f = *state;
	struct json *j = opt_schema(&spec, &f->a);
	json_write(&f->b, json_get(j, "required"), JSON_COMPACT);
	assert_string_equal(f->b.p, "[\"max_iterations\",\"args\"]");
	assert_false(json_bool(j, "additionalProperties", true));
	struct json *p = json_get(j, "properties");
	assert_int_equal(p->n, spec.n_rows - 1 + 2); /* no hidden row; args and dims */
	buf_clear(&f->b);
	json_write(&f->b, json_get(p, "repeat"), JSON_COMPACT);
	assert_string_equal(
		f->b.p, "{\"description\":\"calls per block\",\"maximum\":1000,\"minimum\":1,\"type\":\"integer\"}");
	assert_null(json_get(json_get(p, "max_iterations"), "maximum"));
	assert_null(json_get(json_get(p, "offset"), "minimum"));
	assert_true(json_f64(json_get(p, "atol"), "maximum", 0) == 0.5);
	buf_clear(&f->b);
	json_write(&f->b, json_get(json_get(p, "backend"), "enum"), JSON_COMPACT);
	assert_string_equal(f->b.p, "[\"cuda\",\"c\",\"triton\"]");
	assert_int_equal(json_i64(json_get(p, "args"), "maxItems", 0), 2);
	assert_true(str_is(json_path(p, "dims.additionalProperties.type")->text, "integer"));
	p = json_get(opt_schema(&bare, &f->a), "properties");
	assert_null(json_get(p, "dims"));
	assert_null(json_get(p, "args"));
}

static size_t widest(struct str text)
{
	size_t most = 0;
	struct str line;
	while (str_split(&text, '\n', &line))
		most = line.n > most ? line.n : most;
	return most;
}

static void help_text(void **state)
{
	struct fixture *f = *state;
	for (size_t width = 40; width <= 120; width += 20) {
		buf_clear(&f->b);
		opt_help(&spec, &f->b, width);
		if (widest(buf_view(&f->b)) > width)
			fail_msg("wider than %zu:\n%s", width, f->b.p);
	}
	buf_clear(&f->b);
	opt_help(&spec, &f->b, 80);
	static const char *const wanted[] = {
		"usage: assay bench --max-iterations=N [OPTIONS] FILE [FILE] [--NAME=VALUE ...]\n       [-- CMD]\n",
		"Time one kernel.",
		"  -q, --quick",
		"      --ref=FILE",
		"one of cuda, c, triton",
		"(1..1000)",
		"(at least 1; required)",
		"examples:\n  assay bench examples/softmax/v0.c --max-iterations=3\n",
		"  kept   as it is\n",
	};
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		if (!strstr(f->b.p, wanted[i]))
			fail_msg("no \"%s\" in:\n%s", wanted[i], f->b.p);
	}
	assert_null(strstr(f->b.p, "secret"));
}

static void man_page(void **state)
{
	struct fixture *f = *state;
	opt_man(&spec, &f->b);
	static const char *const wanted[] = {
		".TH ASSAY\\-BENCH 1",
		".SH NAME\nassay\\-bench \\- Time one kernel.\n",
		".TP\n\\fB\\-r\\fR, \\fB\\-\\-repeat\\fR=\\fIN\\fR\n",
		"path\\ename",
		".SH EXAMPLES\n",
	};
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		if (!strstr(f->b.p, wanted[i]))
			fail_msg("no \"%s\" in:\n%s", wanted[i], f->b.p);
	}
	assert_null(strstr(f->b.p, "secret"));
}

static void completion(void **state)
{
	static const char *const wanted[][4] = {
		[OPT_BASH] = {"bench doctor", "--backend=", "cuda c triton", "complete -o default -F _assay assay"},
		[OPT_ZSH] = {"#compdef assay", "'doctor:What'\\''s here", "{-r+,--repeat=}", "(cuda c triton)"},
		[OPT_FISH] = {"complete -c assay", "-l repeat -s r", "cuda c triton", "What\\'s here"},
	};
	struct fixture *f = *state;
	const struct opt_spec *specs[] = {&spec, &bare};
	for (size_t shell = OPT_BASH; shell <= OPT_FISH; shell++) {
		buf_clear(&f->b);
		opt_completion(specs, 2, (enum opt_shell)shell, &f->b);
		for (size_t i = 0; i < 4; i++) {
			if (!strstr(f->b.p, wanted[shell][i]))
				fail_msg("no \"%s\" in:\n%s", wanted[shell][i], f->b.p);
		}
		assert_null(strstr(f->b.p, "secret"));
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_form), TEST(lists_and_commands), TEST(help_wins),
		TEST(refusals),   TEST(json_door),          TEST(one_that_stands_alone),
		TEST(schema),     TEST(help_text),          TEST(man_page),
		TEST(completion),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
