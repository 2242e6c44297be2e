# The timeline of traces through `assay read`: what covers what, why nothing ran, ranks, diffs, ceilings.

## a trace of two streams: copy beside compute, a gap that the host made, one step
$ cat > make.py <<'END'
+ import json, sys
+ def x(cat, name, ts, dur, tid, **args):
+     return {"ph": "X", "cat": cat, "name": name, "pid": 0 if cat in ("kernel", "gpu_memcpy") else 9, "tid": tid, "ts": ts, "dur": dur, "args": args}
+ def trace(rank=0, late=0, shift=0, slow=1.0, suffix="0"):
+     e = []
+     def work(cat, name, start, dur, stream, corr, call):
+         e.append(x("cuda_runtime", "cudaLaunchKernel" if cat == "kernel" else "cudaMemcpyAsync", call + shift, 4, 1, correlation=corr))
+         e.append(x(cat, name, start + shift, dur, stream, device=0, stream=stream, correlation=corr))
+     e.append(x("user_annotation", "ProfilerStep#1", shift, 1000, 1))
+     work("kernel", "triton_poi_fused_add_" + suffix, 100, 100 * slow, 7, 1, 10)
+     work("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 120, 40, 8, 2, 20)
+     work("kernel", "ncclDevKernel_AllReduce", 300 + late, 200 - late, 9, 3, 250)
+     work("kernel", "void gemm<128, 2>(float*)", 450, 100, 7, 4, 30)
+     return {"schemaVersion": 1, "distributedInfo": {"rank": rank}, "traceEvents": e}
+ for i in range(2):
+     json.dump(trace(i, 30 * i, 5000 * i), open("rank%d.json" % i, "w"))
+ json.dump(trace(slow=0.5, suffix="12"), open("after.json", "w"))
+ END
$ python3 make.py; assay read rank0.json --table timeline
> Timeline: span: first start to last end of a device's kernels, copies and memsets; busy: their union; exposed: nothing of another kind runs
> device  what                time  of span %
> 0       span              450 us      100.0
> 0       busy              350 us       77.8
> 0         compute         200 us       44.4
> 0         communication   200 us       44.4
> 0           exposed       150 us       33.3
> 0         copies         40.0 us        8.9
> 0           exposed      0.00 ns        0.0
> 0       overlap excess   90.0 us       20.0
> 0       idle              100 us       22.2
> 0         queued          100 us       22.2
$ assay read rank0.json --table overlap
> What runs together: each instant of the span once, by the kinds that run then
> device  what                        time  of span %
> 0       idle                      100 us       22.2
> 0       compute                   110 us       24.4
> 0       compute + copies         40.0 us        8.9
> 0       communication             150 us       33.3
> 0       compute + communication  50.0 us       11.1

## who waits for whom
$ assay read rank0.json rank1.json --columns rank,busy_ns,exposed_ns,wait_ns,last,caused_ns,offset_ns,clock
> Ranks: 1 collectives ran on every rank; first to last arrival: median 30.0 us, p99 30.0 us, largest 30.0 us
> rank    busy  exposed  waits in collectives  came last  alone late by  clock offset  aligned by
>    0  350 us   150 us               30.0 us          0        0.00 ns       0.00 ns  collectives
>    1  320 us   120 us               0.00 ns          1        30.0 us       5.00 ms  collectives

## what matches gets 30 % shorter
$ assay read rank0.json --saving 'gemm=30%' --saving 'nccl*=100+1' --json > j; python3 -c "
+ import json
+ for r in json.load(open('j'))['tables'][0]['rows']: print(r['name'], r['removable_ns'], round(r['gain_pct'], 3))"
> gemm 50000 3.448
> nccl* 150000 47.783
$ assay read rank0.json --saving gemm
= 2

## the critical path fills the span
$ assay read rank0.json --table path
> Critical path: one chain of work and waits from the last end back to the first start; 0 steps between streams are inferred from their order in time
> kind           name                         time  of span %  n
> start_latency                             250 us       55.6  1
> device         triton_poi_fused_add_0     100 us       22.2  1
> device         void gemm<128, 2>(float*)  100 us       22.2  1

## names that change with every build
$ assay read --diff rank0.json after.json --table kernels
> Kernels by change of kernel.time: matched by name: exact; build: without parameters, hashes, autotune numbers; family: without template arguments and tile sizes
> kernel                          matched by   before    after    change  change %
> triton_poi_fused_add            build        100 us  50.0 us  -50.0 us     -50.0
> Memcpy HtoD (Pinned -> Device)  exact       40.0 us  40.0 us   0.00 ns       0.0
> ncclDevKernel_AllReduce         exact        200 us   200 us   0.00 ns       0.0
> void gemm<128, 2>(float*)       exact        100 us   100 us   0.00 ns       0.0
$ assay read --diff rank0.json after.json --json > d; python3 -c "
+ import json
+ d = json.load(open('d')); print(d['format'], [t['name'] for t in d['tables']])
+ for r in d['tables'][0]['rows']: print(r['kernel'], r['matched'], r.get('change'))"
> assay/read-diff-v1 ['kernels', 'report', 'changes']
> triton_poi_fused_add build -50000
> Memcpy HtoD (Pinned -> Device) exact 0
> ncclDevKernel_AllReduce exact 0
> void gemm<128, 2>(float*) exact 0

## a file for viewers: read again, it says the same
$ assay read rank1.json --perfetto out.json --table timeline --csv > a.csv; assay read out.json --table timeline --csv > b.csv; cmp a.csv b.csv && echo same
> same
$ python3 -c "
+ import json
+ t = json.load(open('out.json')); print(t['assayMark']['kind'], len(t['assayMark']['source_sha256']), sum(e['ph'] == 's' for e in t['traceEvents']))"
> exported 64 4

## little room: fewer rows, totals kept
$ assay read rank0.json --budget 150
> source of every number: rank0.json (PyTorch trace (Kineto JSON, also .gz, .zst, .zip))
> Time by kernel
> name                       time  share %  n    mean     p50     p99
> ncclDevKernel_AllReduce  200 us     45.5  1  200 us  200 us  200 us
> 1 of 4 rows, 45.5 % of time 440 us
>
> Timeline
> device  what    time  of span %
> 0       span  450 us      100.0
> 1 of 10 rows
>
> Time by category
> name             time  share %  n    mean     p50     p99
> communication  200 us     45.5  1  200 us  200 us  200 us
> 1 of 3 rows, 45.5 % of time 440 us
>
> Trust
> what    value
> events      9
$ assay read rank0.json --budget 1200 --json > j; python3 -c "
+ import json, os
+ d = json.load(open('j')); print(os.path.getsize('j') <= 4800, [t['n_rows'] for t in d['tables']][:3])"
> True [4, 10, 3]

## two kinds
$ assay read --diff rank0.json $ROOT/tests/data/ncu/two.ncu-repz
= 2
$ assay read rank0.json $ROOT/tests/data/ncu/two.ncu-repz
= 2
$ assay read --diff rank0.json
= 2

## one kernel over a trace, a profile, the binary and the compiler
$ cat > join.py <<'END'
+ import json
+ def k(name, ts, dur, grid, regs):
+     return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": {"device": 0, "stream": 7, "correlation": int(ts), "grid": grid, "block": [256, 1, 1], "registers per thread": regs, "shared memory": 0}}
+ json.dump({"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA H200", "computeMajor": 9, "computeMinor": 0, "regsPerMultiprocessor": 65536}], "traceEvents": [k("void app::scale<float, 4>(float*, float, int)", 10, 20, [4096, 1, 1], 16), k("void app::scale<float, 4>(float*, float, int)", 40, 20, [8, 1, 1], 16), k("plain(double*)", 70, 5, [1, 1, 1], 10)]}, open("j.json", "w"))
+ END
$ printf '%s\n' "ptxas info    : Compiling entry function '_Z5plainPd' for 'sm_90a'" "ptxas info    : Function properties for _Z5plainPd" "    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads" "ptxas info    : Used 10 registers, used 0 barriers" > ptxas.txt
$ python3 join.py; assay read --join j.json $DATA/ncu/two.ncu-repz $DATA/elf/tiny_sm90a.cubin ptxas.txt --csv
> kernel,grid,block,launches,total_ns,share_pct,results,profiled_ns,sm_pct,memory_pct,dram_pct,achieved_pct,rules,registers,binary_registers,compiler_registers,spill_bytes,stack_bytes,static_shared_bytes,occupancy_pct,limiter,sources,differs
> "void app::scale<float, 4>(float*, float, int)",4096x1x1,256x1x1,1,20000,44.44444444444444,2,4880,26.86417898660173,22.048026412864694,18.09954911132176,,roofline_latency,16,,,,,,100,warps,kineto+ncu,
> "void app::scale<float, 4>(float*, float, int)",8x1x1,256x1x1,1,20000,44.44444444444444,,,,,,,,16,,,,,,100,warps,kineto,
> plain(double*),1x1x1,256x1x1,1,5000,11.11111111111111,,,,,,,,10,8,10,12,16,0,100,warps,kineto+elf+ptxas,"launched with 10 registers, binary 8"
> "gather(const float *, const int *, float *, int)",8192x1x1,128x1x1,,,,2,7408,20.98067718701993,15.018590312782543,11.834460999822362,,roofline_latency,16,,,,,,100,warps,ncu,
> "void app::scale<double, (int)8>(T1 *, T1, int)",64x2x1,32x4x1,,,,2,2464,1.4320636380988536,0.8198146234943695,0.16386283295841092,,roofline_latency HOST_OR_LAUNCH_BOUND,16,,,,,,100,warps,ncu,
> scale,,,,,,,,,,,,,,16,,,32,48,,,elf,
$ assay read --join j.json $DATA/elf/tiny_sm90a.cubin --columns kernel,differs --filter plain
> Kernels: by name and launch shape; share: of the trace; profiled, SM, mem: by Nsight Compute, the mean of several results; spills: by the compiler; max, limited by: occupancy by ncu, else from the launch; achieved: by ncu
> kernel          differs
> plain(double*)  launched with 10 registers, binary 8

## kernels of one template and one launch shape stay apart, and no time is lost; names of several tools meet
$ cat > same.py <<'END'
+ import json
+ def k(i, name, dur, regs=16, grid=8): return {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": 100 * i, "dur": dur, "args": {"device": 0, "stream": 7, "correlation": i, "grid": [grid, 1, 1], "block": [256, 1, 1], "registers per thread": regs, "shared memory": 0}}
+ names = ["void map<128, Add>(int, Add)", "void map<128, Mul>(int, Mul)", "void map<128, Mul>(int, Mul)", "void app::scale<double, 8>(double*, double, int)"]
+ json.dump({"schemaVersion": 1, "traceEvents": [k(1, names[0], 5), k(2, names[1], 7), k(3, names[2], 11, 24), k(4, names[3], 13), k(5, "void app::scale<float, 4>(float*, float, int)", 17, 16, 4096)]}, open("same.json", "w"))
+ END
+ python3 -S same.py; assay read --join same.json $DATA/ncu/two.ncu-repz --csv --columns kernel,launches,total_ns,results,occupancy_pct,limiter,sources,differs
> kernel,launches,total_ns,results,occupancy_pct,limiter,sources,differs
> "void app::scale<float, 4>(float*, float, int)",1,17000,2,100,warps,kineto+ncu,
> "void app::scale<double, 8>(double*, double, int)",1,13000,,,,kineto,
> "void map<128, Mul>(int, Mul)",2,18000,,,,kineto,launched with 24 and 16 registers
> "void map<128, Add>(int, Add)",1,5000,,,,kineto,
> "gather(const float *, const int *, float *, int)",,,2,100,warps,ncu,
> "void app::scale<double, (int)8>(T1 *, T1, int)",,,2,100,warps,ncu,

## rooflines
$ assay read $DATA/ncu/two.ncu-repz --table roofline
> Rooflines: 6 of 6 results count no arithmetic: the sections SpeedOfLight_RooflineChart and SpeedOfLight_HierarchicalTensorRooflineChart do
