# The seeds' own command lines, after `assay skills install`, with nothing changed but their placeholders.
needs: command -v cc && command -v c++ && test -e $FAKE/nvcc
timeout: 170

## the operator loop for CUDA on the fake GPU: a stand-in for ncu hands over a real report of a kernel of that name
$ mkdir bin conf k; ln -s $(command -v python3) bin/python; assay skills install -q >/dev/null; cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c .
+ planted() { sh planted $1 $2 SCALE; sed -i 's/scale(const float \*x, float/gather(const float *x, const int *, float/; s/scale<<<\(.*\)(x, y, N)/gather<<<\1(x, nullptr, y, N)/' k/$1.cu; }
+ planted k_v0 6400; planted k_v1 3200
+ cat > bin/ncu <<E
+ #!/bin/sh
+ [ "\$1" = --version ] && { echo 'NVIDIA (R) Nsight Compute Command Line Profiler'; echo 'Version 2025.3.1.0 (build 36398880)'; exit 0; }
+ while [ \$# -gt 0 ]; do [ "\$1" = --export ] && cp $DATA/ncu/gather.ncu-repz "\$2"; shift; done
+ E
+ sh proposer 'propose v$((iteration + 1))'
+ chmod +x bin/ncu
+ cat > seed <<'E'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH sh "$1"
+ E
+ cat > cuda <<'E'
+ python skills/optimized-skill/operator-optimize-loop/scripts/optimize_loop.py k/k_v0.cu \
+     --backend=cuda --max-iterations=1 --ref=scale_ref.c --N=100000 \
+     --warmup=10 --repeat=20 --nvcc-bin=nvcc --ncu-bin=ncu
+ E
+ sh seed cuda >out 2>err; echo $?; echo $(ls assay-runs/*/) $(ls assay-runs/*/iter_v0)
> 0
> check.json final_summary.json final_summary.md iter_v0 preflight_check.json preflight_check.md run_manifest.json versions benchmark.stderr.txt benchmark.stdout.txt benchmark_result.json full.ncu-rep full.ncu.log full_details.txt full_summary.txt iteration_summary.md k_v0.cu kernel.so optimization_proposal.md profile.job targeted.ncu-rep targeted.ncu.log targeted_details.txt targeted_summary.txt

## continuing that run folder: the best version has its reports
$ sed -n '/^{/,$p' out | examples=$ROOT/examples sh k/propose.sh >said; next=$(sed -n 's/.*"next_path": "\(.*\)",*/\1/p' out)
+ cat > go <<E
+ python skills/optimized-skill/operator-optimize-loop/scripts/optimize_loop.py $next \
+     --backend=cuda --run-dir=$(echo assay-runs/*) --iteration=1 --max-iterations=1 \
+     --ref=scale_ref.c --N=100000 --warmup=10 --repeat=20
+ E
+ sh seed go >out 2>err; echo $?; grep -c 'full.ncu-rep' assay-runs/*/final_summary.md | awk '{ print ($1 > 0) }'; sed -n 's/.*"best_iteration": //p' assay-runs/*/run_manifest.json | tr -d ,
> 0
> 1
> 1

## CUTLASS has the same chain
$ sed 's/backend=cuda/backend=cutlass/; s/max-iterations=1/max-iterations=0/' cuda >cutlass; sh seed cutlass >out 2>err; echo $?; sed -n 's/.*"backend": //p' out | tail -1
> 0
> "cutlass",

## only looking at the environment
$ cat > preflight <<'E'
+ python skills/optimized-skill/operator-optimize-loop/scripts/optimize_loop.py k/k_v0.cu \
+     --backend=cuda --max-iterations=3 --preflight-only
+ E
+ sh seed preflight >out 2>err; echo $?; grep -c '"ready": true' assay-runs/*/preflight_check.json | tail -1 | sed 's/.*://'
> 0
> 1

## Triton where torch is not: the missing module is named, exit 3
? ! python3 -c 'import torch' 2>/dev/null
$ cat > kernel.py <<'E'
+ import torch
+ import triton
+ import triton.language as tl
+
+
+ @triton.jit
+ def copy_kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
+     at = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
+     tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)
+
+
+ def setup(M=1024, seed=None, **kwargs):
+     return {"inputs": {"x": torch.randn(M, device="cuda")}, "outputs": []}
+
+
+ def run_kernel(x):
+     y = torch.empty_like(x)
+     copy_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
+     return y
+ E
+ cat > triton <<'E'
+ python skills/optimized-skill/operator-optimize-loop/scripts/optimize_loop.py kernel.py \
+     --backend=triton --max-iterations=2 --ref=kernel.py --M=64 \
+     --warmup=10 --repeat=20 --ncu-bin=ncu
+ E
+ sh seed triton >out 2>err; echo $?; grep -c torch err
> 3
> 1

## without a number of rounds nothing starts
$ sed 's/--max-iterations=1//' cuda >no; sh seed no >out 2>err; echo $?; cat err
> 2
> assay: optimize: --max-iterations=N is missing and required: Optimisations after v0: versions are v0 to vN.

## the workload optimizer's offline knowledge and a report
$ cat > knowledge <<'E'
+ python skills/cuda-kernel-optimizer/scripts/knowledge_query.py query --arch sm_90 --key coalesced_access
+ E
+ sh seed knowledge | head -1
> coalesced_access  memory.coalesced_access  applicable

## a workload request of the published tools: what is refused is one JSON object, exit 2
$ echo '{"format_version":"cuda-kernel-optimizer/readiness-input-v2","operation":"check"}' > request.json; cat > readiness <<'E'
+ python skills/cuda-kernel-optimizer/scripts/readiness.py check --request request.json
+ E
+ sh seed readiness 2>err; echo $?; grep -o '"status": "rejected"' err
> 2
> "status": "rejected"
