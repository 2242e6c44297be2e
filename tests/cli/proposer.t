# The proposers of the examples: from the loop's state on stdin to the next version and a proposal that quotes the report.

## v0 to v1 on backend c: the references table, numbers as the report prints them, tags
$ mkdir -p run/iter_v0; echo '{"kernel": {"median_ms": 3.25, "min_ms": 3.1, "max_ms": 4.0}, "reference": {"median_ms": 9}}' > run/iter_v0/benchmark_result.json
+ state() { printf '{"run_dir": "run", "iteration": %s, "max_iterations": 5, "backend": "%s", "current_path": "x", "next_path": "run/next.%s", "proposal_path": "run/proposal.md"}' $1 $2 $3; }
+ state 0 c c | $ROOT/examples/softmax/propose.sh; cmp run/next.c $ROOT/examples/softmax/softmax_v1.c; cat run/proposal.md
> # From v0 to v1
> 
> ## Primary references
> | item | adopted | reason |
> |---|---|---|
> | memory: fewer passes over the row | does not fit | a row fits into the first-level cache |
> | compute: no work twice | adopted | each exponential is computed twice, each element is divided |
> | sync: independent chains | conflicts | libm calls stand between the elements; later |
> 
> ## Bottlenecks
> 1. exp is called twice an element and there is a division an element: the row is bound by instructions.
> 
> ## Evidence
> - kernel.median_ms = 3.25 ms
> - kernel.min_ms = 3.1 ms
> - kernel.max_ms = 4.0 ms
> 
> ## Pipelining assessment
> No: one thread, and the row is in the first-level cache, so there is no latency of memory to hide.
> 
> ## Change
> Keep the exponential in y and multiply by the reciprocal of the sum.
> 
> ## Preferred strategies
> none so far
> 
> ## Strategy tags
> - exp_once
> - reciprocal

## a GPU report is quoted, preferred strategies are answered one by one
$ mkdir -p run/iter_v4; printf '    DRAM Throughput                   %%        21.89\n    Achieved Occupancy                %%        88.82\n' > run/iter_v4/full_details.txt
+ printf '{"run_dir": "run", "iteration": 4, "backend": "cuda", "next_path": "run/n.cu", "proposal_path": "run/p.md", "preferred": [{"fingerprint": "aa", "tags": ["coalesced_access"], "reason": "faster_than_previous"}, {"fingerprint": "dd", "tags": ["baseline"], "reason": "baseline_seed"}, {"fingerprint": "bb", "tags": ["coalesced_access", "other"]}]}' | $ROOT/examples/transpose/propose.sh
+ cmp run/n.cu $ROOT/examples/transpose/transpose_v3.cu; sed -n '/## Evidence/,/## Pipe/p; /## Preferred/,$p' run/p.md
> ## Evidence
> - DRAM Throughput = 21.89 %
> - Achieved Occupancy = 88.82 %
> 
> ## Pipelining assessment
> ## Preferred strategies
> - aa: merged; it is coalesced_access
> - bb: not merged; this version goes another way than other
> 
> ## Strategy tags
> - coalesced_access
> - shared_memory_tiling
> - bank_conflict_padding
> - instruction_level_parallelism

## every example gives v1, v2, a wrong one, a slower one, v3, each with its own tags
$ for e in softmax matmul transpose; do for b in c cuda; do s=$b; [ $b = c ] || s=cu
+ for i in 0 1 2 3 4; do mkdir -p run/iter_v$i
+ printf '{"run_dir": "run", "iteration": %s, "backend": "%s", "next_path": "run/n.%s", "proposal_path": "run/p.md"}' $i $b $s | $ROOT/examples/$e/propose.sh
+ for v in v1 v2 wrong slow v3; do cmp -s run/n.$s $ROOT/examples/$e/${e}_$v.$s && printf '%s ' $v; done
+ sed -n '/## Strategy/,$p' run/p.md | tr -d '\n' >> tags.$e.$b; echo >> tags.$e.$b; done; echo; sort tags.$e.$b | uniq -d; done; done
> v1 v2 wrong slow v3 
> v1 v2 wrong slow v3 
> v1 v2 wrong slow v3 
> v1 v2 wrong slow v3 
> v1 v2 wrong slow v3 
> v1 v2 wrong slow v3 

## a state that lacks a field is refused
$ echo '{"run_dir": "run"}' | $ROOT/examples/softmax/propose.sh 2>&1 | sed "s|$ROOT/||"
> examples/softmax/propose.sh: the state on stdin has no iteration
$ echo '{"run_dir": ' | $ROOT/examples/softmax/propose.sh 2>/dev/null
= 1
