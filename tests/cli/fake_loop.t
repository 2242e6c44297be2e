# The loop on the fake GPU, without reports (there is no ncu for it): versions that the simulated clock tells apart.
needs: assay optimize --help >/dev/null && command -v c++
timeout: 120
masks: CWD

## four versions: twice as fast, wrong, slower, broken; the best measured one is named
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c .; mkdir conf k
+ sh planted k_v0 6400 SCALE; sh planted k_v1 3200 SCALE; sh planted k_v2 1600 'y[0] = x[0]'; sed -i 's/y\[0\] = x\[0\];/scale<<<1, 32>>>(x, y, 32);/' k/k_v2.cu; sh planted k_v3 4800 SCALE; cp $ROOT/tests/gpu/kernels/broken.cu k/k_v4.cu
+ sh proposer 'propose v$((iteration + 1))'
+ cat >opt <<'E'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$FAKE:$PATH exec assay optimize k/k_v0.cu --ref=scale_ref.c --op-file=scale.op.json \
+ --warmup=2 --repeat=10 --skip-warm --any-load --compare-budget=5 --without-profile -q "$@"
+ E
+ sh opt --max-iterations=4 --proposer=$PWD/k/propose.sh --run-dir=loop | grep '^v[0-9] [^t]'; sed -n '/^Best measured/p' loop/final_summary.md
> v0 passed, median 0.0064 ms: positive baseline_seed
> v1 passed, median 0.0032 ms: positive faster_than_previous
> v2 output_unwritten: rejected correctness_failed
> v3 passed, median 0.0048 ms: negative slower_or_equal_to_previous
> v4 build_failed: rejected build_failed
> Best measured, without reports (profile_unavailable): v1 <CWD>/loop/iter_v1/v1.cu

## a version that breaks the GPU for its process is rejected, and the next one runs
$ planted() { sh kernel k/$1 "$2;"; }; planted k_v1 'static int n; SCALE; if (n++ > 3) scale<<<1, 1>>>((const float *)0x10, y, 1)'; planted k_v2 'SCALE'
+ sh opt --max-iterations=2 --proposer=$PWD/k/propose.sh --run-dir=broken | grep '^v[0-9] [^t]'
> v0 passed, median 0.0064 ms: positive baseline_seed
> v1 cuda_error: rejected benchmark_failed
> v2 passed, median 0.0032 ms: positive faster_than_previous

## tags against the machine code of what was launched: a kernel that was not launched proves nothing
$ planted() { sh kernel k/$1 "$2;"; }; planted k_v1 'SCALE'; planted k_v2 'SCALE'; mkdir bin
+ cat >bin/cuobjdump <<'E'
+ #!/bin/sh
+ [ "$1" != --version ] || { echo 'Cuda compilation tools, release 13.0, V13.0.85'; exit; }
+ case $2 in */iter_v2/*) wide=.128 ;; */iter_v0/*) echo 'cuobjdump fatal : no' >&2; exit 4 ;; esac
+ printf '\tcode for sm_90\n\t\tFunction : %s\n' _Z5scalePKfPfi
+ printf '        /*0000*/  LDG.E%s R4, desc[UR4][R2.64] ;\n        /*0010*/  STG.E%s desc[UR4][R2.64], R4 ;\n' $wide $wide
+ printf '        /*0020*/  EXIT ;\n\t\tFunction : vectorized_float4_io\n        /*0000*/  LDG.E.128 R4, desc[UR4][R2.64] ;\n'
+ printf '        /*0010*/  STG.E.128 desc[UR4][R2.64], R4 ;\n        /*0020*/  EXIT ;\n'
+ E
+ chmod +x bin/cuobjdump; sed -i 's/^tags=.*/tags="vectorized_float4_io, step_$iteration"/' k/propose.sh
+ PATH=$PWD/bin:$PATH sh opt --max-iterations=2 --proposer=$PWD/k/propose.sh --run-dir=code | grep 'its machine'
> v1: its machine code contradicts: vectorized_float4_io
$ grep -h 'machine' code/iter_v*/iteration_summary.md | sed 's/: [^ ]*cuobjdump:/: .../'; grep -o '(machine.*)' code/final_summary.md
> - machine code: not read: ... exit 4: cuobjdump fatal : no
> - machine code, contradicted: vectorized_float4_io
> - machine code, shown: vectorized_float4_io
> (machine code contradicts: vectorized_float4_io)
$ cat >look <<'E'
+ import hashlib, json
+ for i in json.load(open("code/run_manifest.json"))["iterations"][1:]:
+     m, file = i["machine_code"], open(i["folder"] + "/kernel.so", "rb").read()
+     print(m["kernels"], m["binary_sha256"] == hashlib.sha256(file).hexdigest(), i["strategy"]["claims"])
+ E
+ python3 look
> ['_Z5scalePKfPfi'] True [{'mechanism': 'vectorized_access', 'tag': 'vectorized_float4_io', 'verdict': 'contradicted'}]
> ['_Z5scalePKfPfi'] True [{'mechanism': 'vectorized_access', 'tag': 'vectorized_float4_io', 'verdict': 'shown'}]
