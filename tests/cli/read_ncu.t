# Nsight Compute reports through `assay read`. Reports and exports are ours, made on an H200 with ncu 2025.3.1.
masks: ROOT

## the table of a report with three kernels
$ assay read $ROOT/tests/data/ncu/nvtx.ncu-repz
> Profiled results: one row a profiled launch, range or graph
> id  kernel                              grid      block       time  SM %  mem %  DRAM %  occ %  regs
>  0  void app::scale<float, (int)4>(...  4096x1x1  256x1x1  4.80 us  27.5   22.4    18.3   69.0    16
>  1  gather(const float *, const int...  8192x1x1  128x1x1  7.49 us  20.8   14.7    11.7   43.6    16
>  2  void app::scale<double, (int)8>...  64x2x1    32x4x1   2.24 us   1.6    0.9     0.2    6.2    16
>
> Rules satisfied: none, one or several may be; thresholds and sources in the JSON
> id  rule                  because
>  0  roofline_latency      sm.throughput 27.4562 % < 40; memory.throughput 22.3675 % < 40
>  1  roofline_latency      sm.throughput 20.7803 % < 40; memory.throughput 14.7431 % < 40
>  2  roofline_latency      sm.throughput 1.57584 % < 40; memory.throughput 0.896777 % < 40
>  2  HOST_OR_LAUNCH_BOUND  kernel.duration 2240 ns < 10000; launch.waves 0.0606061 < 1
>
> Trust: the kernel ran once a pass: values of different passes are of different runs
> what                        value
> most_passes_of_a_result        10
> results_without_clock_lock      3

## the slowest two, and what they are of the whole
$ assay read $ROOT/tests/data/ncu/two.ncu-repz --table kernels --sort time_ns --top 2
> Profiled results: one row a profiled launch, range or graph
> kernel: gather(const float *, const int *, float *, int)
> id  grid      block       time  SM %  mem %  DRAM %  occ %  regs
>  1  8192x1x1  128x1x1  7.42 us  21.0   15.1    11.8      -    16
>  4  8192x1x1  128x1x1  7.39 us  21.0   14.9    11.8      -    16
> 2 of 6 rows, 50.2 % of time 29.5 us

## metrics by pattern, exact
$ assay read $ROOT/tests/data/ncu/nvtx.ncu-repz --metrics '*cycles_elapsed.max' --filter gather --csv
> id,kernel,metric,value,unit,instances
> 1,"gather(const float *, const int *, float *, int)",dram__cycles_elapsed.max,23936,cycle,0
> 1,"gather(const float *, const int *, float *, int)",gpc__cycles_elapsed.max,14739,cycle,0
> 1,"gather(const float *, const int *, float *, int)",l1tex__cycles_elapsed.max,14739,cycle,0
> 1,"gather(const float *, const int *, float *, int)",lts__cycles_elapsed.max,12719,cycle,0
> 1,"gather(const float *, const int *, float *, int)",sm__cycles_elapsed.max,14739,cycle,0
> 1,"gather(const float *, const int *, float *, int)",smsp__cycles_elapsed.max,14739,cycle,0

## the raw page is ncu's own
? command -v zstdcat
$ zstdcat $ROOT/tests/data/ncu/gather.raw_base.csv.zst > want.csv; assay read $ROOT/tests/data/ncu/gather.ncu-repz --csv | cmp - want.csv

## JSON: facts, rules with thresholds, what is not known
$ assay read $ROOT/tests/data/ncu/range.ncu-repz --json > j; python3 -c "import json; d = json.load(open('j')); print(d['format'], d['claim_layer'], d['formal'], len(d['results'])); print([(f['value'], f['unit'], f['source']) for f in d['facts']['facts'] if f['id'] == 'kernel.duration']); print([c for r in d['results'][0]['rules'] if r['rule'] == 'roofline_latency' for c in r['conditions']])"
> assay/read-v1 diagnostic False 2
> [(232992.0, 'ns', 'gpu__time_duration.sum'), (211904.0, 'ns', 'gpu__time_duration.sum')]
> [{'holds': True, 'metric': 'sm.throughput', 'op': '<', 'source': 'R2.2', 'threshold': 40.0, 'unit': '%', 'value': 1.2178167237633775}, {'holds': True, 'metric': 'memory.throughput', 'op': '<', 'source': 'R2.2', 'threshold': 40.0, 'unit': '%', 'value': 0.9372078062158803}]

## a live capture with log lines before the table
$ assay read $ROOT/tests/data/ncu/live_metrics.csv --table kernels --columns id,kernel,time_ns
> Profiled results: one row a profiled launch, range or graph
> id  kernel                                               time
>  0  void app::scale<float, 4>(T1 *, T1, int)          6.08 us
>  1  gather(const float *, const int *, float *, int)  7.39 us
>  2  void app::scale<double, 8>(T1 *, T1, int)         2.24 us

## a file that is cut: its whole results, the place, status 2
? command -v zstdcat
$ zstdcat $ROOT/tests/data/ncu/two.ncu-repz | head -c 150000 > cut.ncu-rep; assay read cut.ncu-rep --table kernels --columns id,time_ns
> Profiled results: one row a profiled launch, range or graph
> id     time
>  0  4.77 us
>  1  4.99 us
! assay: cut.ncu-rep: offset 150000: the file ends inside a block of 1 entries after 0; 2 whole results before it are kept
= 2

## no report
$ echo hello > x.ncu-rep; assay read x.ncu-rep
! assay: x.ncu-rep: offset 0: no Nsight Compute report: neither the NVR header of a .ncu-rep nor the "ID" line of `ncu --csv` was found
= 2
$ : > empty; assay read empty
! assay: empty: offset 0: the file is empty
= 2
$ assay read nothing.ncu-rep
! assay: nothing.ncu-rep: cannot be opened: No such file or directory
= 2

## names that do not exist are said
$ assay read $ROOT/tests/data/ncu/nvtx.ncu-repz --sort tyme
! assay: no column "tyme" in kernels; it has id, kernel, grid, block, time_ns, sm_pct, memory_pct, dram_pct, occupancy_pct, registers, rules, kind, stream, device, pid
= 2
$ assay read $ROOT/tests/data/ncu/nvtx.ncu-repz --table nope
! assay: no table "nope" in <ROOT>/tests/data/ncu/nvtx.ncu-repz; it has kernels, rules, trust, source, sass, roofline, occupancy
= 2

## a metric that was not collected: the section that would
$ assay read $ROOT/tests/data/ncu/two.ncu-repz --metrics dram__bytes_read.sum
> Metrics: dram__bytes_read.sum is not in this report; ncu collects it with --section MemoryWorkloadAnalysis_Tables

## source lines with the most samples
$ assay read $ROOT/tests/data/ncu/gather.ncu-repz --table source --sort samples --top 2 --columns line,samples,samples_pct,stall
> Source lines: samples of the warp sampler by source line
> line  samples  samples %  largest stall
>   11      577       87.2  long_scoreboard
>   12       39        5.9  drain
> 2 of 4 rows, 93.1 % of samples 662

## what limits occupancy, what was possible and what was reached
$ assay read $ROOT/tests/data/ncu/sm_targeted.ncu-repz --table occupancy
> Occupancy: share of an SM's warps; regs, shared, warps, SM: blocks an SM by each limit alone
> id  kernel                  block    max %  achieved %  limited by           regs  shared  warps  SM
>  0  softmax(const float...  256x1x1  100.0        87.3  registers and warps     8      16      8  32
$ assay read $ROOT/tests/data/ncu/nvtx.ncu-repz --table occupancy --csv --columns id,theoretical_pct,achieved_pct,limiter,blocks,by_registers,by_shared,by_warps,by_blocks,source
> id,theoretical_pct,achieved_pct,limiter,blocks,by_registers,by_shared,by_warps,by_blocks,source
> 0,100,69.0256119144069,warps,8,16,32,8,32,ncu
> 1,100,43.632703168849176,warps,16,32,32,16,32,ncu
> 2,100,6.226842896256176,warps,16,32,32,16,32,ncu
$ assay read $ROOT/tests/data/ncu/two.ncu-repz --table occupancy --top 1
> Occupancy: share of an SM's warps; regs, shared, warps, SM: blocks an SM by each limit alone
> id  kernel                           block    max %  achieved %  limited by  regs  shared  warps  SM
>  0  void app::scale<float, (int)...  256x1x1  100.0           -  warps         16      32      8  32
> 1 of 6 rows
$ { echo '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'; for m in launch__registers_per_thread,register/thread,110 launch__shared_mem_per_block_static,byte/block,0 launch__shared_mem_per_block_dynamic,byte/block,98304; do echo "\"0\",\"1\",\"a\",\"b\",\"mm(float *)\",\"1\",\"7\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"0\",\"9.0\",\"Command line profiler metrics\",\"$(echo $m | sed 's/,/","/g')\""; done; } >launch.csv; assay read launch.csv --table occupancy --csv --columns theoretical_pct,achieved_pct,limiter,blocks,by_registers,by_shared,by_warps,by_blocks,source; grep -v dynamic launch.csv >less.csv; assay read less.csv --table occupancy
> theoretical_pct,achieved_pct,limiter,blocks,by_registers,by_shared,by_warps,by_blocks,source
> 25,,registers and shared memory,2,2,2,8,32,launch
> Occupancy: share of an SM's warps; regs, shared, warps, SM: blocks an SM by each limit alone; - : neither the section nor the launch's resources were collected
> id  kernel       block    max %  achieved %  limited by  regs  shared  warps  SM
>  0  mm(float *)  256x1x1      -           -  -              -       -      -   -
