# Reference outputs are cached by all that decides them, the files that a Python reference reads among them.

## a kernel and a reference that imports a module of its own
$ printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 3 * x[i];\n}\n' >k.c; printf 'from helper import f\ndef reference(x, y, N):\n    for i in range(N):\n        y[i] = f(x[i])\n' >k_ref.py; printf '#!/bin/sh\necho "def f(a): return $1 * a" >helper.py\nassay bench k.c --N=100 --repeat=3 --warmup=1 --skip-warm --json 2>/dev/null | python3 -c "import json, sys; r = json.load(sys.stdin); print(r[\\"verdict\\"][\\"word\\"]); print(\\"cached\\", str(r[\\"reference\\"][\\"outputs_cached\\"]).lower())" | sort\n' >run; chmod +x run; ./run 3
> cached false
> passed

## again: from the cache
$ ./run 3
> cached true
> passed

## another helper: other outputs
$ ./run 2
> cached false
> wrong_result

## both stay cached
$ ./run 3; ./run 2
> cached true
> passed
> cached true
> wrong_result

## an included header of the kernel is known to the build cache too
$ echo '#define FACTOR 3' >factor.h; sed -i '1i #include "factor.h"' k.c; sed -i 's/3 \* x/FACTOR * x/' k.c; ./run 3 | tail -n 1; echo '#define FACTOR 4' >factor.h; ./run 3 | tail -n 1; echo '#define FACTOR 3' >factor.h; ./run 3 | tail -n 1
> passed
> wrong_result
> passed
