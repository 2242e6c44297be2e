# --dry-run: what would be done, in its order; no folder, no file, no process, no lease.
needs: command -v cc
masks: CWD NUM

## what a bench would do; neither compiler nor kernel is started, nothing is made anywhere
$ printf '#!/bin/sh\ntouch %s/started\nexec cc "$@"\n' $PWD > mycc; printf '#!/bin/sh\ntouch %s/started\n' $PWD > propose; chmod +x mycc propose; cp $ROOT/tests/data/loop/loop_v0.c $ROOT/tests/data/loop/loop.op.json .; cp loop_v0.c loop_v1.c
+ export CC=$PWD/mycc; echo 'find $PWD $TMPDIR $HOME $ASSAY_LEASE_DIR ${XDG_DATA_HOME:-.} ${XDG_CACHE_HOME:-.} ${XDG_CONFIG_HOME:-.} 2>/dev/null | grep -v /out/ | sort -u' > all.sh; mkdir out; sh all.sh > out/before; grep -c mycc out/before
+ assay bench loop_v0.c --dry-run | sed "s,$XDG_DATA_HOME,DATA,g; s,^device  *.*,device,"
> 1
> dry run      nothing is started, built, leased or written
> kernel       loop_v0.c, entry solve, backend c; 1 case: small
> note         operator file found beside the kernel: loop.op.json
> device
> build        <CWD>/mycc -O2 -g -shared -fPIC -MMD -std=gnu17 -MF FOLDER/kernel.d loop_v0.c -o FOLDER/kernel.so -lm, unless the same is in the cache
> lease        cpu, not waited for
> idle check   until nobody else uses the device; at most 1.0 s
> processes    a keeper with the tensors, a worker in a sandbox with the kernel, a sampler
> correctness  not looked at: there is no reference
> identity     what one call launches
> cold         10 calls before sampling, then until the mean is known to +-0.5 %; at most 1.0 s
> warm         the same with caches as they are; at most 0.2 s
> integrity    how the answer came about
> writes       DATA/assay/store: the record and every sample
> time         2.2 s by the budgets above; what has none comes on top

## options show; compare, optimize, profile; as one document
$ export CC=$PWD/mycc; assay bench loop_v0.c --dry-run --repeat=7 --wait=5 --skip-warm --skip-integrity --no-build-cache --flags=-O3 --json-out=r.json --store=s | sed -n '/^build\|^lease\|^cold\|^warm\|^integ\|^writes\|^  /p'
+ assay compare loop_v0.c loop_v1.c::-O1 loop_v0.c::@loop_v1.c --dry-run --time-budget=4 | sed -n '/^build\|^placements/p'
+ assay optimize loop_v0.c --max-iterations=3 --proposer=./propose --run-dir=run --without-profile --dry-run | sed -n '/^run\|^versions\|^reports\|^comparison\|^end\|^time/p; s/^writes  */&/p'
+ assay profile loop_v0.c --out=reports --dry-run | sed -n '/^counters\|^writes/p'; assay profile --tool=torch --out=reports --dry-run -- ./propose now | sed -n '/^torch/p'
+ assay optimize loop_v0.c --max-iterations=3 --dry-run --json | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["format"], d["verb"], d["facts"]["versions"], len(d["writes"]), [s["step"] for s in d["steps"]][:3], d["seconds_by_budgets"] == sum(s["seconds_at_most"] or 0 for s in d["steps"]))'
> build        <CWD>/mycc -O2 -g -shared -fPIC -MMD -std=gnu17 -MF FOLDER/kernel.d -O3 loop_v0.c -o FOLDER/kernel.so -lm
> lease        cpu, waited for at most 5 s
> cold         10 calls before sampling, then exactly 7 samples
> writes       s: the record and every sample
>              r.json: the record
> build A      <CWD>/mycc -O2 -g -shared -fPIC -MMD -std=gnu17 -MF FOLDER/kernel.d loop_v0.c -o FOLDER/kernel.so -lm, unless the same is in the cache
> build B      <CWD>/mycc -O2 -g -shared -fPIC -MMD -std=gnu17 -MF FOLDER/kernel.d -O1 loop_v1.c -o FOLDER/kernel.so -lm, unless the same is in the cache
> build C      loop_v1.c is taken as it is
> placements   sides in turn in fresh processes, until the interval decides; 0.5 % is the least effect that counts; at most 4.0 s
> run          new: run
> versions     v0 to v3, each as the steps below say; `./propose` writes each next one, in at most 3600 s
> reports      none: --without-profile; no version is then best by the seed's rule
> comparison   with the version before it, in turn; at most 8.0 s
> end          the first in rank against v0, on fresh placements and data; at most 8.0 s
> writes       run: manifest, a folder a version, final summary
> time         <NUM> s by the budgets above; what has none comes on top
> counters     perf_event counters around calls of assay's own runner; ended after 600 s
> writes       <CWD>/reports: reports and logs
> torch        <CWD>/propose now; ended after 600 s
> assay/plan-v1 optimize v0 of v0 to v3; the next one is left to the caller 3 ['preflight', 'gate', 'build'] True

## none of them has made anything, whatever it was asked
$ sh all.sh > out/after; cmp out/before out/after && echo same; ls started run reports r.json s 2>&1 | grep -vc 'No such file'; CC=$PWD/mycc assay bench loop_v0.c --repeat=1 --store=s --wait=100 >/dev/null 2>&1; ls -d started s
> same
> 0
> s
> started

## what is wrong with the call is said as without it
$ assay bench nothing.c --dry-run; assay compare loop_v0.c nothing.c --dry-run; CC=/nothing assay bench loop_v0.c --dry-run; assay optimize loop_v0.c --dry-run; assay compare loop_v0.c loop_v0.c::@nothing.so --dry-run; assay profile --dry-run -- ./no-such-program; assay profile --tool=torch --dry-run -- ./no-such-program; printf 'void solve(float *a, int N) {}\n' > other.c; assay compare loop_v0.c other.c --dry-run 2>&1 | sed 's/:.*/: .../'
! assay: nothing.c: cannot be opened: No such file or directory
! assay: nothing.c: cannot be opened: No such file or directory
! assay: CC='/nothing' is no executable file: a path or a name without arguments is wanted
! assay: optimize: --max-iterations=N is missing and required: Optimisations after v0: versions are v0 to vN.
! assay: nothing.so: no such file; after ::@ stands the built shared object
! assay: ncu was not found (PATH, CUDA_HOME, /opt/nvidia); it collects Nsight Compute reports
! assay: ./no-such-program: no such program
> assay: ...

## on the fake GPU: nvcc's command, the GPU's lease, the events
$ F="$FAKE"; test -e $F/libcuda.so.1 || exit 0; cp $ROOT/examples/softmax/softmax_v0.cu .; LD_LIBRARY_PATH=$F PATH=$F:$PATH assay bench softmax_v0.cu --M=8 --N=8 --dry-run > plan; sed -n 's,^build  *[^ ]*nvcc .*-arch[= ][^ ]*.*,build by nvcc,p; s,^lease  *gpu:GPU-[^ ]* .*,the lease of a GPU,p; s,^events .*,events,p' plan
> build by nvcc
> the lease of a GPU
> events

## --problem: its text is looked at, nothing of it is run; what it finds out is not known before
$ cp $ROOT/examples/formats/leetgpu/* .; for v in 'bench solution.py' 'compare solution.py solution.py::-O1' 'optimize solution.py --max-iterations=1'; do assay $v --problem=challenge.py --python=/bin/false --dry-run | sed "s,$XDG_DATA_HOME,DATA,g; s/  */ /g" | grep -v '^dry\|^time'; done; test -e assay-imported || echo nothing
> problem LeetGPU challenge, challenge.py
> import of solution.py: a sandboxed process runs the problem to learn its inputs and cases; at most 5 min 0 s
> bench of the files that the import makes; `assay bench --dry-run` of those says its steps
> writes assay-imported/solution-<digest>: kernel, data, reference, operator file
>  DATA/assay/store: the record and every sample
> problem LeetGPU challenge, challenge.py
> import of solution.py: a sandboxed process runs the problem to learn its inputs and cases; at most 5 min 0 s
> import of solution.py: a sandboxed process runs the problem to learn its inputs and cases; at most 5 min 0 s
> compare of the files that the import makes; `assay compare --dry-run` of those says its steps
> writes assay-imported/solution-<digest>: kernel, data, reference, operator file
>  assay-imported/solution-<digest>: kernel, data, reference, operator file
>  DATA/assay/store: the record and every sample
> problem LeetGPU challenge, challenge.py
> import of solution.py: a sandboxed process runs the problem to learn its inputs and cases; at most 5 min 0 s
> optimize of the files that the import makes; `assay optimize --dry-run` of those says its steps
> writes assay-imported/solution-<digest>: kernel, data, reference, operator file
>  DATA/assay/store: the record and every sample
> nothing
$ dry() { assay bench "$@" --dry-run 2>&1; }; dry no.py --problem=challenge.py; dry solution.py --problem=no.py; dry solution.py --problem=challenge.py --ref=x.py; dry solution.py --problem=challenge.py --python=no-python; dry solution.py --problem=solution.py
> assay: no.py: no such file; a solution of the problem is wanted
> assay: no.py: cannot be opened: No such file or directory
> assay: --problem: it supplies data, reference and operator file: leave out --ref
> assay: no-python was not found: --problem needs it; --python names an interpreter
> assay: solution.py: no problem of a known format (LeetGPU challenge, Tensara problem, GPU MODE task, flashinfer-trace definition, robust-kbench problem, TritonBench-G file, KernelBench problem)
= 2
