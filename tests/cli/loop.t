# The loop with the real program on backend c: versions that differ by factors of ten (tests/data/loop). Where numbers decide, the
# unit tests of loop/ decide; here it is what a user types and sees.
needs: assay optimize --help >/dev/null && command -v cc
timeout: 120
masks: NUM CWD PATH ID

## two versions: faster, wrong; the memory has their tags, the summary its nine items
$ D=$ROOT/tests/data/loop; cat > go.sh <<END
+ exec assay optimize $D/loop_v0.c --backend=c --ref=$D/loop_ref.c --op-file=$D/loop.op.json --proposer=$D/propose.sh \
+ --warmup=1 --repeat=5 --skip-warm --min-effect=20 --compare-budget=30 --quiet --any-load --wait=100 "\$@"
+ END
+ sh go.sh --max-iterations=2 --run-dir=run 2>/dev/null | grep '^v[0-9] [^t]'; ls run run/iter_v2 | tr '\n' ' '; echo; grep '^## ' run/final_summary.md
> v0 passed, median <NUM> ms: positive baseline_seed
> v1 passed, median <NUM> ms: positive faster_than_previous
> v2 wrong_result: rejected correctness_failed
> run: check.json final_summary.json final_summary.md iter_v0 iter_v1 iter_v2 preflight_check.json preflight_check.md run_manifest.json versions  run/iter_v2: benchmark.stderr.txt benchmark.stdout.txt benchmark_result.json full.perf.json.skipped.txt full_details.txt full_summary.txt iteration_summary.md kernel.so optimization_proposal.md targeted.perf.json.skipped.txt targeted_details.txt targeted_summary.txt v2.c 
> ## 1. Best version
> ## 2. Baseline and best version
> ## 3. Full report of the best version
> ## 4. Commands of its reports
> ## 5. Main bottleneck
> ## 6. Key ideas
> ## 7. Versions that are not the best
> ## 8. Strategy memory of this run
> ## 9. Blocked strategies avoided, preferred strategies merged
$ grep -c 'v1 is .* times as fast as v0' run/final_summary.md
> 1

## the same command has nothing left to do; with a larger bound it goes on
$ sh go.sh --max-iterations=2 --run-dir=run | grep -v '^ \|^[{}]'
> run folder: <CWD>/run
> goes on after v2
> summary: <CWD>/run/final_summary.md

## memory: list, show, export, forget, import
$ assay memory list | sed 's/  */ /g'
> c__solve__<ID>
> fingerprint outcome times reason tags
> <ID> positive 1 baseline_seed baseline
> <ID> positive 1 faster_than_previous fewer_rounds
> <ID> rejected 1 correctness_failed add_one, fewer_rounds
> 
> 3 entries in <PATH>/assay/strategy-memory
$ fp=$(assay memory list | sed -n 's/ .*correctness_failed.*//p'); assay memory show $fp | sed -n '2p; 4,5p'; assay memory export m.json; assay memory forget $fp; assay memory show $fp
+ assay memory import m.json; assay memory import m.json; assay memory show $fp | sed -n 2p
>   tags     add_one, fewer_rounds
>   outcome  rejected
>   reason   correctness_failed
> forgotten: 1
> new_entries: 1
> new_entries: 0
>   tags     add_one, fewer_rounds
$ cmp m.json $XDG_DATA_HOME/assay/strategy-memory/global_strategy_memory.json >/dev/null; python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["version"])' m.json
> 1
$ assay memory; assay memory lists; assay memory show; assay memory forget; assay memory import nothing.json
! assay: memory: needs list | show FP | export [FILE] | import FILE | forget [FP]; 0 of at least 1 given (see assay memory --help)
! assay: memory: 'lists' is not one of list, show, export, import, forget
! assay: memory show: needs a fingerprint
! assay: memory forget: needs a fingerprint or --scope KEY
! assay: nothing.json: cannot be opened: No such file or directory
= 2

## --lint-proposal: of a run's folder, with the real value; alone; no other option is needed
$ assay optimize --lint-proposal run/iter_v1/optimization_proposal.md; echo $?
+ sed -i 's/^- kernel.median_ms = .*/- kernel.median_ms = 123.0 ms/' run/iter_v1/optimization_proposal.md
+ assay optimize --lint-proposal run/iter_v1/optimization_proposal.md | head -1; assay optimize --lint-proposal run/iter_v1/optimization_proposal.md --json | grep -c '"level": "error"'
> run/iter_v1/optimization_proposal.md:<NUM>: note: tag fewer_rounds names no known mechanism
> run/iter_v1/optimization_proposal.md:<NUM>: note: tag add_one names no known mechanism
> tags: add_one, fewer_rounds; fingerprint <ID>
> blocked: run, correctness_failed: 777 of 777 elements of 'y', first at [0]: <NUM>, expected <NUM> (case 'small', data set 0, correctness)
> form and evidence: ok
> 1
> run/iter_v1/optimization_proposal.md:<NUM>: error: kernel.median_ms = 123.0 ms, but benchmark_result.json says <NUM> ms
> 1
$ printf '# From v0 to v1\n\n## Strategy tags\n- Double  Buffering\n' > p.md; assay optimize --lint-proposal p.md --backend=triton
> p.md: error: no heading "## Primary references"
> p.md: error: no heading "## Change"
> p.md: error: no heading "## Preferred strategies"
> p.md:4: note: tag "Double  Buffering" is taken as double_buffering
> tags: double_buffering; fingerprint <ID>
> 3 errors
= 1
$ assay optimize --lint-proposal nothing.md
! assay: nothing.md: cannot be opened: No such file or directory
= 2

## another run, by hand: the template is no proposal; what the first run closed is refused before the build, and opened again
$ D=$ROOT/tests/data/loop; cat > by_hand.sh <<END
+ exec assay optimize --backend=c --max-iterations=2 --ref=$D/loop_ref.c --op-file=$D/loop.op.json --run-dir=hand --warmup=1 --repeat=3 \
+ --skip-warm --quiet --wait=100 "\$@"
+ END
+ sh by_hand.sh $D/loop_v0.c | grep '^v0'; grep '^| ' hand/iter_v0/optimization_proposal.md | head -3
+ sh by_hand.sh $D/loop_v2.c 2>&1 | sed -n 's/.*iter_v0/iter_v0/p'
> v0 passed, median <NUM> ms: positive baseline_seed
> | item | adopted / does not fit / conflicts | reason |
> | memory: coalesced_access | | |
> | memory: vectorized_access | | |
> iter_v0/optimization_proposal.md: is still the template; the next version is looked at once it says what changes and has tags
$ D=$ROOT/tests/data/loop; fp=$(assay memory list | sed -n 's/ .*correctness_failed.*//p'); faster=$(assay memory list | sed -n 's/ .*faster.*//p')
+ propose() { printf '## Primary references\n| i | s | r |\n|---|---|---|\n| memory: a | adopted | b |\n| compute: a | adopted | b |\n| sync: a | adopted | b |\n## Bottlenecks\n1. a\n## Evidence\nnone\n## Pipelining assessment\nno\n## Change\nx\n## Preferred strategies\n- %s: merged\n## Strategy tags\n- fewer rounds\n- add_one\n' $faster > $1; }
+ propose hand/iter_v0/optimization_proposal.md
+ sh by_hand.sh $D/loop_v2.c | sed -n 's/^v1 refused before the build: \([0-9a-f]*\) is blocked by \([a-z_]*\) (\([a-z]*\)).*/\1 \2 \3/p'; echo $fp
+ propose hand/iter_v1/optimization_proposal.md
+ sh by_hand.sh $D/loop_v2.c --retry-blocked=$fp 2>&1 | tail -1
> <ID> correctness_failed global
> <ID>
> assay: --retry-blocked needs --because TEXT
$ D=$ROOT/tests/data/loop; fp=$(assay memory list | sed -n 's/ .*correctness_failed.*//p'); sh by_hand.sh $D/loop_v2.c --retry-blocked=$fp --because='another compiler' | grep '^v2 [^t]'
> v2 wrong_result: rejected correctness_failed

## kill -9 in the middle: the same command goes on, and nothing is left
$ sh go.sh --max-iterations=0 --run-dir=killed >/dev/null 2>&1 & p=$!; n=0; until [ -e killed/iter_v0/.attempt ] || [ $n = 400 ]; do sleep 0.05; n=$((n + 1)); done; kill -9 $p; wait $p 2>/dev/null
+ sh go.sh --max-iterations=0 --run-dir=killed | grep '^v0'; find killed $TMPDIR -name '.*.??????' -o -name 'assay-*'; ls killed | grep -c partial
> v0 passed, median <NUM> ms: positive baseline_seed
> 1

## without profile: the rounds run, none is best, the best measured one is named
$ sh go.sh --max-iterations=0 --run-dir=bare --without-profile | grep '^v0'; sed -n '/^## 1/,/^## 2/p' bare/final_summary.md; cat bare/iter_v0/full.perf.json.skipped.txt
> v0 passed, median <NUM> ms: positive baseline_seed
> ## 1. Best version
> 
> None: no eligible version (benchmark done, results right, full report there).
> 
> Best measured, without reports (profile_unavailable): v0 <CWD>/bare/iter_v0/loop_v0.c
> 
> ## 2. Baseline and best version
> no full report of version 0: profile_unavailable: --without-profile was given

## a version that cannot be read is a rejected version, not the end of the run; by hand it goes on without naming v0's files
$ export examples=$ROOT/examples XDG_DATA_HOME=$PWD/other; cp -r $ROOT/tests/data/loop loop; sed -i 's/int N)/int N, int extra)/' loop/loop_v1.c
+ O="--warmup=1 --repeat=5 --skip-warm --any-load --min-effect=20 --compare-budget=30 --quiet --wait=100"; F="loop/loop_v0.c --backend=c --ref=loop/loop_ref.c --op-file=loop/loop.op.json"
+ assay optimize $F $O --proposer=loop/propose.sh --run-dir=odd --max-iterations=2 2>/dev/null | grep '^v[0-9] [^t]'; tail -1 odd/iter_v1/benchmark.stdout.txt
+ export XDG_DATA_HOME=$PWD/new; assay optimize $F $O --json --run-dir=byhand --max-iterations=2 2>/dev/null > state; loop/propose.sh < state; cp loop/loop_v3.c byhand/versions/v1.c
+ assay optimize byhand/versions/v1.c $O --backend=c --run-dir=byhand --iteration=1 --max-iterations=2 2>&1 | grep '^v[0-9] [^t]'
> v0 passed, median <NUM> ms: positive baseline_seed
> v1 prerequisites_missing: rejected build_failed
> v2 wrong_result: rejected correctness_failed
> not built: <CWD>/loop/loop.op.json: 'extra' of <CWD>/odd/iter_v1/v1.c:2 is missing in "params"
> v1 passed, median <NUM> ms: negative slower_or_equal_to_previous
