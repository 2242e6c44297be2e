# The main job as make demo runs it: softmax from v0 through five versions, one of them wrong. The timed case has fewer rows.
timeout: 240
masks: NUM UTC CWD

## the loop ends, the wrong version is rejected, the best one is a right one
$ sed 's/512/64/g' $ROOT/examples/softmax/softmax.op.json >softmax.op.json; grep -c '64x1000.*"M": 64' softmax.op.json
+ assay optimize $ROOT/examples/softmax/softmax_v0.c --backend=c --max-iterations=5 --any-load --warmup=1 --repeat=15 --skip-warm --compare-budget=2 --ref=$ROOT/examples/softmax/softmax_ref.c --op-file=softmax.op.json --proposer=$ROOT/examples/softmax/propose.sh 2>err | sed '/^{$/,$d; / tries: /d; s/ ms: .*/ ms/'
> 1
> run folder: <CWD>/assay-runs/softmax_v0-<UTC>
> v0 passed, median <NUM> ms
> v1 passed, median <NUM> ms
> v2 passed, median <NUM> ms
> v3 output_unwritten: rejected correctness_failed
> v4 passed, median <NUM> ms
> v5 passed, median <NUM> ms
> summary: <CWD>/assay-runs/softmax_v0-<UTC>/final_summary.md
$ cd assay-runs/*; grep -c '"best_iteration": [01245]' run_manifest.json; ls; ls iter_v5
> 1
> check.json
> final_summary.json
> final_summary.md
> iter_v0
> iter_v1
> iter_v2
> iter_v3
> iter_v4
> iter_v5
> preflight_check.json
> preflight_check.md
> run_manifest.json
> versions
> benchmark.stderr.txt
> benchmark.stdout.txt
> benchmark_result.json
> full.perf.json
> full_details.txt
> full_summary.txt
> iteration_summary.md
> kernel.so
> optimization_proposal.md
> perf.job
> targeted.perf.json
> targeted_details.txt
> targeted_summary.txt
> v5.c

## what ran is what the examples hold, and each proposal quotes the report of its iteration
$ cd assay-runs/*; e=$ROOT/examples/softmax; cmp iter_v0/softmax_v0.c $e/softmax_v0.c; cmp iter_v1/v1.c $e/softmax_v1.c; cmp iter_v3/v3.c $e/softmax_wrong.c; cmp iter_v5/v5.c $e/softmax_v3.c
$ cd assay-runs/*; for i in 0 1 2 4; do n=$(sed -n 's/.*kernel.median_ms = \(.*\) ms/\1/p' iter_v$i/optimization_proposal.md); awk -f $ROOT/examples/flatten.awk iter_v$i/benchmark_result.json | grep -c "^kernel.median_ms	$n\$"; done
> 1
> 1
> 1
> 1
