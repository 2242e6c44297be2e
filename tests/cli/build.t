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

## flags are part of what was built; --no-build-cache looks at none
$ sh build --flags=-DUNUSED; sh build --flags=-DUNUSED; sh build --no-build-cache
> False passed
> True passed
> False passed
