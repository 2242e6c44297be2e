# assay ceiling: measured once, kept; bench and compare hold times against it. No rate is asserted.
needs: assay ceiling --help >/dev/null
masks: PAD
timeout: 120

## the CPU: copies and multiply-adds, by one thread and by all; the second call reads what was kept
$ assay ceiling --backend=c --json -q >1.json; assay ceiling --backend=c --json -q >2.json; cmp 1.json 2.json && echo kept
+ python3 -c 'import json; r = json.load(open("1.json")); m = r["measured"]; print(r["format"], sorted(m), all(v > 0 for v in m.values()))'
> kept
> assay/ceiling-v1 ['copy_bytes_per_s', 'copy_one_thread_bytes_per_s', 'fp32_flop_per_s', 'fp32_one_thread_flop_per_s'] True
$ assay ceiling --backend=c -q | sed -n 2p
> ceiling                        <PAD>measured<PAD>  vendor
$ assay ceiling --backend=c --again --json -q >3.json; cmp -s 1.json 3.json || echo anew; assay ceiling --backend=c --json -q | cmp - 3.json && echo replaced
> anew
> replaced

## bench says how near the kernel comes to the binding ceiling
$ cat >k.c <<'E'
+ void solve(const float *x, float *y, int N)
+ {
+ 	for (int i = 0; i < N; i++)
+ 		y[i] = 2 * x[i];
+ }
+ E
+ cat >k.op.json <<'E'
+ {"format": "assay/operator-v1", "params": [{"name": "x", "role": "in", "shape": ["N"]}, {"name": "y", "role": "out", "shape": ["N"]},
+  {"name": "N", "role": "dim"}], "cases": [{"name": "main", "dims": {"N": 20000}}], "flops": "N", "bytes": "8 * N"}
+ E
+ assay bench k.c --ref k.c --repeat=3 --warmup=1 --skip-warm -q --json >b.json
+ python3 -c 'import json; l = json.load(open("b.json"))["limits"]; print(l["ceilings_measured"], l["roofline"]["intensity_flop_per_byte"], l["peaks"]["bytes"]["from"], l["roofline"]["binding"], l["floor"]["word"])'
> True 0.125 measured memory passed
$ assay compare k.c k.c --ref k.c --placements=6 --blocks=1 --calls=2 --cache=warm --any-load -q --json >c.json
+ python3 -c 'import json; print([s["limits"]["roofline"]["binding"] for s in json.load(open("c.json"))["sides"]])'
> ['memory', 'memory']

## a GPU: our kernels, launches; what is not there has its reason
? command -v c++
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c $ROOT/tests/gpu/kernels/right.cu .; mkdir conf; : >conf/fake.conf
+ echo 'LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$FAKE:$PATH exec assay "$@"' >gpu
+ sh gpu ceiling --json -q --cublaslt nothing.so >g.json; python3 -c 'import json; r = json.load(open("g.json")); print(sorted(r["measured"]), sorted(r["not_measured"]), r["l2_bytes"])'
> ['copy_bytes_per_s', 'fp32_flop_per_s', 'l2_read_bytes_per_s', 'launch_and_wait_ns', 'launch_ns', 'read_bytes_per_s'] ['bf16_matrix_flop_per_s', 'fp16_matrix_flop_per_s', 'fp8_matrix_flop_per_s'] 1048576

## less time than the memory's pins need for declared bytes: impossible; where the bytes were only added up it is a flag
$ sh gpu bench right.cu --ref scale_ref.c --op-file scale.op.json --repeat=5 --warmup=1 -q --json >b.json; echo $?
+ python3 -c 'import json; r = json.load(open("b.json")); print(r["verdict"]["word"], r["limits"]["floor"]["word"])'
> 0
> passed passed
$ sed 's/"8 \* N"/"1e12"/' scale.op.json >huge.op.json; sh gpu bench right.cu --ref scale_ref.c --op-file huge.op.json --repeat=5 --warmup=1 -q --json >b.json; echo $?
+ python3 -c 'import json; r = json.load(open("b.json")); print(r["verdict"]["word"], r["verdict"]["stage"], r["limits"]["floor"]["word"], r["correctness"]["passed"])'
> 1
> impossible_time run impossible True
$ sh gpu compare right.cu right.cu --ref scale_ref.c --op-file huge.op.json --placements=6 --blocks=2 -q --json >c.json; echo $?; python3 -c 'import json; print([s["verdict"]["word"] for s in json.load(open("c.json"))["sides"]])'
> 1
> ['impossible_time', 'impossible_time']
