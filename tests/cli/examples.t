# Every version of the examples is what its first line says: right, or wrong where a tail is left.
needs: assay bench --help >/dev/null
timeout: 120
masks: NUM TIME PAD

## right versions pass in every case of the operator file
$ cd $ROOT/examples; for e in softmax matmul transpose; do for v in v0 v1 v2 v3 slow; do
+ assay bench $e/${e}_$v.c --op-file $e/$e.op.json --repeat=3 --warmup=1 --skip-warm 2>/dev/null | sed -n 's/;.*//; s/^correct  */'$e' '$v' /p'
+ done; done
> softmax v0 passed: 4 case(s) on 2 data sets
> softmax v1 passed: 4 case(s) on 2 data sets
> softmax v2 passed: 4 case(s) on 2 data sets
> softmax v3 passed: 4 case(s) on 2 data sets
> softmax slow passed: 4 case(s) on 2 data sets
> matmul v0 passed: 4 case(s) on 2 data sets
> matmul v1 passed: 4 case(s) on 2 data sets
> matmul v2 passed: 4 case(s) on 2 data sets
> matmul v3 passed: 4 case(s) on 2 data sets
> matmul slow passed: 4 case(s) on 2 data sets
> transpose v0 passed: 4 case(s) on 2 data sets
> transpose v1 passed: 4 case(s) on 2 data sets
> transpose v2 passed: 4 case(s) on 2 data sets
> transpose v3 passed: 4 case(s) on 2 data sets
> transpose slow passed: 4 case(s) on 2 data sets

## wrong versions are found by the odd shapes
$ cd $ROOT/examples; for e in softmax matmul transpose; do
+ assay bench $e/${e}_wrong.c --op-file $e/$e.op.json --repeat=3 --warmup=1 --skip-warm >$HOME/out 2>/dev/null; echo $e $?; sed -n 2p $HOME/out; done
> softmax 1
> output_unwritten: output elements were never written
> matmul 1
> wrong_result: the output differs from the reference beyond tolerance
> transpose 1
> output_unwritten: output elements were never written

## the references in Python say the same
? python3 -c 'import numpy'
$ cd $ROOT/examples; for e in softmax matmul transpose; do for v in v3 wrong; do
+ assay bench $e/${e}_$v.c --ref $e/${e}_ref.py --op-file $e/$e.op.json --repeat=3 --warmup=1 --skip-warm >$HOME/out 2>/dev/null; echo $e $v $?; done; done
> softmax v3 0
> softmax wrong 1
> matmul v3 0
> matmul wrong 1
> transpose v3 0
> transpose wrong 1

## versions find the operator file of their example
$ cd $ROOT/examples/softmax; assay bench softmax_v3.c --repeat=3 --warmup=1 --skip-warm 2>/dev/null | sed -n 1,5p | sed 's/ on .*, backend/ on CPU, backend/'
> softmax_v3.c on CPU, backend c
> note       operator file found beside the kernel: softmax.op.json
> correct    passed: 4 case(s) on 2 data sets; max abs error <NUM>, max rel error <NUM>
> ...
> cold<PAD> <TIME><PAD> <NUM> %<PAD> <TIME><PAD> <TIME><PAD> <TIME><PAD> 3<PAD>-
