/* Compiler stages.
 * In: source, IR, PTX, SASS text or a binary of a Target. Out: what the file says about itself.
 * IR shows what the compiler was given; registers, spills and shared memory come from PTX and binaries alone.
 * Never: a claim beyond the stage. */
#include "inspect/artifact.h"
#include "protocol/shape.h"
#include "read/elf/elf.h"

#define STAGES "source|ttir|ttgir|llvm_ir|ptx|sass|binary"

static bool check_content(struct inspection *i, const struct artifact *f, const struct stage_facts *s, struct err *e)
{
	enum stage seen = stage_of_text(f->text);
	protocol_step(i->p, "unsupported_artifact");
	if (f->stage == STAGE_SOURCE)
		return s->is_text || err_set(e, ERR_INPUT, "%s: is no text", f->path);
	if (seen != STAGE_COUNT && seen != f->stage)
		return err_set(e, ERR_INPUT, "%s: its bytes are %s, its stage says %s", f->path, stage_name(seen),
			       stage_name(f->stage));
	return s->is_whole ||
	       err_set(e, ERR_INPUT, "%s: a marker of stage %s is missing", f->path, stage_name(f->stage));
}

static bool put_binary(struct json *assay, struct inspection *i, const struct artifact *f, struct err *e)
{
	struct elf_file elf;
	protocol_step(i->p, "unsupported_artifact");
	if (!elf_read(&elf, i->p->arena, f->path, f->text, e))
		return false;
	if (elf.problem.n)
		return err_set(e, ERR_INPUT, "%s: %.*s", f->path, STR_ARG(elf.problem));
	json_set(assay, "binary", elf_json(&elf, i->p->arena));
	return true;
}

static struct json *observation(struct arena *a, const struct json *whole)
{
	static const char *const same[] = {"stage",      "content_sha256",    "size_bytes",        "encoding",
					   "line_count", "ends_with_newline", "structural_markers"};
	struct json *o = json_object(a);
	for (size_t k = 0; k < COUNT_OF(same); k++) {
		if (json_get(whole, same[k]))
			json_set(o, same[k], json_get(whole, same[k]));
	}
	return o;
}

static bool read_stage(struct json *result, struct inspection *i, struct err *e)
{
	struct arena *a = i->p->arena;
	struct artifact f;
	struct stage_facts s;
	struct json *assay = json_object(a), *p;
	if (!artifact_open(&f, i, e))
		return false;
	stage_read(&s, a, f.stage, f.text);
	if (!check_content(i, &f, &s, e))
		return false;
	struct json *whole = stage_json(&s, a);
	json_set(assay, "stage", whole);
	if ((f.stage == STAGE_BINARY || f.stage == STAGE_PTX) && !put_binary(assay, i, &f, e))
		return false;
	json_push(json_set_array(result, "observations"), observation(a, whole));
	json_set_array(result, "unmodeled");
	p = json_set_object(result, "provenance");
	json_set(p, "artifact", json_get(i->frozen, "artifact"));
	json_set(p, "parser_version", json_path(i->frozen, "artifact.dialect"));
	json_set(p, "tool_identity", json_get(i->frozen, "tool_identity"));
	json_set_array(p, "command_receipts");
	json_set(result, "assay", assay);
	return true;
}

static bool freeze_stage(struct inspection *i, struct err *e)
{
	return artifact_freeze(i, STAGES, false, e);
}

const struct family family_compiler = {
	.name = "compiler",
	.format = PROTOCOL("compiler-input-v1"),
	.code = "invalid_compiler_input",
	.contract = PROTOCOL("compiler-result-v1"),
	.record_type = "compiler_result",
	.members = "artifact_ref:o",
	.freeze = freeze_stage,
	.read = read_stage,
};
