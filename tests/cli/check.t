# assay check: the prerequisites of the loop, each with the line looked at, and who supplies the data.
masks: CWD ID

## a complete kernel: met, or decided by running
$ cp $ROOT/examples/softmax/softmax_v0.c $ROOT/examples/softmax/softmax_ref.c $ROOT/examples/softmax/softmax.op.json .
+ sed 's/^void solve.*/void solve(const float *x, float *y, int M, int N)/' softmax_v0.c > plain.c; grep -n 'void solve' plain.c
> 4:void solve(const float *x, float *y, int M, int N)
$ assay check softmax_v0.c
> softmax_v0.c, backend c, data: operator_file
> met         implementation        'solve' is defined here
>               line 4: void solve(const float *x, float *y, int M, int N)
> -           overloads             overloads belong to a .py
> -           kernel                backend c: the entry computes on the CPU
> met         benchmark_interface   entry 'solve'
> met         data                  the operator file ./softmax.op.json describes the data
> met         parses                the text is understood
> by running  compiles_and_runs     build and first run of v0 decide
> by running  correct               the comparison of v0 with ./softmax_ref.c decides
$ assay check plain.c | grep -A1 '^met *data'
> met         data                  a generator supplies the data; sizes and roles are guessed from
>                                   --M, --N
$ COLUMNS=80 assay check softmax_v0.c | awk 'length > 80'

## JSON: the document and one item
$ assay check softmax_v0.c --json > j; grep -e '"format"' -e '"backend"' -e '"data": "o' -e '"kernel": "/' -e n_not_met -e '"run"' j
>   "backend": "c",
>   "data": "operator_file",
>   "format": "assay/check-v1",
>   "kernel": "<CWD>/softmax_v0.c",
>   "n_not_met": 0,
>   "run": null,
$ grep -B1 -A4 '"key": "implementation"' j
>       "found": "'solve' is defined here",
>       "key": "implementation",
>       "line": 4,
>       "line_text": "void solve(const float *x, float *y, int M, int N)",
>       "status": "met"
>     },

## --run settles what text cannot tell: right, wrong, a crash, no build, no reference
$ assay check softmax_v0.c --run | tail -3
> met         compiles_and_runs     it builds and answers every call
> met         correct               passed: all outputs are within tolerance of the reference
> record      bench-<ID>
$ sed 's# / sum;# / sum * 2;#' softmax_v0.c > softmax_v9.c; assay check softmax_v9.c --run > text
= 1
$ grep -e ^met.*compiles -e ^not -e ^correct: text | cut -c1-47
> met         compiles_and_runs     it builds and
> not met     correct               wrong_result:
> correct: Fix the algorithm first, so that the r
$ sed 's/^{/{ __builtin_abort();/' plain.c > crash.c; assay check crash.c --run --M=4 --N=4 | tail -4
> not met     compiles_and_runs     abort: called abort (SIGABRT)
> -           correct               no reference: nothing will claim that the result is right
> compiles_and_runs: Fix this first, and make sure that the basic tests pass.
> record      bench-<ID>
$ sed 's/^{/{ undeclared = 1;/' plain.c > broken.c; assay check broken.c --run --M=4 --N=4 | grep -c 'not met *compiles_and_runs *build_failed: broken.c:5:3: error: '
> 1
$ assay check plain.c --run --M=4 --N=4 | tail -3
> met         compiles_and_runs     it builds and answers every call
> -           correct               no reference: nothing will claim that the result is right
> record      bench-<ID>

## a reference that fails says nothing about the kernel
$ echo 'void solve(const float *x, float *y, int M, int N) { __builtin_abort(); }' > bad_ref.c; assay check softmax_v0.c --ref bad_ref.c --run > text
= 2
$ grep -e compiles -e '  correct' text | cut -c1-51
> by running  compiles_and_runs     it builds and loa
> by running  correct               reference_failed:

## no entry, only a promise, parameters that are not understood, no kernel: the seed's answers
$ echo 'static int x;' > a.c; assay check a.c
> a.c, backend c
> not met     implementation        no function is defined in this file
> -           overloads             overloads belong to a .py
> -           kernel                backend c: the entry computes on the CPU
> not met     benchmark_interface   a.c: no entry; define void solve(const float *in, float *out, int
>                                   n) or the like in it
> by running  data                  unknown until the entry is understood
> met         parses                the text is understood
> by running  compiles_and_runs     build and first run of v0 decide
> -           correct               no reference: nothing will claim that the result is right
> implementation: Get a complete implementation first, from the flow that generates it; it is not
>   completed here.
> benchmark_interface: Add the benchmark interface first: setup and run_kernel, or an entry such as
>   solve.
= 1
$ echo 'void solve(const float *x, float *y, int n);' > a.c; assay check a.c > text
= 1
$ grep '^not' text
> not met     implementation        'solve' is only declared
> not met     benchmark_interface   a.c:1: 'solve' is only declared; the file must hold its body
$ echo 'void solve(const float *x, struct s y, int n) {}' > a.c; assay check a.c > text
= 1
$ grep -A1 -e '^not' text; grep '^parses' text
> not met     parses                a.c:1: parameter 2 'y': 'struct s': pass plain numbers and
>                                   pointers to them
> parses: Fix this first, and make sure that the basic tests pass.
$ echo 'extern "C" void solve(const float *x, float *y, int n) { y[0] = x[0]; }' > a.cu; assay check a.cu > text
= 1
$ grep -e '^not' -e '^kernel' text
> not met     kernel                no __global__ kernel
> kernel: Get a complete implementation first, from the flow that generates it; it is not completed

## Python: a wrapper that is missing, and its line
$ printf 'import torch\ndef setup(N=4, seed=None):\n    return {}\ndef run_kernel(x):\n    return add_Tensor(x, x)\n' > k.py; assay check k.py > text
= 1
$ head -4 text
> k.py, backend torch, data: setup
> not met     implementation        'run_kernel' calls 'add_Tensor', which this file neither defines
>                                   nor imports
>               line 5: return add_Tensor(x, x)

## nothing is run when a prerequisite is not met
$ assay check a.cu --run --json > j
= 1
$ grep '"run"' j
>   "run": null,

## bad input
$ assay check nothing.c
! assay: nothing.c: cannot be opened: No such file or directory
= 2
$ assay check softmax_v0.c --ref nothing_ref.c
! assay: nothing_ref.c: cannot be opened: No such file or directory
= 2
$ assay check plain.c --run --M=4
! assay: plain.c:4: dimension 'N' has no value; give --N=VALUE
= 2
$ assay check
! assay: check: needs FILE; 0 of at least 1 given (see assay check --help)
= 2
