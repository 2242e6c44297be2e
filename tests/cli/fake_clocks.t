# Candidates that take one of the two clocks away, on the fake GPU (tests/fake): the other one is the number, and it is said.
needs: assay bench --help >/dev/null && command -v c++

## work on a stream that nobody waits for is not between the events: the records are the number
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c $ROOT/tests/gpu/kernels/two_kernels.cu .; mkdir conf
+ cat >flags <<'E'
+ sh facts $1 verdict.word kernel.source
+ python3 -c 'import json; print(*[f["word"] for f in json.load(open("record.json"))["integrity"]["flags"]] or ["no flag"])'
+ E
+ side='static cudaStream_t s; if (!s) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); int h = N / 2;'
+ halves='scale<<<(h + 255) / 256, 256, 0, s>>>(x, y, h); scale<<<(N - h + 255) / 256, 256, 0, s>>>(x + h, y + h, N - h);'
+ sh kernel side "$side $halves"; sh kernel part "$side scale<<<1, 1>>>(x, y, 1); $halves"
+ sh kernel joined "static cudaStream_t s; if (!s) cudaStreamCreate(&s); int h = N / 2; $halves"
+ echo 'kernel_ns 5000000' >conf/fake.conf; for k in two_kernels joined side part; do sh flags $k.cu; done
> verdict.word passed
> kernel.source event_pair
> no flag
> verdict.word passed
> kernel.source event_pair
> no flag
> verdict.word passed
> kernel.source device_record
> flagged:unordered
> verdict.word passed
> kernel.source device_record
> flagged:unordered
$ options='--forbid unordered' sh run side | sed 2d
> rejected:unordered: the call works on the device outside its place in the order of the caller's stream, which is forbidden
> = 1

## in a comparison by events such a side is refused; one whose stream waits for the caller's is not
$ cat >compare <<'E'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$FAKE:$PATH assay compare "$@" --ref scale_ref.c --op-file scale.op.json -q --timeout=20 \
+ 	--time-budget=1 --json >c.json 2>c.err
+ cat c.err; python3 -c 'import json; print(*[s["verdict"]["word"] for s in json.load(open("c.json"))["sides"]])'
+ E
+ echo 'kernel_ns 5000000' >conf/fake.conf; for k in joined side part; do sh compare two_kernels.cu $k.cu; done | sed 's/equivalent\|inconclusive\|faster\|slower/compared/'; : >conf/fake.conf
> passed compared
> passed rejected:unordered
> passed rejected:unordered

## CUPTI switched off by the candidate, from the first call or in the middle of the cold calls: the events are the number;, after them it is said
$ : >conf/fake.conf; for n in 1 15 20; do
+ 	sh kernel off$n "static int n; SCALE; if (++n == $n) { void *h = dlopen(\"libcupti.so.13\", RTLD_NOW | RTLD_NOLOAD); if (h) ((int (*)(int))dlsym(h, \"cuptiActivityDisable\"))(10); }"
+ 	sed -i '1i #include <dlfcn.h>' off$n.cu; sh flags off$n.cu
+ done
> verdict.word passed
> kernel.source event_pair
> flagged:unrecorded
> verdict.word passed
> kernel.source event_pair
> flagged:unrecorded
> verdict.word passed
> kernel.source device_record
> flagged:unrecorded

## where CUPTI itself refuses, nobody is to blame
$ echo 'cupti_refuses 35' >conf/fake.conf; sh flags two_kernels.cu
> verdict.word passed
> kernel.source event_pair
> no flag

## neither clock: the candidate has made both say nothing
? test "$(uname -m)" = x86_64
$ : >conf/fake.conf; cat >none.cu <<'E'
+ #include <cstdint>
+ #include <cstring>
+ #include <cuda_runtime.h>
+ #include <dlfcn.h>
+ #include <sys/mman.h>
+ __global__ void scale(const float *x, float *y, int n)
+ {
+ 	int i = blockIdx.x * blockDim.x + threadIdx.x;
+ 	if (i < n)
+ 		y[i] = 2 * x[i] + 1;
+ }
+ static int refuse()
+ {
+ 	return 999;
+ }
+ static void patch(const char *library, const char *name)
+ {
+ 	unsigned char jump[12] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
+ 	void *h = dlopen(library, RTLD_NOW | RTLD_NOLOAD), *at = h ? dlsym(h, name) : 0, *to = (void *)refuse;
+ 	if (!at || mprotect((void *)((uintptr_t)at & ~4095ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC))
+ 		return;
+ 	memcpy(jump + 2, &to, 8);
+ 	memcpy(at, jump, sizeof(jump));
+ }
+ extern "C" void solve(const float *x, float *y, int N)
+ {
+ 	static int n;
+ 	scale<<<(N + 255) / 256, 256>>>(x, y, N);
+ 	if (n++)
+ 		return;
+ 	patch("libcupti.so.13", "cuptiActivityFlushAll");
+ 	patch("libcuda.so.1", "cuEventElapsedTime");
+ }
+ E
+ sh run none
> rejected:time_denied: by the parent's clock and the kernel's account of CPU time the calls took far longer than was said
>            neither CUPTI's records nor events show a time for its calls
> = 1
