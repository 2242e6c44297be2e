# The evidence protocol from readiness to final audit, with a driver whose numbers are exact.
needs: assay request --help >/dev/null


## the helpers
$ cat >go <<'S'
+ # go NAME [key=value...]: writes a request, has it answered, prints the exit status and the code of a refusal
+ python3 $DATA/protocol/make.py "$@" || exit
+ case ${2:-} in *=*|'') name=$1 ;; *) name=$2 ;; esac
+ assay request $name.json --wait >$name.new 2>err; status=$?
+ [ -s $name.new ] && mv $name.new $name.out
+ echo "$status$(sed -n 's/.*"error_code": "\([a-z_]*\)".*/ \1/p' err)"
+ S
+ printf 'python3 $DATA/protocol/make.py get "$@"\n' >get

## readiness freezes a Target, baseline measures the original
$ python3 $DATA/protocol/make.py setup; assay request readiness.json >readiness.out; sh get readiness.out status; sh go baseline; sh get baseline.out verdict; sh get baseline.out completed_driver_calls
> ready
> 0
> passed
> 2
$ assay request readiness.json 2>&1 | grep -o invalid_readiness_input
> invalid_readiness_input

## an Experiment, a screen before the target, the target
$ sh go experiment screen=yes; sh go target; sh go screen pairs=4; sh get screen.out verdict; sh go target; sh get target.out verdict; sh get target.out compat_status; sh get target.out stop_reason
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
$ sh go audit; sh get audit.out verdict; sh get audit.out restore_supported; sh get audit.out comparison_contract.relationship
> 0
> passed
> false
> implementation_equivalence

## the same request again is answered from its result, a replicate is measured anew
$ a=$(sh get target.out invocation_id); sh go champion show do=show; sh go baseline; sh get baseline.out completed_driver_calls; sh go baseline format=assay/evaluator-input-v3 replicate=2; sh get baseline.out verdict
> 0
> 0
> 2
> 0
> passed

## both subjects in one process
$ mkdir same; cd same; ln -s ../go ../get .; python3 $DATA/protocol/make.py setup; assay request readiness.json >readiness.out; sh go baseline; sh go experiment lifecycle=same_process; sh go target; sh get target.out verdict; sh get target.out completed_driver_calls
> 0
> 0
> 0
> passed
> 12

## a wrong candidate is rejected before its numbers count; a case that is slower is no win; a hurt constraint rejects
$ mkdir three; cd three; ln -s ../go ../get .; python3 $DATA/protocol/make.py setup cases=4; assay request readiness.json >readiness.out; sh go baseline cases=4
+ for c in '8 wrong=1' '5 case3=3' '8 memory=120' '10'; do echo "$c" >candidate/cost; sh go experiment; sh go target cases=4; sh get target.out verdict; sh get target.out stop_reason; done
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

## what is outside the scope, unchanged, from another base, or unknown is refused
$ mkdir four; cd four; ln -s ../go ../get .; python3 $DATA/protocol/make.py setup; assay request readiness.json >readiness.out; sh go baseline; sh go experiment scope=other; cp -r original copy; sh go experiment candidate=copy; echo 11 >original/cost; sh go experiment
> 0
> 2 change_scope_exceeded
> 2 candidate_unchanged
> 2 source_base_changed
$ python3 -c 'import json; x = json.load(open("baseline.json")); x["more"] = 1; json.dump(x, open("baseline.json", "w"))'; assay request baseline.json 2>&1 | grep -o '"error_code": "[a-z_]*"'; echo '{"a": 1, "a": 2}' >twice.json; assay request twice.json 2>/dev/null; echo $?
> "error_code": "invalid_evaluator_input"
> 2
