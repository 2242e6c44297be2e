# bench --configs: a bounded set of configurations of one kernel.
needs: assay bench --help >/dev/null && command -v cc

## the set is named before the first compile; each configuration has its verdict and time
$ cat >k.c <<'E'
+ #ifndef TILE
+ #define TILE 4
+ #endif
+ void solve(const float *x, float *y, int N)
+ {
+ 	for (int i = 0; i < N; i += TILE)
+ 		for (int j = i; j < i + TILE && j < N; j++)
+ 			y[j] = SCHEDULE(x[j]);
+ }
+ E
+ printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = x[i] < 0 ? -x[i] : x[i];\n}\n' >ref.c
+ cat >k.set.json <<'E'
+ {"format": "assay/config-set-v1", "parameters": {"TILE": [1, 8, 64], "SCHEDULE": ["__builtin_fabsf", "-"]},
+  "where": ["TILE < 64 or SCHEDULE != \"-\"", "TILE > 1"],
+  "configurations": [{"id": "broken", "TILE": 2, "SCHEDULE": "no_such::name"}], "fallback": "TILE=8,SCHEDULE=__builtin_fabsf", "most": 4}
+ E
+ cat >bench <<'E'
+ assay bench k.c --ref ref.c --N=1000 --repeat=3 --warmup=0 --skip-warm --skip-integrity --speedup-budget=0 --configs=${set-k.set.json} "$@"
+ E
+ sh bench -q --json-out=r.json | sed -E 's/(record|plan) .*/\1/; s/ +[0-9.]+ [num]?s/ TIME/g; s/[0-9.]+x$/X/; s/  +/ /g'; python3 - <<'E'
+ import json
+ r = json.load(open("r.json"))
+ print(r["plan"]["n_builds"], r["plan"]["n_excluded"], r["plan"]["fallback"], [c["id"] for c in r["plan"]["configurations"]])
+ for x in r["results"]:
+     print(x["switches"], x["verdict"], x["record"] is not None, x["median_ns"] is not None, x["source"])
+ E
> k.c in 4 configurations of k.set.json, as many builds; fallback TILE=8,SCHEDULE=__builtin_fabsf
> 3 more of the product are left out by its conditions
> plan
> configuration verdict build median to the lowest
> TILE=8,SCHEDULE=__builtin_fabsf (fallback) passed TIME TIME X
> TILE=8,SCHEDULE=- wrong_result TIME - -
> TILE=64,SCHEDULE=__builtin_fabsf passed TIME TIME X
> broken build_failed TIME - -
> TILE=8,SCHEDULE=-: 510 of 1000 elements of 'y', scattered over elements 1 to 997 of 1000, first at [1]: -0.0788234994, expected 0.0788234994 (case 'command_line', data set 0, correctness)
> broken: cc: error: ‘no_such’ undeclared (first use in this function)
> Each was benched by itself; `assay compare FILE::SWITCHES FILE::SWITCHES` lets two take turns.
> record
> 4 3 TILE=8,SCHEDULE=__builtin_fabsf ['TILE=8,SCHEDULE=__builtin_fabsf', 'TILE=8,SCHEDULE=-', 'TILE=64,SCHEDULE=__builtin_fabsf', 'broken']
> -DTILE=8 -DSCHEDULE=__builtin_fabsf passed True True host_clock
> -DTILE=8 -DSCHEDULE=- wrong_result True False None
> -DTILE=64 -DSCHEDULE=__builtin_fabsf passed True True host_clock
> -DTILE=2 -DSCHEDULE=no_such::name build_failed False False None

## without one that passes the status is 1; --dry-run starts nothing and names the switches
$ echo '{"format": "assay/config-set-v1", "configurations": [{"SCHEDULE": "-"}, {}]}' >none.json; set=none.json sh bench -q --json >none.out; echo "= $?"; sh bench --dry-run | grep -o '^set .*\|^[Tb][^ ]* .*-D.*k.c' | sed 's, [^ ]*/cc .*-MF [^ ]*, cc,'
> = 1
> set          k.set.json: 4 builds, 3 left out by conditions, fallback TILE=8,SCHEDULE=__builtin_fabsf
> TILE=8,SCHEDULE=__builtin_fabsf cc -DTILE=8 -DSCHEDULE=__builtin_fabsf k.c
> TILE=8,SCHEDULE=- cc -DTILE=8 -DSCHEDULE=- k.c
> TILE=64,SCHEDULE=__builtin_fabsf cc -DTILE=64 -DSCHEDULE=__builtin_fabsf k.c
> broken       cc -DTILE=2 -DSCHEDULE=no_such::name k.c

## a set that cannot be used says what and where
$ v() { echo "$1" >bad.json; set=bad.json sh bench -q 2>&1; }
+ P='{"format": "assay/config-set-v1", "parameters": {"TILE": [1, 2]}'
+ v '[]'; v '{"parameters": {}}'; v '{"format": "assay/config-set-v1"}'; v "$P, \"extra\": 1}"; v "$P, \"most\": 1}"; v "$P, \"most\": 1000}"
+ v "$P, \"where\": [\"TILE > 2\"]}"; v "$P, \"where\": [\"TILES > 2\"]}"; v "$P, \"where\": [\"TILE + 2\"]}"; v "$P, \"where\": \"TILE\"}"; v "$P, \"fallback\": \"none\"}"
+ v "$P, \"configurations\": [{\"TILE\": 2}]}"; v "$P, \"configurations\": [{\"id\": \"TILE=2\", \"TILE\": 3}]}"; v "$P, \"configurations\": [1]}"
+ v "$P, \"configurations\": [{\"id\": \"a b\"}]}"
+ P='{"format": "assay/config-set-v1", "parameters"'; v "$P: 1}"; v "$P: {\"TILE\": []}}"; v "$P: {\"TILE\": 3}}"; v "$P: {\"TILE\": [1.5]}}"; v "$P: {\"T-D\": [1]}}"; v "$P: {\"T\": [\"a b\"]}}"; v "$P: {\"T\": [\"a\\\"b\"]}}"
+ v "$P: {$(for p in A B C D E F G H I J K L M N O P; do printf '"%s": [1, 2, 3], ' $p; done)\"Z\": [1]}}"
+ set=absent.json sh bench -q 2>&1; echo 'def solve(x, y, N): pass' >k.py; assay bench k.py --N=3 --configs=k.set.json 2>&1
> assay: bad.json: no set of configurations: its format is not "assay/config-set-v1"
> assay: bad.json: no set of configurations: its format is not "assay/config-set-v1"
> assay: bad.json: it holds no configuration
> assay: bad.json: unknown key "extra"; format, parameters, where, configurations, fallback and most are known
> assay: bad.json: more than 1 configurations; "most" (up to 256) says how many may be built, "where" leaves some out
> assay: bad.json: "most" is no whole number from 1 to 256
> assay: bad.json: it holds no configuration; "where" leaves all of them out
> assay: bad.json: where[0]: 'TILES > 2': column 1: unknown name TILES
> assay: bad.json: where[0] is no condition: TILE + 2
> assay: bad.json: "where" is no list of conditions
> assay: bad.json: fallback 'none' is the id of no configuration (TILE=1, ...)
> assay: bad.json: configuration 'TILE=2' has the id of 'TILE=2'
> assay: bad.json: configuration 'TILE=2' has the id of 'TILE=2'
> assay: bad.json: configurations[0] is no object
> assay: bad.json: the id of configurations[0] is no text without blanks and quotes
> assay: bad.json: "parameters" is no object
> assay: bad.json: parameters.TILE is no list of values
> assay: bad.json: parameters.TILE is no list of values
> assay: bad.json: a value of 'TILE' is neither a whole number nor a text without blanks, quotes and backslashes
> assay: bad.json: 'T-D' is no name of a macro
> assay: bad.json: a value of 'T' is neither a whole number nor a text without blanks, quotes and backslashes
> assay: bad.json: a value of 'T' is neither a whole number nor a text without blanks, quotes and backslashes
> assay: bad.json: the product of the parameters is 43046721 configurations; at most 65536 are looked at
> assay: absent.json: cannot be opened: No such file or directory
> assay: k.py: k.set.json sets macros of a kernel that is compiled; a .py chooses its own (triton.autotune)
= 2

## one lease for all of them; an interrupt keeps what was measured and says which were not tried
$ printf '#include <unistd.h>\nvoid solve(const float *x, float *y, int N)\n{\n\tif (LATE)\n\t\tpause();\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = x[i] < 0 ? -x[i] : x[i];\n}\n' >late.c; echo '{"format": "assay/config-set-v1", "parameters": {"LATE": [0, 1, 2]}}' >late.json
+ assay bench late.c --ref ref.c --N=1000 --repeat=3 --warmup=0 --skip-warm --skip-integrity --speedup-budget=0 --configs=late.json --store=kept -q >out 2>err & p=$!
+ until ls kept/records/bench/*.json >/dev/null 2>&1; do sleep 0.05; done; assay bench k.c --ref ref.c --N=1000 --flags='-DSCHEDULE=__builtin_fabsf' -q 2>&1 | grep -o 'bench late.c in 3 configurations'; kill -INT $p; wait $p; echo "= $?"
+ sed -E '/^record|^plan/d; s/ +[0-9.]+ [num]?s/ TIME/g; s/  +/ /g' out; sed 's/interrupted.*/interrupted/' err; python3 -S -c 'import glob, json; r = json.load(open(glob.glob("kept/records/configs/*.json")[0])); print(r["stopped"][:11], [x["verdict"] for x in r["results"]], [x["record"] is None for x in r["results"]])'
> bench late.c in 3 configurations
> = 130
> late.c in 3 configurations of late.json, as many builds; fallback LATE=0
> configuration verdict build median to the lowest
> LATE=0 (fallback) passed TIME TIME 1.000x
> LATE=1 not_started TIME - -
> LATE=2 not_started TIME - -
> Each was benched by itself; `assay compare FILE::SWITCHES FILE::SWITCHES` lets two take turns.
> assay: interrupted
> interrupted ['passed', 'not_started', 'not_started'] [False, True, True]

## a .cu for a GPU: the switches go to nvcc, the device's records give the times
? test -e $FAKE/libcuda.so.1 && command -v c++
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c .; mkdir conf; sh kernel g 'scale<<<(N + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, N - LESS);'
+ echo '{"format": "assay/config-set-v1", "configurations": [{"BLOCK": 128, "LESS": 0}, {"id": "short", "BLOCK": 64, "LESS": 1}]}' >g.set.json
+ sh bench g.cu --ref scale_ref.c --configs=g.set.json --json 2>&1 | python3 -c 'import json, sys; print(*((x["id"], x["verdict"], x["source"]) for x in json.load(sys.stdin)["results"]))'
> ('BLOCK=128,LESS=0', 'passed', 'device_record') ('short', 'output_unwritten', None)
