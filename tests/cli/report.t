# The report of a run: one page, or CSV, text, Markdown, JSON; of a record; of a folder of runs.
masks: TIME CWD

## a run of one version
$ assay optimize $ROOT/examples/transpose/transpose_v3.c --max-iterations=0 --run-dir=run --repeat=20 --warmup=1 --json >/dev/null 2>&1; assay report run
> run/report.html

## the page is whole, and fetches nothing
$ head -c 15 run/report.html; echo; tail -c 8 run/report.html; grep -cE '(src|href)="[^#]|url\(' run/report.html; grep -o 'figure data-chart="[a-z]*"' run/report.html
> <!doctype html>
> </html>
> 0
> figure data-chart="versions"
> figure data-chart="samples"
> figure data-chart="series"
> figure data-chart="cost"

## every section stands in the contents
$ for s in versions samples limits parts metrics code correctness integrity memory sources environment records; do grep -c "<a href=\"#$s\">" run/report.html; grep -c "<section id=\"$s\"" run/report.html; done | sort | uniq -c | tr -s ' '
>  24 1

## without the store the samples are drawn by their number
$ grep -c "order of time, by the parent" run/report.html; ASSAY_STORE=$PWD/other assay report run -o other.html; grep -c 'by their number' other.html
> 1
> other.html
> 1

## CSV
$ assay report run --format=csv | cut -d, -f1-3,8-
> version,status,verdict,source,eligible
> v0,evaluated,passed,host_clock,yes

## Markdown and JSON are the run's own files
$ assay report run --format=md | cmp - run/final_summary.md; assay report run --json | cmp - run/run_manifest.json

## the versions as a table for a terminal
$ assay report run --format=txt | tr -s ' '
> v0: passed, median <TIME>.
> version verdict outcome median over v0 why
> v0 passed positive <TIME> 1 the baseline

## the page of one bench record
$ assay report run/iter_v0/benchmark_result.json -o one.html; grep -c '<h1>transpose_v3.c: 1 version</h1>' one.html; grep -o 'figure data-chart="[a-z]*"' one.html
> one.html
> 1
> figure data-chart="versions"
> figure data-chart="samples"
> figure data-chart="series"
$ assay report run/run_manifest.json
! assay: <CWD>/run/run_manifest.json: its format is assay/run-v1; a page is made of a run folder, a folder of runs, an evidence root, a file that assay read takes, or a record of assay bench (assay/bench-v1) or assay compare (assay/compare-v1)
= 2
$ for f in csv md txt; do assay report run/iter_v0/benchmark_result.json --format=$f | head -1 | sed 's/ on .*//'; done; assay report run/iter_v0/benchmark_result.json --json | cmp - run/iter_v0/benchmark_result.json
> version,status,verdict,median_ms,average_ms,min_ms,max_ms,source,eligible
> # transpose_v3.c
> transpose_v3.c

## the page of a comparison: verdict first, the parts of a run's page below it
$ cp $ROOT/tests/data/formats/compare-v1.json three.json; assay report three.json; grep -o '<p class="verdict[^.]*' three.html; grep -o 'figure data-chart="[a-z]*"' three.html
> ./three.html
> <p class="verdict none">B against A: slower
> figure data-chart="speedups"
> figure data-chart="effects"
> figure data-chart="samples"
> figure data-chart="series"
> figure data-chart="series"
> figure data-chart="roofline"
$ for s in sides placements samples limits code correctness integrity environment records; do grep -c "<a href=\"#$s\">" three.html; grep -c "<section id=\"$s\"" three.html; done | sort | uniq -c | tr -s ' '
>  18 1
$ grep -c 'The trial is not in the store' three.html; grep -o '<code>compare-[0-9a-f]*' three.html
> 1
> <code>compare-f45904bfce66a4caa0267740d08c4f35

## a comparison as CSV, Markdown, text, JSON
$ assay report three.json --format=csv | cut -d, -f1-4,6-9
> side,path,flags,verdict,effect_pct,lower_pct,upper_pct,n_placements
> A,/home/u/right.cu,,passed,,,,
> B,/home/u/two_kernels.cu,,slower,-43.181817508100565,-43.181817508100565,-43.181817508100565,6
> C,/home/u/wrong.cu,,output_unwritten,,,,
$ assay report three.json --format=md | sed -n '1p;3p;7,8p' | cut -c1-60
> # Comparison
> B against A: slower. 0.568 times as fast, 95 % interval 0.56
> | side | path | flags | verdict | time_ns | effect_pct | low
> |---|---|---|---|---|---|---|---|---|---|
$ assay report three.json --format=txt | tail -1; assay report three.json --json | cmp - three.json
> record     compare-f45904bfce66a4caa0267740d08c4f35

## a record that lost its parts becomes a page that says so; flags with commas and bars stay one cell
$ echo '{"format": "assay/compare-v1"}' >empty.json; assay report empty.json; echo '{"format": "assay/compare-v1", "sides": [{"label": "A", "flags": "-DX=1,\"2\"|3"}, {"label": "B", "effect": [], "cases": [{"log_ratio": [null, 0.1], "time_ns": ["x"]}]}]}' >odd.json; assay report odd.json
> ./empty.html
> ./odd.html
$ assay report odd.json --format=csv | sed -n 2p; assay report odd.json --format=md | grep '^| A'
> A,,"-DX=1,""2""|3",?,,,,,,
> | A |  | -DX=1,"2"\|3 | ? |  |  |  |  |  |  |
$ echo '[1, 2]' >list.json; assay report list.json
! assay: <CWD>/list.json: its format is none; a page is made of a run folder, a folder of runs, an evidence root, a file that assay read takes, or a record of assay bench (assay/bench-v1) or assay compare (assay/compare-v1)
= 2
$ echo '{"format": ' >half.json; assay report half.json
! assay: <CWD>/half.json: line 2 column 1: the text ends where a value was expected
= 2

## the page of an evidence root stands beside it, and the root stays as it is
$ python3 -S $DATA/protocol/make.py setup cases=2; assay request readiness.json >/dev/null; assay baseline root --wait >/dev/null; assay experiment root --candidate candidate --hypothesis 'costs <less>, by far' --mechanism test.cost --scope cost --diagnostic checks >/dev/null; assay report root --format=md | sed -n 3p
> Champion: the original. 1 experiment, 1 invocation.
$ assay target run root --wait >t.out; id=$(sed -n '1s/target //p' t.out); assay champion select root --result $id >/dev/null; assay verify --store root --json >before; assay report root; assay verify --store root --json | cmp - before; grep -o 'class="verdict">Champion: a candidate. Gain in latency' root.html; grep -c 'costs &lt;less&gt;, by far' root.html
> <CWD>/root.html
> class="verdict">Champion: a candidate. Gain in latency
> 1
$ for s in champion readiness baseline experiments invocations cases records; do grep -c "<a href=\"#$s\">" root.html; grep -c "<section id=\"$s\"" root.html; done | sort | uniq -c | tr -s ' '
>  14 1
$ assay report root --format=csv | cut -d, -f2,4-6; assay report root --json | cmp - root/target.json
> operation,verdict,stop_reason,measurement_validity
> baseline,passed,completed,valid
> target,passed,completed,valid
$ assay report root --format=txt
! assay: --format=txt: an evidence root has html, md, csv and json; `assay status ROOT` is its text
= 2

## an evidence root with a broken result, one without, and no Target
$ cp -r root worn; chmod -R u+w worn; ls worn/invocations >names; echo '{' >worn/invocations/$(sed -n 1p names)/result.json; rm worn/invocations/$(sed -n 2p names)/result.json; assay report worn -o worn.html; grep -o '<td>unfinished</td>' worn.html | wc -l; grep -c 'result.json: line 2' worn.html
> worn.html
> 3
> 1
$ mkdir bare; echo '{"id": 3}' >bare/target.json; assay report bare
! assay: <CWD>/bare: its target.json is no record of a Target (record_type target)
= 2

## profiler files: the tables and facts that assay read prints, a timeline excerpt where there is one
$ cp $DATA/kineto/generated.json trace.json; cp $DATA/ncu/sm_targeted.ncu-repz $DATA/elf/tiny_sm90a.cubin .; assay report trace.json sm_targeted.ncu-repz tiny_sm90a.cubin
> ./trace.html
> ./sm_targeted.html
> ./tiny_sm90a.html
$ grep -o 'The first [0-9]* of [0-9]* activities' trace.html; grep -c 'figure data-chart="timeline"' trace.html; grep -c 'The file has no timeline' sm_targeted.html tiny_sm90a.html
> The first 6 of 6 activities
> 1
> sm_targeted.html:1
> tiny_sm90a.html:1
$ assay report trace.json --json | grep -v '^  "file": ' >a; assay read trace.json --json | grep -v '^  "file": ' | cmp - a; assay report trace.json --format=txt >a; assay read trace.json | cmp - a; assay report trace.json --format=md | sed -n '1p;5p;7p' | cut -c1-32
> # trace.json
> ## Time by kernel
> | name | total_ns | share_pct | 
$ assay report trace.json --format=csv
! assay: --format=csv: of a profiler file `assay read <CWD>/trace.json --csv --table NAME` prints a table
= 2

## a long table is cut, and how many rows are left out is said
$ python3 -S -c 'import json; print(json.dumps({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k%d" % i, "pid": 0, "tid": 7, "ts": 10.0 * i + 10, "dur": 5.0, "args": {"device": 0, "stream": 7, "correlation": i}} for i in range(1500)]}))' >long.json; assay report long.json; grep -o 'Time by kernel: [0-9]* of [0-9]* rows are left out' long.html; grep -o 'The first [0-9]* of [0-9]* activities' long.html
> ./long.html
> Time by kernel: 500 of 1500 rows are left out
> The first 200 of 1500 activities
$ head -c 300 trace.json >cut.json; assay report cut.json
! assay: <CWD>/cut.json: no "traceEvents" at the top level: not a PyTorch trace
= 2

## a folder of runs becomes an index; a run that cannot be read is in it with the reason
$ mkdir -p runs/broken; cp -r run runs/; echo '{' >runs/broken/run_manifest.json; assay report runs; grep -o '<a href="[^"]*"' runs/index.html; grep -c 'broken.*run_manifest.json: ' runs/index.html
> runs/index.html
> <a href="run/report.html"
> 1

## several at once, each in its own folder
$ cp -r run second; assay report run second; assay report run second -o x.html
> run/report.html
> second/report.html
! assay: report: several runs at once give pages, each in its own folder: no --out, no other --format
= 2

## --open hands the page to xdg-open
$ mkdir bin; printf '#!/bin/sh\necho "$1" >opened\n' >bin/xdg-open; chmod +x bin/xdg-open; PATH=$PWD/bin:$PATH assay report run --open; cat opened
> run/report.html
> <CWD>/run/report.html
$ printf '#!/bin/sh\nexit 3\n' >bin/xdg-open; PATH=$PWD/bin:$PATH assay report run --open
! assay: --open: xdg-open ended with exit 3; the page is run/report.html
= 3

## no run
$ mkdir empty; assay report empty 2>&1 | sed "s|$PWD/||"; assay report empty 2>/dev/null
> assay: empty/run_manifest.json: cannot be opened: No such file or directory
= 2

## not even a folder
$ assay report nothing
! assay: nothing: there is no such run folder or record
= 2
