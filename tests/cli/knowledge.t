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
> 2 cards, 111 left out (--limit)
$ assay knowledge list | wc -l; assay knowledge show vectorized_loads | head -1
> 121
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
