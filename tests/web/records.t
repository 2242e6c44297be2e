# Pages of single records in headless Chromium: the values in the page are the record's. `tools/deps.sh web` installs the browser.
needs: command -v chromium && command -v chromedriver # tools/deps.sh web
timeout: 120

## a comparison of three sides, one of them wrong, without its trial
$ cp $ROOT/tests/data/formats/compare-v1.json three.json; assay report three.json; python3 -B $ROOT/tests/web/check_record.py compare three.json three.html
> ./three.html
> open: no message on the console, no request
> verdict: stands first
> sides: 3 with verdict, time and effect are the record's
> effects: 6 placements and 1 intervals are the record's
> samples: 12 means are the record's
> ids: record, trial, command and digests are there

## with its trial: every timed call is drawn
$ printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >a.c; cp a.c b.c
$ export ASSAY_STORE=$PWD/store; assay compare a.c b.c --ref a.c --N=20000 --cache=warm --placements=6 --blocks=2 --calls=3 -q --json --any-load --time-budget=60 >two.json; assay report two.json
> ./two.html
$ trial=$(sed -n 's/^  "trial": "\(..\)\(.*\)",*$/\1\/\2/p' two.json); python3 -B $ROOT/tests/web/check_record.py compare two.json two.html store/objects/$trial | grep '^open\|samples\|effects'
> open: no message on the console, no request
> effects: 6 placements and 1 intervals are the record's
> samples: 144 calls are those of the trial

## a page with a wrong number is seen
$ sed 's/data-x="-43/data-x="-42/' three.html >wrong.html; python3 -B $ROOT/tests/web/check_record.py compare three.json wrong.html | grep -c 'effects: B: says -42.* the record -43'
> 1

## an evidence root: invocations, gains, pairs and calls
$ python3 -S $DATA/protocol/make.py setup cases=2; assay request readiness.json >/dev/null; assay baseline root --wait >/dev/null; assay experiment root --candidate candidate --hypothesis 'costs less' --mechanism test.cost --scope cost --diagnostic checks >/dev/null; assay target run root --wait >/dev/null; assay report root -o root.html; python3 -B $ROOT/tests/web/check_record.py target root root.html
> root.html
> open: no message on the console, no request
> invocations: 2 verdicts and 1 gains are the records'
> pairs: 8 are the records'
> calls: 18 with their outputs' digests

## a trace: every cell and fact is that of assay read
$ cp $DATA/kineto/generated.json trace.json; assay report trace.json; assay read trace.json --json >read.json; python3 -B $ROOT/tests/web/check_record.py read read.json trace.html
> ./trace.html
> open: no message on the console, no request
> tables: 403 cells are those of assay read
> facts: 68 are those of assay read
> sort: facts by their value
