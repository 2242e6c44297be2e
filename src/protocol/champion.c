/* Selecting the Champion.
 * In: a passed target result or a rejected final audit, and what the caller believes is selected now. Out: a selection.
 * champion/current.json is replaced only when it still is what the caller saw.
 * Never: selects by itself. */
#include "protocol/champion.h"

#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "protocol/evaluate/plan.h"
#include "protocol/shape.h"

#define INPUT PROTOCOL("champion-input-v1")

static bool read_selection(struct champion *out, struct protocol *p, const struct target *t, const struct json *pointer,
			   struct err *e)
{
	char sha256[SHA256_HEX];
	const struct json *ref = json_get(pointer, "selection_ref");
	if (!shape_same(json_get(pointer, "target_ref"), t->ref) || !shape_ref(ref, "selection_ref", "id", e))
		return err_set(e, ERR_CORRUPT,
			       "champion/current.json: belongs to another Target, or names no selection");
	char *path = arena_printf(p->arena, "champion/selections/%s.json", json_str(ref, "id", STR("")).p);
	out->selection = evidence_record(p, path, sha256, e);
	if (!out->selection)
		return false;
	if (!str_is(json_str(ref, "sha256", STR("")), sha256))
		return err_set(e, ERR_CORRUPT, "%s: is not what champion/current.json names", path);
	out->selection_ref = shape_copy(p->arena, ref);
	out->variant = json_get(out->selection, "selected_variant");
	return out->variant != NULL || err_set(e, ERR_CORRUPT, "%s: has no variant", path);
}

bool champion_load(struct champion *out, struct protocol *p, const struct target *t, struct err *e)
{
	*out = (struct champion){.variant = json_get(t->record, "original")};
	protocol_step(p, "selection_invalid");
	if (!file_exists(evidence_path(p, "champion/current.json")))
		return true;
	struct json *pointer = evidence_record(p, "champion/current.json", out->pointer_sha256, e);
	return pointer && read_selection(out, p, t, pointer, e);
}

static struct json *answer_of(struct protocol *p, const char *status, const struct target *t, const struct json *ref,
			      struct json *variant)
{
	struct json *j = json_object(p->arena);
	json_set_cstr(j, "status", status);
	json_set(j, "target_ref", t->ref);
	json_set_null(j, "selection_ref");
	if (ref)
		json_set(j, "selection_ref", shape_copy(p->arena, ref));
	json_set(j, "variant", variant);
	return j;
}

/* ---- what may be selected ---- */

static bool is(const struct json *j, const char *path, const char *word)
{
	const struct json *x = json_path(j, path);
	return x && x->type == JSON_STRING && str_is(x->text, word);
}

static bool same_digest(const struct json *a, const struct json *b)
{
	return str_eq(json_str(a, "digest", STR("a")), json_str(b, "digest", STR("b")));
}

static bool may_select(const struct json *r, const struct champion *now, struct err *e)
{
	static const char *const wanted[][2] = {
		{"operation", "target"},           {"verdict", "passed"},
		{"assay.verdict", "passed"},       {"execution_status", "succeeded"},
		{"measurement_validity", "valid"}, {"cleanup_status", "confirmed"},
		{"reference_status", "current"},   {"performance_receipt.status", "valid"}};
	for (size_t i = 0; i < COUNT_OF(wanted); i++) {
		const struct json *x = json_path(r, wanted[i][0]);
		if (!is(r, wanted[i][0], wanted[i][1]))
			return err_set(e, ERR_INPUT, "select: %s of the result is %.40s, not %s", wanted[i][0],
				       x && x->type == JSON_STRING ? x->text.p : "absent", wanted[i][1]);
	}
	return same_digest(now->variant, json_at(json_get(r, "variant_refs"), 0)) ||
	       err_set(e, ERR_INPUT, "select: the result compares with another variant than the Champion of now");
}

static bool may_restore(const struct json *r, const struct champion *now, const struct target *t, struct err *e)
{
	if (!is(r, "operation", "final_audit") || !is(r, "verdict", "rejected") ||
	    !json_bool(r, "restore_supported", false))
		return err_set(
			e, ERR_INPUT,
			"restore-original: needs a final audit that rejected the Champion while the original held");
	const struct json *v = json_get(r, "variant_refs");
	return (same_digest(json_at(v, 0), json_get(t->record, "original")) &&
		same_digest(json_at(v, 1), now->variant)) ||
	       err_set(e, ERR_INPUT, "restore-original: the audit is about another Champion");
}

/* ---- selecting ---- */

static bool put_selection(struct json **ref, struct protocol *p, struct json *selection, struct err *e)
{
	unsigned char random[16];
	char id[40] = "sel-", sha256[SHA256_HEX];
	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return err_set(e, ERR_SYSTEM, "random number");
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(id + 4 + 2 * i, 3, "%02x", random[i]);
	json_set_cstr(selection, "id", id);
	if (!evidence_write(p, arena_printf(p->arena, "champion/selections/%s.json", id), selection, sha256, e))
		return false;
	*ref = json_object(p->arena);
	json_set_cstr(*ref, "id", id);
	json_set_cstr(*ref, "sha256", sha256);
	return true;
}

static bool point_at(struct protocol *p, const struct target *t, struct json *ref, struct err *e)
{
	struct buf b;
	struct json *j = json_object(p->arena);
	json_set_cstr(j, "record_type", "champion_pointer");
	json_set_cstr(j, "format_version", PROTOCOL("champion-pointer-v1"));
	json_set(j, "target_ref", t->ref);
	json_set(j, "selection_ref", ref);
	buf_init(&b);
	json_write(&b, j, JSON_PRETTY);
	bool ok = file_write_str(evidence_path(p, "champion/current.json"), buf_view(&b), e);
	buf_release(&b);
	return ok;
}

static bool change(struct json **answer, struct protocol *p, const struct json *request, const struct target *t,
		   struct err *e)
{
	bool restores = str_is(json_str(request, "operation", STR("")), "restore-original");
	const struct json *expected = json_get(request, "expected_selection_ref"),
			  *ref = json_get(request, "result_ref");
	struct champion now;
	struct json *none = json_new_null(p->arena), *new_ref = NULL;
	char *path = arena_printf(p->arena, "invocations/%s/result.json", json_str(ref, "invocation_id", STR("")).p);
	struct json *r = plan_record(p, "result", path, ref, e);
	if (!r || !champion_load(&now, p, t, e))
		return false;
	protocol_step(p, "stale_reference");
	if (!shape_same(expected, now.selection_ref ? now.selection_ref : none))
		return err_set(e, ERR_INPUT, "expected_selection_ref: is not what is selected now");
	if (!restores &&
	    !shape_same(json_get(r, "reference_selection_ref"), now.selection_ref ? now.selection_ref : none))
		return err_set(e, ERR_INPUT, "the result's reference is not what is selected now");
	protocol_step(p, "result_invalid");
	if (!shape_same(json_get(r, "target_ref"), t->ref))
		return err_set(e, ERR_INPUT, "the result belongs to another Target");
	if (!(restores ? may_restore(r, &now, t, e) : may_select(r, &now, e)))
		return false;
	protocol_step(p, "champion_error");
	struct json *variant = restores ? json_get(t->record, "original") : json_at(json_get(r, "variant_refs"), 1);
	struct json *s = json_object(p->arena);
	json_set_cstr(s, "record_type", "champion_selection");
	json_set_cstr(s, "format_version", PROTOCOL("champion-selection-v1"));
	json_set(s, "target_ref", t->ref);
	json_set(s, "selected_variant", variant);
	json_set_cstr(s, "decision", restores ? "restore_original" : "select_candidate");
	json_set(s, "comparison_result_ref", shape_copy(p->arena, ref));
	json_set(s, "previous_selection_ref", now.selection_ref ? now.selection_ref : none);
	json_set_f64(s, "created_at_epoch", (double)clock_unix_ns() / 1e9);
	if (!put_selection(&new_ref, p, s, e) || !point_at(p, t, new_ref, e))
		return false;
	*answer = answer_of(p, restores ? "restored_original" : "selected", t, new_ref, variant);
	return true;
}

static bool check(const struct json *r, struct err *e)
{
	bool show = str_is(json_str(r, "operation", STR("")), "show");
	const struct json *expected = json_get(r, "expected_selection_ref");
	if (!shape_word(r, "request", "format_version", INPUT, e) ||
	    !shape_word(r, "request", "operation", "show|select|restore-original", e) ||
	    !shape_check(r, "request",
			 show ? "format_version:s operation:s artifact_root:s target_ref:o"
			      : "format_version:s operation:s artifact_root:s target_ref:o result_ref:o "
				"expected_selection_ref:x",
			 e) ||
	    !shape_ref(json_get(r, "target_ref"), "target_ref", "id", e))
		return false;
	return show || (shape_ref(json_get(r, "result_ref"), "result_ref", "invocation_id", e) &&
			(expected->type == JSON_NULL || shape_ref(expected, "expected_selection_ref", "id", e)));
}

bool champion_request(struct json **answer, struct protocol *p, const struct json *request, struct err *e)
{
	struct target t;
	protocol_step(p, "invalid_champion_input");
	if (!check(request, e) || !target_load_optimizable(&t, p, json_get(request, "target_ref"), e))
		return false;
	if (str_is(json_str(request, "operation", STR("")), "show")) {
		struct champion now;
		if (!champion_load(&now, p, &t, e))
			return false;
		*answer = answer_of(p, "current", &t, now.selection_ref, now.variant);
		return true;
	}
	int lock = evidence_lock(p, "champion", e); /* one selection at a time: the second finds another one selected */
	bool ok = lock >= 0 && change(answer, p, request, &t, e);
	if (lock >= 0)
		close(lock);
	return ok;
}
