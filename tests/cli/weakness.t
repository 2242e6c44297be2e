# What is known to be wrong in the published tool, by number, and does not happen here. docs/PROTOCOL.md says where the other
# numbers are tested, and which do not apply.
needs: assay request --help >/dev/null
timeout: 120

## the helpers
$ cat >new <<'S'
+ # new FOLDER [setup keys]: readiness in a new folder
+ mkdir $1; cd $1; shift; python3 -S $DATA/protocol/make.py setup "$@"; assay request readiness.json >readiness.out 2>readiness.err || sed -n 's/.*"error": "\([^"]*\)".*/\1/p' readiness.err
+ S
+ cat >trace.py <<'S'
+ import gzip, json, sys
+ n, name = int(sys.argv[1]), sys.argv[2] * int(sys.argv[3])
+ events = [{"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 10.0 * i, "dur": 5.0, "args": {"stream": 7, "correlation": i, "grid": [1, 1, 1], "block": [32, 1, 1], "device": 0}} for i in range(n)]
+ gzip.open(sys.argv[4], "wt").write(json.dumps({"schemaVersion": 1, "traceEvents": events}))
+ S

## W2 W28: 12,000 events, a name of 2,000 characters, a compressed trace
$ python3 -S trace.py 12000 k 2000 t.json.gz; assay read t.json.gz --json | python3 -S -c 'import json, sys; t = sys.stdin.read(); print(len(t) > 1000, "60000000" in t or "60.0" in t or 60000000 in [v for v in json.loads(t).values() if isinstance(v, int)])'; assay read t.json.gz --table kernels --columns total_ns,n | tail -1 | awk '{ print $NF }'
> True True
> 12000

## W5: killed between the record's bytes and its name: no half record, the same request makes it whole
$ sh ./new a; cd a; assay baseline root --wait >/dev/null; x() { assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope cost --diagnostic checks; }; (ASSAY_FAILPOINT=record.link x) 2>/dev/null >/dev/null; ls root/experiments; x | grep status; assay verify --store root | sed 's/.*hashed; //'
> status created
> 0 damaged, 0 unfinished, 1 leftovers

## W8 W9: a lease is the machine's: neither another host's name nor the cancelling of a dead one frees it
$ sh ./new b mode=hang cases=1; cd b; cd ..; sh ./new d mode=hang cases=1; cd d; cd ..; cd b; assay baseline root >/dev/null; while ! assay status root | grep -q running; do sleep 0.02; done; until assay status | grep -q cpu; do sleep 0.02; done; cd ../d
+ assay baseline root >/dev/null; id=$(ls root/invocations); until [ -s root/invocations/$id/worker.json ]; do sleep 0.02; done; kill -9 $(sed 's/.*"guardian_pid":\([0-9]*\).*/\1/' root/invocations/$id/worker.json); while assay status root | grep -q running; do sleep 0.02; done
+ assay cancel root $id | grep -E '^verdict'; assay status | grep -c '^cpu'; assay baseline root --samples 5 --print-request --resource-wait 0.3 >r.json; sed -i 's/"host_id": "[^"]*"/"host_id": "elsewhere"/' r.json; assay request r.json --wait | grep -o '"stop_reason": "[a-z_]*"' | tail -1; cd ../b; assay cancel root $(ls root/invocations) >/dev/null; while assay status root | grep -q running; do sleep 0.02; done; assay status
> verdict    not_evaluated (cancelled)
> 1
> "stop_reason": "resource_wait_timeout"
> no lease is held

## W10: an orphan that has ended is reaped here, not by whoever is process 1
$ sh ./new zombie mode=zombie cases=1; cd zombie; assay baseline root --wait --json | grep -E '"(cleanup_status|verdict)"' | sort -u
>         "cleanup_status": "confirmed",
>   "cleanup_status": "confirmed",
>   "verdict": "passed"

## W13: waiting for the lease is not the operation's time
$ sh ./new e mode=hang cases=1; cd e; cd ..; sh ./new g cases=1; cd g; cd ../e; assay baseline root --command-timeout 4 >/dev/null; until assay status | grep -q cpu; do sleep 0.02; done; cd ../g; assay baseline root --timeout 3.5 --command-timeout 3 --resource-wait 60 --wait | sed -n 2p
> verdict    passed (completed)

## W15: what the driver inherits is recorded by digest; no descriptor of ours reaches it
$ sh ./new fds mode=fds cases=1; cd fds; assay baseline root --wait --json | python3 -S -c 'import json, sys; r = json.load(sys.stdin); e = r["command_receipts"][0]["inherited_environment"]; print(r["verdict"], e["variables"] > 3, len(e["sha256"]))'
> passed True 64

## W18 W19: a tool behind links, a folder with the set-group bit
$ mkdir h; cd h; printf '#!/bin/sh\n' >real; chmod +x real; ln -s real link; ln -s . up; cd ..; mkdir i; cd i; python3 -S $DATA/protocol/make.py setup extra="{\"environment_requirements\": {\"gpu_uuids\": [], \"required_tools\": {\"tool\": \"$PWD/../h/up/link\"}}}"; chmod g+s original; assay request readiness.json | grep -o '"status": "ready"'; python3 -S -c 'import json; print(json.load(open("root/target.json"))["environment"]["host"]["tools"]["tool"]["path"].endswith("/h/real"))'
> "status": "ready"
> True

## W20: a candidate of 10,001 files
$ sh ./new j cases=1; cd j; assay baseline root --wait >/dev/null; python3 -S -c 'import os
+ os.makedirs("candidate/more")
+ for i in range(10001): open(f"candidate/more/{i}", "w").close()'
+ assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope cost,more | grep status
> status created

## W21: a Target whose claims are diagnostic takes an Experiment of that layer, and no other
$ mkdir l; cd l; python3 -S $DATA/protocol/make.py setup cases=1 extra='{"claim_layer": "diagnostic"}'; assay request readiness.json >/dev/null; assay baseline root --wait >/dev/null; x() { assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope cost "$@" 2>&1 | grep -oE 'status created|is above the Target'; }; x --claim-layer workload; x
> is above the Target
> status created

## W23: two GPUs of one model
$ mkdir m; cd m; python3 -S $DATA/protocol/make.py setup cases=1; assay target new root --original original --suite suite --cases case0 --reference reference --accept 'errors<=0' --primary latency:ms:lower --constraint memory:MB:lower:5 --gpus GPU-b,GPU-a -- python3 -S $DATA/protocol/driver.py | grep status; assay baseline root --wait | sed -n 2p
> status ready
> verdict    passed (completed)

## W33: the driver's own file is in the store; W40: repeated originals say what can be resolved
$ sh ./new n cases=1; cd n; python3 -S -c 'import json, os
+ s = json.load(open("root/target.json"))["assay"]["driver_sources"][0]
+ d = "root/objects/sha256/" + s["object_ref"]["digest"] + "/payload/"
+ print(open(d + os.listdir(d)[0]).read() == open(s["path"]).read())'
+ assay baseline root --repeats 4 --wait --json | python3 -S -c 'import json, sys; r = json.load(sys.stdin)["assay"]["resolution"][0]; print(r["n"], r["sd_pct"] >= 0)'
> True
> 4 True

## W47: the gate of the screen reads what belongs to the Experiment: another invocation that is damaged does not matter
$ sh ./new o cases=1; cd o; assay baseline root --wait >/dev/null; assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope cost --screen diagnostic_proxy --diagnostic checks >/dev/null; f=$(ls root/invocations/*/request.json); assay screen root --wait >/dev/null; chmod u+w $f; echo broken >$f; assay target run root --wait | sed -n 2p
> verdict    passed (completed)

## W46 W48: many at once below folders that are not there yet; what a root holds is listed, what was interrupted is named
$ mkdir p; cd p; python3 -S $DATA/protocol/make.py setup cases=1; for i in 1 2 3 4 5 6; do assay target new deep/er/r$i --original original --suite suite --cases case0 --reference reference --accept 'errors<=0' --primary latency:ms:lower --constraint memory:MB:lower:5 --resource-wait 100 -- python3 -S $DATA/protocol/driver.py >o$i 2>&1 & done; wait; cat o? | grep -c 'status ready'; ls -A deep/er
> 6
> r1
> r2
> r3
> r4
> r5
> r6

## W49: the exit status says what happened
$ sh ./new q cases=1 cost=12; cd q; assay baseline root --wait >/dev/null; echo $?; assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope cost --diagnostic checks >/dev/null; assay target run root --wait >/dev/null; echo $?; assay target run root --pairs 1 >/dev/null 2>&1; echo $?; assay target run root --print-request >r.json; assay request r.json --wait --compat-exit >/dev/null; echo $?
> 0
> 1
> 2
> 0

## the published template, filled in: from readiness to the final audit, each side in its own process and both in one
$ for l in isolated_process same_process; do rm -rf t; mkdir t; cd t; python3 -S $DATA/protocol/make.py setup command_line="python3 -S $DATA/protocol/template.py"; assay request readiness.json >/dev/null; assay baseline root --wait | sed -n 2p; assay experiment root --candidate candidate --hypothesis h --mechanism test.cost --scope cost --diagnostic checks --lifecycle $l >/dev/null; assay target run root --wait >t.out; sed -n 2p t.out; assay champion select root --result $(sed -n '1s/target //p' t.out) | grep '^status'; assay audit root --lifecycle $l --wait | sed -n 2p; cd ..; done
> verdict    passed (completed)
> verdict    passed (completed)
> status selected
> verdict    passed (completed)
> verdict    passed (completed)
> verdict    passed (completed)
> status selected
> verdict    passed (completed)

## W24 W26 W27: a wide page of ncu is read where it lies, without a Target; every launch is a row with its duration
$ zstdcat $DATA/ncu/gather.raw_base.csv.zst >g.csv; assay read g.csv --table kernels --csv | wc -l; assay read $DATA/ncu/nvtx.ncu-repz --table kernels --csv | wc -l; assay read $DATA/ncu/nvtx.ncu-repz --table kernels --filter gather --csv | wc -l
> 2
> 4
> 2

## W25 W29: an export of a schema that is not known, with a kernel without a name
$ cat >n.py <<'S'
+ import sqlite3
+ d = sqlite3.connect("n.sqlite")
+ d.executescript("""CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
+ CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
+ INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.99.7');
+ CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
+  correlationId INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER);
+ INSERT INTO StringIds VALUES (1, 'k');
+ INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 10, 0, 1, 7, 1, 1, 1, 1, 1, 1, 32, 1, 1);
+ INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (20, 50, 0, 1, 7, 2, NULL, NULL, 1, 1, 1, 32, 1, 1);""")
+ d.commit()
+ S
+ python3 n.py; assay read n.sqlite >n.txt; sed -n 3,4p n.txt | grep -o '[0-9.]* ns  *1 ' | tr -s ' '; assay read n.sqlite | grep -o 'unverified.*'
> 30.0 ns 1 
> 10.0 ns 1 
> unverified: nsys export schema 3.99.7 is not covered by assay's tests

## W30 W31: listings of sm_90a, footers of any length; names prove nothing
$ gzip -dc $DATA/sass/signatures_sm90a.sass.gz >s.sass; sed 's/^\(\t*\)\.\.\.\.\.\.\.\.\.\.*$/\1....../' s.sass >t.sass; cmp s.sass t.sass >/dev/null; assay read s.sass --table mechanisms --csv >s.csv; assay read t.sass --table mechanisms --csv | cmp - s.csv; wc -l <s.csv | awk '{ print ($1 > 500) }'; sed 's/Function : plain/Function : plain_RED_reduce_kernel/' s.sass >u.sass; assay read u.sass --table mechanisms --filter plain_RED --csv | grep -v ',not_' | cut -d, -f2
> 1
> mechanism
> no_local_memory

## W34: the names that a report has lead to cards; a part of a word does too
$ assay knowledge query --from $DATA/ncu/gather.ncu-repz --layer kernel | grep -c '^[a-z]' | awk '{ print ($1 > 3) }'; assay knowledge query --text coalesc | grep -c '^[a-z]' | awk '{ print ($1 > 0) }'
> 1
> 1

## W16: a driver that starts work elsewhere is refused by name, since what it leaves there cannot be ended
$ mkdir far; cd far; python3 -S $DATA/protocol/make.py setup cases=1; sed -i 's/"external_tasks": false/"external_tasks": true/' readiness.json; assay request readiness.json 2>&1 | sed 's/.*"error": "\(.*\)", "error_code": "\(.*\)", .*/\2: \1/'; ls -d root
> invalid_readiness_input: driver.cleanup_contract: only process_group_only without external tasks
= 2

## W44: the driver is our worker's own child, nothing stands between; its output becomes an object by a rename, not by a copy
$ mkdir call; cd call; cat >d.sh <<'S'
+ cd HERE; cat /proc/$PPID/comm >>log; python3 -S $DATA/protocol/driver.py "$@" || exit; find . -path '*/output/*.ptx' -printf '%i\n' >>inodes
+ S
+ python3 -S $DATA/protocol/make.py setup cases=1 command_line="sh d.sh"; echo '.version 8.0' >original/art.ptx; sed -i "s|HERE|$PWD|" d.sh; assay request readiness.json >readiness.out; assay baseline root --wait >/dev/null; assay baseline root --samples 4 --wait >/dev/null; cat log; find root/objects -inum $(tail -1 inodes) -printf '%f\n'
> assay
> assay-worker
> assay-worker
> original.ptx

## W45: a request starts no interpreter: one about a report works where there is none
$ mkdir alone; cd alone; r="python3 -S $DATA/protocol/reports.py"; $r make; $r target plain.csv:ncu:2026.2:ncu-csv-long-v1; a=$(command -v assay); (PATH=/nothing; $a request target.json.in >out); $r ask q ncu 0; (PATH=/nothing; $a request q.json --wait >q.out); $r get q.out stop_reason
> completed

## W50: leases are of this machine, and nothing of the protocol goes into the home folder, which machines may share
$ mkdir home shared; cd shared; python3 -S $DATA/protocol/make.py setup cases=1 mode=hang; h() { env -u XDG_CACHE_HOME -u XDG_DATA_HOME -u XDG_CONFIG_HOME -u XDG_STATE_HOME HOME=$PWD/../home "$@"; }; h assay request readiness.json >readiness.out; h assay baseline root >/dev/null; until h assay status | grep -q '^cpu'; do sleep 0.02; done; ls $ASSAY_LEASE_DIR | grep -c cpu; h assay cancel root $(ls root/invocations) >/dev/null; while h assay status root | grep -q running; do sleep 0.02; done; find ../home -type f | wc -l
> 1
> 0
