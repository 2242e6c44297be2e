# Building: what decides whether an object is taken from the cache.
needs: assay bench --help >/dev/null

## a second build comes from the cache; a changed include is seen, and its object is kept beside the other
$ echo '#define FACTOR 2' >factor.h
+ printf '#include "factor.h"\nvoid solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = FACTOR * x[i];\n}\n' >scale.c
+ printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >ref.c
+ cat >build <<'E'
+ assay bench scale.c --ref ref.c --N=100 -q --repeat=3 --warmup=0 --skip-warm --json $* >out.json
+ python3 -c 'import json; r = json.load(open("out.json")); print(r["build"]["from_cache"], r["verdict"]["word"])'
+ E
+ sh build; sh build; echo '#define FACTOR 3' >factor.h; sh build; sh build; echo '#define FACTOR 2' >factor.h; sh build; sh build
> False passed
> True passed
> False wrong_result
> True wrong_result
> True passed
> True passed

## what a compiler keeps for a while lies in the folder that is removed, also after a kill
$ printf '#!/bin/sh\n[ "$1" = --version ] || echo "$TMPDIR" >>tmpdir\nexec cc "$@"\n' >mycc; chmod +x mycc; CC=$PWD/mycc sh build --no-build-cache
+ sed "s#^$TMPDIR/assay-bench-[^/]*/##" tmpdir | sort -u; for d in $(cat tmpdir); do [ ! -e "$d" ] || echo "$d is there"; done
> False passed
> build
> reference

## flags are part of what was built; --no-build-cache looks at none
$ sh build --flags=-DUNUSED; sh build --flags=-DUNUSED; sh build --no-build-cache
> False passed
> True passed
> False passed

## a source that includes CUTLASS gets its folder and the architecture's own instructions
? command -v c++
$ mkdir -p cutlass/include/cutlass cutlass/tools/util/include; echo '#define CUTLASS_MAJOR 4' >cutlass/include/cutlass/cutlass.h
+ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c .; mkdir conf; : >conf/fake.conf
+ { echo '#include "cutlass/cutlass.h"'; cat $ROOT/tests/gpu/kernels/right.cu; } >scale.cu
+ look() { sh facts scale.cu verdict.word build.command 2>&1 | sed "s#$PWD#HERE#g" | grep -o '^verdict.*\|-arch[^ ]*\| -I[^ ]*\|--expt[^ ]*\|-DNDEBUG' | sed 's/^ //'; }
+ CUTLASS_PATH=$PWD/cutlass look; CUTLASS_PATH=$PWD/cutlass options=--arch=sm_80 look
> verdict.word passed
> -arch=sm_90a
> -IHERE/cutlass/include
> -IHERE/cutlass/include/../tools/util/include
> --expt-relaxed-constexpr
> -DNDEBUG
> verdict.word passed
> -arch=sm_80
> -IHERE/cutlass/include
> -IHERE/cutlass/include/../tools/util/include
> --expt-relaxed-constexpr
> -DNDEBUG
