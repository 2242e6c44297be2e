# Requests about evidence that exists: profiler reports of a diagnostic Target, in the published forms.
needs: assay request --help >/dev/null
masks: CWD

## the helpers
$ cat >ask <<'S'
+ # ask FAMILY MATERIAL [key=JSON...]: a request, answered: exit status, stop reason or code of the refusal, number of observations
+ python3 -S $DATA/protocol/reports.py ask q "$@" || exit; assay request q.json --wait >q.out 2>q.err; s=$?
+ python3 -S - $s <<'P'
+ import json, re, sys
+ r = json.loads(open("q.out").read() or open("q.err").read())
+ said = (r.get("diagnostic") or {}).get("message", r.get("error", "")).split("payload/")[-1]
+ print(sys.argv[1], r.get("stop_reason", r.get("error_code")), len(r.get("observations", [])), *re.sub("inv-[0-9a-f]*", "inv-ID", said).split())
+ P
+ S
+ printf 'python3 -S $DATA/protocol/reports.py get "$@"\n' >get; python3 -S $DATA/protocol/reports.py make; zstd -dqc $DATA/ncu/gather.raw.csv.zst >raw.csv 2>/dev/null || python3 -S -c 'print()' >raw.csv
+ head -c 300 t.json.gz >cut.json.gz; sed 's/"%","40"/"%","forty"/' plain.csv >word.csv; sed 's/"Kbyte"/"%"/' plain.csv >unit.csv; sed 's/,"Metric Unit"//; s/,"Kbyte"//; s/,"%"//' plain.csv >column.csv; printf '"Kernel Name","Metric Name","Metric Unit","Metric Value"\n"a","other","%%","1"\n' >other.csv
+ python3 -S - <<'P'
+ import sqlite3, sys, os
+ sys.path.insert(0, os.environ["DATA"] + "/protocol")
+ import reports
+ for name, sql in (("old.sqlite", "update META_DATA_EXPORT set value = '3.11.0' where name = 'EXPORT_SCHEMA_VERSION'"), ("none.sqlite", "drop table CUPTI_ACTIVITY_KIND_KERNEL"), ("back.sqlite", "update CUPTI_ACTIVITY_KIND_KERNEL set end = start - 1")):
+     open(name, "wb").write(open("n.sqlite", "rb").read()); d = sqlite3.connect(name); d.execute(sql); d.commit()
+ reports.trace("many.json.gz", [(10.0 * i, 5, "kernel", "k%d" % (i % 3), 0, 7) for i in range(12000)])
+ reports.trace("bad.json.gz", [(1, 2, "kernel", "k", 0, 7), ("soon", 2, "kernel", "k", 0, 7)])
+ P
+ v=2026.2.1; python3 -S $DATA/protocol/reports.py target plain.csv:ncu:$v:ncu-csv-long-v1 $DATA/ncu/live_metrics.csv:ncu:2025.3:ncu-csv-long-v1 $DATA/ncu/gather.ncu-repz:ncu:2025.3:ncu-rep-v1 n.sqlite:nsys:$v:nsys-sqlite-3.25-v1 t.json.gz:pytorch_profiler:2.13.0:chrome-trace-v1 \
+ word.csv:ncu:$v:ncu-csv-long-v1 unit.csv:ncu:$v:ncu-csv-long-v1 column.csv:ncu:$v:ncu-csv-long-v1 other.csv:ncu:$v:ncu-csv-long-v1 n.sqlite:ncu:$v:ncu-rep-v1 plain.csv:ncu:$v:ncu-csv-v9 \
+ old.sqlite:nsys:$v:nsys-sqlite-3.25-v1 old.sqlite:nsys:$v:nsys-sqlite-v1 none.sqlite:nsys:$v:nsys-sqlite-v1 back.sqlite:nsys:$v:nsys-sqlite-v1 cut.json.gz:pytorch_profiler:2.13.0:chrome-trace-v1 many.json.gz:pytorch_profiler:2.9.1+cu130:chrome-trace-v1 bad.json.gz:pytorch_profiler:2.13.0:chrome-trace-v1 plain.csv:ncu:$v:ncu-csv-long-v1:artifact
+ assay request target.json.in | sed 's/.*"status": "\([a-z]*\)".*/\1/'
> ready

## ncu: the seven published metrics over all rows; hints choose kernels; each kernel by itself (weakness 27)
$ sh ask ncu 0; sh get q.out observations.1 unmodeled; sh ask ncu 0 'kernel_name_hints=["gemm"]'; sh get q.out observations.2.value assay.kernels.1.means
> 0 completed 7
> {"aggregation": "mean_across_matching_rows", "scope": ["kernel"], "semantic_id": "kernel.dram_bytes", "source_metric": "dram__bytes.sum", "tool": {"name": "ncu", "version": "2026.2.1"}, "unit": "byte", "value": 1001000.0}
> ["Host", "lts__t_sectors.sum"]
> 0 completed 7
> 50.5
> {"kernel.barrier_stall_pct": 4.0, "kernel.dram_bytes": 1001000.0, "kernel.dram_throughput_pct": 41.0, "kernel.long_scoreboard_pct": 13.5, "kernel.occupancy_pct": 51.0, "kernel.sm_active_pct": 61.0, "kernel.tensor_pipe_pct": 1.0}

## ncu: a page with the program's lines, a report itself; what they hold beyond the seven stands in assay.facts (weaknesses 25, 26)
$ sh ask ncu 1; sh ask ncu 2; sh get q.out assay.reader assay.report_version assay.version_agrees; sh get q.out assay.facts | grep -o '"id": "sm.throughput", "scope": "launch"'
> 0 completed 0
> 0 completed 2
> ncu
> ncu 2025.3.1.0 (build 36398880) (public-release)
> true
> "id": "sm.throughput", "scope": "launch"

## ncu: what is no such report, by code and place
$ for i in 5 6 7 8 9 10 18; do sh ask ncu $i; done; sh ask ncu 0 'kernel_name_hints=["none"]'
> 1 invalid_metric_value 0 offset 105: metric dram__throughput.avg.pct_of_peak_sustained_elapsed is "forty", which is no number
> 1 unexpected_unit 0 metric dram__bytes.sum has the unit "%"; it is in byte
> 1 missing_required_column 0 offset 41: the column "Metric Unit" is missing (ncu --csv --page details writes it; a raw page is dialect ncu-csv-raw-v1)
> 1 missing_modeled_metric 0 none of the modeled metrics is in the report (dram__throughput.avg.pct_of_peak_sustained_elapsed, ...)
> 1 unsupported_report 0 n.sqlite: is read as Nsight Systems export (SQLite), not as ncu
> 2 unsupported_report 0 report_ref: the material's dialect is ncu-csv-v9; read are ncu-csv-long-v1|ncu-csv-raw-v1|ncu-rep-v1
> 2 unsupported_report 0 report_ref: the material's kind is artifact, not report
> 1 missing_matching_kernel 0 none of 24 rows is of a kernel that kernel_name_hints name

## nsys: one observation a row, one without a name too (weakness 29); sums by kernel
$ sh ask nsys 3; sh get q.out observations.0 observations.2.scope unmodeled assay.kernels.0.total_ns assay.rows_without_name; for i in 11 12 13 14; do sh ask nsys $i; done
> 0 completed 3
> {"aggregation": "single_kernel_row", "scope": ["kernel", "void gemm<float>(float *)"], "semantic_id": "kernel.duration", "source": {"end_column": "end", "name_column": "demangledName", "start_column": "start", "table": "CUPTI_ACTIVITY_KIND_KERNEL"}, "tool": {"name": "nsys", "version": "2026.2.1"}, "unit": "ns", "value": 50}
> ["kernel"]
> {"kernel_columns": ["deviceId", "streamId"], "tables": ["NVTX_EVENTS"]}
> 150.0
> 1
> 1 unsupported_tool_version 0 the report is of nsys export schema 3.11.0, which no test covers, and the material's tool_version is 2026.2.1; one that holds "3.11.0" is read and marked
> 1 unsupported_tool_version 0 the report is of nsys export schema 3.11.0, which no test covers, and the material's tool_version is 2026.2.1; one that holds "3.11.0" is read and marked
> 1 missing_required_table 0 none.sqlite: there is no table CUPTI_ACTIVITY_KIND_KERNEL: no kernel was traced
> 1 invalid_metric_value 0 table CUPTI_ACTIVITY_KIND_KERNEL, row 0: its start and end give no duration

## pytorch: one observation a complete event, a name of 600 characters, text for pid and tid of category Trace; 12,000 events (weaknesses 2, 28)
$ sh ask pytorch 4; sh get q.out observations.2 unmodeled; sh ask pytorch 16; sh get q.out observations.11999.interval assay.facts.origin; sh ask pytorch 15; sh ask pytorch 17
> 0 completed 3
> {"aggregation": "single_complete_event", "category": "Trace", "duration_us": 40.0, "interval": {"end_us": 40.0, "start_us": 0.0}, "name": "PyTorch Profiler (0)", "scope": ["process", "Spans", "thread", "PyTorch Profiler"], "semantic_id": "pytorch.trace.complete_event", "source": {"phase": "X", "timestamp_unit": "us"}, "tool": {"name": "pytorch_profiler", "version": "2.13.0"}, "unit": "us", "value": 40.0}
> {"fields": ["schemaVersion", "deviceProperties"], "phases": {"i": 1}}
> 0 completed 12000
> {"end_us": 119995.0, "start_us": 119990.0}
> {"tool": "kineto", "verified": false}
> 1 unsupported_report 0 the report is damaged: the gzip stream is cut at byte 300 of the file; 4 events before it are kept
> 1 invalid_trace_event 0 bad.json.gz: event 1 at byte 237: a complete event whose "ts" is no number

## records have the published fields; the same request again is the same invocation; status, cancel, explain
$ python3 -S $DATA/protocol/reports.py fields; sh ask ncu 0; id=$(sh get q.out invocation_id); ls root/invocations | wc -l; sh ask ncu 0 launch_deadline=9e9; [ $id = $(sh get q.out invocation_id) ] && echo same; python3 -S $DATA/protocol/reports.py about s ncu status $id; assay request s.json >s.out; sh get s.out query_status result.stop_reason; python3 -S $DATA/protocol/reports.py about s nsys status $id; assay request s.json; assay status root | grep -c completed
> every field of ncu, ncu failed, nsys, nsys failed, pytorch, pytorch failed
> 0 completed 7
> 19
> 0 completed 7
> same
> completed
> completed
> 19

## refused before anything is made: unknown keys, another operation, a GPU, a past deadline, another Target, another material
$ n=$(ls root/invocations | wc -l); sh ask ncu 0 extra=1; sh ask ncu 0 'operation="gather"'; sh ask ncu 0 'resources.gpu_uuids=["GPU-1"]'; sh ask ncu 0 launch_deadline=5; sh ask ncu 0 'target_ref.id="x"'; sh ask ncu 3; sh ask ncu 0 'report_ref.id="x"'; sh ask ncu 0 "report_ref.sha256=\"$(printf %064d 0)\""; sh ask nsys 3 'kernel_name_hints=[]'; sh ask ncu 0 kernel_name_hints=null; [ $n = $(ls root/invocations | wc -l) ] && echo nothing made
> 2 invalid_ncu_input 0 request: "extra" is no field of it
> 2 invalid_ncu_input 0 operation: "gather" is none of cuda-kernel-optimizer/ncu-input-v1; there is analyze, collect, status and cancel
> 2 invalid_ncu_input 0 resources.gpu_uuids: analyze uses no GPU; it is []
> 2 invalid_ncu_input 0 launch_deadline: is not in the future (seconds since 1970)
> 2 target_changed 0 target_ref: names another Target than <CWD>/root/target.json
> 2 unsupported_report 0 report_ref: the material's tool is nsys, not ncu
> 2 report_not_found 0 report_ref: x is no material of the Target (its diagnostic_materials name them)
> 2 report_changed 0 report_ref.sha256: the material's object is 755501f05477
> 2 invalid_nsys_input 0 request: "kernel_name_hints" is no field of it
> 2 invalid_ncu_input 0 request: "kernel_name_hints" is missing
> nothing made

## a report whose bytes changed is not read
$ cp -r root whole; f=$(find root/objects -name plain.csv | head -1); chmod u+w $f; echo >>$f; sh ask ncu 0 'kernel_name_hints=["softmax"]'; rm -rf root; mv whole root
> 1 report_changed 0 plain.csv: its bytes hash to a9e36717e8e3, not to 755501f05477

## started without waiting; out of time, killed: always a result that says so, and retry_of repeats it
$ python3 -S $DATA/protocol/reports.py ask q ncu 0 'kernel_name_hints=["gemm_b"]'; assay request q.json >q.out; sh get q.out status; python3 -S $DATA/protocol/reports.py about s ncu status $(sh get q.out invocation_id); until assay request s.json | grep -q '"query_status": "completed"'; do sleep 0.02; done; assay request s.json >s.out; sh get s.out result.execution_status
+ sh ask ncu 0 'kernel_name_hints=["x"]' operation_timeout_seconds=0.000001; sh get q.out execution_status
+ export ASSAY_FAILPOINT=reading.read; sh ask ncu 0 'kernel_name_hints=["y", "gemm"]'; unset ASSAY_FAILPOINT; id=$(sh get q.out invocation_id); sh ask ncu 0 'kernel_name_hints=["y", "gemm"]'; sh ask ncu 0 'kernel_name_hints=["y", "gemm"]' retry_of=\"$id\"; assay verify --store root | sed 's/.*hashed; //'
> started
> succeeded
> 1 operation_timeout 0
> timed_out
> 1 worker_error 0 the reader ended by signal 9
> 2 invalid_ncu_input 0 inv-ID ended without a valid measurement: a failed invocation requires explicit retry_of
> 0 completed 7
> 0 damaged, 0 unfinished, 0 leftovers

## a result that nobody could read back is not published: what is says so (a record has at most 1 GiB)
$ export ASSAY_FAILPOINT=record.size:2:27; python3 -S $DATA/protocol/reports.py ask q ncu 0 'kernel_name_hints=["gemm_a"]'; assay request q.json --wait --foreground >q.out 2>/dev/null; echo $?; unset ASSAY_FAILPOINT; sh get q.out stop_reason execution_status observations
> 1
> output_limit_exceeded
> failed
> []

## weakness 24: reports are attached to an optimization Target of version 3, and read there; version 2 knows no such member
$ mkdir o; cd o; cp ../ask ../get ../plain.csv .; m='{"materials": [{"kind": "report", "path": "plain.csv", "tool": "ncu", "tool_version": "2026.2", "dialect": "ncu-csv-long-v1"}]}'; python3 -S $DATA/protocol/make.py setup cases=1 "extra=$m"; assay request readiness.json 2>&1 | grep -o 'error": "[^,]*'; sed -i 's|cuda-kernel-optimizer/readiness-input-v2|assay/readiness-input-v3|' readiness.json; assay request readiness.json >readiness.out; sh get readiness.out status; sh ask ncu 0; sed -i 's/"kind": "report"/"kind": "page"/; s|/root"|/root2"|' readiness.json; assay request readiness.json 2>&1 | grep -o 'error": "[^,]*'
> error": "request: \"materials\" is no field of it"
> ready
> 0 completed 7
> error": "materials.kind: \"page\" is none of report|artifact"

## a text with U+0000 is refused: what C takes for its end is not what was written
$ sh ask ncu 0 "artifact_root=\"$PWD/root\\u0000/x\""; sh ask ncu 0 'kernel_name_hints=["a\u0000b"]'; sh ask ncu 0 'report_ref={"id": "x", "sha256": "y", "z\u0000": 1}'; python3 -S $DATA/protocol/reports.py about s ncu status "$(ls root/invocations | head -1)"; sed -i 's/"invocation_id": "[^"]*/&\\u0000/' s.json; assay request s.json 2>&1 | grep -o 'holds the character U+0000'
> 2 invalid_request 0 "<CWD>/root?/x": holds the character U+0000
> 2 invalid_request 0 "a?b": holds the character U+0000
> 2 invalid_request 0 "z?": holds the character U+0000
> holds the character U+0000
