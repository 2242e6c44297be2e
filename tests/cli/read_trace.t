# PyTorch traces, binaries, SASS listings, sanitizer output and compiler logs through `assay read`.
# tests/data/kineto/generated.json: bench/gen_kineto 20000 7.

## a trace: time by kernel, by category, what stands against it
$ assay read $ROOT/tests/data/kineto/generated.json --top 2
> Time by kernel: shares are of the summed durations; overlapping streams sum to more than the covered time
> name                                                     time  share %  n     mean      p50      p99
> triton_poi_fused_add_mul_relu_9                       11.4 us     33.4  2  5.68 us  5.61 us  5.75 us
> void at::native::(anonymous namespace)::softmax_w...  11.0 us     32.4  1  11.0 us  11.0 us  11.0 us
> 2 of 5 rows, 65.8 % of time 34.0 us
>
> Timeline: span: first start to last end of a device's kernels, copies and memsets; busy: their union; exposed: nothing of another kind runs
> device  what          time  of span %
> 0       span       77.3 us      100.0
> 0       busy       34.0 us       43.9
> 0         compute  34.0 us       43.9
> 0       idle       43.4 us       56.1
> 0         host     11.4 us       14.7
> 0         launch   12.8 us       16.6
> 0         queued   19.2 us       24.8
>
> Time by category
> name        time  share %  n     mean      p50      p99
> compute  34.0 us    100.0  6  5.66 us  4.89 us  11.0 us
>
> Trust: span: first start to last end of kernels, copies and memsets; events with time 0 left out
> what         value
> events          91
> flow_events     18

## the same trace compressed, other tables
$ gzip -c $ROOT/tests/data/kineto/generated.json > t.json.gz; assay read t.json.gz --table operators --columns name,total_ns,n,calls,cpu_ns
> GPU time by operator: 0 activities name no operator of this trace
> name                    time  n  calls  CPU time
> aten::empty_strided  34.0 us  6      6   20.8 us
> aten::addmm          0.00 ns  0      6   50.2 us
> aten::as_strided     0.00 ns  0      6   28.4 us
> aten::linear         0.00 ns  0      6   57.8 us
> aten::t              0.00 ns  0      6   40.6 us
> aten::transpose      0.00 ns  0      6   35.9 us

## CSV
$ assay read $ROOT/tests/data/kineto/generated.json --table calls --csv
> name,total_ns,n,max_ns,blocks
> cudaStreamIsCapturing,2400,6,400,
> cudaLaunchKernel,19114,6,3298,

## a trace that is cut: whole events are kept, status 2
$ head -c 9000 $ROOT/tests/data/kineto/generated.json > cut.json; assay read cut.json --table categories --columns name,n
> Time by category
> name     n
> compute  2
= 2

## no trace
$ echo '{"a": 1}' > a.json; assay read a.json --table kernels
= 2

## JSON: the rows add up to the generator's sum, 33977 ns
$ assay read $ROOT/tests/data/kineto/generated.json --json > j; python3 -c "import json; d = json.load(open('j')); k = d['trace']['kernels']; print(d['reader'], k['total_ns'], sum(r['total_ns'] for r in k['rows']), k['n_rows'], d['trace']['trust']['torn'])"
> kineto 33977 33977 5 False

## a cubin
$ assay read $ROOT/tests/data/elf/tiny_sm90a.cubin
> Kernels: static resources; spills are in the compiler's log, not in the binary
> arch    kernel      regs  barriers  shared  stack  max threads   code
> sm_90a  _Z5plainPd     8         0     0 B    0 B            -  384 B
> sm_90a  scale         16         1    48 B   32 B          256  896 B
>
> Device images
> kind   arch       bytes  kernels  stored  line table  problem
> cubin  sm_90a  10.4 KiB        2  none    yes

## a fatbin with compressed images
$ assay read $ROOT/tests/data/elf/tiny_lz4.fatbin --table images --columns kind,arch,bytes,kernels,compression
> Device images
> kind   arch           bytes  kernels  stored
> cubin  sm_80       5.97 KiB        2  none
> ptx    compute_80  2.47 KiB        2  lz4

## a SASS listing: mechanisms that its instructions show
$ gzip -dc $ROOT/tests/data/sass/signatures_sm90a.sass.gz > s.sass; assay read s.sass --table mechanisms --filter has_wgmma_fp8 --csv | grep -v ',not_'
> kernel,mechanism,verdict,instructions,evidence
> has_wgmma_fp8,no_local_memory,shown,0,
> has_wgmma_fp8,tensor_core,shown,1,1 QGMMA.64x8x32.F32.E4M3.E4M3
> has_wgmma_fp8,fp8,shown,1,1 QGMMA.64x8x32.F32.E4M3.E4M3
> has_wgmma_fp8,wgmma,shown,1,1 QGMMA.64x8x32.F32.E4M3.E4M3
> has_wgmma_fp8,wgmma_serialization,shown,3,"1 QGMMA.64x8x32.F32.E4M3.E4M3, 1 WARPGROUP.ARRIVE, 1 WARPGROUP.DEPBAR.LE"

## compiler log
$ printf 'ptxas info : Compiling entry function %s for %s\nptxas info : Used 40 registers, 8 bytes smem\nk.cu(3): error: no such thing\n' "'k'" "'sm_90a'" > log.txt; assay read log.txt --columns kernel,arch,registers,static_shared_bytes
> Kernels as compiled
> kernel  arch    regs  shared
> k       sm_90a    40     8 B
>
> Messages: 1 errors, 0 warnings
> severity  file  line  text
> error     k.cu     3  no such thing

## sanitizer
$ printf '========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 4 bytes\n=========     at k(float *)+0x90 in k.cu:2\n=========     by thread (1,0,0) in block (0,0,0)\n========= ERROR SUMMARY: 1 error\n' > san.txt; assay read san.txt --columns kind,n,kernel,line
> Findings by place: 1 errors, 0 warnings
> kind            n  kernel      line
> invalid_access  1  k(float *)     2

## a filter holds for every table, fact and finding; what it leaves nothing of is said
$ gzip -dc $DATA/sass/signatures_sm90a.sass.gz >s.sass; assay read s.sass --filter has_loop
> Instructions by kernel: loads: without those of constant memory
> kernel    arch    instr  loads  stores  atomics  async  tensor  bar  local  loops
> has_loop  sm_90a    123     29       1        0      0       0    0      0      3
>
> Mechanisms shown
> kernel    mechanism        verdict  instr  evidence
> has_loop  no_local_memory  shown        0
$ assay read s.sass --filter has_half2_math --json >f.json; python3 -S -c 'import json; d = json.load(open("f.json")); print([t["n_rows"] for t in d["tables"]], len(d["sass"]["kernels"]), {f["subject"] for f in d["facts"]["facts"]}, {e["kernel"] for m in d["mechanisms"] for e in m["evidence"]})'
> [1, 2] 1 {'has_half2_math'} {'has_half2_math'}
$ for f in $DATA/elf/tiny_sm90a.cubin $ROOT/tests/data/kineto/generated.json; do assay read $f --filter plain --json | python3 -S -c 'import json, sys; print([(t["name"], t["n_rows"]) for t in json.load(sys.stdin)["tables"] if t["name"] in ("kernels", "images", "trust")])'; done
> [('kernels', 1), ('images', 1)]
> [('kernels', 0), ('trust', 2)]
$ assay read s.sass --filter no_such_kernel
> Instructions by kernel: loads: without those of constant memory
> no "no_such_kernel" here: 71 rows do not match --filter
>
> Mechanisms shown

## two kernels whose names begin and end alike: each shows what it is
$ assay read $ROOT/tests/data/kineto/generated.json --filter softmax --table kernels --columns name,n
> Time by kernel: shares are of the summed durations; overlapping streams sum to more than the covered time
> name                                                                                               n
> void at::native::(anonymous name...loat*, float const*, int, int, int, bool const*, int, bool)_20  1
> void at::native::(anonymous name...float*, float const*, int, int, int, bool const*, int, bool)_2  1

## two listings: what was gained and lost, which opcodes changed; of a file against itself nothing
$ sed 's/LDG\.E\.128/LDG.E/; s/STG\.E\.128/STG.E/' s.sass >narrow.sass; assay read --diff narrow.sass s.sass --table mechanisms; assay read --diff s.sass narrow.sass --table opcodes --filter has_wide_shared --csv
> Mechanisms gained and lost: of kernels that both have for one architecture; 69 are the same, 0 only before, 0 only after
> kernel                 change  mechanism
> has_wide_shared        gained  vectorized_access
> has_vectorized_access  gained  vectorized_access
> kernel,opcode,before,after,change
> has_wide_shared,STG.E,0,1,1
> has_wide_shared,STG.E.128,1,0,-1
$ assay read --diff s.sass s.sass --json | python3 -S -c 'import json, sys; d = json.load(sys.stdin); print([(t["name"], t["n_rows"]) for t in d["tables"]], sum(r["change"] != 0 for r in d["tables"][0]["rows"]))'; assay read --diff s.sass narrow.sass --table nope
> [('kernels', 71), ('mechanisms', 0), ('opcodes', 0), ('report', 0), ('changes', 0)] 0
! assay: no table "nope" in this diff; it has kernels, mechanisms, opcodes, report, changes
= 2

## names that would steer a terminal do not: in a table, in an error, in the name of a file; a pipe gets the bytes as they are
$ python3 -S -c 'import json; json.dump({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a\x1b[8mb\x1b]0;t\x07c\x9b31m", "pid": 0, "tid": 7, "ts": 1, "dur": 2}]}, open("steer.json", "w"))'; python3 $DATA/terminal.py 100 20 assay read steer.json --table=kernels --color=never | tail -1; f="$(printf 'a\033[2Jb')"; python3 $DATA/terminal.py 100 20 assay read "$f"; assay read steer.json --table kernels --csv | grep -c "$(printf 'a\033\[8mb')"
> a?[8mb?]0;t?c??31m  2.00 us    100.0  1  2.00 us  2.00 us  2.00 us
> assay: a?[2Jb: cannot be opened: No such file or directory
> 1

## sums beyond 64 bits stay at the end; times that no clock shows are no numbers
$ cat >large.py <<'END'
+ import json
+ def call(cat, name, ts, dur, **a): return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": a}
+ events = []
+ for i in range(8):
+     at = -2.9e15 + i
+     events += [call("kernel", "k", at, 2.9e15, device=0, stream=i, correlation=i + 1, grid=[1, 1, 1], block=[32, 1, 1]), call("cuda_runtime", "cudaLaunchKernel", at, 2.9e15, correlation=i + 1), call("cpu_op", "op", at, 2.9e15),
+                call("user_annotation", "ProfilerStep#%d" % i, at, 2.9e15), call("python_function", "nn.Module: m", at, 2.9e15), call("overhead", "o", at, 2.9e15), call("cuda_sync", "s", at, 2.9e15), call("kernel", "k", 9e15, 1)]
+ json.dump({"traceEvents": events}, open("large.json", "w"))
+ END
+ python3 -S large.py; assay read large.json --table kernels --csv | cut -d, -f1,2,4; for t in all scopes launches memory; do assay read large.json --table $t --json --top=0 >large.out && echo $t; done; assay read large.json --json | grep -o '"what": "bad_numbers"' | head -1
> name,total_ns,n
> k,9.223372036854776e+18,8
> all
> scopes
> launches
> memory
> "what": "bad_numbers"
