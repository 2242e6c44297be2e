# --evict: what is read before a cold call on the CPU.
needs: command -v cc
unset: ASSAY_EVICT

## twice the last-level cache unless said otherwise; both sizes stand in the record
$ printf '#include <string.h>\nvoid solve(const float *x, float *y, int N)\n{\n\tmemcpy(y, x, N * sizeof *x);\n}\n' >k.c; printf '%s\n' '{"format": "assay/operator-v1", "params": [{"name": "x", "role": "in", "dtype": "float32", "shape": ["N"]}, {"name": "y", "role": "out", "dtype": "float32", "shape": ["N"]}, {"name": "N", "role": "dim", "dtype": "int32"}]}' >k.op.json
+ cat >sizes.py <<'END'
+ import json, sys
+ r = json.load(sys.stdin)
+ k = r["kernel"]
+ print(r["verdict"]["word"], k["cache_bytes"] > 1 << 17, k["evict_bytes"] if len(sys.argv) > 1 else k["evict_bytes"] == min(2 * k["cache_bytes"], 192 << 20))
+ END
+ for n in '' --evict=0 '--evict=3 said' ; do set -- $n; assay bench k.c --op-file=k.op.json --N=1000000 --repeat=5 --warmup=1 --skip-warm --json $1 2>/dev/null | python3 -S sizes.py $2; done
> unchecked True True
> unchecked True True
> unchecked True 3145728

## a size that is none
$ assay bench k.c --op-file=k.op.json --evict=5000; assay bench k.c --evict=much
! assay: bench: --evict: 5000 is out of range; it must be 0..4096
! assay: bench: --evict: 'much' is not a whole number (of 64 bits)
= 2
