# assay import with torch itself: the other import*.t have a stand-in for it (docs/TESTING.md).
needs: /usr/bin/python3 -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("torch"))'
timeout: 120

## a problem of each format becomes files that run: the right solution is right in every case, a wrong one is not
$ cp -r $ROOT/examples/formats f; cd f; wrong() { sed "$2" "$1" >"$(dirname "$1")/$3"; cmp -s "$1" "$(dirname "$1")/$3" && echo "$3 is as $1"; }
+ mkdir gpumode/w kernelbench/w; mv gpumode/submission*.py gpumode/w; mv kernelbench/scale_relu_new.py kernelbench/w
+ for d in leetgpu tensara robust_kbench tritonbench_g flashinfer_trace sol_execbench; do mkdir $d/w; mv $d/solution* $d/w; done
+ wrong gpumode/w/submission.py 's/return output.abs_()/return output/' wrong.py; wrong kernelbench/w/scale_relu_new.py 's/clamp_min_(0)/clamp_min_(0.1)/' wrong.py
+ wrong leetgpu/w/solution.py 's/totals.addmv_(scaled, weight)/pass/' wrong.py; wrong tensara/w/solution.py 's/log1p/expm1/' wrong.py
+ wrong robust_kbench/w/solution.py 's/y \* slope/y/' wrong.py; wrong tritonbench_g/w/solution.py 's/alpha=factor/alpha=1/' wrong.py
+ wrong flashinfer_trace/w/solution.json 's/weight \* factor/weight/' wrong.json; wrong sol_execbench/w/solution.json 's/x\[:, n:\]/x[:, :n]/' wrong.json
+ while read adapter file d ends; do for s in $ends; do echo $adapter $file $d $d/w/$s; done; done >list <<'L'
+ gpumode task.yml gpumode submission.py wrong.py
+ kernelbench scale_relu.py kernelbench scale_relu_new.py wrong.py
+ leetgpu challenge.py leetgpu solution.py wrong.py
+ tensara def.py tensara solution.py wrong.py
+ robust func_forward.py robust_kbench solution.py wrong.py
+ tritonbench scale_add.py tritonbench_g solution.py wrong.py
+ trace definition.json flashinfer_trace solution.json wrong.json
+ trace definition.json sol_execbench solution.json wrong.json
+ L
+ /usr/bin/python3 $DATA/imports.py --run <list
> 3 case(s), right: [1, 2, 3]
> 3 case(s), right: []
> 1 case(s), right: [1]
> 1 case(s), right: []
> 4 case(s), right: [1, 2, 3, 4]
> 4 case(s), right: []
> 3 case(s), right: [1, 2, 3]
> 3 case(s), right: []
> 2 case(s), right: [1, 2]
> 2 case(s), right: []
> 3 case(s), right: [1, 2, 3]
> 3 case(s), right: []
> 2 case(s), right: [1, 2]
> 2 case(s), right: []
> 2 case(s), right: [1, 2]
> 2 case(s), right: []

## bench in its sandbox: data, answer, the problem's own check; inline CUDA is refused where there is no GPU
$ cd f; assay bench gpumode/w/submission.py --problem=gpumode --python=/usr/bin/python3 --repeat=3 --skip-warm --speedup-budget=0 -q | grep -o '^correct.*data sets\|^check .*'
+ assay bench gpumode/w/submission_cuda.py --problem=gpumode --python=/usr/bin/python3 -q 2>&1 | sed 's/.*: it/it/'
> correct    passed: 3 case(s) on 2 data sets
> check      the problem's own check says the same of 6 data sets
> it builds CUDA code (load_inline), and there is no GPU here to build it for and to run it on
