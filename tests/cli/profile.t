# `assay profile` with tools that are scripts: command lines, what is kept, what is named.

## tools of ours: ncu copies a report, nsys makes an export, each prints what it was called with
$ mkdir bin; cat > bin/ncu <<'END'
+ #!/bin/sh
+ [ "$1" != --version ] || { echo 'NVIDIA (R) Nsight Compute Command Line Profiler'; echo 'Version 2025.3.1.0 (build 1)'; exit 0; }
+ printf '%s\n' "$*" > "$FAKE/ncu.args"; env > "$FAKE/ncu.env"
+ [ "$MODE" != perm ] || { echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters'; exit 1; }
+ [ "$MODE" != none ] || { echo '==WARNING== No kernels were profiled.'; exit 0; }
+ [ "$MODE" != old ] || { echo '==ERROR== Cuda driver is not compatible with Nsight Compute'; exit 1; }
+ [ "$MODE" != cut ] || { while [ "$1" != --export ]; do shift; done; head -c 3000 "$FIXTURE" > "$2"; exit 0; }
+ while [ "$1" != --export ]; do shift; done
+ cp "$FIXTURE" "$2"; shift 2; echo '==PROF== Profiling'; exec "$@"
+ END
$ cat > bin/nsys <<'END'
+ #!/bin/sh
+ [ "$1" != --version ] || { echo 'NVIDIA Nsight Systems version 2025.3.2.474-2v0'; exit 0; }
+ printf '%s\n' "$*" > "$FAKE/nsys.$1.args"
+ for a in "$@"; do case $a in --output=*) out=${a#--output=};; esac; done
+ if [ "$1" = export ]; then cp n.sqlite "$out"; exit; fi
+ [ "$MODE" = empty ] && { cp empty.sqlite "$out.sqlite"; exit 0; }
+ [ "$MODE" = later ] && { echo raw > "$out.nsys-rep"; exit 0; }
+ cp n.sqlite "$out.sqlite"
+ END
$ chmod +x bin/*; python3 -c "
+ import sqlite3
+ for name in ('n', 'empty'):
+     d = sqlite3.connect(name + '.sqlite')
+     d.execute('CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)')
+     d.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER)')
+     d.execute('INSERT INTO StringIds VALUES (1, ?)', ('gemm',))
+     if name == 'n': d.execute('INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 30, 0, 7, 1, 0, 1)')
+     d.commit()"

## ncu over a command: the targeted sections, no clocks changed, nothing that hinders it
$ export FAKE=$PWD FIXTURE=$DATA/ncu/sm_targeted.ncu-repz PATH=$PWD/bin:$PATH; CUDA_INJECTION64_PATH=/x.so assay profile --kernel softmax --launches 1 --nvtx step --out r1 -- sh -c 'echo hello' > text; sed "s,$PWD,.," text | head -n 2; sed "s,$PWD,.," ncu.args; grep -c INJECTION ncu.env
> collected
> report   ./r1/report.ncu-rep
> --clock-control none --target-processes all --section LaunchStats --section Occupancy --section SpeedOfLight --section MemoryWorkloadAnalysis --section SchedulerStats --nvtx --nvtx-include step/ --kernel-name regex:softmax --launch-count 1 --force-overwrite --export ./r1/report.ncu-rep sh -c echo hello
> 0
= 1
$ grep -c 'softmax.*us' text; cat r1/log.txt
> 1
> ==PROF== Profiling
> hello
$ export FAKE=$PWD FIXTURE=$DATA/ncu/sm_targeted.ncu-repz PATH=$PWD/bin:$PATH; assay profile --full --metrics 'sm__cycles*' --skip 2 --json --out r2 -- true | python3 -c "
+ import json, sys
+ d = json.load(sys.stdin); print(d['format'], d['state'], d['reason'], d['formal'], len(d['reports']), d['collector']['version'])"; cut -d' ' -f1-12 ncu.args
> assay/profile-v1 collected None False 1 Version 2025.3.1.0 (build 1)
> --clock-control none --target-processes all --set full --metrics sm__cycles* --launch-skip 2 --force-overwrite --export
$ export PATH=$PWD/bin:$PATH; assay profile --out r2 -- true
= 2

## what stands against it
$ export FAKE=$PWD PATH=$PWD/bin:$PATH; MODE=perm assay profile --out p1 -- true | head -n 1 | cut -c1-88
> permission_denied: this user may not read GPU performance counters (ERR_NVGPUCTRPERM)
$ export FAKE=$PWD PATH=$PWD/bin:$PATH; MODE=none assay profile --out p2 -- true | head -n 1; MODE=none assay profile --json --out p3 -- true >j
> empty_capture: no kernel ran inside what was captured
= 1
$ export FAKE=$PWD PATH=$PWD/bin:$PATH; MODE=old assay profile --out p4 -- true | head -n 1; MODE=old assay profile -q --json --out p5 -- true >j
> tool_incompatible: tool and driver do not fit
= 3
$ export FAKE=$PWD FIXTURE=$DATA/ncu/two.ncu-repz PATH=$PWD/bin:$PATH; MODE=cut assay profile --out p6 -- true | head -n 1 | cut -d: -f1
> tool_failed
$ export PATH=$PWD/bin:$PATH; assay profile --out p7 -- no-such-program
= 2
$ assay profile --out p8
= 2

## nsys: its export; a second call where it did not make one
$ export FAKE=$PWD PATH=$PWD/bin:$PATH; assay profile --tool nsys --nvtx step --out n1 -- ./program > text
= 2
$ export FAKE=$PWD PATH=$PWD/bin:$PATH; assay profile --tool nsys --nvtx step --out n2 -- true | head -n 1; sed "s,$PWD,.," nsys.profile.args
> collected
> profile --trace=cuda,nvtx --force-overwrite=true --export=sqlite --cuda-graph-trace=node --capture-range=nvtx --nvtx-capture=step --env-var=NSYS_NVTX_PROFILER_REGISTER_ONLY=0 --output=./n2/report true
$ export FAKE=$PWD PATH=$PWD/bin:$PATH; MODE=later assay profile --tool nsys --out n3 -- true | head -n 1; sed "s,$PWD,.,g" nsys.export.args
> collected
> export --type=sqlite --force-overwrite=true --output=./n3/report.sqlite ./n3/report.nsys-rep
$ export FAKE=$PWD PATH=$PWD/bin:$PATH; MODE=empty assay profile --tool nsys --out n4 -- true | head -n 1
> empty_capture: the export holds no work of a GPU

## torch.profiler in a program that knows nothing of it
$ mkdir -p site/torch; cat > site/torch/__init__.py <<'END'
+ class cuda:
+     is_available = staticmethod(lambda: True)
+     is_initialized = staticmethod(lambda: False)
+ END
$ cat > site/torch/profiler.py <<'END'
+ class ProfilerActivity:
+     CPU, CUDA = "cpu", "cuda"
+ class profile:
+     def __init__(self, **options):
+         self.options = options
+     def start(self):
+         print("profiling", sorted(self.options), self.options["activities"])
+     def stop(self):
+         pass
+     def export_chrome_trace(self, path):
+         open(path, "w").write('{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"kernel","name":"add","pid":0,"tid":7,"ts":1,"dur":2}]}')
+ END
$ echo 'import torch; print("work")' > work.py; PYTHONPATH=$PWD/site assay profile --tool torch --out t1 -- python3 work.py | head -n 1; cat t1/log.txt; ls t1 | sed 's/[0-9]//g'
> collected
> profiling ['activities', 'record_shapes', 'with_stack'] ['cpu', 'cuda']
> work
> hook
> log.txt
> torch..json
$ assay profile --tool torch --out t2 -- python3 -c 'print(1)' | head -n 1
> empty_capture: no trace was written: the program never imported torch, or ended by a signal
$ assay profile --tool torch --out t3 -- python3 -c 'import sys; sys.exit("bad input")' | head -n 1
> command_failed: exit 1: bad input

## a report of nsys itself is exported first
$ cp n.sqlite in.sqlite; echo raw > x.nsys-rep; export FAKE=$PWD PATH=$PWD/bin:$PATH; assay read x.nsys-rep --table kernels --columns name,count; sed 's,/[^ ]*/assay,assay,; s/export-[A-Za-z0-9]*/export/' nsys.export.args
> Time by kernel: sums of kernel durations; kernels that overlap count twice
> kernel  count
> gemm        1
> unverified: nsys export schema of no stated version is not covered by assay's tests
> export --type=sqlite --force-overwrite=true --output=assay-export/export.sqlite x.nsys-rep
$ PATH=/usr/bin:/bin; export PATH; $ASSAY read x.nsys-rep
! assay: x.nsys-rep: only nsys reads this form, and it was not found here; where it is, nsys export --type sqlite FILE makes a file that assay reads
= 3
