# tools/recompute.py: makes statistics again from samples, by the definitions in src/stats/summary.h. Its agreement with
# the program: test_summary writes the same document.

masks: NUM
needs: command -v python3

## every field of the stored summaries, to 1e-12
$ $ROOT/tools/recompute.py $ROOT/tests/data/stats/summaries.json
> 8 summaries, 115 fields, 0 differ

## a wrong digit, a missing field and a false word are found
$ cat > s.json <<'END'
+ {"samples": [1, 2, 4], "unit": "ns", "summary": {"n": 3, "n_distinct": 3, "mean_ns": 2.33333333334,
+  "median_ns": 2, "min_ns": 1, "max_ns": 4, "trimmed_mean_ns": 2.3333333333333335, "mad_ns": 1,
+  "interval": {"of": "trimmed_mean", "half_width_ns": 3.7946, "level": 0.95, "method": "batch_means"}}}
+ END
$ $ROOT/tools/recompute.py s.json
> s.json[0].interval.half_width_ns: recomputed <NUM>, the file says 3.7946
> s.json[0].interval.method: recomputed 'independent', the file says 'batch_means'
> s.json[0].mean_ns: recomputed 2.3333333333333335, the file says 2.33333333334
> s.json[0].sd_ns: only in the recomputation
> 1 summaries, 10 fields, 4 differ
= 1

## bad input
$ echo '{"samples": [], "summary": {}}' > s.json; $ROOT/tools/recompute.py s.json
! s.json: entry 0: no samples, or one that is not finite
= 2
