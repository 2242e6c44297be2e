# Kernels that cheat or fail, and kernels that do neither: a part of the corpus (make integrity runs all of it).
needs: assay bench --help >/dev/null
timeout: 280

## every one gets the verdict that the table says
$ $ROOT/tools/integrity.py --fast >out; echo $?; grep '^DIFF\|^differs\|rate' out
> 0
> detection rate      100.0 %
> false-alarm rate    0.0 %

## a table that expects something else is told apart
$ mkdir -p t/tests/integrity t/tools; cp $ROOT/tools/integrity.py t/tools; cp -r $ROOT/tests/integrity/* t/tests/integrity
+ printf 'honest\tc/wrong_nothing.c\theavy\twrong\taccepted\ncheat\thonest/plain.c\theavy\thonest\twrong_result\n' >t/tests/integrity/corpus.tsv
+ t/tools/integrity.py >out; echo $?; sed -n 's/ came.*//p; /rate/p' out
> 1
> detection rate      0.0 %
> false-alarm rate    100.0 %
> differs: c/wrong_nothing.c: accepted wanted, output_unwritten
> differs: honest/plain.c: wrong_result wanted, passed
