# Times on the fake GPU (tests/fake), whose clock is simulated: what each precaution of docs/MEASURING.md is for, each with the
# fault that it meets. Kernels take 3200 ns cold and 2240 warm; a planted one takes what it says.
needs: assay compare --help >/dev/null && command -v c++
timeout: 120

## the kernels, and how they are compared
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c .; for k in right two_kernels syncs allocates wrong; do cp $ROOT/tests/gpu/kernels/$k.cu .; done; mkdir conf
+ planted() { sh kernel p$1 "typedef void duration(long long); static duration *set; if (!set) set = (duration *)dlsym(dlopen(\"libcuda.so.1\", RTLD_LAZY), \"fakeDuration\"); set($1); SCALE;"; sed -i '1i #include <dlfcn.h>' p$1.cu; }
+ planted 3232; planted 3216; planted 3360
+ cat >cmp <<'E'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$FAKE:$PATH assay compare "$@" --ref scale_ref.c --op-file scale.op.json -q --timeout=20 --json >r.json 2>err || echo "= $?"
+ cat err
+ E
+ cat >show.py <<'E'
+ import json, math, os, statistics, struct, sys
+ sys.path.insert(0, os.path.join(os.environ["ROOT"], "tools"))
+ from recompute_compare import read_columns
+ r = json.load(open("r.json"))
+ def find(digest):
+     for top in (os.environ.get("ASSAY_STORE"), os.environ["XDG_DATA_HOME"] + "/assay/store"):
+         path = top and os.path.join(top, "objects", digest[:2], digest[2:])
+         if path and os.path.exists(path):
+             return path
+ t, n = read_columns(find(r["trial"]))
+ timed = [i for i in range(n) if t["mode"][i] and not t["flags"][i] & 10]
+ for what in sys.argv[1:]:
+     print(what, "=", eval(what))
+ E
+ echo 'gpus 1' >conf/fake.conf

## one kernel against itself: the same to the last digit, by device records, in fresh processes
$ sh cmp right.cu right.cu --placements=6 --blocks=8 --calls=4
+ python3 show.py 'r["verdict"]["word"]' 'r["source"]' 'r["queue_held"]' 'r["sides"][1]["effect"]["effect_log"]' 'r["run"]["n_placements"]' 'sorted(set(t["span_ns"][i] for i in timed))' 'r["sides"][1]["n_looks_at_timed_calls"]'
> r["verdict"]["word"] = equivalent
> r["source"] = device_record
> r["queue_held"] = True
> r["sides"][1]["effect"]["effect_log"] = 0.0
> r["run"]["n_placements"] = 6
> sorted(set(t["span_ns"][i] for i in timed)) = [3200.0]
> r["sides"][1]["n_looks_at_timed_calls"] = 12

## planted: 1 % and 5 % are called, either way round
$ for k in 3232 3360; do sh cmp right.cu p$k.cu --placements=6 --blocks=8 --calls=4; python3 show.py 'r["verdict"]["word"]' 'round(100 * math.expm1(-r["sides"][1]["effect"]["effect_log"]), 6)'; done
> r["verdict"]["word"] = slower
> round(100 * math.expm1(-r["sides"][1]["effect"]["effect_log"]), 6) = 1.0
> r["verdict"]["word"] = slower
> round(100 * math.expm1(-r["sides"][1]["effect"]["effect_log"]), 6) = 5.0
$ sh cmp p3232.cu right.cu --placements=6 --blocks=8 --calls=4 --min-effect=0; python3 show.py 'r["verdict"]["word"]'
> r["verdict"]["word"] = faster

## lattice: what lies between two ticks is seen as the tick; the step of the clock is in the record
$ sh cmp right.cu p3216.cu --placements=6 --blocks=8 --calls=4 --min-effect=2; python3 show.py 'r["verdict"]["word"]' 'all(t["span_ns"][i] % 32 == 0 for i in timed)'
> r["verdict"]["word"] = equivalent
> all(t["span_ns"][i] % 32 == 0 for i in timed) = True
$ echo 'quantum_ns 1' >conf/fake.conf; sh cmp right.cu p3216.cu --placements=6 --blocks=8 --calls=4 --min-effect=0.6; python3 show.py 'round(100 * math.expm1(-r["sides"][1]["effect"]["effect_log"]), 6)'; : >conf/fake.conf
> round(100 * math.expm1(-r["sides"][1]["effect"]["effect_log"]), 6) = 0.5

## cold: the eviction reads, so that no line is dirty when the call begins; a flush that wrote would be charged 100 % here
$ echo 'dirty_pct 100' >conf/fake.conf; sh cmp right.cu right.cu --placements=6 --blocks=8 --calls=4; python3 show.py 'sorted(set(t["span_ns"][i] for i in timed))'; : >conf/fake.conf
> sorted(set(t["span_ns"][i] for i in timed)) = [3200.0]

## warm: another number, and the record says so
$ sh cmp right.cu right.cu --placements=6 --blocks=8 --calls=4 --cache=warm; python3 show.py 'r["cache"]' 'sorted(set(t["span_ns"][i] for i in timed))' 'sorted(set(t["flags"][i] & 1 for i in timed))'
> r["cache"] = warm
> sorted(set(t["span_ns"][i] for i in timed)) = [2240.0]
> sorted(set(t["flags"][i] & 1 for i in timed)) = [0]

## slots: calls go round all of them; both sides meet the same ones, pair by pair
$ sh cmp right.cu p3232.cu --placements=6 --calls=6 --blocks=8
+ python3 show.py 'len(set(t["slot"][i] for i in timed))' 'all([t["slot"][i] for i in timed if (t["placement"][i], t["block"][i], t["quarter"][i]) == (p, b, 0)] == [t["slot"][i] for i in timed if (t["placement"][i], t["block"][i], t["quarter"][i]) == (p, b, q)] for p in range(6) for b in range(8) for q in (1, 2, 3))'
> len(set(t["slot"][i] for i in timed)) = 8
> all([t["slot"][i] for i in timed if (t["placement"][i], t["block"][i], t["quarter"][i]) == (p, b, 0)] == [t["slot"][i] for i in timed if (t["placement"][i], t["block"][i], t["quarter"][i]) == (p, b, q)] for p in range(6) for b in range(8) for q in (1, 2, 3)) = True

## jitter: start delays cover 128 us evenly
$ python3 show.py 'min(t["phase_ns"]) < 2000' 'max(t["phase_ns"]) > 124000' 'max(t["phase_ns"]) < 128000' '[abs(sum(16000 * k <= t["phase_ns"][i] < 16000 * (k + 1) for i in timed) / len(timed) - 0.125) < 0.02 for k in range(8)]'
> min(t["phase_ns"]) < 2000 = True
> max(t["phase_ns"]) > 124000 = True
> max(t["phase_ns"]) < 128000 = True
> [abs(sum(16000 * k <= t["phase_ns"][i] < 16000 * (k + 1) for i in timed) / len(timed) - 0.125) < 0.02 for k in range(8)] = [True, True, True, True, True, True, True, True]

## the order of start alternates: the baseline opens the blocks of even placements
$ python3 show.py '[next(t["side"][i] for i in timed if t["placement"][i] == p) for p in range(6)]'
> [next(t["side"][i] for i in timed if t["placement"][i] == p) for p in range(6)] = [0, 1, 0, 1, 0, 1]

## an event each 100.15 us that adds 100 % to who meets it: some calls of both sides meet it, no difference is called
$ printf 'period_ns 100150\nperiod_pct 100\n' >conf/fake.conf; sh cmp right.cu right.cu --placements=6 --blocks=40 --calls=4 --min-effect=0
+ python3 show.py 'r["verdict"]["word"]' 'sorted(set(t["span_ns"][i] for i in timed))' '0 < sum(t["span_ns"][i] == 6400 for i in timed) < 0.15 * len(timed)'; : >conf/fake.conf
> r["verdict"]["word"] = inconclusive
> sorted(set(t["span_ns"][i] for i in timed)) = [3200.0, 6400.0]
> 0 < sum(t["span_ns"][i] == 6400 for i in timed) < 0.15 * len(timed) = True

## drift: each kernel slower than the one before by 0.1 %: A B B A cancels it
$ echo 'drift_ppm 1000' >conf/fake.conf; sh cmp right.cu right.cu --placements=6 --blocks=8 --calls=4; python3 show.py 'r["verdict"]["word"]' 'max(t["span_ns"][i] for i in timed) > 3300' 'abs(r["sides"][1]["effect"]["effect_log"]) < 1e-3'; : >conf/fake.conf
> r["verdict"]["word"] = equivalent
> max(t["span_ns"][i] for i in timed) > 3300 = True
> abs(r["sides"][1]["effect"]["effect_log"]) < 1e-3 = True

## lazy loading: the first launch waits for an idle device; warm-up is not held, so holds are not left to the helper
$ echo 'lazy 1' >conf/fake.conf; sh cmp right.cu right.cu --placements=6 --blocks=8 --calls=4; python3 show.py 'r["verdict"]["word"]' 'r["run"]["n_released_by_helper"] < r["run"]["n_timed_calls"] / 5' 'sorted(set(t["flags"][i] & 4 for i in range(n) if t["flags"][i] & 2 and t["mode"][i]))' 'sorted(set(t["flags"][i] & 4 for i in timed))'; : >conf/fake.conf
> r["verdict"]["word"] = equivalent
> r["run"]["n_released_by_helper"] < r["run"]["n_timed_calls"] / 5 = True
> sorted(set(t["flags"][i] & 4 for i in range(n) if t["flags"][i] & 2 and t["mode"][i])) = [0]
> sorted(set(t["flags"][i] & 4 for i in timed)) = [4]

## one source for all: where one side makes two launches, both are timed by events, less what the pair itself costs
$ sh cmp right.cu two_kernels.cu --placements=6 --blocks=8 --calls=4; python3 show.py 'r["verdict"]["word"]' 'r["source"]' '[s["n_launches"] for s in r["sides"]]' '[round(s["time_ns"]) for s in r["sides"]]' 'len(r["sides"][0]["empty_pair_ns"])'
> r["verdict"]["word"] = slower
> r["source"] = event_pair
> [s["n_launches"] for s in r["sides"]] = [1, 2]
> [round(s["time_ns"]) for s in r["sides"]] = [4000, 7040]
> len(r["sides"][0]["empty_pair_ns"]) = 6
$ id=$(python3 -c 'import json; print(json.load(open("r.json"))["trial"])')
+ $ROOT/tools/recompute_compare.py r.json $(find $HOME $XDG_DATA_HOME -path "*objects/*" -name "${id#??}" | head -1)
> 26 numbers, 0 differ

## a solve that waits for the device inside, or allocates: no hold for either side, and the record says so
$ for k in syncs allocates; do sh cmp right.cu $k.cu --placements=6 --blocks=8 --calls=4; python3 show.py 'r["queue_held"]' 'r["run"]["n_released_by_helper"]' 'sorted(set(t["flags"][i] & 4 for i in timed))'; done
> r["queue_held"] = False
> r["run"]["n_released_by_helper"] = 0
> sorted(set(t["flags"][i] & 4 for i in timed)) = [0]
> r["queue_held"] = False
> r["run"]["n_released_by_helper"] = 0
> sorted(set(t["flags"][i] & 4 for i in timed)) = [0]

## CUPTI refused or silent: events for both
$ for f in 'cupti_refuses 35' 'cupti_silent 1'; do echo "$f" >conf/fake.conf; sh cmp right.cu p3360.cu --placements=6 --blocks=8 --calls=4; python3 show.py 'r["verdict"]["word"]' 'r["source"]'; done; : >conf/fake.conf
> r["verdict"]["word"] = slower
> r["source"] = event_pair
> r["verdict"]["word"] = slower
> r["source"] = event_pair

## throttled: marked, with the reason; both sides were, so it decides all the same
$ echo 'throttled 1' >conf/fake.conf; sh cmp right.cu right.cu --placements=6 --blocks=8 --calls=4; python3 show.py 'r["verdict"]["word"]' 'r["telemetry"]["timed_calls"]["throttled"] == r["telemetry"]["timed_calls"]["n"]' 'r["telemetry"]["reasons"]'; : >conf/fake.conf
> r["verdict"]["word"] = equivalent
> r["telemetry"]["timed_calls"]["throttled"] == r["telemetry"]["timed_calls"]["n"] = True
> r["telemetry"]["reasons"] = ['hw_thermal_slowdown']

## a process that keeps the GPU busy: the idle check finds it, times say nothing, correctness stays; --any-load decides and says so
$ echo 'foreign_pid 77' >conf/fake.conf
+ for o in --no-any-load --any-load; do sh cmp right.cu right.cu --placements=6 --blocks=8 --calls=4 $o; python3 show.py 'r["verdict"]["word"]' 'r["telemetry"]["problem"]' '[s["correctness"]["passed"] for s in r["sides"]]'; done
> r["verdict"]["word"] = inconclusive
> r["telemetry"]["problem"] = the GPU was 97 % busy before anything of ours ran
> [s["correctness"]["passed"] for s in r["sides"]] = [True, True]
> r["verdict"]["word"] = equivalent
> r["telemetry"]["problem"] = the GPU was 97 % busy before anything of ours ran
> [s["correctness"]["passed"] for s in r["sides"]] = [True, True]
$ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$FAKE:$PATH assay bench right.cu --ref scale_ref.c --op-file scale.op.json --repeat=10 --warmup=2 -q --json >r.json; : >conf/fake.conf
+ python3 -c 'import json; r = json.load(open("r.json")); print(r["verdict"]["word"], r["performance"]["state"], r["performance"]["reason"])'
> passed inconclusive the GPU was 97 % busy before anything of ours ran

## the device breaks while one side is timed: that side is out, with the word; the other is not blamed
$ sh kernel breaks 'static int n; SCALE; if (n++ > 20) trap<<<1, 1>>>();'; sh cmp right.cu breaks.cu right.cu --placements=6 --blocks=8 --calls=4; python3 show.py '[s["verdict"]["word"] for s in r["sides"]]'
> = 1
> [s["verdict"]["word"] for s in r["sides"]] = ['passed', 'cuda_error', 'equivalent']

## bench: the reference in CUDA and the kernel take turns, by device records
$ cp p3360.cu slow_ref.cu; LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$FAKE:$PATH assay bench right.cu --ref slow_ref.cu --op-file scale.op.json --time-budget=0.1 --speedup-budget=20 -q --json >r.json
+ python3 -c 'import json; r = json.load(open("r.json"))["speedup_vs_reference"]; print(r["method"], r["source"], r["verdict"], round(r["value"], 6))'
> placements device_record faster 1.05
