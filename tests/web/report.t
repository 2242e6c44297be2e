# The page of a run in headless Chromium: what is drawn is what the records say. `tools/deps.sh web` installs the browser.
needs: command -v chromium && command -v chromedriver # tools/deps.sh web
timeout: 120

## a run of 10 iterations with 1000 correctness cases becomes a page below 1 MB
$ export ASSAY_STORE=$PWD/store; python3 -B $ROOT/tests/web/make_run.py run11 11; python3 -B $ROOT/tests/web/make_run.py run51 51 --rows 60; assay report run11 run51; test $(stat -c %s run11/report.html) -lt 1000000
> run11/report.html
> run51/report.html

## it opens without errors and asks for nothing
$ sed 's/data-y="\([0-9]\)/data-y="9\1/; s/\(data-x="[0-9.]*" cx="\)[0-9]/\19/' run11/report.html >wrong.html; mkdir pictures
$ python3 -B $ROOT/tests/web/check_report.py pictures run11 run11/report.html run51 run51/report.html run11 wrong.html >seen.txt
$ sed -n '/^open\|^afterwards/p' seen.txt; grep -cE '(src|href)="[^#]|url\(|@import' run11/report.html
> open: no message on the console, no request
> afterwards: no message on the console, no request
> 0
= 1

## charts hold the values of the records, at the places that their ticks say
$ grep '^chart\|ticks' seen.txt
> chart versions: 9 times and 2 rejected are the records'
> chart speedups: 9 comparisons are the records'
> chart samples: 400 dots and the medians are the records'
> chart series: 400 dots in the records' order, under them SM clock, power, temperature
> chart roofline: 9 versions and 2 ceilings are the records'
> chart parts: 44 costs and 3 activities are the records'
> chart mix: 88 counts of instructions are the records'

## no label covers another; landmarks and names are there
$ grep '^labels\|^landmarks' seen.txt
> labels: none covers another, none leaves its chart
> landmarks: main, contents, named sections, charts, tables and inputs

## tables sort, filter and scroll; any two sources are compared
$ grep '^table\|^sort\|^filter\|^scroll\|^difference' seen.txt
> table: 1000 rows are the records'
> sort: up, then down
> sort: versions without a time come last
> filter: 11 of 1000 rows with case_017
> scroll: the last row is in sight, the headings stay
> difference: any two versions give both sources back

## dark, light, on paper, without script
$ grep '^light\|^dark\|^print\|^without' seen.txt; ls pictures
> light: background and the contrast of 8 kinds of text are right
> dark: background and the contrast of 8 kinds of text are right
> print: a PDF on white, no table cut off
> without script: tables, differences and sources are there
> dark.png
> light.png

## fifty iterations: the same, and labels keep their room
$ sed -n 's/^run51.report.html //p' seen.txt
> chart versions: 44 times and 7 rejected are the records'
> chart speedups: 44 comparisons are the records'
> chart samples: 400 dots and the medians are the records'
> chart series: 399 dots in the records' order, under them SM clock, power, temperature
> chart roofline: 44 versions and 2 ceilings are the records'
> chart parts: 204 costs and 3 activities are the records'
> chart mix: 408 counts of instructions are the records'
> labels: none covers another, none leaves its chart

## a number that is not the record's, and a dot in the wrong place, are seen
$ grep -c '^wrong.html chart .*\(says {.*the record {\|a dot of\|stands at\)' seen.txt
> 3
