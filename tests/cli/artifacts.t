# Requests about compiler stages and machine code: materials of a diagnostic Target, artifacts that a driver left.
needs: assay request --help >/dev/null
masks: CWD NAME

## the helpers
$ sed -n '/^+ # ask/,/^+ S/p' $ROOT/tests/cli/families.t | sed 's/^+ //; /^S$/d' >ask; printf 'python3 -S $DATA/protocol/reports.py get "$@"\n' >get
+ cat >cuobjdump <<'S'
+ #!/bin/sh
+ cd "$(dirname "$0")"; [ -e hang ] && { echo $$ >pid; exec sleep 77.7; }; [ -e fail ] && { echo "no device code" >&2; exit 3; }
+ case $1 in --version) echo "cuobjdump: release 13.0" ;; --dump-sass) gzip -dc $DATA/sass/signatures_sm90a.sass.gz ;; esac
+ S
+ chmod +x cuobjdump; cp cuobjdump tool; gzip -dc $DATA/sass/signatures_sm80.sass.gz >a.sass; printf '.version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n\tret;\n}\n' >a.ptx; echo 'no code at all' >none.sass
+ printf 'module attributes {"ttg.num-warps" = 4 : i32, ttg.target = "cuda:90"} {\n  tt.func public @k() {\n tt.return\n }\n}\n' >a.ttgir; printf 'module {\n  tt.func public @k() { tt.return }\n}\n' >a.ttir; printf 'define void @k() {\n  ret void\n}\n' >a.ll; printf '__global__ void k() {}' >a.cu
+ TOOLS='{"cuobjdump": "./cuobjdump"}' python3 -S $DATA/protocol/reports.py target a.ptx:nvcc:13.0:ptx-v1:artifact $DATA/elf/tiny_sm90a.cubin:nvcc:13.0:cuda-binary-v1:artifact a.sass:cuobjdump:13.0:sass-text-v1:artifact a.ttir:triton:3.4:triton-ttir-v1:artifact a.ttgir:triton:3.4:triton-ttgir-v1:artifact a.ll:triton:3.4:llvm-ir-v1:artifact a.cu:nvcc:13.0:cuda-source-v1:artifact \
+ a.cu:nvcc:13.0:ptx-v1:artifact none.sass:cuobjdump:13.0:sass-text-v1:artifact $DATA/elf/tiny_sm80.cubin:nvcc:13.0:cuda-binary-v1:artifact $DATA/elf/tiny_lz4.fatbin:nvcc:13.0:cuda-binary-v1:artifact
+ assay request target.json.in | sed 's/.*"status": "\([a-z]*\)".*/\1/'
> ready

## compiler: facts of each stage, nothing beyond it; registers and spills of a binary in assay (weakness 32)
$ ask() { sh ask compiler $1 "artifact_ref.stage=\"$2\""; }; ask 0 ptx; sh get q.out observations.0.structural_markers observations.0.line_count assay.stage.target environment_binding.runtime; ask 3 ttir; ask 4 ttgir; ask 5 llvm_ir; ask 6 source; ask 2 sass; ask 1 binary; sh get q.out observations.0.size_bytes assay.binary.images.0.kernels.0.resources; ask 0 ttir; ask 7 ptx
> 0 completed 1
> {".target": 1, ".version": 1}
> 7
> sm_90a
> {"reason": "diagnostic_mode", "status": "unavailable"}
> 0 completed 1
> 0 completed 1
> 0 completed 1
> 0 completed 1
> 0 completed 1
> 0 completed 1
> 10696
> {"barriers": 0, "code_bytes": 384, "constant0_bytes": 536, "cumulative_stack_bytes": 0, "local_bytes": 0, "parameter_bytes": 8, "registers": 8, "stack_frame_bytes": 0, "static_shared_bytes": 0}
> 2 unsupported_artifact 0 artifact_ref: the material's dialect is ptx-v1, the request's stage ttir
> 1 unsupported_artifact 0 a.cu: a marker of stage ptx is missing

## sass: counts of a listing, of a binary through the frozen cuobjdump; its output is kept
$ sh ask sass 2; sh get q.out observations.0.architectures observations.0.function_count; sh ask sass 1; sh get q.out observations.0.architectures observations.0.opcode_counts.LDG observations.0.size_bytes provenance.command_receipts.1.result.status; gzip -dc $DATA/sass/signatures_sm90a.sass.gz | cmp - root/invocations/$(sh get q.out invocation_id)/artifacts/sass.txt && echo kept
+ sh ask sass 8; sh ask sass 0; sh ask sass 1 'resources.host_id="elsewhere"'; sh ask sass 1 'artifact_ref.stage="binary"'
> 0 completed 1
> ["sm_80"]
> 44
> 0 completed 1
> ["sm_90a"]
> 99
> 10696
> completed
> kept
> 1 unrecognized_sass_dialect 0 none.sass: no kernel in this listing; expected the text of cuobjdump -sass or nvdisasm
> 2 unsupported_artifact 0 artifact_ref: the material's dialect is ptx-v1; read are binary|sass
> 2 resource_mismatch 0 resources.host_id: is not the Target's host <NAME>, whose cuobjdump it froze
> 2 invalid_sass_input 0 artifact_ref: "stage" is no field of it

## a tool that fails, hangs, is cancelled, whose owner is killed, that is not the frozen one: each ends with its reason and leaves nothing
$ retry() { id=$(sh get q.out invocation_id); sh ask sass 9 retry_of=\"$id\" "$@"; [ -e pid ] && alive; rm -f pid; }; alive() { grep '^State:.[^Z]' /proc/$(cat pid)/status; }; start() { id=$(sh get q.out invocation_id); python3 -S $DATA/protocol/reports.py ask q sass 9 retry_of=\"$id\"; assay request q.json >q.out; until [ -s pid ]; do sleep 0.01; done; }
+ touch fail; sh ask sass 9; rm fail; touch hang; retry command_timeout_seconds=0.2; retry operation_timeout_seconds=0.2; sh get q.out execution_status
+ start; python3 -S $DATA/protocol/reports.py about s sass cancel $(sh get q.out invocation_id); while assay request s.json >s.out; grep -q '"running"' s.out; do sleep 0.01; done; sh get s.out query_status stop_reason cleanup_status; rm pid
+ start; d=root/invocations/$(sh get q.out invocation_id); kill -9 $(sed 's/.*guardian_pid":\([0-9]*\).*/\1/' $d/worker.json) $(sed -n 's/.*worker_pid":"\([0-9]*\).*/\1/p' $d/events.jsonl); sed -i 's/"cancel"/"status"/' s.json; sed -i "s/inv-[0-9a-z-]*/$(sh get q.out invocation_id)/" s.json; until assay request s.json >s.out; grep -q worker_lost s.out; do sleep 0.01; done; sh get s.out stop_reason cleanup_status; alive
+ rm hang pid; retry; echo '#' >>cuobjdump; sh ask sass 1 'resources.gpu_uuids=[]' launch_deadline=9e9; sh ask sass 10; assay verify --store root | sed 's/.*hashed; //'
> 1 cuobjdump_command_failed 0 <CWD>/cuobjdump --version: exit 3 no device code
> 1 command_timeout 0 <CWD>/cuobjdump --version: killed at its deadline after 0.2 s
> 1 operation_timeout 0
> timed_out
> completed
> cancelled
> confirmed
> owner_lost
> confirmed
> 0 completed 1
> 2 cuobjdump_changed 0 <CWD>/cuobjdump: is not the cuobjdump that the Target froze
> 2 cuobjdump_changed 0 <CWD>/cuobjdump: is not the cuobjdump that the Target froze
> 0 damaged, 0 unfinished, 0 leftovers

## an artifact of a driver is bound to its call: the candidate's mechanism is looked for in the code that it left
$ mkdir o; cd o; ln -s ../get ../ask .; cp ../tool cuobjdump; python3 -S $DATA/protocol/make.py setup cases=1 extra='{"environment_requirements": {"gpu_uuids": [], "required_tools": {"cuobjdump": "./cuobjdump"}}}'; cp ../a.ptx original/art.ptx; cp ../a.ptx candidate/art.ptx; cp $DATA/elf/tiny_sm90a.cubin candidate/art.binary; cp ../a.sass candidate/art.sass
+ assay request readiness.json >readiness.out; make() { python3 -S $DATA/protocol/make.py "$@" cases=1; assay request $1.json --wait >$1.out; }; make baseline; make experiment extra='{"mechanism_key": "memory.vectorized_access", "change_scope": ["cost", "art.binary", "art.sass"]}'; make target pairs=4; sh get target.out verdict
+ ref() { python3 -S -c 'import json, sys; r = json.load(open("target.out")); i = [k for k, c in enumerate(r["command_receipts"]) if c["request"]["subjects"][0]["role"] == sys.argv[1]][0]; print(json.dumps({"source": "invocation_driver_artifact", "invocation_ref": r["result_ref"], "receipt_index": i, "relative_path": sys.argv[2], **json.loads(sys.argv[3])}))' "$@"; }
+ for a in 'candidate candidate.binary' 'candidate candidate.sass'; do sh ask sass - "artifact_ref=$(ref $a {})"; sh get q.out source_binding.role source_binding.mechanism_key; python3 -S -c 'import json; s = json.load(open("q.out"))["observations"][0]["signature"]; print(s["applicability"], len(s["patterns_found"]), len(s["patterns_missing"]))'; done
+ sh ask compiler - "artifact_ref=$(ref reference reference.ptx '{"stage": "ptx"}')"; sh get q.out source_binding.role source_binding.subjects.0.kind environment_binding.runtime.gpu_uuids; sh ask compiler - "artifact_ref=$(ref reference reference.ptx '{"stage": "ttir"}')"; sh ask compiler - "artifact_ref=$(ref reference ../../target.json '{"stage": "ptx"}')"; sh ask sass - "artifact_ref=$(ref candidate candidate.ptx {})"; sh ask sass - "artifact_ref=$(ref candidate candidate.sass '{"receipt_index": 99}')"
> passed
> 0 completed 1
> candidate
> memory.vectorized_access
> applicable 1 0
> 0 completed 1
> candidate
> memory.vectorized_access
> applicable 1 0
> 0 completed 1
> reference
> source_snapshot
> []
> 2 unsupported_artifact 0 artifact_ref: the artifact's kind is ptx, the request's stage ttir
> 2 artifact_not_found 0 artifact_ref.relative_path: that call left no artifact ../../target.json
> 2 unsupported_artifact 0 artifact_ref: the artifact's kind is ptx; read are binary|sass
> 2 artifact_not_found 0 artifact_ref.receipt_index: 99, the result has 8 command receipts

## an artifact of a call with two subjects names both, and no role (weakness 32)
$ cd o; make() { python3 -S $DATA/protocol/make.py "$@" cases=1; assay request $1.json --wait >$1.out; }; make experiment lifecycle=same_process extra='{"mechanism_key": "memory.vectorized_access", "change_scope": ["cost", "art.binary", "art.sass"]}'; make target pairs=4; sh ask compiler - "artifact_ref=$(python3 -S -c 'import json; print(json.dumps({"source": "invocation_driver_artifact", "stage": "binary", "invocation_ref": json.load(open("target.out"))["result_ref"], "receipt_index": 0, "relative_path": "candidate.binary"}))')"; sh get q.out source_binding.role; python3 -S -c 'import json; print(sorted(s["role"] for s in json.load(open("q.out"))["source_binding"]["subjects"]))'
> 0 completed 1
> null
> ['candidate', 'reference']

## records have the published fields
$ python3 -S $DATA/protocol/reports.py fields; cd o; python3 -S $DATA/protocol/reports.py fields
> every field of compiler, compiler failed, sass, sass failed
> every field of compiler, sass

## the handoff names what was read and counts none of it as used
$ cd o; assay handoff root --json | python3 -S -c 'import json, sys; h = json.load(sys.stdin); ran = [x for x in h["evidence"] if x["operation"] != "analyze"]; print(len(h["evidence"]) - len(ran), {x["measurement_validity"] for x in h["evidence"]}, abs(sum(x["elapsed_seconds"] for x in ran) - h["budget"]["used"]["wall_seconds"]) < 1e-9)'
> 4 {'valid'} True
