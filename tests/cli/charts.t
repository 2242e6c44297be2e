# Charts in the text of bench and compare: on by default, off with --quiet, never in a document; ASCII where the locale is not UTF-8.
needs: command -v cc

## bench: a line a series and the order in time; the number of samples is the record's
$ cp $ROOT/tests/data/loop/loop_v0.c $ROOT/tests/data/loop/loop.op.json .; O="loop_v0.c --op-file=loop.op.json --warmup=3 --repeat=40 --wait=100 --json-out=r.json"; assay bench $O 2>/dev/null > text; grep -c '^samples    cold  .*, n 40\|^           warm  .*, n 40' text; grep -c '^in order   cold  ' text
+ python3 - <<END
+ import json, re
+ shown = open("text").read().split("samples    cold  ")[1]
+ samples = json.load(open("r.json"))["kernel"]["cold"]["samples_ns"]
+ low, high = re.search(r"([0-9.]+ [nums]+) to ([0-9.]+ [nums]+), n 40", shown).groups()
+ scale = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
+ value = lambda text: float(text.split()[0]) * scale[text.split()[1]]
+ above = re.search(r"n 40, ([0-9]+) above", shown.splitlines()[0])
+ print(abs(value(low) / min(samples) - 1) < 0.01, sum(x > 1.01 * value(high) for x in samples) <= int(above.group(1) if above else 0))
+ END
+ assay bench $O --quiet | grep -c '^samples\|^in order'; assay bench $O --json 2>/dev/null | grep -c 'in order\|▁'; LC_ALL=C assay bench $O 2>/dev/null | LC_ALL=C grep -c '[^ -~]'; true
> 2
> 1
> True True
> 0
> 0
> 0

## compare: times of both sides on one axis, differences with their interval
$ assay compare loop_v0.c loop_v0.c --op-file=loop.op.json --placements=6 --any-load --wait=100 2>/dev/null > text; grep -c '^times      A \|^           B \|^A against  B .*, n 6\|interval; │ is no difference$' text; assay compare loop_v0.c loop_v0.c --op-file=loop.op.json --placements=3 --any-load --wait=100 --quiet | grep -c '^times\|^A against'; true
> 4
> 0
