# --sanitize: compute-sanitizer in the verdict. The tool is a script that runs our runner on the fake GPU and then says what
# the tool said of a kernel with that fault.
needs: assay bench --help >/dev/null && command -v c++
unset: ASSAY_EVICT

## what is wanted and cannot be: a name, a kernel on the CPU, no tool
$ cp $ROOT/tests/fake/kit/* $ROOT/tests/gpu/kernels/scale_ref.c .; mkdir conf bin; sh kernel k 'SCALE;'
+ cat > bin/compute-sanitizer <<'END'
+ #!/bin/sh
+ [ "$1" != --version ] || { printf 'NVIDIA (R) Compute Sanitizer\nVersion 2025.3.1.0 (build 1)\n'; exit 0; }
+ [ "$1 $3" = '--tool --log-file' ] || exit 9
+ tool=$2 log=$4; shift 4
+ [ ! -e HERE/broken ] || { echo 'Error: unable to attach'; exit 1; }
+ echo "$tool" >> HERE/calls; "$@" >> HERE/said 2>&1; status=$?
+ if grep -qs "$tool" HERE/plant; then cat "SAMPLES/san_$tool.txt" > "$log"; else printf '========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n' > "$log"; fi
+ exit $status
+ END
+ sed -i "s,HERE,$PWD,g; s,SAMPLES,$DATA/sanitizer," bin/compute-sanitizer; chmod +x bin/compute-sanitizer
+ cat > bench <<'END'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay bench --timeout=20 --op-file scale.op.json --repeat=5 --warmup=1 --skip-warm -q --ref scale_ref.c "$@"
+ END
+ sh bench k.cu --sanitize=memcheck,speed; assay bench scale_ref.c --op-file scale.op.json --sanitize=memcheck; sh bench k.cu --sanitize=
! assay: --sanitize: 'speed' is no tool of compute-sanitizer; there are memcheck, racecheck, initcheck, synccheck, all
! assay: --sanitize: compute-sanitizer looks at GPU kernels; scale_ref.c runs on the CPU
! assay: --sanitize: '' is no tool of compute-sanitizer; there are memcheck, racecheck, initcheck, synccheck, all
= 2

## four tools find nothing: what was looked at, by whose word, and what a later reader can check
$ sh bench k.cu --sanitize=all --json >b.json; echo "= $?"; cat calls | tr '\n' ' '; python3 - <<'P'
+ import json
+ b = json.load(open("b.json"))
+ print(b["verdict"]["word"], [(t["tool"], t["state"], [c["case"] for c in t["cases"]]) for t in b["sanitizer"]["tools"]][:2])
+ t = b["sanitizer"]["tools"][0]
+ print(t["cases"][0]["n_errors"], t["cases"][0]["report"]["complete"], len(t["cases"][0]["log"]), t["subject"]["occurs"], t["subject"]["reason"], b["sanitizer"]["version"])
+ print([(c["name"], c["state"], c["witness"]) for c in b["integrity"]["checks"] if c["name"].startswith("sanitizer")])
+ P
+ sh bench k.cu --sanitize=memcheck,synccheck | grep '^sanitizer'
> = 0
> memcheck memcheck racecheck racecheck initcheck initcheck synccheck synccheck passed [('memcheck', 'clean', ['small', 'odd']), ('racecheck', 'clean', ['small', 'odd'])]
> 0 True 64 None cuobjdump was not found Version 2025.3.1.0 (build 1)
> [('sanitizer_memcheck', 'passed', 'claim'), ('sanitizer_racecheck', 'passed', 'claim'), ('sanitizer_initcheck', 'passed', 'claim'), ('sanitizer_synccheck', 'passed', 'claim')]
> sanitizer  memcheck: no error in 2 case(s)
> sanitizer  synccheck: no error in 2 case(s)

## an error rejects, with place and case; the tool does not go on to the next case; what the log said is in the store
$ echo memcheck > plant; rm calls; sh bench k.cu --sanitize=memcheck,racecheck > out; echo "= $?"; sed -n 2,3p out; grep '^sanitizer' out; cat calls
+ sh bench k.cu --sanitize=memcheck --store=st --json | python3 -c '
+ import json, os, sys
+ c = json.load(sys.stdin)["sanitizer"]["tools"][0]["cases"]; d = c[0]["log"]
+ s = c[0]["report"]["sites"][0]; print(len(c), c[0]["n_errors"], s["kind"], s["kernel"], s["line"])
+ print(open(os.path.join("st/objects", d[:2], d[2:])).read() == open(os.environ["DATA"] + "/sanitizer/san_memcheck.txt").read())'
> = 1
> rejected:sanitizer: compute-sanitizer found errors
>            memcheck: 28 error(s): Invalid __global__ write of size 4 bytes in oob(float *, int), bug.cu:2 (case 'small')
> sanitizer  memcheck: 28 error(s): Invalid __global__ write of size 4 bytes in oob(float *, int), bug.cu:2 (case 'small')
> sanitizer  racecheck: no error in 2 case(s)
> memcheck
> racecheck
> racecheck
> 1 28 out_of_bounds oob(float *, int) 2
> True

## without the battery it rejects all the same; a kernel that is wrong is not looked at
$ sh bench k.cu --sanitize=memcheck --skip-integrity | sed -n 2p; rm calls; cp $ROOT/tests/gpu/kernels/wrong.cu .; sh bench wrong.cu --sanitize=memcheck | sed -n 2p; ls calls
! ls: cannot access 'calls': No such file or directory
> rejected:sanitizer: compute-sanitizer found errors
> output_unwritten: output elements were never written
= 2

## a tool that comes to no end passes nothing and rejects nothing
$ rm plant; touch broken; sh bench k.cu --sanitize=memcheck >out; echo "= $?"; grep '^sanitizer\|sanitizer_' out; rm broken
> = 0
> integrity  accepted: 14 of 17 checks passed; not looked at: page_edges, error_size, sanitizer_memcheck
> sanitizer  memcheck: it left no log (exit 1): Error: unable to attach

## each tensor is memory of its own that ends where it ends
$ cat > tell.h <<'END'
+ #include <cstdio>
+ #include <dlfcn.h>
+ static void tell(const char *name, const void *p)
+ {
+ 	typedef int ask(void *, int, unsigned long long);
+ 	ask *attribute = (ask *)dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuPointerGetAttribute");
+ 	unsigned long long at = 0, bytes = 0;
+ 	attribute(&at, 11, (unsigned long long)p);
+ 	attribute(&bytes, 12, (unsigned long long)p);
+ 	fprintf(stderr, "%s %s %llu\n", name, at == (unsigned long long)p ? "begins" : "lies inside", bytes);
+ }
+ END
+ sh kernel told 'tell("x", x); tell("y", y); SCALE;'; sed -i '1i #include "tell.h"' told.cu
+ rm -f said; sh bench told.cu --sanitize=memcheck >out; echo "= $?"; cat said
> = 0
> x begins 4000
> y begins 4000
> x begins 148
> y begins 148

## whether the binary has what a tool looks at, with the instructions
$ cat > bin/cuobjdump <<'END'
+ #!/bin/sh
+ [ "$1" != --version ] || { echo 'Cuda compilation tools, release 13.0, V13.0.85'; exit 0; }
+ printf '\nFatbin elf code:\n================\narch = sm_90\n\n\tcode for sm_90\n\t\tFunction : _Z5scalePKfPfi\n\t.headerflags\t@"EF_CUDA_SM90"\n'
+ printf '        /*0000*/                   LDG.E R2, desc[UR4][R2.64] ;  /* 0x0000000402027981 */\n                                       /* 0x000ea2000c1e1900 */\n'
+ printf '        /*0010*/                   STG.E desc[UR4][R4.64], R7 ;  /* 0x0000000704007986 */\n                                       /* 0x000fe2000c101904 */\n'
+ printf '        /*0020*/                   EXIT ;                        /* 0x000000000000794d */\n                                       /* 0x000fea0003800000 */\n\t\t..........\n'
+ END
+ chmod +x bin/cuobjdump; sh bench k.cu --sanitize=all --json | python3 -c '
+ import json, sys
+ b = json.load(sys.stdin)
+ for t in b["sanitizer"]["tools"]:
+     print(t["tool"], t["state"], t["subject"]["occurs"], [x["opcode"] for x in t["subject"]["instructions"]])
+ print([c["state"] for c in b["integrity"]["checks"] if c["name"].startswith("sanitizer")])'
+ sh bench k.cu --sanitize=racecheck | grep '^sanitizer'; rm bin/cuobjdump
> memcheck clean True ['LDG.E', 'STG.E']
> racecheck no_subject False []
> initcheck clean True ['LDG.E']
> synccheck no_subject False []
> ['passed', 'not_applicable', 'passed', 'not_applicable']
> sanitizer  racecheck: no instruction of the binary is its subject; no error in 2 case(s)

## a module with torch where there is no GPU: said, whether there is a battery or not; one without torch is refused before
? /usr/bin/python3 -c 'import importlib.util, sys; sys.exit(not importlib.util.find_spec("torch"))' && ! ldconfig -p | grep -q libcuda.so.1
$ printf 'def solve(x, y, N):\n    for i in range(N):\n        y[i] = 2 * x[i] + 1\n' >plain.py; sh bench plain.py --sanitize=racecheck
+ (echo 'import torch'; printf 'def solve(x, y, N):\n    torch.add(2 * x, 1, out=y)\n') >t.py; for more in '' --skip-integrity; do PATH=$PWD/bin:$PATH assay bench t.py --ref=scale_ref.c --op-file=scale.op.json --python=/usr/bin/python3 --repeat=3 --warmup=1 --skip-warm -q --sanitize=racecheck $more >out; echo "= $?"; grep '^sanitizer' out; done
! assay: --sanitize: compute-sanitizer looks at GPU kernels; plain.py runs on the CPU
> = 0
> sanitizer  racecheck: compute-sanitizer looks at GPU kernels; this one ran on the CPU
> = 0
> sanitizer  racecheck: compute-sanitizer looks at GPU kernels; this one ran on the CPU

## what the plan says; in a loop; of a set of configurations the chosen one alone is looked at
$ sh bench k.cu --sanitize=racecheck --dry-run | grep '^sanitizer' | sed 's,/[^ ]*/bin,BIN,'
+ cat > opt <<'END'
+ LD_LIBRARY_PATH=$PWD/conf:$FAKE PATH=$PWD/bin:$FAKE:$PATH assay optimize k.cu --ref=scale_ref.c --op-file=scale.op.json --max-iterations=0 --repeat=5 --warmup=1 --skip-warm --without-profile --any-load --sanitize=memcheck -q "$@"
+ END
+ sh opt --run-dir=none --dry-run | grep '^sanitizer' | sed 's,/[^ ]*/bin,BIN,'; rm -f calls
+ echo '{"format": "assay/config-set-v1", "configurations": [{"TILE": 1}, {"TILE": 2}, {"TILE": 3}]}' >k.set.json; sh opt --run-dir=set >out; sed -n 's/^v0 \(passed\).*/\1/p' out; cat calls; rm k.set.json
+ echo memcheck > plant; sh opt --run-dir=loop >out; sed -n 's/.*rejected:sanitizer: //p' out
> sanitizer    BIN/compute-sanitizer --tool racecheck over one call a case
> sanitizer    BIN/compute-sanitizer --tool memcheck over one call a case
> passed
> memcheck
> memcheck
> rejected benchmark_failed
> memcheck: 28 error(s): Invalid __global__ write of size 4 bytes in oob(float *, int), bug.cu:2 (case 'small'): Fix this first, and make sure that the basic tests pass.
