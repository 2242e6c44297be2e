# Profiler reports collected from a Target's own driver, with stand-ins for ncu and nsys.
needs: assay request --help >/dev/null
masks: CWD

## the helpers: a Target whose driver can be wrapped, a baseline, a target run
$ sed -n '/^+ # ask/,/^+ S/p' $ROOT/tests/cli/families.t | sed 's/^+ //; /^S$/d' >ask; printf 'python3 -S $DATA/protocol/reports.py get "$@"\n' >get; python3 -S $DATA/protocol/reports.py make
+ cat >ncu <<'S'
+ #!/bin/sh
+ here=$(dirname "$0"); [ "$1" = --version ] && { echo "NVIDIA (R) Nsight Compute"; echo "Version 2025.3.1.0 (build 36398880) (public-release)"; exit; }
+ [ -e $here/denied ] && { echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"; exit 1; }
+ echo "$@" | sed 's| [^ ]*/workspace/collection.*||' >$here/ncu.args; while [ "$1" != --export ]; do shift; done; cp $DATA/ncu/gather.ncu-repz $2; shift 2; exec "$@"
+ S
+ cat >nsys <<'S'
+ #!/bin/sh
+ here=$(dirname "$0"); [ "$1" = --version ] && { echo "NVIDIA Nsight Systems version 2026.2.1.210-262137"; exit; }
+ [ "$1" = export ] && { cp $here/n.sqlite $5; exit; }
+ while [ "$1" != --output ]; do shift; done; echo report >$2.nsys-rep; shift 2; exec "$@"
+ S
+ chmod +x ncu nsys; python3 -S $DATA/protocol/make.py setup cases=1 profilers=ncu_wrap_v1,nsys_wrap_v1,pytorch_chrome_trace_v1 extra='{"environment_requirements": {"gpu_uuids": [], "required_tools": {"ncu": "./ncu", "nsys": "./nsys"}}}'; cp t.json.gz original/art.pytorch_chrome_trace; cp t.json.gz candidate/art.pytorch_chrome_trace
+ assay request readiness.json >readiness.out; make() { python3 -S $DATA/protocol/make.py "$@" cases=1; assay request $1.json --wait >$1.out; }; make baseline; make experiment; make target pairs=4; sh get target.out verdict
+ cat >candidate.sh <<'S'
+ e=$(sh get experiment.out experiment_ref); c=$(python3 -S -c 'import json; r = json.load(open("target.out"))["result_ref"]; r["case_id"] = "case0"; print(json.dumps(r))'); sh ask $1 + 'role="candidate"' "experiment_ref=$e" "correctness_ref=$c" ${2:+"$2"}
+ S
> passed

## ncu: the frozen tool around the driver's command; hints choose what is replayed; its report is kept and read
$ sh ask ncu + 'kernel_name_hints=["gather", "f<x>(*"]'; cat ncu.args; sh get q.out role case_id provenance.tool provenance.command_receipts.0.result.status assay.version_agrees observations.0.source_metric; test -d root/$(sh get q.out provenance.report.locator) -a -d root/$(sh get q.out provenance.driver_output.locator) && echo kept; sh candidate.sh ncu
> 0 completed 2
> --config-file off --metrics dram__throughput.avg.pct_of_peak_sustained_elapsed,dram__bytes.sum,sm__warps_active.avg.pct_of_peak_sustained_active,sm__cycles_active.avg.pct_of_peak_sustained_elapsed,sm__pipe_tensor_op_hmma_cycles_active.avg.pct_of_peak_sustained_active,smsp__average_warp_latency_issue_stalled_barrier_per_warp_active.pct,smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct --target-processes all --kernel-name-base demangled --kernel-name regex:gather|f<x>\(\* --export
> original
> case0
> {"name": "ncu", "version": "2025.3.1.0"}
> completed
> true
> sm__warps_active.avg.pct_of_peak_sustained_active
> kept
> 0 completed 2

## nsys: report and export are kept, the export is read; pytorch: the one trace that the driver declares
$ sh ask nsys +; sh get q.out provenance.tool provenance.command_receipts.2.argv.1 observations.0.value; sh candidate.sh pytorch; sh get q.out observations.0.value provenance.command_receipts.0.request.sampling
> 0 completed 3
> {"name": "nsys", "version": "2026.2.1.210-262137"}
> export
> 50
> 0 completed 3
> 2.25
> {"kind": "pytorch_collect"}

## what ends a collection: no permission for counters, a tool that is another one now, a call that takes too long
$ touch denied; sh ask ncu + 'kernel_name_hints=["a"]'; rm denied; echo '#' >>nsys; sh ask nsys + launch_deadline=9e9 'role="original"'; sh ask pytorch + command_timeout_seconds=0.001
> 1 ncu_counter_access_denied 0 the driver ended with 1: ==ERROR== ERR_NVGPUCTRPERM - The user does not have permission
> 2 nsys_changed 0 <CWD>/nsys: is not the nsys that the Target froze
> 1 command_timeout 0 the driver ended with -15:

## refused: a role without its references, another case, host, GPU or baseline, a driver that does not say it can, a diagnostic Target
$ sh ask ncu + 'role="candidate"'; sh candidate.sh ncu 'correctness_ref.case_id="other"'; sh ask ncu + 'case_id="other"'; sh ask ncu + 'resources.host_id="there"'; sh ask ncu + 'resources.gpu_uuids=["GPU-1"]'; sh ask ncu + "baseline_ref=$(sh get target.out result_ref)"; sh ask ncu + 'report_ref={}'; sh ask ncu + 'experiment_ref={"id": "x", "sha256": "y"}'
> 2 invalid_ncu_input 0 experiment_ref: an object is wanted
> 2 collection_rejected 0 correctness_ref: the candidate has not passed that case there
> 2 collection_rejected 0 case_id: is no case of the Target
> 2 resource_mismatch 0 resources: are not the Target's host and GPUs
> 2 resource_mismatch 0 resources: are not the Target's host and GPUs
> 2 collection_rejected 0 baseline_ref: is no baseline of this Target that passed
> 2 invalid_ncu_input 0 request: "report_ref" is no field of it
> 2 invalid_ncu_input 0 experiment_ref, correctness_ref: belong to the role candidate

## records have the published fields; everything verifies; a collection counts on the Target's budget and holds its lease
$ python3 -S $DATA/protocol/reports.py fields; n=$(ls root/objects/sha256 | wc -l); assay store gc root --min-age 0 >/dev/null; [ $n = $(ls root/objects/sha256 | wc -l) ] && echo all named; assay verify --store root | sed 's/.*hashed; //'; python3 -S $DATA/protocol/reports.py ask q ncu + 'kernel_name_hints=["new"]'; assay request q.json --explain | grep -o '"driver_calls": [0-9]'
> every field of ncu collect, ncu collect failed, nsys collect, pytorch collect, pytorch collect failed
> all named
> 0 damaged, 0 unfinished, 0 leftovers
> "driver_calls": 1
