# The report of a run: one page, or CSV, Markdown, JSON.

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

## no run
$ mkdir empty; assay report empty 2>&1 | sed "s|$PWD/||"; assay report empty 2>/dev/null
> assay: empty/run_manifest.json: cannot be opened: No such file or directory
= 2

## not even a folder
$ assay report nothing
! assay: nothing: is no run folder
= 2
