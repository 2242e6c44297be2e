# knowledge-input-v1: cards as a request of the evidence protocol.
needs: assay request --help >/dev/null

## the helpers
$ cat >ask <<'S'
+ # ask [key=JSON...]: the default request with members replaced (null: taken away), answered: status, code, ids, relations
+ python3 -S - "$@" <<'P' >q.json
+ import json, sys
+ x = {"format_version": "cuda-kernel-optimizer/knowledge-input-v1", "operation": "query", "filters": {"mechanism_keys": []}, "limits": {"max_results": 3, "max_context_bytes": 1048576},
+      "identity": {"gpu_architecture": "sm_90a", "cuda_version": "12.4", "frameworks": {"torch": "2.8"}, "phenomena": [], "claim_layer": "kernel"}}
+ for m in sys.argv[1:]:
+     key, value = m.split("=", 1)
+     at, keys = x, key.split(".")
+     for k in keys[:-1]:
+         at = at[k]
+     at[keys[-1]] = json.loads(value)
+     if at[keys[-1]] is None:
+         del at[keys[-1]]
+ print(json.dumps(x))
+ P
+ assay request q.json >q.out 2>q.err; s=$?
+ python3 -S - $s <<'P'
+ import json, sys
+ r = json.loads(open("q.out").read() or open("q.err").read())
+ print(sys.argv[1], r.get("error") or r["status"], *("%s:%s:%s" % (m["id"], m["relation"], m["differs"]) for m in r.get("matches", [])))
+ P
+ S
+ printf 'python3 -S $DATA/protocol/reports.py get "$@"\n' >get

## by mechanism, by what was seen: a mechanism, a fact of ours, a published observation, a profiler's metric, a part of a word (weakness 34)
$ sh ask 'filters.mechanism_keys=["memory.bank_conflict"]'; sh get q.out assay.further_cards identity_source truncated; for w in async_copy dram.throughput kernel.dram_throughput_pct smsp__average_warps_issue_stalled_gmma_per_issue_active.ratio swizzl; do sh ask "identity.phenomena=[\"$w\"]"; done; sh ask 'identity.phenomena=["no such thing"]'; sh ask 'filters.mechanism_keys=["triton.nothing"]'; sh get q.out assay.unknown_keys
> 0 completed bank_conflict:compatible:None
> ["smem_swizzle"]
> detached
> false
> 0 completed async_copy:compatible:None
> 0 completed lop3_bit_manipulation:compatible:None swap_ab:compatible:None tile_scheduler_swizzle:compatible:None
> 0 completed lop3_bit_manipulation:compatible:None swap_ab:compatible:None tile_scheduler_swizzle:compatible:None
> 0 completed wgmma_serialization:compatible:None
> 0 completed tile_scheduler_swizzle:compatible:None smem_swizzle:compatible:None tma_load:compatible:None
> 0 completed
> 0 completed
> ["triton.nothing"]

## how far a card applies: architecture, toolkit, framework, claim layer
$ k='filters.mechanism_keys'; sh ask "$k=[\"wgmma\"]"; sh ask "$k=[\"wgmma\"]" 'identity.gpu_architecture="8.0"'; sh ask "$k=[\"wgmma\"]" 'identity.cuda_version="11.8"'; sh ask "$k=[\"amdahl_gate\"]"; sh ask "$k=[\"amdahl_gate\"]" 'identity.claim_layer="workload"'
> 0 completed wgmma:compatible:None
> 0 completed wgmma:incompatible:architecture: 80, the card holds for 90
> 0 completed wgmma:related:toolkit: 11.8, the card holds for >=12.0
> 0 completed amdahl_gate:incompatible:claim layer: the card is of workload
> 0 completed amdahl_gate:compatible:None

## the limits: results and bytes; the same cards give the same digests
$ sh ask 'limits.max_results=1'; sh get q.out truncated; sh get q.out provenance >one; sh ask 'limits.max_context_bytes=1500'; sh get q.out truncated; python3 -S -c 'import json; r = json.load(open("q.out")); print(r["context_bytes"] == sum(len(json.dumps(m, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()) for m in r["matches"]) <= 1500, sorted(r), sorted(r["matches"][0]))'; sh ask filters=null limits=null; sh get q.out provenance | cmp - one
> 0 completed branch_eliminate:compatible:None
> true
> 0 completed branch_eliminate:compatible:None
> true
> True ['assay', 'context_bytes', 'identity_source', 'matches', 'provenance', 'status', 'truncated'] ['assay', 'cheapest_falsifier', 'content_kind', 'counter_signals', 'differs', 'id', 'identity_constraints', 'mechanism', 'mechanism_key', 'positive_signals', 'relation', 'sources', 'status']
> 0 completed branch_eliminate:compatible:None fma_and_fast_math:compatible:None fp8:compatible:None half_accumulate:compatible:None icache_footprint:compatible:None ilp_unroll_register_tile:compatible:None index_arithmetic:compatible:None launch_config:compatible:None lop3_bit_manipulation:compatible:None mma_sync:compatible:None mufu_ex2_softmax_replacement:compatible:None online_normalizer:compatible:None sparse_mma:compatible:None stable_variance:compatible:None swap_ab:compatible:None tensor_core_idle:compatible:None tf32:compatible:None tile_shape:compatible:None warp_shuffle:compatible:None warp_specialization:compatible:None wgmma:compatible:None asymmetric_mbarrier_sync:compatible:None atomic_optimize:compatible:None barrier_reduction:compatible:None cluster_size:compatible:None cooperative_groups_sync:compatible:None fence_cost:compatible:None grouped_gemm:compatible:None longest_first:compatible:None persistent_kernel:compatible:None pingpong_warpgroup_schedule:compatible:None producer_regdealloc_setmaxnreg:compatible:None redux:compatible:None small_block_packing:compatible:None stream_k_load_balancing:compatible:None tile_scheduler_swizzle:compatible:None warp_aggregated_atomics:compatible:None wave_quantization:compatible:None wgmma_serialization:compatible:None async_copy:compatible:None bank_conflict:compatible:None bulk_copy:compatible:None constant_path:compatible:None coalesced_access:compatible:None data_layout:compatible:None distributed_smem:compatible:None l2_partition_locality:compatible:None l2_persistence_window:compatible:None ldg_cache_modifier_hint:compatible:None ldmatrix:compatible:None

## refused with its place
$ sh ask x=1; sh ask 'operation="ask"'; sh ask 'identity.gpu_architecture="hopper"'; sh ask 'identity.phenomena=["a", "a"]'; sh ask 'limits.max_results=0'; sh ask 'limits.max_context_bytes=true'; sh ask 'identity.frameworks={"torch": 2}'; sh ask identity=null; grep -o '"error_code": "[a-z_]*"' q.err
> 2 request: "x" is no field of it
> 2 request.operation: "ask" is none of query
> 2 gpu_architecture: "hopper" is not as sm_90a, 90 or 9.0
> 2 phenomena: "a" twice
> 2 limits.max_results: 0 is outside 1..1024
> 2 limits.max_context_bytes: a whole number is wanted
> 2 frameworks: the version of torch is no string
> 2 request: "artifact_root" is missing
> "error_code": "knowledge_query_invalid"

## of a Target: its architecture, toolkit and claim layer; a Target that knows none is refused
$ new() { mkdir $1; cd $1; cp ../ask .; python3 -S $DATA/protocol/make.py setup cases=1; sed -i "s/\"gpu_uuids\": \[\]/\"gpu_uuids\": [$2]/" readiness.json; assay request readiness.json >readiness.out; sh ask identity=null artifact_root="\"$PWD/root\"" target_ref="$(python3 -S $DATA/protocol/reports.py get readiness.out target_ref)" 'phenomena=["wgmma"]'; }; new g '"GPU-b", "GPU-a"'; python3 -S $DATA/protocol/reports.py get q.out identity_source; cd ..; new n ''; sh ask identity=null artifact_root="\"$PWD/root\"" 'target_ref={"id": "x", "sha256": "x"}'
> 0 completed wgmma:compatible:None wgmma_serialization:compatible:None
> target
> 2 the Target knows no GPU architecture; an identity of its own names one
> 2 target_ref.sha256: 64 hexadecimal digits are wanted
