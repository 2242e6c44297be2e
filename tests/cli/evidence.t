# The verbs of the evidence protocol: options that make the closed requests.
needs: assay request --help >/dev/null
masks: NUM CWD

## a Target from options: what the same request in JSON makes, with the same id
$ python3 -S $DATA/protocol/make.py setup
+ new() { root=$1; shift; assay target new $root --original original --suite suite --cases case0,case1 --reference reference --accept 'errors<=0' --primary latency:ms:lower --constraint memory:MB:lower:5 --min-pairs 4 --bootstrap 400 --same-process "$@" -- $(python3 -c 'import sys; print(sys.executable)') -S $DATA/protocol/driver.py; }
+ new root >new.out; grep status new.out; new other --print-request >r.json; python3 -S -c 'import json; a, b = json.load(open("r.json")), json.load(open("readiness.json")); drop = ("artifact_root", "smoke", "scan_limits"); print([k for k in b if k not in drop and a.get(k) != b[k]], sorted(a) == sorted(b))'
+ assay request r.json | grep -o '"status": "ready"'; python3 -S -c 'import json; print(json.load(open("root/target.json"))["id"] == json.load(open("other/target.json"))["id"])'
> status ready
> [] True
> "status": "ready"
> True

## printed and not answered: nothing is written
$ assay target new third --original original --suite suite --cases a --reference reference --accept 'x>=1' --primary m:s:higher:p95 --print-request --max-risk low --budget-wall 60 -- ./driver | python3 -S -c 'import json, sys; r = json.load(sys.stdin); print(r["format_version"], r["max_risk"], r["budget"], r["objective"]["primary_metric"]["aggregation"])'; ls -d third 2>/dev/null
> assay/readiness-input-v3 low {'gpu_seconds': 1000000000000.0, 'wall_seconds': 60.0} p95
= 2

## baseline, experiment, screen, target, select, audit
$ assay baseline root --samples 2 --wait --json >b.json; python3 -S -c 'import json; print(json.load(open("b.json"))["verdict"])'; assay experiment root --candidate candidate --hypothesis 'costs less, by far' --mechanism test.cost --scope cost --screen diagnostic_proxy --diagnostic checks --json >x.json; assay target run root --wait 2>&1 | grep -o screen_required; assay screen root --wait | grep verdict; assay target run root --explain | grep driver_calls; assay target run root --wait >t.out; sed -n '2,5p' t.out
> passed
> screen_required
> verdict    inconclusive (completed)
> driver_calls 16
> verdict    passed (completed)
> published  confirmed_win
> gain       <NUM> %, <NUM> to <NUM> %, 4 pairs
> case       case0: better, <NUM> %
$ id=$(sed -n '1s/target //p' t.out); assay champion select root --result $id | grep '^status'; assay champion select root --result $id 2>&1 | grep -o stale_reference; assay champion show root | grep -c 'role candidate'; assay audit root --wait | sed -n '2p'; assay target run root --wait 2>&1 | grep -o stale_reference
> status selected
> stale_reference
> 1
> verdict    passed (completed)
> stale_reference

## how the Target stands; one invocation
$ assay status root | sed 's/inv-[0-9a-f]*/INV/; s/exp-[0-9a-f]*/EXP/; s/[0-9a-f]\{64\}/DIGEST/'; assay status root $(sed -n '1s/target //p' t.out) | sed -n 2p; assay status root --json | python3 -S -c 'import json, sys; j = json.load(sys.stdin); print(j["format"], len(j["invocations"]), j["champion"]["is_original"])'
> target     DIGEST (optimization)
> champion   DIGEST
> experiment EXP test.cost: costs less, by far
> baseline   INV completed passed completed
> screen     INV completed inconclusive completed
> target     INV completed passed completed
> final_audit INV completed passed completed
> verdict    passed (completed)
> assay/target-status-v1 4 False

## cancel ends it
$ mkdir c; cd c; python3 -S $DATA/protocol/make.py setup mode=hang; assay request readiness.json >/dev/null; assay baseline root | grep -c started; id=$(ls root/invocations); assay status root | grep -c running; assay cancel root $id >/dev/null; while assay status root $id | grep -q running; do sleep 0.02; done; assay status root $id | sed -n 2p; assay baseline root 2>&1 | grep -o 'requires explicit retry_of'
> 1
> 1
> verdict    not_evaluated (cancelled)
> requires explicit retry_of

## what is missing or of no form is refused with its name
$ r() { assay "$@" 2>&1 | sed 's/^assay: //' | head -1; }
+ r target make x; r target new x; r target new x --original original; r target new x --original original --suite suite --cases a --reference reference --accept 'errors=0' --primary latency:ms:lower -- d; r target new x --original original --suite suite --cases a --reference reference --accept 'errors<=0' --primary latency:ms -- d; r target new x --original original --suite suite --cases a --reference reference --accept 'errors<=0' --primary latency:ms:lower --constraint memory:MB:lower:many -- d; r baseline nowhere; r experiment root; r champion select root; r champion select root --result ../x; r target run root --experiment ../../x; r status nowhere; r status root inv-none
> target make: there is new|run
> target new: --original is wanted: the folder or file that is to be optimised
> target new: --suite, --cases, --reference, --accept, --primary and the driver after -- are wanted; reports alone are frozen with --material
> --accept: "errors=0" is not METRIC<=VALUE, METRIC>=VALUE or METRIC==VALUE
> --primary: "latency:ms" has not its 3 parts between colons
> --constraint: "memory:MB:lower:many": many is no number of percent
> <CWD>/nowhere: holds no target.json; assay target new freezes a Target there
> experiment: --candidate, --hypothesis, --mechanism and --scope are wanted
> champion select: --result is wanted: the invocation that it rests on
> "../x" is no id of the form inv-...
> "../../x" is no id of the form exp-...
> <CWD>/nowhere: there is no target.json
> invalid_evaluator_input: invocation inv-none: is not there

## a Target for reports alone
$ assay target new reports --original original --material report:ncu:2026.2:ncu-csv-long-v1:suite/data | grep -E '^(status|highest)'; assay baseline reports 2>&1 | grep -o 'diagnostic one'
> status ready
> highest_claim_layer diagnostic
> diagnostic one
