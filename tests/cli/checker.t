# The problem's own check: a function check(given, got) of the reference's module, asked about what the candidate left.
needs: python3 -c 'import struct' && command -v cc
timeout: 120

## it agrees, it is stricter, it is laxer, it raises, it refuses the reference too, it cannot be asked
$ cat >k.op.json <<'E'
+ {"format": "assay/operator-v1", "params": [
+  {"name": "x", "role": "in", "dtype": "float32", "shape": ["N"], "fill": {"kind": "normal", "mean": 0, "std": 1}},
+  {"name": "y", "role": "inout", "dtype": "float32", "shape": ["N"], "fill": {"kind": "normal", "mean": 0, "std": 1}, "atol": 1e-5, "rtol": 0},
+  {"name": "N", "role": "dim", "dtype": "int32"}],
+  "cases": [{"name": "small", "dims": {"N": 100}}, {"name": "odd", "dims": {"N": 37}}]}
+ E
+ kernel() { printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] += %s;\n}\n' "$1" >$2.c; }
+ kernel 'x[i]' right; kernel 'x[i] + 1e-6f' near; kernel 'x[i] + (N == 37) * 1e-3f' off; kernel '2 * x[i]' wrong
+ ref() { printf 'def reference(x, y, N):\n    for i in range(N):\n        y[i] += x[i]\n\n\ndef check(given, got):\n%s\n' "$1" >$2.py; }
+ ref '    e = max(abs(a - b - c) for a, b, c in zip(got["y"], given["x"], given["y"])); given["x"][0] = got["y"][0] = 9
+     assert len(given["x"]) == given["N"]
+     return e < BOUND' plain
+ sed 's/BOUND/1e-5/' plain.py >same.py; sed 's/BOUND/5e-7/; s/return \(.*\)/return "" if \1 else "off by %.1g" % e/' plain.py >strict.py
+ sed 's/BOUND/1e-2/; s/return \(.*\)/return \1, "mismatch found"/' plain.py >lax.py
+ sed 's/BOUND/1e-5/; s/return e.*/assert e < 1e-5, "off"/; $a\    return True' plain.py >raises.py; sed 's/return.*/return False/' plain.py >broken.py
+ sed '/^def check/i import sys\ndef leave(): sys.exit(3)' plain.py | sed 's/    return.*/    leave()/' >exits.py
+ sed '/^def check/,$d' plain.py >none.py
+ bench() { assay bench $1.c --op-file=k.op.json --ref=$2.py --repeat=3 --warmup=0 --skip-warm --skip-integrity --speedup-budget=0 -q --json-out=r.json >out 2>&1; status=$?
+ grep '^check' out | sed "s,$PWD/,,"; python3 -c 'import json; r = json.load(open("r.json")); c = r["correctness"]["check"]; print(*"'"$1 $2"'".split(), '$status', r["verdict"]["word"], r["verdict"]["text"][:150], c and [c[k] for k in ("state", "n_asked", "n_refused", "n_differ")])'; }
+ for r in none same strict lax raises broken exits; do bench right $r; done; bench near same; bench near strict; bench off lax; bench off raises; bench wrong strict
> right none 0 passed  None
> check      the problem's own check says the same of 4 data sets
> right same 0 passed  ['agrees', 4, 0, 0]
> check      the problem's own check says the same of 4 data sets
> right strict 0 passed  ['agrees', 4, 0, 0]
> check      the problem's own check says the same of 4 data sets
> right lax 0 passed  ['agrees', 4, 0, 0]
> check      the problem's own check says the same of 4 data sets
> right raises 0 passed  ['agrees', 4, 0, 0]
> check      the problem's own check: it refuses the reference's own answer to 4 of 4, too; these are not counted
> right broken 0 passed  ['not_counted', 4, 4, 0]
> check      the problem's own check could not be asked: exits.py:7: reference failed: SystemExit: 3
> right exits 0 passed  ['failed', 0, 0, 0]
> check      the problem's own check says the same of 4 data sets
> near same 0 passed  ['agrees', 4, 0, 0]
> check      the problem's own check: it refuses 4 of 4 that are within tolerance, first: off by 1e-06 (case 'odd', data set 0)
> near strict 1 wrong_result the problem's own check refuses what is within tolerance: off by 1e-06 (case 'odd', data set 0) ['disagrees', 4, 4, 4]
> check      the problem's own check: it accepts 2 of 4 that the comparison refuses; the comparison stands
> off lax 1 wrong_result 37 of 37 elements of 'y', first at [0]: 2.83772278, expected 2.83672285 (case 'odd', data set 0, correctness) ['disagrees', 4, 0, 2]
> check      the problem's own check says the same of 4 data sets
> off raises 1 wrong_result 37 of 37 elements of 'y', first at [0]: 2.83772278, expected 2.83672285 (case 'odd', data set 0, correctness) ['agrees', 4, 2, 0]
> check      the problem's own check says the same of 4 data sets
> wrong strict 1 wrong_result 37 of 37 elements of 'y', first at [0]: 3.99693632, expected 2.83672285 (case 'odd', data set 0, correctness) ['agrees', 4, 4, 0]
