# The evidence protocol under fire: drivers that misbehave, processes that are killed, a full disk, two selections at once.
needs: assay request --help >/dev/null
timeout: 120

## the helper
$ cat >run <<'S'
+ # run MODE [baseline keys]: readiness and a baseline with a driver of that mode
+ mode=$1; shift; mkdir $mode; cd $mode
+ python3 -S $DATA/protocol/make.py setup mode=$mode cases=1; assay request readiness.json >readiness.out 2>readiness.err || { cat readiness.err; exit; }
+ python3 -S $DATA/protocol/make.py baseline cases=1 "$@"; assay request baseline.json --wait >baseline.out 2>err; echo "exit $?"
+ python3 -c 'import json; r = json.load(open("baseline.out")); print(*(r[k] for k in ("stop_reason", "execution_status", "verdict", "cleanup_status")))'
+ S

## a driver that hangs, one that ignores SIGTERM, one that dies
$ sh run hang command=0.3; sh run deaf command=0.3; sh run crash
> exit 1
> command_timeout timed_out not_evaluated confirmed
> exit 1
> command_timeout timed_out not_evaluated confirmed
> exit 1
> command_failed failed not_evaluated confirmed

## weakness 7: a flood is bounded, and its end is kept as well as its beginning
$ sh run flood; python3 -c 'import json; s = json.load(open("flood/baseline.out"))["command_receipts"][0]["command_result"]["stdout"]; print(len(s) < 70000, s[:5], s.rstrip()[-7:], "bytes left out" in s)'
> exit 0
> completed succeeded passed confirmed
> True begin the end True

## weakness 11: children in sessions of their own are ended too
$ sh run forks; for f in /proc/[0-9]*/cmdline; do tr '\0' ' ' <$f; echo; done 2>/dev/null | grep -c '^sleep 77[.]7'
> exit 0
> completed succeeded passed confirmed
> 0
= 1

## a wrong digest, another environment
$ sh run digest; sh run moves
> exit 1
> driver_result_invalid invalid not_evaluated confirmed
> exit 1
> environment_identity_changed invalid not_evaluated confirmed

## a driver that changes between calls is not measured
$ mkdir change; cd change; cp $DATA/protocol/driver.py d.py; python3 -S $DATA/protocol/make.py setup command_line="python3 $PWD/d.py"; assay request readiness.json >readiness.out; echo '# more' >>d.py; python3 -S $DATA/protocol/make.py baseline; assay request baseline.json --wait >baseline.out; python3 -S $DATA/protocol/make.py get baseline.out stop_reason
> driver_identity_changed

## processes killed at random moments: nothing lost, no orphan, no lease, a retry passes (KILLS: how many)
$ mkdir kill; cd kill; python3 -S $DATA/protocol/make.py setup cases=2 mode=slow; assay request readiness.json >readiness.out; python3 -S $DATA/protocol/make.py baseline cases=2; python3 -S $DATA/protocol/kill.py ${KILLS:-4} 3 2>/dev/null | sed 's/^[0-9]* //'
> kills: nothing lost, no process, no lease

## weakness 3: a lost one is retried; weakness 12: cancel ends it at once
$ mkdir cancel; cd cancel; python3 -S $DATA/protocol/make.py setup cases=1 mode=hang; assay request readiness.json >readiness.out; python3 -S $DATA/protocol/make.py baseline cases=1; assay request baseline.json >a.out
+ id=$(python3 -S $DATA/protocol/make.py get a.out invocation_id)
+ ask() { printf '{"format_version": "cuda-kernel-optimizer/evaluator-input-v2", "operation": "%s", "artifact_root": "%s", "invocation_id": "%s"}' $1 $PWD/root $id >ask.json; assay request ask.json >$1.out; }
+ ask cancel; while ask status; python3 -S $DATA/protocol/make.py get status.out query_status | grep -q ing; do sleep 0.02; done; python3 -S $DATA/protocol/make.py get status.out stop_reason; python3 -S $DATA/protocol/make.py get status.out cleanup_status
+ assay request baseline.json 2>&1 | grep -o 'requires explicit retry_of'; python3 -S $DATA/protocol/make.py baseline cases=1 command=0.2 retry_of=$id; assay request baseline.json --wait >baseline.out; python3 -S $DATA/protocol/make.py get baseline.out stop_reason
> cancelled
> confirmed
> requires explicit retry_of
> command_timeout

## weakness 14: a request that was altered on the disk is not run
$ cd change; f=$(ls -d root/invocations/*/request.json | head -1); chmod u+w $f; sed -i 's/"seed": 1/"seed": 2/' $f; rm -f $(dirname $f)/result.json; printf '{"format_version": "cuda-kernel-optimizer/evaluator-input-v2", "operation": "status", "artifact_root": "%s", "invocation_id": "%s"}' $PWD/root $(basename $(dirname $f)) >ask.json; assay request ask.json 2>&1 | grep -o 'is not what its request_digest names'
> is not what its request_digest names

## a full disk while the record is written: nothing half, and it is made whole afterwards
$ mkdir full; cd full; python3 -S $DATA/protocol/make.py setup cases=1; assay request readiness.json >readiness.out; python3 -S $DATA/protocol/make.py baseline cases=1; ASSAY_FAILPOINT=record.sync:2:28 assay request baseline.json --foreground >a.out 2>err; echo $?; ls root/invocations/*/result.json 2>/dev/null | wc -l; assay verify --store root | sed 's/.*hashed; //'
+ id=$(basename root/invocations/*); printf '{"format_version": "cuda-kernel-optimizer/evaluator-input-v2", "operation": "status", "artifact_root": "%s", "invocation_id": "%s"}' $PWD/root $id >ask.json; assay request ask.json | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["query_status"], r["stop_reason"], r["result"]["verdict"])'; assay verify --store root | sed 's/.*hashed; //'
> 4
> 0
> 0 damaged, 1 unfinished, 0 leftovers
> completed completed passed
> 0 damaged, 0 unfinished, 0 leftovers

## one flipped byte is named
$ cd full; f=$(ls root/objects/sha256/*/payload/cost | head -1); chmod u+w $f; echo 9 >$f; assay verify --store root | grep -c '^damaged .*objects/sha256'
> 1

## the wall clock jumps a day ahead, or back, while calls run: deadlines do not move, times stay in order
? test $BUILD != asan
$ for s in 86400 -86400; do mkdir step$s; cd step$s; python3 -S $DATA/protocol/make.py setup cases=1 mode=slow; assay request readiness.json >/dev/null; (export LD_PRELOAD=$ROOT/build/$BUILD/fault/step.so STEP_FILE=$PWD/now STEP_SECONDS=$s; assay baseline root --repeats 6 --timeout 40 >/dev/null); until ls root/invocations/*/driver/*/call.json >/dev/null 2>&1; do sleep 0.01; done; touch now; while assay status root | grep -q running; do sleep 0.02; done; python3 -S -c 'import glob, json; r = json.load(open(glob.glob("root/invocations/*/result.json")[0])); print(r["verdict"], r["stop_reason"], r["completed_driver_calls"], r["started_at_epoch"] <= r["finished_at_epoch"], 0 < r["elapsed_seconds"] < 40); at = [json.load(open(f))["begin_ns"] for f in glob.glob("root/invocations/*/driver/*/call.json")]; print("jumped", max(at) - min(at) > 80000 * 10**9)'; assay verify --store root | sed 's/.*hashed; //'; cd ..; done
> passed completed 6 True True
> jumped True
> 0 damaged, 0 unfinished, 0 leftovers
> passed completed 6 True True
> jumped True
> 0 damaged, 0 unfinished, 0 leftovers

## the terminal is closed: who waited is interrupted, the invocation runs on to its result; in a job step (CI=1) it ends with the step
$ mkdir term; cd term; python3 -S $DATA/protocol/make.py setup cases=1 mode=slow; assay request readiness.json >/dev/null; python3 -S $DATA/protocol/terminal.py root assay baseline root --repeats 6 --wait; while assay status root | grep -q running; do sleep 0.02; done; assay status root | awk '/baseline/ { print $1, $3, $4, $5 }'
> ended 130
> baseline completed passed completed
$ mkdir step; cd step; python3 -S $DATA/protocol/make.py setup cases=1 mode=slow; assay request readiness.json >/dev/null; CI=1 python3 -S $DATA/protocol/terminal.py root assay baseline root --repeats 6 --wait; assay status root | awk '/baseline/ { print $1, $3, $4, $5 }'; CI=1 assay baseline root --repeats 7 --wait 2>err | sed -n 2p; grep -o 'runs in the foreground' err
> ended 4
> baseline completed not_evaluated cancelled
> verdict    passed (completed)
> runs in the foreground
