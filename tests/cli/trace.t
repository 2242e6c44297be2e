# `assay trace`: traces cut, mended, and without what tells who made them.
masks: SHA BYTES COMMIT VERSION

## a trace with two steps
$ cat > make.py <<'END'
+ import json
+ def x(cat, name, ts, dur, pid, tid, **args):
+     return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
+ e = [{"ph": "M", "name": "process_name", "pid": 9, "tid": 0, "ts": 0, "args": {"name": "python /home/alice/train.py --token abc"}}]
+ for s in range(3):
+     t = 1000 * s
+     e.append(x("user_annotation", "ProfilerStep#%d" % (s + 5), t, 900, 9, 9))
+     e.append(x("python_function", "/home/alice/model.py(12): forward", t + 1, 800, 9, 9))
+     for k in range(2):
+         c = 10 * s + k + 1
+         e.append(x("cuda_runtime", "cudaLaunchKernel", t + 10 + k, 1, 9, 9, correlation=c))
+         e.append({"ph": "s", "cat": "ac2g", "name": "ac2g", "id": c, "pid": 9, "tid": 9, "ts": t + 10 + k})
+         e.append(x("kernel", "gemm%d" % k, t + 950 + 30 * k, 20, k, 7, device=k, stream=7, correlation=c))
+         e.append({"ph": "f", "bp": "e", "cat": "ac2g", "name": "ac2g", "id": c, "pid": k, "tid": 7, "ts": t + 950 + 30 * k})
+ json.dump({"schemaVersion": 1, "traceEvents": e, "host_name": "node17.example.org", "traceName": "/home/alice/t.json", "env": {"HF_TOKEN": "hf_abcdefghijklmnop"}}, open("t.json", "w"))
+ END
$ python3 make.py; assay trace slim t.json --steps 6 --out s.json; assay read s.json --table steps --columns name,activities,covered_ns
> s.json: slimmed, <BYTES> of <BYTES>
> events 31
> kept 11
> Steps: work launched in the step from any thread; 0 activities lie in none
> name            activities  GPU covered
> ProfilerStep#6           2      40.0 us
>
> GPU time by profiler step: CPU time: duration of the step
> name               time  share %  n     mean      p50      p99  calls  CPU time
> ProfilerStep#6  40.0 us    100.0  2  20.0 us  20.0 us  20.0 us      0    900 us
> derived: slimmed from <SHA>; not the original
$ assay read s.json --table kernels --columns name,n
> Time by kernel: shares are of the summed durations; overlapping streams sum to more than the covered time
> name   n
> gemm0  1
> gemm1  1
> derived: slimmed from <SHA>; not the original
$ python3 -c "
+ import json
+ d = json.load(open('s.json'))
+ print(d['assayMark']['kind'], d['assayMark']['source_sha256'] == __import__('hashlib').sha256(open('t.json', 'rb').read()).hexdigest())
+ print(sorted(set((v['cat'], v['ph']) for v in d['traceEvents'] if 'cat' in v)), sum(v['ph'] in 'sf' for v in d['traceEvents']))"
> slimmed True
> [('ac2g', 'f'), ('ac2g', 's'), ('cuda_runtime', 'X'), ('kernel', 'X'), ('python_function', 'X'), ('user_annotation', 'X')] 4

## by time, device and category
$ assay trace slim t.json --time 900us:1200us --devices 1 --drop python_function --out w.json -q; assay read w.json --table kernels --columns name,n
> w.json: slimmed, <BYTES> of <BYTES>
> events 31
> kept 14
> Time by kernel: shares are of the summed durations; overlapping streams sum to more than the covered time
> name   n
> gemm1  1
> derived: slimmed from <SHA>; not the original
$ grep -c python_function w.json
> 0
= 1

## what identifies goes
$ assay trace redact t.json --words gemm0 --out r.json
> r.json: redacted, <BYTES> of <BYTES>
> events 31
> kept 31
> paths 4
> names 3
> secrets 3
> what is not recognised stays: look at the result before it goes out
$ grep -c -e alice -e node17 -e hf_ -e train.py r.json
> 0
= 1
$ python3 -c "
+ import json
+ d = json.load(open('r.json')); print({k: v for k, v in d.items() if k not in ('traceEvents', 'assayMark')})
+ print(sorted(set(v['name'] for v in d['traceEvents'] if v.get('cat') in ('python_function', 'kernel'))))"
> {'schemaVersion': 1, 'host_name': '[redacted]', 'traceName': '[redacted]', 'env': '[redacted]'}
> ['[path]/model.py(12): forward', '[redacted]', 'gemm1']
$ assay read r.json --json | python3 -c "
+ import json, sys
+ d = json.load(sys.stdin); print(d['derived'][:20], d['facts']['origin']['derived'] == d['derived'])"
> redacted from ffe05c True

## broken JSON: what is whole stays
$ printf '%s' '{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"kernel","name":"C:\Users\a","pid":0,"tid":7,"ts":1,"dur":2,"args":{"bw":nan,"correlation":1,"correlation":2},},{"ph":"X","cat":"kernel","name":"b","pid":0' > bad.json; assay trace repair bad.json --out good.json.gz
> good.json.gz: repaired, <BYTES> of <BYTES>
> events 1
> kept 1
> mended 5
> torn_offset 162
$ gzip -dc good.json.gz | sed 's/.*"traceEvents"/"traceEvents"/'
> {"assayMark":{"kind":"repaired","source_sha256":"<SHA>","tool":{"commit":"<COMMIT>","name":"assay","version":"<VERSION>"}},
> "schemaVersion":1,
> "traceEvents":[
> {"ph":"X","cat":"kernel","name":"C:\\Users\\a","pid":0,"tid":7,"ts":1,"dur":2,"args":{"bw":null,"correlation":1}}
> ]}

## files that are there stay; what is no trace is refused
$ assay trace repair t.json --out s.json
! assay: s.json is there already; name another file
= 2
$ assay trace slim t.json --steps 99 --out n.json
! assay: t.json: no profiler step of the numbers 99
= 2
$ assay trace slim $ROOT/tests/data/ncu/two.ncu-repz --out n.json
= 2
$ assay trace shrink t.json --out n.json
! assay: trace shrink: it is slim, repair or redact
= 2
$ ls n.json*
= 2

## an export of Nsight Systems
? python3 -c 'import sqlite3'
$ python3 -c "
+ import sqlite3
+ d = sqlite3.connect('n.sqlite')
+ d.executescript('''
+ CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
+ INSERT INTO StringIds VALUES (1, 'gemm'), (2, 'cudaLaunchKernel_v7000'), (3, '/home/alice/out.log'), (4, 'epoch 1 by alice');
+ CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER);
+ CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
+ CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
+ INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0'), ('EXPORT_HOST', 'node17');
+ CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);
+ INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node17');
+ CREATE TABLE ProcessStreams (globalPid INTEGER, filenameId INTEGER, contentId INTEGER);
+ INSERT INTO ProcessStreams VALUES (1, 3, 4);
+ ''')
+ for i in range(4):
+     d.execute('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, ?, 1)', (1000 + 100 * i, 1050 + 100 * i, i + 1, 9 << 24))
+     d.execute('INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 2)', (500 + i, 501 + i, (9 << 24) + 9, i + 1))
+ d.commit()"
$ assay trace slim n.sqlite --time 100ns:300ns --out s.sqlite; assay read s.sqlite --table kernels --columns name,count; assay read s.sqlite --table api --columns name,count
> s.sqlite: slimmed, <BYTES> of <BYTES>
> deleted_rows 4
> Time by kernel: sums of kernel durations; kernels that overlap count twice
> kernel  count
> gemm        2
> derived: slimmed from <SHA>; not the original
> CUDA API calls
> call              count
> cudaLaunchKernel      2
> derived: slimmed from <SHA>; not the original
$ assay trace redact n.sqlite --out r.sqlite -q; grep -c -a -e alice -e node17 r.sqlite
> r.sqlite: redacted, <BYTES> of <BYTES>
> redacted_values 4
> what is not recognised stays: look at the result before it goes out
> 0
= 1
$ assay read r.sqlite --table kernels --columns name,count | tail -1; assay read r.sqlite | grep derived | cut -c1-22
> derived: redacted from <SHA>; not the original
> derived: redacted from
$ assay trace repair n.sqlite --out x.sqlite
= 2
