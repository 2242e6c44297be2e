# The report of a run: one page, or CSV, Markdown, JSON.

## a run of one version
$ assay optimize $ROOT/examples/transpose/transpose_v3.c --max-iterations=0 --run-dir=run --repeat=20 --warmup=1 --json >/dev/null 2>&1; assay report run
> run/report.html

## the page is whole, and fetches nothing
$ head -c 15 run/report.html; echo; tail -c 8 run/report.html; grep -cE '(src|href)=' run/report.html; grep -c '<svg' run/report.html; for s in versions samples correctness metrics sources memory environment; do grep -c "<section id=\"$s\"" run/report.html; done
> <!doctype html>
> </html>
> 0
> 3
> 1
> 1
> 1
> 1
> 1
> 1
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
