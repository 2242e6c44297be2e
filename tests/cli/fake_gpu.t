# Candidates on the fake GPU (tests/fake): kernels of tests/gpu/kernels with the verdicts that a real GPU gives, and times
# by the simulated clock, which are exact: 3.2 us cold, 2.24 warm, 0.8 between two kernels, 1.4 an empty event pair.
needs: assay bench --help >/dev/null && command -v c++
masks: NUM TIME PAD ID

## a right kernel: correctness, identity, cold, warm and event times
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c $ROOT/tests/gpu/kernels/right.cu .; mkdir conf
+ sh bench right.cu --ref scale_ref.c
> right.cu on Fake GPU, backend cuda
> correct    passed: 2 case(s) on 2 data sets; max abs error 0, max rel error 0
> cache         trimmed mean<PAD> +- 95 %   median      min      max   n   MHz
> cold               3.20 us<PAD> 0.00 %  3.20 us  3.20 us  3.20 us  10  1980
> warm               2.24 us<PAD> 0.00 %  2.24 us  2.24 us  2.24 us  10     -
> cold, events<PAD> <TIME><PAD> <NUM> %<PAD> <TIME><PAD> 4.00 us<PAD> <TIME>  10  1980
> time by    device_record
> bandwidth  2.50 GB/s (operator_file)
> rate       625 MFLOP/s
> reference  <TIME> median by host_clock
> call       1 launch(es), 1 stream(s), 0 copies, 0 memsets; host <TIME>
> integrity  accepted: 14 of 16 checks passed; not looked at: page_edges, error_size
> bound      <TIME> a call at most by the parent's clock: 8 calls on fresh data
> command    assay bench --timeout=20 --op-file scale.op.json --repeat=10 --warmup=2 -q right.cu --ref scale_ref.c
> record     bench-<ID>

## what ran: names, launches, streams, copies; memory that the keeper exported
$ sh facts right.cu identity.state identity.n_launches identity.activities.0.name identity.activities.0.grid identity.activities.0.duration_ns identity.activities.0.stream memory device.uuid verdict.witness
> identity.state recorded
> identity.n_launches 1
> identity.activities.0.name _Z5scalePKfPfi
> identity.activities.0.grid [4, 1, 1]
> identity.activities.0.duration_ns 2240
> identity.activities.0.stream 7
> memory exported
> device.uuid GPU-fa4e0000-0000-0000-0000-000000000000
> verdict.witness keeper

## several kernels, streams, a graph: event times where there is more than one launch
$ sh facts two_kernels.cu verdict.word identity.n_launches kernel.source kernel.cold.summary.min_ns kernel.events.summary.min_ns
> verdict.word passed
> identity.n_launches 2
> kernel.source event_pair
> kernel.cold.summary.min_ns 6240.0
> kernel.events.summary.min_ns 7040.0
$ sh facts streams.cu verdict.word identity.n_launches identity.n_streams kernel.source kernel.cold.summary.min_ns
> verdict.word passed
> identity.n_launches 2
> identity.n_streams 2
> kernel.source event_pair
> kernel.cold.summary.min_ns 3200.0
$ sh facts graph.cu verdict.word identity.n_launches identity.n_graph_launch identity.synchronizes_inside
> verdict.word passed
> identity.n_launches 2
> identity.n_graph_launch 1
> identity.synchronizes_inside True

## a call that waits for the device inside: no hold; where nothing says so, the helper lets go, marked
$ sh facts syncs.cu verdict.word identity.synchronizes_inside identity.n_synchronize kernel.cold.n_released_by_helper kernel.cold.summary.median_ns
> verdict.word passed
> identity.synchronizes_inside True
> identity.n_synchronize 1
> kernel.cold.n_released_by_helper 0
> kernel.cold.summary.median_ns 3200.0
$ echo 'cupti_refuses 35' >conf/fake.conf
+ sh facts syncs.cu verdict.word kernel.source kernel.events.n_released_by_helper; : >conf/fake.conf
> verdict.word passed
> kernel.source event_pair
> kernel.events.n_released_by_helper 10

## a call that allocates inside
$ sh facts allocates.cu verdict.word identity.allocates_inside identity.n_allocate identity.n_free identity.n_copy kernel.source
> verdict.word passed
> identity.allocates_inside True
> identity.n_allocate 1
> identity.n_free 1
> identity.n_copy 1
> kernel.source event_pair

## wrong, unwritten, out of bounds, an input
$ sh run wrong silent past_end changes_input
> output_unwritten: output elements were never written
>            never written: 37 of 37 elements of 'y', first at [0]: nan, expected <NUM> (case 'odd', data set 0, correctness)
> = 1
> output_unwritten: output elements were never written
>            never written: 37 of 37 elements of 'y', first at [0]: nan, expected <NUM> (case 'odd', data set 0, correctness)
> = 1
> guard_damaged: memory outside the tensors was written
>            4 bytes outside the tensors were written, first 0 bytes behind the end of 'y' (case 'odd', data set 0, correctness)
> = 1
> input_modified: an input was changed
>            input 'x' was changed (case 'odd', data set 0, correctness)
> = 1

## crash on the host, abort, exit(0), a hang at its deadline
$ sh kernel aborts 'SCALE; abort();'; sh run crashes aborts; sh run leaves | sed "s/(exit .*/(exit N)/"; options=--timeout=1 sh run hangs
> crash_segv: invalid memory access
>            invalid memory access (SIGSEGV)
> = 1
> abort: called abort
>            called abort (SIGABRT)
> = 1
> exited_early: exited before it answered
>            exited before it answered (exit N)
> = 1
> hang: still busy at its deadline
>            still busy at its deadline (SIGKILL)
> = 1

## errors that stay: an address that does not exist, a trap, one that the GPU makes up in a timed call
$ sh kernel traps 'trap<<<1, 1>>>();'; sh run illegal traps; echo 'sticky_at 12' >conf/fake.conf; sh run right; : >conf/fake.conf
> cuda_error: a CUDA error came up during a call
>            the call: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS, 700)
> = 1
> cuda_error: a CUDA error came up during a call
>            the call: unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED, 719)
> = 1
> cuda_error: a CUDA error came up during a call
>            the call: unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED, 719)
> = 1

## the device reset: at once, made again behind our back, only when it is timed
$ sh kernel resets_again 'SCALE; cudaDeviceReset(); cudaFree(0);'; sh kernel resets_late 'static int n; SCALE; if (n++ > 12) cudaDeviceReset();'
+ sh run reset resets_again resets_late
> context_destroyed: the call destroyed or replaced the CUDA context
>            after the call the CUDA context is not the one the call was given (cudaDeviceReset or the like)
> = 1
> context_destroyed: the call destroyed or replaced the CUDA context
>            after the call the CUDA context is not the one the call was given (cudaDeviceReset or the like)
> = 1
> context_destroyed: the call destroyed or replaced the CUDA context
>            after the call the CUDA context is not the one the call was given (cudaDeviceReset or the like)
> = 1

## device memory runs out: for the candidate, during its call, for the tensors
$ sh kernel hungry 'float *t; if (cudaMalloc(&t, 1l << 40)) return; SCALE;'; sh run hungry
> output_unwritten: output elements were never written
>            never written: 37 of 37 elements of 'y', first at [0]: nan, expected <NUM> (case 'odd', data set 0, correctness)
> = 1
$ echo 'fail cuCtxSynchronize 54 2 worker' >conf/fake.conf; sh run right; : >conf/fake.conf
> out_of_device_memory: device memory ran out
>            the call: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)
> = 1
$ echo 'memory_mb 5' >conf/fake.conf; sh run right; : >conf/fake.conf
> assay: the keeper of the tensors failed at alloc: cuMemCreate of 2097152 bytes: out of memory (CUDA_ERROR_OUT_OF_MEMORY, 2)
> = 3

## does not compile: nvcc's message with its line
$ sh run broken
> build_failed: does not build
>            broken.cu:13: error: ‘M’ was not declared in this scope
> = 1

## CUPTI refused, absent, silent: event times, and the reason
$ echo 'cupti_refuses 35' >conf/fake.conf; sh facts right.cu verdict.word kernel.source kernel.cold identity.state identity.reason; : >conf/fake.conf
> verdict.word passed
> kernel.source event_pair
> kernel.cold None
> identity.state no_records
> identity.reason recording kernels: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES (CUPTI 35)
$ echo 'cupti_silent 1' >conf/fake.conf; sh facts right.cu verdict.word kernel.source identity.state; : >conf/fake.conf
> verdict.word passed
> kernel.source event_pair
> identity.state no_records

## references: .py with plain memoryviews, .py with numpy, .cu
$ cat >plain_ref.py <<'E'
+ def reference(x, y, N):
+     for i in range(N):
+         y[i] = 2.0 * x[i] + 1.0
+ E
+ ref=plain_ref.py sh run right wrong
> correct    passed: 2 case(s) on 2 data sets
> = 0
> output_unwritten: output elements were never written
>            never written: 37 of 37 elements of 'y', first at [0]: nan, expected <NUM> (case 'odd', data set 0, correctness)
> = 1
$ cp right.cu right_ref.cu; ref=right_ref.cu sh run right; ref=right_ref.cu sh run wrong | tail -1
> correct    passed: 2 case(s) on 2 data sets
> = 0
> = 1

## a .cu reference that fails
$ cp $ROOT/tests/gpu/kernels/illegal.cu illegal_ref.cu; ref=illegal_ref.cu sh run right
> reference_failed: the reference could not be run
>            the reference failed: cuda_error: the call: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS, 700)
> = 2

## a .py reference with numpy
? python3 -c 'import numpy'
$ printf 'import numpy\nrtol = 1e-5\ndef reference(x, y, N):\n    return numpy.float32(2) * x + numpy.float32(1)\n' >numpy_ref.py; ref=numpy_ref.py sh run right
> correct    passed: 2 case(s) on 2 data sets
> = 0
