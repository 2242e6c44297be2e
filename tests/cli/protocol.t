# The evidence protocol from readiness to final audit, with a driver whose numbers are exact.
needs: assay request --help >/dev/null


## the helpers
$ cat >go <<'S'
+ # go NAME [key=value...]: writes a request, has it answered, prints the exit status and the code of a refusal
+ python3 -S $DATA/protocol/make.py "$@" || exit
+ case ${2:-} in *=*|'') name=$1 ;; *) name=$2 ;; esac
+ assay request $name.json --wait >$name.new 2>err; status=$?
+ [ -s $name.new ] && mv $name.new $name.out
+ echo "$status$(sed -n 's/.*"error_code": "\([a-z_]*\)".*/ \1/p' err)"
+ S
+ printf 'python3 -S $DATA/protocol/make.py get "$@"\n' >get

## readiness freezes a Target, baseline measures the original
$ python3 -S $DATA/protocol/make.py setup; assay request readiness.json >readiness.out; sh get readiness.out status; sh go baseline; sh get baseline.out verdict; sh get baseline.out completed_driver_calls
> ready
> 0
> passed
> 2
$ assay request readiness.json 2>&1 | grep -o invalid_readiness_input
> invalid_readiness_input

## an Experiment, a screen before the target, the target
$ sh go experiment screen=yes; sh go target; sh go screen pairs=2; sh get screen.out verdict; sh go target pairs=4; sh get target.out verdict; sh get target.out compat_status; sh get target.out stop_reason
> 0
> 2 screen_required
> 0
> inconclusive
> 0
> passed
> confirmed_win
> completed

## select needs what the caller saw; the second selection of the same result is refused
$ sh go champion show do=show; sh get show.out selection_ref; sh go select; sh get select.out status; sh go select
> 0
> null
> 0
> selected
> 2 stale_reference

## a final audit against the original; the store verifies by its digests
$ sh go audit pairs=4; sh get audit.out verdict; sh get audit.out restore_supported; sh get audit.out comparison_contract.relationship
> 0
> passed
> false
> implementation_equivalence

## records have the published fields, digests and ids are made again; everything verifies
$ python3 -S $DATA/protocol/shape.py; assay verify --store root | sed 's/.*hashed; //'
> every field, every digest
> 0 damaged, 0 unfinished, 0 leftovers

## the same request again is answered from its result, a replicate is measured anew
$ a=$(sh get target.out invocation_id); sh go champion show do=show; sh go baseline; sh get baseline.out completed_driver_calls; sh go baseline format=assay/evaluator-input-v3 replicate=2; sh get baseline.out verdict
> 0
> 0
> 2
> 0
> passed

## both subjects in one process
$ mkdir same; cd same; ln -s ../go ../get .; python3 -S $DATA/protocol/make.py setup; assay request readiness.json >readiness.out; sh go baseline; sh go experiment lifecycle=same_process; sh go target pairs=4; sh get target.out verdict; sh get target.out completed_driver_calls
> 0
> 0
> 0
> passed
> 8

## a wrong candidate is rejected before its numbers count; a case that is slower is no win; a hurt constraint rejects
$ mkdir three; cd three; ln -s ../go ../get .; python3 -S $DATA/protocol/make.py setup cases=3; assay request readiness.json >readiness.out; sh go baseline cases=3
+ for c in '8 wrong=1' '5 case2=3' '8 memory=120' '10'; do echo "$c" >candidate/cost; sh go experiment lifecycle=same_process; sh go target cases=3 pairs=4; sh get target.out verdict; sh get target.out stop_reason; done
> 0
> 0
> 1
> rejected
> correctness_failed
> 0
> 1
> inconclusive
> case_regression
> 0
> 1
> rejected
> constraint_failed
> 0
> 1
> rejected
> minimum_effect_not_met

## two selections at once: one of them, the other sees that it is stale
$ mkdir two; cd two; ln -s ../go ../get .; python3 -S $DATA/protocol/make.py setup cases=1; assay request readiness.json >readiness.out; sh go baseline cases=1; sh go experiment; sh go target cases=1 pairs=4; python3 -S $DATA/protocol/make.py select; for i in 1 2 3 4; do assay request select.json >s$i 2>e$i & done; wait; cat s? | grep -o '"status": "selected"'; cat e? | grep -c stale_reference; ls root/champion/selections | wc -l
> 0
> 0
> 0
> "status": "selected"
> 3
> 1

## weaknesses 17, 22: a driver behind a link, a case that is a path
$ mkdir odd; cd odd; ln -s ../go ../get .; ln -s $(command -v python3) py; python3 -S $DATA/protocol/make.py setup command_line="$PWD/py -S $DATA/protocol/driver.py"; sed -i 's|"case1"|"../../up"|' readiness.json; assay request readiness.json >readiness.out; python3 -S $DATA/protocol/make.py baseline; sed -i 's|"case1"|"../../up"|' baseline.json; assay request baseline.json --wait >baseline.out; sh get baseline.out verdict; ls root/invocations/*/driver | wc -l; python3 -S -c 'import json; print(json.load(open("root/target.json"))["driver"]["command"][0].endswith("/py"))'
> passed
> 2
> True

## weaknesses 1, 4: a result above 4 MiB is read back; a torn line of events changes nothing
$ mkdir big; cd big; ln -s ../go ../get .; python3 -S $DATA/protocol/make.py setup cases=2; assay request readiness.json >readiness.out; sh go baseline samples=95000; sh go baseline samples=95000; python3 -S -c 'import os; print(os.path.getsize("baseline.out") > 4 << 20)'
+ id=$(sh get baseline.out invocation_id); printf '{"event": "guard' >>root/invocations/$id/events.jsonl; printf '{"format_version": "cuda-kernel-optimizer/evaluator-input-v2", "operation": "status", "artifact_root": "%s", "invocation_id": "%s"}' $PWD/root $id >ask.json; assay request ask.json >ask.out; sh get ask.out query_status
> 0
> 0
> True
> completed

## what is outside the scope, unchanged, from another base, or unknown is refused
$ mkdir four; cd four; ln -s ../go ../get .; python3 -S $DATA/protocol/make.py setup; assay request readiness.json >readiness.out; sh go baseline; sh go experiment scope=other; cp -r original copy; sh go experiment candidate=copy; echo 11 >original/cost; sh go experiment
> 0
> 2 change_scope_exceeded
> 2 candidate_unchanged
> 2 source_base_changed
$ python3 -c 'import json; x = json.load(open("baseline.json")); x["more"] = 1; json.dump(x, open("baseline.json", "w"))'; assay request baseline.json 2>&1 | grep -o '"error_code": "[a-z_]*"'; echo '{"a": 1, "a": 2}' >twice.json; assay request twice.json 2>/dev/null; echo $?
> "error_code": "invalid_evaluator_input"
> 2

## requests served by a local server: throughput with p95 and p99 constraints, readiness to final audit
$ mkdir serve; cd serve; ln -s ../go ../get .; echo; python3 -S $DATA/protocol/make.py setup objective=serving cases=1 original=1 cost=0.2 command_line="python3 -S $DATA/protocol/serve.py"; assay request readiness.json >readiness.out; sh get readiness.out highest_claim_layer
+ sh go baseline cases=1 samples=5; sh go experiment; sh go target cases=1 pairs=4; sh get target.out verdict; sh go champion show do=show; sh go select; sh go audit cases=1 pairs=4; sh get audit.out verdict
> 
> serving
> 0
> 0
> 0
> passed
> 0
> 0
> 0
> passed

## a wrong denominator makes the metric diagnostic: no verdict from it (version 3)
$ mkdir audit; cd audit; ln -s ../go ../get .; python3 -S $DATA/protocol/make.py setup mode=denominator cases=1 format=assay/readiness-input-v3 extra='{"metric_audit": [{"metric": "latency", "numerator": "time", "denominator": "tokens", "source": "driver", "reconstruction": "none", "identities": ["requests * tokens == total"]}]}'
+ assay request readiness.json >readiness.out; sh get readiness.out highest_claim_layer; sh go baseline cases=1; sh go experiment; sh go target cases=1 pairs=4; sh get target.out verdict; sh get target.out stop_reason
> diagnostic
> 0
> 0
> 1
> inconclusive
> metric_diagnostic

## a launcher that cannot resolve: no sample, nothing left, the same command line is refused
$ mkdir launch; cd launch; printf 'echo tried >>tries; echo "gaierror: Name or service not known" >&2; sleep 66.6 & exit 1\n' >launcher; python3 -S $DATA/protocol/make.py setup format=assay/readiness-input-v3 extra="{\"launcher\": {\"command\": [\"sh\", \"$PWD/launcher\"], \"timeout_seconds\": 5}}"
+ assay request readiness.json 2>&1 | grep -o 'name resolution or rendezvous failed'; ls root 2>/dev/null; for f in /proc/[0-9]*/cmdline; do tr '\0' ' ' <$f; echo; done 2>/dev/null | grep -c '^sleep 66[.]6'; assay request readiness.json 2>&1 | grep -o 'is not started again'; wc -l <tries
> name resolution or rendezvous failed
> 0
> is not started again
> 1

## a claim that contradicts itself: creation is refused, the draft is kept (version 3)
$ mkdir claim; cd claim; ln -s ../go ../get .; python3 -S $DATA/protocol/make.py setup cases=1; assay request readiness.json >readiness.out; sh go baseline cases=1
+ claim() { printf '{"opportunity_claim": {"boundary": {"regions": ["r"], "shape": "s", "phase": "p", "lowering": "l", "graph": "g", "dispatch": "d", "fallback": "f", "overlap": "o"}, "expected_effect_pct": %s, "components": [{"name": "k", "occurrence": 1, "exposed_share": %s, "local_reduction": 0.5, "added_cost": 0, "relation": "same_boundary", "counted": true}]}}' $1 $2; }
+ sh go experiment format=assay/evaluator-input-v3 extra="$(claim 0.5 0.01)"; ls root/drafts | wc -l; sh go experiment format=assay/evaluator-input-v3 extra="$(claim 3 0.1)"
> 0
> 2 opportunity_claim_contradicted
> 1
> 0

## a prediction that the target run contradicts: the next Experiment is refused until it is reconciled
$ cd claim; sh go target cases=1 pairs=4; sh get target.out assay.prediction.contradicted; echo 7 >candidate/cost; sh go experiment; sh go reconcile; sh get reconcile.out status; sh go experiment
> 0
> true
> 2 reconciliation_required
> 0
> reconciled
> 0

## a secondary win with the primary missed: select is refused, the handoff keeps it as a local result
$ mkdir local; cd local; ln -s ../go ../get .; python3 -S $DATA/protocol/make.py setup cases=1 cost='10 memory=80'; assay request readiness.json >readiness.out; sh go baseline cases=1; sh go experiment lifecycle=same_process; sh go target cases=1 pairs=8; sh go champion show do=show; sh go select
> 0
> 0
> 1
> 0
> 2 result_invalid
$ cd local; echo '{"conclusion": "memory alone", "skill_feedback": []}' >mine.json; assay handoff root --judgement mine.json --json >handoff.json; python3 -S -c 'import json; h = json.load(open("handoff.json")); print(h["primary_reached"], [(x["name"], x["note"], x["declared"]) for x in h["local_results"]], h["rejected_directions"][0]["closes"], h["champion"]["is_original"], len(h["blanks"]), len(h))'; assay handoff root --redact --json | grep -c "$PWD"; echo '{"more": 1}' >mine.json; assay handoff root --judgement mine.json
> False [('memory', 'primary not reached', False)] implementation True 8 25
> 0
! assay: judgement: "more" is no field of it
= 2
