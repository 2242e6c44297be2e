# The page of a run whose records are damaged.
timeout: 120

## a damaged value gives a page or an error, never a crash, a number that is none, or markup
$ export ASSAY_STORE=$PWD/store; python3 -B $ROOT/tests/web/make_run.py run 5 --rows 10 --samples 40; python3 -B $ROOT/tests/web/damage.py run 150
> 150 of 150 ended well, most of them with a page
