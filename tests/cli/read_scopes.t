# What GPU work belongs to: operators, modules and annotations by nesting, over several ranks too.
# make.py RANK: a step in which a module runs aten::mul twice and its backward pass runs on a thread of its own; rank r takes
# (10 + r) us for each kernel.
## the traces
$ cat > make.py <<'END'
+ import json, sys
+ r = int(sys.argv[1]); events, n = [], 0
+ def call(cat, name, tid, ts, dur, **args): events.append({"ph": "X", "cat": cat, "name": name, "pid": 5, "tid": tid, "ts": ts, "dur": dur, "args": args})
+ def launch(tid, ts, kernel):
+     global n
+     n += 1
+     call("cuda_runtime", "cudaLaunchKernel", tid, ts, 1, correlation=n)
+     events.append({"ph": "X", "cat": "kernel", "name": kernel, "pid": 0, "tid": 7, "ts": 1000 + 100 * n, "dur": 10 + r, "args": {"device": 0, "stream": 7, "correlation": n}})
+ call("user_annotation", "ProfilerStep#1", 1, 0, 500)
+ call("python_function", "nn.Module: Scale_0", 1, 10, 200)
+ for i in range(2):
+     call("cpu_op", "aten::mul", 1, 20 + 50 * i, 40, **{"Sequence number": i, "Fwd thread id": 0}); launch(1, 30 + 50 * i, "mul")
+     call("cpu_op", "MulBackward0", 2, 300 + 50 * i, 40, **{"Sequence number": i, "Fwd thread id": 1}); launch(2, 310 + 50 * i, "mul_grad")
+ launch(1, 150, "mul")
+ if r == 1: call("cpu_op", "aten::extra", 1, 400, 20); launch(1, 405, "extra")
+ json.dump({"schemaVersion": 1, "distributedInfo": {"rank": r}, "traceEvents": events}, open(f"rank{r}.json", "w"))
+ END
+ for r in 0 1 2; do python3 -S make.py $r; done; ls rank*
> rank0.json
> rank1.json
> rank2.json

## one rank
$ assay read rank0.json --table scopes
> GPU time by operator, module and annotation: by the launch call's nesting on its thread; self: in no deeper scope of that kind; backward: of backward nodes, by the forward operator; in no operator: 20.0 %; in no module: 40.0 %; in no annotation: 40.0 %
> kind        name               time  share %     self  backward  n
> module      Scale_0         30.0 us     60.0  30.0 us   20.0 us  3
> annotation  ProfilerStep#1  30.0 us     60.0  30.0 us   20.0 us  3
> operator    aten::mul       20.0 us     40.0  20.0 us   20.0 us  2
> operator    MulBackward0    20.0 us     40.0  20.0 us   0.00 ns  2
$ assay read rank0.json --table scopes --filter mul --columns name,calls,cpu_ns,cpu_self_ns --csv
> name,calls,cpu_ns,cpu_self_ns
> aten::mul,2,80000,80000
$ assay read rank0.json --table scopes --json | python3 -S -c 'import json, sys; d = json.load(sys.stdin); print([(t["name"], t["n_rows"]) for t in d["tables"]])'; assay read rank0.json --table all --csv >/dev/null
> [('scopes', 4)]
! assay: --csv prints one table; name it with --table
= 2
$ assay read $DATA/kineto/generated.json --table scopes --top 1
> GPU time by operator, module and annotation: by the launch call's nesting on its thread; self: in no deeper scope of that kind; backward: of backward nodes, by the forward operator; in no operator: 0.0 %; no module was recorded; no annotation was recorded
> kind      name            time  share %     self  backward  n
> operator  aten::addmm  34.0 us    100.0  0.00 ns   0.00 ns  6
> 1 of 6 rows

## three ranks side by side: any table with a time
$ assay read rank0.json rank1.json rank2.json --table scopes
> GPU time by operator, module and annotation, by rank: mean: over the ranks that have the row
> kind        name               mean  most - least    least  of rank     most  of rank  ranks
> annotation  ProfilerStep#1  36.7 us       14.0 us  30.0 us        0  44.0 us        1      3
> module      Scale_0         33.0 us       6.00 us  30.0 us        0  36.0 us        2      3
> operator    aten::mul       22.0 us       4.00 us  20.0 us        0  24.0 us        2      3
> operator    MulBackward0    22.0 us       4.00 us  20.0 us        0  24.0 us        2      3
> operator    aten::extra     11.0 us       0.00 ns  11.0 us        1  11.0 us        1      1
$ assay read rank0.json rank1.json rank2.json --table kernels --csv
> name,mean_ns,spread_ns,least_ns,least_rank,most_ns,most_rank,ranks
> mul,33000,6000,30000,0,36000,2,3
> mul_grad,22000,4000,20000,0,24000,2,3
> extra,11000,0,11000,1,11000,1,1
$ assay read rank0.json rank1.json --table idle
! assay: no table "idle" of several ranks; there are ranks, kernels, categories, operators, steps, calls, launches, scopes; name one file for its other tables
= 2

## memory over time: only when asked for, and said when nothing was recorded
$ assay read rank0.json --table memory
> Memory over time: no allocation was recorded (profile_memory)
$ cat > memory.py <<'END'
+ import json
+ m = lambda ts, b, total: {"ph": "i", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts, "args": {"Device Type": 1, "Device Id": 0, "Bytes": b, "Total Allocated": total, "Total Reserved": 4096}}
+ json.dump({"schemaVersion": 1, "traceEvents": [m(0, 1024, 1024), m(10, 2048, 3072), m(200, -1024, 2048)]}, open("memory.json", "w"))
+ END
+ python3 -S memory.py; assay read memory.json --table memory
> Memory over time: by device and slice of its time; from: since its first event
> device     from      most  at its end  reserved  allocations  frees
> 0       0.00 ns  1.00 KiB    1.00 KiB  4.00 KiB            1      0
> 0       10.0 us  3.00 KiB    3.00 KiB  4.00 KiB            1      0
> 0        190 us  3.00 KiB    2.00 KiB  4.00 KiB            0      1
$ assay read rank0.json --table nope
! assay: no table "nope" in rank0.json; it has kernels, categories, operators, steps, calls, trust, launches, scopes, memory, timeline, links, overlap, concurrency, idle, gaps, ceilings, launching, ranges, path, groups
= 2
