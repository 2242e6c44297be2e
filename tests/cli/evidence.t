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

## a record that was edited is named by those that refer to it: results, experiments, selections, the Target
$ cat >edit.py <<'E'
+ import glob, json, os, subprocess, sys
+ def verify():
+     p = subprocess.run(["assay", "verify", "--store", "root", "--json"], capture_output=True, text=True)
+     return p.returncode, [(d["path"].split("/")[0], d["what"].split(",")[0], "which" in d["what"]) for d in json.loads(p.stdout)["damage"]]
+ print("untouched", verify())
+ selection = sorted(glob.glob("root/champion/selections/*.json"))[-1]
+ named = json.load(open(selection))["comparison_result_ref"]["invocation_id"]
+ for path, old, new in ((f"root/invocations/{named}/result.json", "passed", "failed"), (glob.glob("root/experiments/*.json")[0], "costs less", "costs more"),
+                        (selection, "sel-", "SEL-"), ("root/target.json", "latency", "latencY")):
+     text = open(path).read()
+     at = text.index(old)
+     os.chmod(path, 0o644)
+     open(path, "w").write(text[:at] + new + text[at + len(old):])
+     print(path.split("/")[1], verify())
+     open(path, "w").write(text)
+ print("as it was", verify())
+ E
+ python3 -S edit.py
> untouched (0, [])
> invocations (1, [('invocations', 'is not what it was', True)])
> experiments (1, [('experiments', 'is not what it was', True)])
> champion (1, [('champion', 'is not what it was', True), ('champion', 'is not the record that its name says', False)])
> target.json (1, [('target.json', 'is not what it was', True)])
> as it was (0, [])

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
$ mkdir c; cd c; python3 -S $DATA/protocol/make.py setup mode=hang; assay request readiness.json >/dev/null; assay baseline root | grep -c started; id=$(ls root/invocations); assay status root | grep -c running; assay cancel root $id >/dev/null; until assay status root $id | grep -q verdict; do sleep 0.02; done; assay status root $id | sed -n 2p; assay baseline root 2>&1 | grep -o 'requires explicit retry_of'
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

## the falsifier runs by its own operation, is recorded, and decides whether anything is measured (weakness 43)
$ mkdir f; cd f; python3 -S $DATA/protocol/make.py setup cases=1; assay request readiness.json >/dev/null; assay baseline root --wait >/dev/null
+ echo 'assay experiment root --candidate candidate --hypothesis "$1" --mechanism test.cost --scope cost --diagnostic checks --falsifier-timeout "$2" -- sh -c "$3" | sed -n "s/^status //p"' >x
+ sh x one 5 'test "$(cat $ASSAY_CANDIDATE/cost)" -lt "$(cat $ASSAY_ORIGINAL/cost)" && ls'; assay target run root --wait 2>&1 | grep -o falsifier_required; assay falsify root | grep -E '^(outcome|ended|output|cleanup|attempt)' | sort; ls root/falsifications | wc -l; ls root/.staging
+ assay falsify root | grep attempt; assay target run root --wait | sed -n 2p
> created
> falsifier_required
> attempt 1
> cleanup_status confirmed
> ended exit 0
> outcome held
> output candidate
> 1
> attempt 1
> verdict    passed (completed)
$ cd f; sh x two 5 'echo it costs as much; exit 1'; assay falsify root >out; echo $?; sort out | grep -E '^(outcome|output)'; assay target run root --wait 2>&1 | grep -o experiment_falsified
+ sh x three 0.3 'sleep 88.8 & sleep 88.8'; assay falsify root | grep -E '^(outcome|attempt|cleanup)' | sort; for f in /proc/[0-9]*/cmdline; do tr '\0' ' ' <$f; echo; done 2>/dev/null | grep -c '^sleep 88[.]8'; assay falsify root | grep attempt; assay target run root 2>&1 | grep -o falsifier_required; assay verify --store root | sed 's/.*hashed; //'
> created
> 1
> outcome falsified
> output it costs as much
> experiment_falsified
> created
> attempt 1
> cleanup_status confirmed
> outcome not_evaluated
> 0
> attempt 2
> falsifier_required
> 0 damaged, 0 unfinished, 0 leftovers
$ cd f; assay experiment root --candidate candidate --hypothesis none --mechanism test.cost --scope cost >/dev/null; assay falsify root 2>&1 | grep -o falsifier_absent
> falsifier_absent

## a risk above the Target's, a secondary that nothing measures
$ mkdir k; cd k; python3 -S $DATA/protocol/make.py setup cases=1 format=assay/readiness-input-v3 cost='10 memory=80' extra='{"max_risk": "medium"}'; assay request readiness.json >/dev/null; assay baseline root --wait >/dev/null
+ x() { assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope cost --lifecycle same_process "$@" 2>&1 | grep -oE 'risk_exceeded|nothing measures it|the other direction|status created'; }
+ x --max-risk high; x --secondary speed:lower:5:money; x --secondary memory:higher:5:money; x --max-risk medium --secondary 'memory:lower:5:one more model on the card'
> risk_exceeded
> nothing measures it
> the other direction
> status created

## a declared secondary is won while the primary is missed: kept, and decides nothing
$ cd k; assay target run root --pairs 8 --wait --json >t.json; python3 -S -c 'import json; r = json.load(open("t.json")); s = r["assay"]["secondaries"][0]; print(r["verdict"], s["name"], s["reached"], s["note"], round(s["estimate_pct"], 3), s["n_pairs"])'; assay handoff root --json | python3 -S -c 'import json, sys; print([(x["name"], x["declared"]) for x in json.load(sys.stdin)["local_results"]])'
> rejected memory True primary not reached 25.0 8
> [('memory', True)]

## a budget ends what runs with its own stop reason, and nothing more is started
$ mkdir g; cd g; python3 -S $DATA/protocol/make.py setup cases=1 mode=hang format=assay/readiness-input-v3 extra='{"budget": {"wall_seconds": 0.4, "gpu_seconds": 0}}'; assay request readiness.json >/dev/null; assay baseline root --wait | sed -n 2p; assay baseline root --samples 4 --wait 2>&1 | grep -o budget_exhausted; assay handoff root --json | python3 -S -c 'import json, sys; b = json.load(sys.stdin)["budget"]; print(b["left"]["wall_seconds"] <= 0)'; rm -r root/.index/spent; assay baseline root --samples 5 2>&1 | grep -o budget_exhausted
> verdict    not_evaluated (budget_exhausted)
> budget_exhausted
> True
> budget_exhausted

## formal samples on a GPU: quiet, busy before, and nobody watching any more; correctness stays
$ gpu=GPU-fa4e0000-0000-0000-0000-000000000000; export LD_LIBRARY_PATH=$FAKE; mkdir o busy; cd o; python3 -S $DATA/protocol/make.py setup cases=1; assay target new root --original original --suite suite --cases case0 --reference reference --accept 'errors<=0' --primary latency:ms:lower --constraint memory:MB:lower:5 --min-pairs 4 --bootstrap 400 --gpus $gpu -- python3 -S $DATA/protocol/driver.py slow >/dev/null; assay baseline root --wait >/dev/null; assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope cost --diagnostic checks >/dev/null
+ assay target run root --wait --json >a.json; echo foreign_pid 999999 >../busy/fake.conf; LD_LIBRARY_PATH=$PWD/../busy:$FAKE assay target run root --replicate 1 --wait --json >b.json
+ assay target run root --replicate 2 >/dev/null; python3 -S $DATA/protocol/helper.py root sampler; while assay status root | grep -q running; do sleep 0.02; done; assay status root $(assay status root --json | python3 -S -c 'import json, sys; print(json.load(sys.stdin)["invocations"][-1]["id"])') --json >c.json
+ for f in a b c; do python3 -S -c 'import json, sys; r = json.load(open(sys.argv[1])); r = r.get("result", r); print(r["verdict"], r["stop_reason"], r["compat_status"], r["assay"]["blocked_by"], all(c["passed"] for c in r["correctness_receipts"]))' $f.json; done
> passed completed confirmed_win None True
> inconclusive not_idle confirmed_win not_idle True
> inconclusive unobserved confirmed_win unobserved True

## objects that no record names are removed, what is named or young stays (weakness 46)
$ mkdir gc; cd gc; python3 -S $DATA/protocol/make.py setup cases=1; assay request readiness.json >/dev/null; assay baseline root --wait >/dev/null; x() { assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope $1 2>/dev/null >/dev/null; }; x elsewhere; x cost; assay target run root --wait >/dev/null
+ echo 3 >candidate/cost; x elsewhere; mkdir root/objects/sha256/.capture-dead; touch root/experiments/.tmp-dead; assay store gc root --dry-run; assay store gc root --dry-run --min-age 0 | sed 's/[0-9a-f]\{64\}/DIGEST/'; assay store gc root --min-age 0 --json | python3 -S -c 'import json, sys; j = json.load(sys.stdin); print(j["dry_run"], len(j["removed"]), j["n_leftovers"], j["removed"][0]["bytes"])'; assay store gc root --min-age 0 | tail -1 | cut -d, -f1; assay verify --store root | sed 's/.*hashed; //'; assay target run root --replicate 1 --wait | sed -n 2p; assay store gc original
> 0 of 16 objects would be removed, 0 B, 0 leftovers; 15 named, 1 younger
> DIGEST 2 B
> 1 of 16 objects would be removed, 2 B, 2 leftovers; 15 named, 0 younger
> False 1 2 2
> 0 of 15 objects removed
> 0 damaged, 0 unfinished, 0 leftovers
> verdict    passed (completed)
! assay: <CWD>/gc/original: holds no target.json: it is no evidence root
= 2
## what somebody uses since it was looked at stays; what a collection took aside is put back, whole, when a record names it; one at a time
$ mkdir gc2; cd gc2; python3 -S $DATA/protocol/make.py setup cases=1; assay request readiness.json >/dev/null; o=root/objects/sha256; big=$o/$(printf %064d 7); mkdir -p $big/payload; truncate -s 600M $big/payload/big
+ assay store gc root --min-age 0 >out & p=$!; n=0; until ls -l /proc/$p/fd | grep -q payload || [ $n = 400 ]; do n=$((n + 1)); sleep 0.01; done; touch $big; assay store gc root; wait $p; ls -d $big | wc -l; rm -r $big
+ d=$(python3 -S -c 'import json; print(json.load(open("root/target.json"))["original"]["digest"])'); mv $o/$d $o/.gc-$d; assay store gc root --dry-run | tail -1; assay store gc root --min-age 0 | tail -1; assay verify --store root | sed 's/.*hashed; //'; mv $o/$d $o/.gc-$d; rm -r $o/.gc-$d/payload; assay store gc root --min-age 0 | grep -c again; ls -d $o/$d 2>/dev/null | wc -l
! assay: <CWD>/gc2/root: another collection works there; try again when it has ended
> 1
> 1 would get their name again: records name what an earlier collection took aside
> 1 got their name again: records name what an earlier collection took aside
> 0 damaged, 0 unfinished, 0 leftovers
> 0
> 0

## a pipe among the records; a Target that names no original: nothing is removed
$ cd gc; x() { assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope $1 2>/dev/null >/dev/null; }; echo 4 >candidate/cost; x elsewhere; mkfifo root/experiments/pipe.json; assay store gc root --min-age 0 | tail -1 | cut -d, -f1; rm root/experiments/pipe.json; chmod u+w root/target.json; echo '{}' >root/target.json; assay store gc root --min-age 0
> 1 of 24 objects removed
! assay: <CWD>/gc/root/target.json: names no original; nothing is removed
= 4
