/* Prompts: the two loops.
 * In: prompts/list, prompts/get. Out: one message that names the skill, the tools and what the user gave.
 * The number of iterations is required: it is the user's to say.
 * Never: holds what the skills say; it points to them. */
#include "door/mcp/inside.h"

struct argument {
	const char *name, *text;
	bool is_required;
};
#define MAX_ARGUMENTS 4
static const struct prompt {
	const char *name, *title, *text, *body, *skill;
	struct argument arguments[MAX_ARGUMENTS];
} prompts[] = {
	{"optimize_operator",
	 "Optimise one kernel from v0 to vN",
	 "The operator loop: correctness, benchmark, reports, proposal, next version, best version.",
	 "Optimise the kernel below with the tools of assay, as the skill says. Tools in order: doctor, check, "
	 "optimize with "
	 "max_iterations as given; then, per version: read the reports of iter_vI, write the proposal at proposal_path "
	 "and the "
	 "next version at next_path (both named by the state), and call optimize again with run_dir and iteration. "
	 "Claims cite "
	 "the tools' numbers.",
	 "assay://doc/optimized-skill/operator-optimize-loop/SKILL.md",
	 {{"file", "The kernel: .cu, .py or .c", true},
	  {"max_iterations", "Optimisations after v0; the user says it", true},
	  {"ref", "Reference that says what is correct", false},
	  {"backend", "cuda, cutlass, triton or c", false}}},
	{"optimize_workload",
	 "Optimise a whole workload by evidence",
	 "The workload loop: target, readiness, baseline, candidates, paired measurement, handoff.",
	 "Work on the workload below as the skill says. Only a paired measurement of the user's own workload supports "
	 "a claim "
	 "about it; a kernel measurement supports a claim about the kernel.",
	 "assay://doc/cuda-kernel-optimizer/SKILL.md",
	 {{"goal", "The primary metric and the least effect that counts", true},
	  {"workload", "The workload and how it is started", true}}},
};

struct json *mcp_prompts_list(struct mcp_request *q)
{
	size_t at;
	if (!mcp_cursor(q, COUNT_OF(prompts), &at))
		return NULL;
	struct json *result = mcp_result(q->a, q->version, true), *list = json_set_array(result, "prompts");
	for (; at < COUNT_OF(prompts); at++) {
		const struct prompt *p = &prompts[at];
		struct json *j = json_object(q->a), *arguments = json_set_array(j, "arguments");
		json_set_cstr(j, "name", p->name);
		json_set_cstr(j, "title", p->title);
		json_set_cstr(j, "description", p->text);
		for (size_t i = 0; i < MAX_ARGUMENTS && p->arguments[i].name; i++) {
			struct json *x = json_object(q->a);
			json_set_cstr(x, "name", p->arguments[i].name);
			json_set_cstr(x, "description", p->arguments[i].text);
			json_set_bool(x, "required", p->arguments[i].is_required);
			json_push(arguments, x);
		}
		json_push(list, j);
	}
	return result;
}

static struct json *fill(struct mcp_request *q, const struct prompt *p)
{
	const struct json *given = json_get(q->params, "arguments");
	struct buf b;
	buf_init(&b);
	buf_printf(&b, "%s\nThe skill: %s\n", p->body, p->skill);
	for (size_t i = 0; i < MAX_ARGUMENTS && p->arguments[i].name; i++) {
		struct str v = json_str(given, p->arguments[i].name, STR(""));
		if (v.n == 0 && p->arguments[i].is_required) {
			buf_release(&b);
			return mcp_fail(q, MCP_BAD_PARAMS, "%s: the argument %s is required", p->name,
					p->arguments[i].name);
		}
		if (v.n)
			buf_printf(&b, "%s: %.*s\n", p->arguments[i].name, STR_ARG(v));
	}
	struct json *result = mcp_result(q->a, q->version, false), *m = json_object(q->a);
	json_set_cstr(result, "description", p->text);
	json_push(json_set_array(result, "messages"), m);
	json_set_cstr(m, "role", "user");
	struct json *content = json_set_object(m, "content");
	json_set_cstr(content, "type", "text");
	json_set_str(content, "text", arena_str(q->a, buf_view(&b)));
	buf_release(&b);
	return result;
}

struct json *mcp_prompts_get(struct mcp_request *q)
{
	struct str name = json_str(q->params, "name", STR(""));
	for (size_t i = 0; i < COUNT_OF(prompts); i++) {
		if (str_is(name, prompts[i].name))
			return fill(q, &prompts[i]);
	}
	char shown[STR_SHOWN];
	return mcp_fail(q, MCP_BAD_PARAMS, "there is no prompt \"%s\"", str_shown(shown, name));
}
