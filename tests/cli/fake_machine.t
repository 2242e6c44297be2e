# What a machine can lack or do, on the fake driver (tests/fake/conf.h lists what can be scripted).
needs: assay bench --help >/dev/null && command -v c++
masks: PATH

## no GPU of that number; two of them; none that the driver shows
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c $ROOT/tests/gpu/kernels/right.cu .; mkdir conf
+ options=--gpu=9 sh run right; echo 'gpus 2' >conf/fake.conf; options=--gpu=9 sh run right; options=--gpu=1 sh facts right.cu verdict.word device.uuid
+ echo 'gpus 0' >conf/fake.conf; sh run right; : >conf/fake.conf
> assay: --gpu 9: this machine has 1 GPU, 0 to 0 (0: Fake GPU)
> = 3
> assay: --gpu 9: this machine has 2 GPUs, 0 to 1 (0: Fake GPU)
> = 3
> verdict.word passed
> device.uuid GPU-fa4e0000-0000-0000-0000-000000000001
> assay: --gpu 0: the driver sees no GPU
> = 3

## --gpu counts what CUDA_VISIBLE_DEVICES leaves, as every CUDA program does
$ echo 'gpus 3' >conf/fake.conf; look() { CUDA_VISIBLE_DEVICES=$1 options=--gpu=$2 sh facts right.cu verdict.word device.uuid; }
+ look 2 0; look GPU-fa4e0000-0000-0000-0000-000000000001,0 1; look GPU-fa4e0000-0000-0000-0000-000000000001,0 0
+ export CUDA_VISIBLE_DEVICES; CUDA_VISIBLE_DEVICES=1,7,0 options=--gpu=1 sh run right; CUDA_VISIBLE_DEVICES= sh run right
+ unset CUDA_VISIBLE_DEVICES; : >conf/fake.conf
> verdict.word passed
> device.uuid GPU-fa4e0000-0000-0000-0000-000000000002
> verdict.word passed
> device.uuid GPU-fa4e0000-0000-0000-0000-000000000000
> verdict.word passed
> device.uuid GPU-fa4e0000-0000-0000-0000-000000000001
> assay: --gpu 1: CUDA_VISIBLE_DEVICES=1,7,0 leaves 1 of this machine's 3 GPUs
> = 3
> assay: --gpu 0: CUDA_VISIBLE_DEVICES= leaves 0 of this machine's 3 GPUs
> = 3

## a module in Python that imports neither torch nor Triton runs on the CPU, GPU or not
$ printf 'def solve(x, y, N):\n    for i in range(N):\n        y[i] = 2 * x[i] + 1\n' >plain.py
+ sh facts plain.py verdict.word device.kind kernel.source
> verdict.word passed
> device.kind cpu
> kernel.source host_clock

## MIG: the instance is what is measured and leased
$ echo 'mig 2' >conf/fake.conf; sh facts right.cu verdict.word device.uuid device.mig; ls $ASSAY_LEASE_DIR | grep MIG; : >conf/fake.conf
> verdict.word passed
> device.uuid MIG-fa4e0000-0000-0000-0000-000000000100
> device.mig True
> gpu:MIG-fa4e0000-0000-0000-0000-000000000100.lock

## no driver at all
? ! ldconfig -p | grep -q 'libcuda.so.1\|libnvidia-ml.so.1'
$ mkdir none; driver=$PWD/none sh run right
> assay: no GPU can be used: NVML: libnvidia-ml.so.1: cannot open shared object file: No such file or directory; also tried <PATH>, <PATH>
> = 3

## NVML without its kernel module; NVML without the driver beside it
$ echo 'nvml_refuses 9' >conf/fake.conf; sh run right; : >conf/fake.conf
> assay: no GPU can be used: nvmlInit: Driver Not Loaded (NVML 9)
> = 3
$ mkdir half; cp $FAKE/libnvidia-ml.so.1 half; driver=$PWD/half sh run right | sed 's/libcuda.*/libcuda .../'
> assay: candidate worker (identity): CUDA driver: libcuda ...
> = 3

## a driver that lacks a function which every driver has; one that is too old to share memory
$ mkdir broken old; cp $FAKE/libnvidia-ml.so.1 broken; cp $FAKE/broken/libcuda.so.1 broken; driver=$PWD/broken sh run right
> assay: candidate worker (identity): <PATH>/broken/libcuda.so.1: no symbol cuLaunchKernel (in drivers for CUDA 4.0 and later): install a newer driver
> = 3
$ cp $FAKE/libnvidia-ml.so.1 old; cp $FAKE/old/libcuda.so.1 old; driver=$PWD/old sh run right | sed "s/ on 2 data sets//"; driver=$PWD/old sh facts right.cu memory memory_reason
> correct    passed: 2 case(s)
> = 0
> memory staged
> memory_reason <PATH>/old/libcuda.so.1: no cuMemCreate and its kind (in drivers for CUDA 10.2 and later)

## CUPTI absent: event times, and what was tried first
? test ! -e /usr/local/cuda || { test "$(id -u)" = 0 && unshare -m mount -t tmpfs none /usr/local/cuda; }
$ cat >bare <<'E'
+ # bare COMMAND...: without the toolkit's folder, if there is one
+ [ -e /usr/local/cuda ] || exec "$@"
+ exec unshare -m sh -c 'mount -t tmpfs none /usr/local/cuda && exec "$@"' sh "$@"
+ E
+ mkdir nocupti; cp $FAKE/libcuda.so.1 $FAKE/libnvidia-ml.so.1 nocupti
+ driver=$PWD/nocupti sh bare sh facts right.cu verdict.word kernel.source identity.state identity.reason | cut -c1-72
> verdict.word passed
> kernel.source event_pair
> identity.state no_records
> identity.reason CUPTI: libcupti.so.13: cannot open shared object file: N

## a GPU in exclusive mode that somebody has
$ echo 'fail cuDevicePrimaryCtxRetain 0 46 any' >conf/fake.conf; sh run right; : >conf/fake.conf
> assay: candidate worker (identity): cuDevicePrimaryCtxRetain: CUDA-capable device(s) is/are busy or unavailable (CUDA_ERROR_DEVICE_UNAVAILABLE, 46)
> = 3
$ echo 'fail cuDevicePrimaryCtxRetain 0 46 worker' >conf/fake.conf; sh run right; : >conf/fake.conf
> assay: candidate worker (identity): cuDevicePrimaryCtxRetain: CUDA-capable device(s) is/are busy or unavailable (CUDA_ERROR_DEVICE_UNAVAILABLE, 46)
> = 3

## memory that the driver does not share: copies, and the result says so
$ echo 'fail cuMemExportToShareableHandle 0 801 keeper' >conf/fake.conf
+ sh facts right.cu verdict.word verdict.witness memory memory_reason kernel.source kernel.cold.summary.median_ns; sh run past_end changes_input wrong | grep -v '^ '; : >conf/fake.conf
> verdict.word passed
> verdict.witness keeper
> memory staged
> memory_reason cuMemExportToShareableHandle: operation not supported (CUDA_ERROR_NOT_SUPPORTED, 801)
> kernel.source device_record
> kernel.cold.summary.median_ns 3200.0
> guard_damaged: memory outside the tensors was written
> = 1
> input_modified: an input was changed
> = 1
> output_unwritten: output elements were never written
> = 1

## no wait on values: times without a hold
$ echo 'fail cuStreamWaitValue32_v2 0 801 worker' >conf/fake.conf; sh facts right.cu verdict.word kernel.source kernel.cold.summary.median_ns kernel.events.n_released_by_helper; : >conf/fake.conf
> verdict.word passed
> kernel.source device_record
> kernel.cold.summary.median_ns 3200.0
> kernel.events.n_released_by_helper 0

## no nvcc: by name, and on a machine without a toolkit
$ options=--nvcc-bin=/nonexistent/nvcc sh run right
> assay: nvcc: '/nonexistent/nvcc' is no executable file; --nvcc-bin names the one to use
> = 3

## the same where nothing is in the usual places
? test ! -e /usr/local/cuda || { test "$(id -u)" = 0 && unshare -m mount -t tmpfs none /usr/local/cuda; }
$ unset CUDA_HOME CUDA_PATH CUDA_ROOT; LD_LIBRARY_PATH=$FAKE PATH=/usr/bin:/bin:/usr/sbin:/sbin sh bare $ASSAY bench right.cu --ref scale_ref.c --op-file scale.op.json -q
! assay: nvcc was not found on PATH, under CUDA_HOME or /usr/local/cuda: install the CUDA toolkit or name it with --nvcc-bin
= 3

## an nvcc that does not work
$ mkdir bad; printf '#!/bin/sh\nexit 5\n' >bad/nvcc; chmod +x bad/nvcc; options=--nvcc-bin=$PWD/bad/nvcc sh run right
> assay: <PATH>/bad/nvcc --version: exit 5
> = 3

## the lattice of the time stamps
$ printf 'kernel_ns 3219\n' >conf/fake.conf; sh facts right.cu kernel.cold.summary.median_ns | grep -x 'kernel.cold.summary.median_ns \(3200\|3232\|3216\).*' | wc -l; : >conf/fake.conf
> 1

## lines that a flush would leave dirty are not charged to the kernel: the poison comes before the eviction
$ echo 'dirty_pct 900' >conf/fake.conf; sh facts right.cu kernel.cold.summary.max_ns; : >conf/fake.conf
> kernel.cold.summary.max_ns 3200.0

## a periodic disturbance hits some calls, by its share; with a drift no two calls are alike
$ printf 'period_ns 100150\nperiod_pct 9\nkernel_ns 32000\n' >conf/fake.conf; options=--repeat=60 sh facts right.cu kernel.cold.summary.min_ns kernel.cold.summary.max_ns; : >conf/fake.conf
> kernel.cold.summary.min_ns 32000.0
> kernel.cold.summary.max_ns 34880.0
$ printf 'drift_ppm 10000\n' >conf/fake.conf; sh facts right.cu kernel.cold.summary.min_ns kernel.cold.summary.max_ns | sort -u -k2 | wc -l; : >conf/fake.conf
> 2

## a clock that falls: seen by the flush kernel
$ printf 'throttle_at 1\nkernel_ns 3264\n' >conf/fake.conf; sh facts right.cu kernel.cold.summary.median_ns kernel.cold.clock_mhz_median; : >conf/fake.conf
> kernel.cold.summary.median_ns 5440.0
> kernel.cold.clock_mhz_median 1188.0

## kernels that are loaded when they are first launched: before the timed calls
$ echo 'lazy 1' >conf/fake.conf
+ for i in 1 2 3 4 5; do # a busy machine may leave a hold to the helper now and then
+ sh facts right.cu verdict.word kernel.cold.summary.max_ns kernel.cold.n_released_by_helper >out; grep -q 'helper 0' out && break; done; cat out; : >conf/fake.conf
> verdict.word passed
> kernel.cold.summary.max_ns 3200.0
> kernel.cold.n_released_by_helper 0

## records that CUPTI lost, buffers that it does not give back
$ echo 'cupti_drops 3' >conf/fake.conf; sh facts right.cu verdict.word; : >conf/fake.conf
> verdict.word passed
$ echo 'fail cuptiActivityFlushAll 0 1 worker' >conf/fake.conf; sh facts right.cu verdict.word kernel.source identity.state; : >conf/fake.conf
> verdict.word passed
> kernel.source event_pair
> identity.state no_records

## doctor and preflight look at the same machine
$ printf 'gpus 2\nmig 1\ncompute_mode 3\n' >conf/fake.conf; LD_LIBRARY_PATH=$PWD/conf:$FAKE assay doctor --json >doctor.json
+ python3 -c 'import json
+ for g in json.load(open("doctor.json"))["gpus"]: print(g["name"], g["uuid"], g["mig_instances"], g["compute_mode"])'; : >conf/fake.conf
> Fake GPU GPU-fa4e0000-0000-0000-0000-000000000000 ['MIG-fa4e0000-0000-0000-0000-000000000100'] exclusive_process
> Fake GPU GPU-fa4e0000-0000-0000-0000-000000000001 [] exclusive_process

## device memory: not enough of it is the machine's trouble; gone after the first call it is the kernel's doing
$ for n in 2 14 24; do echo "fail cuMemCreate $n 2 keeper" >conf/fake.conf; sh run right | cut -c1-120; done; : >conf/fake.conf
> assay: the keeper of the tensors failed at alloc: cuMemCreate of 2097152 bytes: out of memory (CUDA_ERROR_OUT_OF_MEMORY,
> = 3
> out_of_device_memory: device memory ran out
>            there was memory for the tensors until the kernel had been called; then the keeper of the tensors failed at a
> = 1
> out_of_device_memory: device memory ran out
>            there was memory for the tensors until the kernel had been called; then the keeper of the tensors failed at a
> = 1

## what the stand-in for nvcc keeps is what it makes: library, text, dependencies; another source is another one, and so is what names its path
$ mkdir kept; make_as() { mkdir -p $1; cp $2 $1/k.cu; FAKE_NVCC_CACHE=$3 $FAKE/nvcc -O3 -std=c++17 -shared -Xcompiler -fPIC -arch=sm_90 -MMD -MF $1/d $1/k.cu -o $1/k.so 2>$1/said; echo "$1 $?"; }
+ same() { for f in k.so said; do cmp $1/$f $2/$f; done; sed "s,^$1/,$2/," $1/d | cmp - $2/d; }
+ make_as a right.cu; make_as b right.cu kept; make_as c right.cu kept; same a b; same a c; ls kept | wc -l
+ sed 's/2 \*/3 */' right.cu >other.cu; make_as d other.cu; make_as e other.cu kept; same d e; cmp -s a/k.so e/k.so || ls kept | wc -l
+ sed '$a const char *path = __FILE__;' right.cu >path.cu; make_as f path.cu kept; grep -c f/k.cu f/k.so; echo 'nonsense' >bad.cu; make_as g bad.cu kept; make_as h bad.cu kept; grep -o 'k.cu(1): error' g/said; ls kept | wc -l
> a 0
> b 0
> c 0
> 1
> d 0
> e 0
> 2
> f 0
> 1
> g 1
> h 1
> k.cu(1): error
> 2
