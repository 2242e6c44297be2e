# assay import: problems whose own check judges otherwise than a tolerance, in both directions.
needs: /usr/bin/python3 -c 'import numpy'
set: PYTHONPATH=$ROOT/tests/fake/torch
timeout: 240

## GPU MODE: check_implementation() has a rule beyond its tolerance; it looks at the values in any order
$ cp -r $ROOT/examples/formats/gpumode task; cat >say <<'E'
+ import json, sys
+ r = json.load(open(sys.argv[1])); c = r["correctness"]["check"]
+ print(r["verdict"]["word"], r["verdict"]["text"][:110], [c[k] for k in ("state", "n_asked", "n_refused", "n_differ")], c["text"][:50] or "-")
+ E
+ cat >lib <<'E'
+ bench() { rm -f r.json; assay bench $1 --problem=$2 --python=/usr/bin/python3 --repeat=3 --warmup=0 --skip-warm --skip-integrity --speedup-budget=0 -q --json-out=r.json >out 2>&1; echo "= $?"; /usr/bin/python3 say r.json || cat out; }
+ E
+ . ./lib
+ base() { sed "s/^check_impl.*/def check_implementation(data, output):\n    import torch\n    want = ref_kernel(data)\n$1/" $ROOT/examples/formats/gpumode/reference.py >task/reference.py; }
+ solution() { sed "s/return output.abs_()/output.abs_(); $1; return output/" $ROOT/examples/formats/gpumode/submission.py >$2.py; }
+ solution pass plain; solution 'output[0, 0] += 1e-3' more; solution 'output.copy_(output.flip(0))' flipped
+ base '    if not torch.allclose(output, want, rtol=1e-2, atol=1e-2):\n        return False, "not close"\n    return bool(output.double().sum() <= want.double().sum() + 1e-4), "the sum grew"'; bench plain.py task; bench more.py task
+ base '    return torch.allclose(output.flatten().sort()[0], want.flatten().sort()[0], rtol=1e-4, atol=1e-5)'; bench flipped.py task
> = 0
> passed  ['agrees', 6, 0, 0] -
> = 1
> wrong_result the problem's own check refuses what is within tolerance: the sum grew (case 'rows=33, cols=65', data set 0) ['disagrees', 6, 6, 6] it refuses 6 of 6 that are within tolerance, first
> = 1
> wrong_result 2080 of 2145 elements of 'data_2', 97 % of the elements, scattered, first at [0, 0]: 1.38326025, expected 2.94 ['disagrees', 6, 0, 6] it accepts 6 of 6 that the comparison refuses; the

## Tensara: verify_result() likewise
$ . ./lib; mkdir p; base() { /usr/bin/python3 - "$1" <<'E'
+ import os, re, sys
+ text = open(os.environ["ROOT"] + "/examples/formats/tensara/def.py").read()
+ at = re.search(r"    def verify_result\(self[^\n]*\n(?:(?:        [^\n]*)?\n)*", text)
+ open("p/def.py", "w").write(text[:at.start()] + "    def verify_result(self, expected, actual):\n        (y, most), (want, top) = actual, expected\n" + sys.argv[1] + "\n\n" + text[at.end():])
+ E
+ }
+ solution() { sed "s/largest.copy_.*/&; $1/" $ROOT/examples/formats/tensara/solution.py >$2.py; }
+ solution pass plain; solution 'y[0, 0] += 1e-3' more; solution 'y.copy_(y.flip(0))' flipped
+ base '        return torch.allclose(y, want, rtol=1e-2, atol=1e-2) and bool(y.double().sum() <= want.double().sum() + 1e-4), {"why": "the sum grew"}'; bench plain.py p; bench more.py p
+ base '        assert torch.allclose(y.flatten().sort()[0], want.flatten().sort()[0], rtol=1e-4, atol=1e-5), "other values"; return True, {}'; bench flipped.py p
> = 0
> passed  ['agrees', 6, 0, 0] -
> = 1
> wrong_result the problem's own check refuses what is within tolerance: {'why': 'the sum grew'} (case 'rows=33, cols=65', da ['disagrees', 6, 6, 6] it refuses 6 of 6 that are within tolerance, first
> = 1
> wrong_result 2080 of 2145 elements of 'y', 97 % of the elements, scattered, first at [0, 0]: 0.565987945, expected 0.872587 ['disagrees', 6, 0, 6] it accepts 6 of 6 that the comparison refuses; the
