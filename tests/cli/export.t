# assay export: results in the formats of KernelBench and flashinfer-trace.
needs: /usr/bin/python3 -c 'import numpy'
set: PYTHONPATH=$ROOT/tests/fake/torch
timeout: 120

## a bench record as KernelBench's eval result, right and wrong
$ cp $ROOT/examples/softmax/* .; for k in v1 wrong; do assay bench softmax_$k.c --op-file softmax.op.json --ref softmax_ref.c --repeat=3 --skip-warm -q --json >$k.json; done
+ cat >show.py <<'E'
+ import json, sys
+ for name, entries in json.load(sys.stdin).items():
+     for x in entries:
+         print(name, x["sample_id"], x["compiled"], x["correctness"], x["runtime"] > 0, sorted(x["runtime_stats"]), x["ref_runtime"] > 0, x["metadata"]["verdict"])
+         assert (x["runtime"] == x["runtime_stats"]["mean"] == json.load(open(sys.argv[1]))["kernel"]["average_ms"]) if x["correctness"] else x["runtime"] == -1
+ E
+ for k in v1 wrong; do assay export $k.json --to kernelbench | python3 show.py $k.json; done
+ assay export $(python3 -c 'import json; print(json.load(open("v1.json"))["id"])') --to kernelbench -o e.json && python3 show.py v1.json <e.json
> softmax_v1 0 True True True ['max', 'mean', 'min', 'num_trials', 'std'] True passed
> softmax_wrong 0 True False False [] True output_unwritten
> softmax_v1 0 True True True ['max', 'mean', 'min', 'num_trials', 'std'] True passed

## a run folder: one entry a version
$ assay optimize softmax_v0.c --max-iterations=0 --op-file=softmax.op.json --ref=softmax_ref.c --repeat=3 --skip-warm --without-profile --run-dir=run -q >/dev/null 2>&1
+ assay export run --to kernelbench | python3 show.py run/iter_v0/benchmark_result.json
> softmax_v0 0 True True True ['max', 'mean', 'min', 'num_trials', 'std'] True passed

## a trace of the workload that was timed; a wrong kernel has no performance
$ cp -r $ROOT/examples/formats/flashinfer_trace t; assay import t t/solution.json --to in --python=/usr/bin/python3 >/dev/null
+ sed 's/weight \* factor/weight/' in/t.py >in/wrong.py; sed 's/, weight \* factor, out=y)/, weight * factor, out=y).nothing()/' in/t.py >in/raises.py
+ for k in t wrong raises; do assay bench in/$k.py --setup in/t_setup.py --ref in/t_ref.py --op-file in/t.op.json --python=/usr/bin/python3 --repeat=3 --skip-warm -q --json >$k.json 2>/dev/null
+ assay export $k.json --to flashinfer-trace --problem t --solution mine | python3 -c 'import json, sys
+ t = json.loads(sys.stdin.readline()); e = t["evaluation"]; p = e["performance"]; c = e["correctness"]
+ print(t["definition"], t["solution"], t["workload"]["uuid"], t["workload"]["axes"], e["status"], c and sorted(c), p and abs(p["reference_latency_ms"] / p["latency_ms"] - p["speedup_factor"]) < 1e-9)'; done
> scaled_rmsnorm_h64 mine b128 {'batch': 128} PASSED ['extra', 'max_absolute_error', 'max_relative_error'] True
> scaled_rmsnorm_h64 mine b128 {'batch': 128} INCORRECT_NUMERICAL ['extra', 'max_absolute_error', 'max_relative_error'] None
> scaled_rmsnorm_h64 mine b128 {'batch': 128} RUNTIME_ERROR None None

## what cannot be exported says why
$ x() { assay export "$@" 2>&1; echo "= $?"; }
+ x t.json --to flashinfer-trace; x v1.json --to flashinfer-trace --problem t; x softmax.op.json --to kernelbench; x in --to kernelbench; x absent.json --to kernelbench; x v1.json --to nothing | tail -2
> assay: export: --to flashinfer-trace needs --problem: a trace names its definition and repeats its workload
> = 2
> assay: t/definition.json: no workload '512x1000', which the record timed: it was made from another problem
> = 2
> assay: softmax.op.json: is no bench record (assay/bench-v1)
> = 2
> assay: in: is no run folder: no run_manifest.json
> = 2
> assay: absent.json: cannot be opened: No such file or directory
> = 2
> assay: export: --to: 'nothing' is not one of kernelbench, flashinfer-trace
> = 2
