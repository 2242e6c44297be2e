# assay knowledge and explain: cards, what a profile speaks for, what differs, words.

## planted reports: every fault is found, no clean twin is, nothing that is not true is said
$ $ROOT/tests/tools/knowledge_table.py
> case           must found extra  twin
> uncoalesced       1     1     0     0
> bank conflict     2     2     0     0
> spill             1     1     0     0
> atomics           2     2     0     0
> tensor idle       3     3     0     0
> launch bound      2     2     0     0
> divergence        1     1     0     0
> tail              2     2     0     0
> barrier           2     2     0     0
> precision 1.000  recall 1.000

## a report of a real GPU
$ assay knowledge query --from $DATA/ncu/gather.ncu-repz --layer kernel | grep -e '^[a-z]' | cut -d' ' -f1
> software_prefetch
> async_copy
> multi_stage_pipeline
> tma_store
> wide_shared_access
> ilp_unroll_register_tile

## traces: gaps of launches, exposed copies; a busy twin says nothing
$ cat > traces.py <<'E'
+ import json
+ def trace(name, step, kernel, copy):
+     events, at = [], 1000.0
+     for i in range(40):
+         events.append(dict(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=1, tid=1, ts=at, dur=step - 1, args=dict(correlation=i + 1)))
+         start = at + step
+         events.append(dict(ph="X", cat="kernel", name="k", pid=0, tid=7, ts=start, dur=kernel, args=dict(correlation=i + 1, device=0, stream=7, grid=[1, 1, 1], block=[32, 1, 1])))
+         if copy:
+             events.append(dict(ph="X", cat="gpu_memcpy", name="Memcpy HtoD (Pageable -> Device)", pid=0, tid=7, ts=start + kernel, dur=copy, args=dict(device=0, stream=7, bytes=4096)))
+         at = start + kernel + copy
+         if step < 2:
+             at -= step
+     json.dump(dict(schemaVersion=1, deviceProperties=[dict(id=0, name="G")], traceEvents=events), open(name, "w"))
+ trace("gaps.json", 20, 10, 0)
+ trace("copies.json", 1.5, 10, 10)
+ trace("busy.json", 1.5, 200, 0)
+ E
+ python3 traces.py; for t in gaps copies busy; do echo $t $(assay knowledge query --from $t.json | grep '^[a-z_]*  [a-z]*\.' | cut -d' ' -f1); done
> gaps launch_gaps
> copies pinned_copy
> busy

## an iteration folder: its full report
$ mkdir iter_v2; cp $DATA/ncu/two.ncu-repz iter_v2/full.ncu-rep; cp $DATA/ncu/gather.ncu-repz iter_v2/targeted.ncu-rep
+ assay knowledge query --from iter_v2 --json | grep -e '"from"' -e '"n_launches"'
>   "from": "iter_v2/full.ncu-rep",
>   "n_launches": 6,

## what differs in the identity is named; without being asked for such cards are left out
$ assay knowledge query --arch sm_80 --key wgmma | sed -n 2p; assay knowledge query --arch sm_80 --domain compute --limit 100 | grep -c '^wgmma ' | sed 's|^|wgmma |'
>   differs           architecture: 80, the card holds for 90
> wgmma 0

## bounded
$ assay knowledge query --arch sm_90 --limit 2 | tail -1
> 2 cards, 113 left out (--limit)
$ assay knowledge list | wc -l; assay knowledge show vectorized_loads | head -1
> 123
> vectorized_access  memory.vectorized_access

## what there is not
$ assay knowledge show nothing
= 2
$ assay knowledge query --key nothing
= 2
$ assay knowledge frobnicate
= 2
$ mkdir empty; assay knowledge query --from empty
= 2
$ assay knowledge query --arch new
= 2

## explain: metric, profiler name, class, card, error, verdict
$ for w in l2.hit_rate lts__t_sector_hit_rate.pct DRAM_MEMORY_BOUND bank_conflict lease_taken wrong_result pipe.xu; do COLUMNS=200 assay explain $w | head -1 | cut -c1-40 | sed 's| *$||'; done
> l2.hit_rate: L2 Hit Rate, unit %, ratio
> l2.hit_rate: L2 Hit Rate, unit %, ratio
> DRAM_MEMORY_BOUND: a rule over one launc
> bank_conflict: Lanes of one access that
> lease_taken: an error code: assay could
> wrong_result: a verdict of the stage cor
> pipe.xu: special-function pipe, unit %.
$ assay explain LATENCY_BOUND --json
> {
>   "format": "assay/explain-v1",
>   "kind": "class",
>   "text": "LATENCY_BOUND: a rule over one launch, conditions: sm.throughput < 60 (R2.2, SOL); memory.throughput < 60 (R2.2, SOL); occupancy.achieved > 30 (R2.2, OCC); scheduler.eligible_warps < 1 (R2.2: fewer than one warp ready a cycle). None, one or several rules can hold.",
>   "word": "LATENCY_BOUND"
> }
$ assay explain frobnicate
= 2
