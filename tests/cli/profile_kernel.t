# `assay profile` over a kernel file: assay's own runner under a tool that is a script, on the fake GPU; .c under perf_event.
needs: assay bench --help >/dev/null && command -v c++

## ncu runs the worker, whose last call is the one that is captured
$ cp $ROOT/tests/fake/kit/scale.op.json $ROOT/tests/gpu/kernels/right.cu .; mkdir conf bin; cat > bin/ncu <<'END'
+ #!/bin/sh
+ [ "$1" != --version ] || { echo 'Version 2025.3.1.0 (build 1)'; exit 0; }
+ printf '%s\n' "$*" > "$OLDPWD/ncu.args"
+ while [ "$1" != --export ]; do shift; done
+ cp "$FIXTURE" "$2"; shift 2; exec "$@"
+ END
$ chmod +x bin/ncu; sed -i "s,\$OLDPWD,$PWD," bin/ncu; sed -i "s,\$FIXTURE,$DATA/ncu/sm_targeted.ncu-repz," bin/ncu
$ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay profile right.cu --op-file scale.op.json --out r -q | head -n 1; cut -d' ' -f1-6 ncu.args; sed 's/.*--export [^ ]* [^ ]*/assay/; s,/[^ ]*/r/,r/,' ncu.args; cat r/log.txt
> collected
> --clock-control none --target-processes all --profile-from-start off
> assay worker --job r/profile.job

## a kernel that does not build
$ echo 'extern "C" void solve(const float *x, float *y, int N) { oops }' > bad.cu; LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay profile bad.cu --op-file scale.op.json --out b -q | cut -d: -f1
> build_failed
$ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay profile bad.cu --op-file scale.op.json --out b2 -q > text
= 1

## a .c kernel: counters of the CPU
$ assay profile $ROOT/examples/softmax/softmax_v0.c --op-file $ROOT/examples/softmax/softmax.op.json --out c --json | python3 -c "
+ import json, sys
+ d = json.load(sys.stdin); print(d['format'], d['state'], len(d['reports']), d['formal'])"
> assay/profile-v1 collected 2 False

## what cannot be profiled this way
$ echo 'def setup(): pass' > k.py; assay profile k.py --tool nsys --out p
= 2
