# Every reader: a changed unit is refused with its name, a later version is marked, a renamed key is refused, what is new is
# unmodeled. Then 40 files that are broken: one clear line each.
## the helpers
$ cat >variant.py <<'END'
+ # variant.py FILE [OLD NEW]...: assay read of the file with each text replaced: what is refused, marked, unmodeled
+ import json, subprocess, sys
+ data = open(sys.argv[1], "rb").read()
+ for old, new in zip(sys.argv[2::2], sys.argv[3::2]):
+     old, new = (s.encode().decode("unicode_escape").encode("latin-1") for s in (old, new))
+     assert old in data, old
+     open("variant", "wb").write(data.replace(old, new))
+     read = lambda *more: subprocess.run(["assay", "read", "variant", *more], capture_output=True, text=True)
+     r = read(); last = (r.stdout.splitlines() or [""])[-1]
+     if r.returncode: print(r.returncode, r.stderr.strip())
+     elif last.startswith("unverified"): print(last)
+     else:
+         d = json.loads(read("--json").stdout); found = d["facts"].get("unmodeled") or d.get("trace", {}).get("unmodeled") or []
+         print("unmodeled:", ", ".join(sorted(f if isinstance(f, str) else f["message"] for f in found)))
+ END
+ cat >nsys.py <<'END'
+ import sqlite3, sys
+ d = sqlite3.connect("n.sqlite"); d.executescript("""CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
+ INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.24.14'); INSERT INTO StringIds VALUES (1, 'k');
+ CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, demangledName INTEGER);
+ INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (0, 10, 1);"""); d.commit(); d.executescript(sys.argv[1]); d.commit()
+ END

## Nsight Compute: exports, reports
$ printf '"ID","Process ID","Process Name","Kernel Name","Context","Stream","gpu__time_duration.sum","a__b.sum"\n"","","","","","","ns","byte"\n"0","1","p","k","1","7","5","6"\n' >n.csv
+ python3 -S variant.py n.csv '"ns"' '"fortnight"' '"Kernel Name"' '"Kernel"' '"byte"' '"furlong"'
> 2 assay: variant: offset 102: metric gpu__time_duration.sum has the unknown unit "fortnight"
> 2 assay: variant: offset 0: the key column "Kernel Name" is missing
> unmodeled: unit of a column
$ zstdcat $DATA/ncu/two.ncu-repz >two.ncu-rep; python3 -S variant.py two.ncu-rep '2025.3.1.0 (build' '2033.3.1.0 (build' 'NVR\0\x02\0\0\0\x08\x07' 'NVR\0\x02\0\0\0\x08\x09'
> unverified: ncu 2033.3.1.0 (build 36398880) (public-release) is not covered by assay's tests
> 2 assay: variant: offset 8: container version 9, this reader knows 7; export it with the ncu that wrote it: ncu --import FILE --csv --page raw --print-units base

## Nsight Systems
$ v() { rm -f n.sqlite; python3 -S nsys.py "$1"; assay read n.sqlite 2>&1 | grep -E '^assay|^unverified'; assay read n.sqlite --json 2>/dev/null | python3 -S -c 'import json, sys; t = sys.stdin.read(); print(json.loads(t)["facts"]["unmodeled"] if t else "refused")'; }
+ v "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = '0 ms'"; v "UPDATE META_DATA_EXPORT SET value = '99.1.0'"; v "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME start TO begin"; v "ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL ADD colour TEXT; CREATE TABLE MOON (x)"
> assay: n.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL, row 1: column start is no integer; the rows before it are kept
> []
> unverified: nsys export schema 99.1.0 is not covered by assay's tests
> []
> assay: n.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL: the key column "start" is missing; it has begin, end, demangledName
> ['MOON', 'CUPTI_ACTIVITY_KIND_KERNEL.colour']

## PyTorch
$ python3 -S variant.py $DATA/kineto/generated.json '"schemaVersion"' '"displayTimeUnit": "fortnight", "schemaVersion"' '"schemaVersion": 1' '"schemaVersion": 99' '"dur":' '"length":' '"schemaVersion"' '"moon": 1, "schemaVersion"'
> 2 assay: variant: displayTimeUnit "fortnight" is not known; times are read as microseconds only
> unverified: trace schema 99 is not covered by assay's tests
> 2 assay: variant: none of the 6 GPU events has the key "dur"
> unmodeled: moon, traceName

## binaries: a cubin has no unit; its ABI and its architecture are versions, the record of registers is the key
$ python3 -S variant.py $DATA/elf/tiny_sm90a.cubin '\x7fELF\x02\x01\x01\x41\x08' '\x7fELF\x02\x01\x01\x41\x0c' '\x04\x2f\x08\0' '\x04\xee\x08\0' '.nv.info' '.nv.inf0' '.text.' '.txet.' '\x04\x1c' '\x04\xec'
> unverified: cubin ABI 12 is not covered by assay's tests
> 4 assay: variant: no register count of kernel _Z5plainPd: .nv.info has no record 0x2f of it
> 4 assay: variant: no register count of kernel _Z5plainPd: .nv.info has no record 0x2f of it
> 4 assay: variant: kernel _Z5plainPd has no section .text._Z5plainPd
> unmodeled: .nv.info attribute 0xec

## PTX
$ printf '.version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n.maxntid 64\n{\n\tret;\n}\n' >k.ptx; python3 -S variant.py k.ptx '.version 9.0' '.version 19.0' 'sm_90' 'sm_190' '.visible .entry' '.visible .kernel' '.maxntid 64' '.maxntid 64 .moon 3'
> unverified: PTX 19.0 is not covered by assay's tests
> unverified: the architecture compute_190 is not covered by assay's tests
> 4 assay: variant: ".visible .kernel": no directive that is known
> unmodeled: .moon

## SASS: a width that is not known is none
$ gzip -dc $DATA/sass/signatures_sm90a.sass.gz >s.sass; python3 -S variant.py s.sass 'sm_90a' 'sm_190a' 'Function :' 'Procedure :' 'MUFU' 'MOON'; sed 's/LDG\.E\.128/LDG.E.1024/' s.sass >w.sass; assay read w.sass --table opcodes --csv --columns opcode,bytes | grep -m1 1024
> unverified: the architecture sm_190a is not covered by assay's tests
> 2 assay: variant: no kernel in this listing; expected the text of cuobjdump -sass or nvdisasm
> unmodeled: MOON.EX2, MOON.RSQ, MOON.TANH
> LDG.E.1024,

## compiler log
$ printf "ptxas info    : Compiling entry function 'k' for 'sm_90a'\nptxas info    : Function properties for k\n    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\nptxas info    : Used 10 registers, used 0 barriers\n" >p.txt; python3 -S variant.py p.txt '16 bytes stack' '16 KiB stack' '10 registers' '10 halfregisters' sm_90a sm_190 'Compiling entry function' 'Compiling kernel' 'used 0 barriers' 'used 0 barriers, 7 moons'
> 2 assay: variant: line 3: "16 KiB stack frame, 8 bytes spill stores, 4 bytes spill loads": expected bytes of stack frame, spill stores and spill loads; this form of the log is not known
> 2 assay: variant: line 4: "10 halfregisters, used 0 barriers": no number of "registers" in it; this form of the log is not known
> unverified: the architecture sm_190 is not covered by assay's tests
> 2 assay: variant: line 4: "10 registers, used 0 barriers": of no kernel: no line "Compiling entry function 'NAME'" stands before it; this form of the log is not known
> unmodeled: moons

## compute-sanitizer: neither text nor XML says a version
$ printf '========= COMPUTE-SANITIZER\n========= Invalid __global__ write of size 4 bytes\n=========     at k(float *)+0x90 in k.cu:2\n=========     by thread (1,0,0) in block (0,0,0)\n========= \n========= Barrier error detected. Divergent thread(s) in warp.\n=========     at k(float *)+0xa0 in k.cu:3\n========= ERROR SUMMARY: 2 errors\n' >m.txt; python3 -S variant.py m.txt '4 bytes' '4 furlongs' 'ERROR SUMMARY' 'FAULT SUMMARY' '=========     by' '=========     under the moon\n=========     by'; assay read m.txt --columns kind,access --csv
> 2 assay: variant: "Invalid __global__ write of size 4 furlongs": a size is in bytes in every form that is known
> 2 assay: variant: "FAULT SUMMARY: 2 errors": this summary is not known; it is ERROR, LEAK or RACECHECK SUMMARY
> unmodeled: under the moon
> kind,access
> invalid_access,write
> barrier,
$ printf '<?xml version="1.0"?>\n<ComputeSanitizerOutput><record><kind>Precise</kind><what><text>Invalid __global__ write of size 4 bytes</text></what></record></ComputeSanitizerOutput>\n' >m.xml; python3 -S variant.py m.xml '4 bytes' '4 furlongs' 'record>' 'finding>' '<kind>' '<moon>1</moon><kind>'
> 2 assay: variant: "Invalid __global__ write of size 4 furlongs": a size is in bytes in every form that is known
> 2 assay: variant: "finding": this element is not known; a finding is a <record>
> unmodeled: moon

## 40 broken files: each one line with the file's name, nothing else, status 2 or 4
$ cat >broken.py <<'END'
+ import gzip, os, sqlite3, struct, subprocess
+ ncu, cubin, fat = open("two.ncu-rep", "rb").read(), open(os.environ["DATA"] + "/elf/tiny_sm90a.cubin", "rb").read(), open(os.environ["DATA"] + "/elf/tiny_zstd.fatbin", "rb").read()
+ text, san, log = open("s.sass", "rb").read(), open("m.txt", "rb").read(), open("p.txt", "rb").read()
+ packed = open(os.environ["DATA"] + "/ncu/two.ncu-repz", "rb").read()
+ trace = open(os.environ["DATA"] + "/kineto/generated.json", "rb").read()
+ db = open("n.sqlite", "rb").read(); ids = b'"ID","Process ID","Process Name","Kernel Name","Context","Stream"'
+ def sql(*lines):
+     if os.path.exists("b.sqlite"): os.unlink("b.sqlite")
+     d = sqlite3.connect("b.sqlite"); d.executescript(";".join(lines)); d.commit(); d.close()
+     return open("b.sqlite", "rb").read()
+ K = "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL "
+ files = {
+     "nothing": b"", "one": b"x", "zeros": bytes(4096), "ones": b"\xff" * 4096, "html": b"<!DOCTYPE html><html>404</html>", "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "prose": b"hello, world\n",
+     "ncu_magic": ncu[:4], "ncu_header": ncu[:10], "ncu_block": ncu[:120], "ncu_version": ncu[:9] + b"\x09" + ncu[10:], "ncu_huge": ncu[:10] + b"\xff\xff\xff\x7f" + ncu[14:], "ncu_noise": ncu[:14] + b"\xff" * 400, "ncu_zstd_head": packed[:40], "ncu_zstd_half": packed[:len(packed) // 2],
+     "csv_key": ids.replace(b"Kernel Name", b"Kernel") + b',"a__b"\n', "csv_unit": ids + b',"gpu__time_duration.sum"\n"","","","","","","furlong"\n', "csv_number": ids + b',"gpu__time_duration.sum"\n"","","","","","","ns"\n"0","1","p","k","1","7","23,45"\n', "csv_cut": ids + b',"a__b"\n"","","","","","",""\n"0","1","p',
+     "nsys_header": db[:60], "nsys_page": db[:100] + bytes(200), "nsys_other": sql("CREATE TABLE t (a)"), "nsys_key": sql(K + "(begin, end, demangledName)"), "nsys_name": sql(K + "(start, end, label)"),
+     "trace_cut": b'{"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "ker', "trace_unit": b'{"displayTimeUnit": "s", "traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "ts": 1, "dur": 1}]}', "trace_ts": b'{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "dur": 1}]}', "trace_dur": b'{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "a", "ts": 1}]}', "trace_gzip_cut": gzip.compress(trace)[:30], "trace_gzip_noise": b"\x1f\x8b" + b"\x07" * 60, "trace_zip": b"PK\3\4" + bytes(60),
+     "elf_header": cubin[:20], "elf_half": cubin[:len(cubin) // 2], "elf_sections": cubin[:40] + b"\xff" * 8 + cubin[48:], "elf_32": cubin[:4] + b"\1" + cubin[5:], "elf_registers": cubin.replace(b".nv.info", b".nv.inf0"), "elf_text": cubin.replace(b".text.", b".txet."), "fatbin_cut": fat[:24],
+     "ptx_version": b".target sm_90\n.visible .entry k()\n{ ret; }\n", "ptx_entry": b".version 9.0\n.target sm_90\n.visible .kernel k()\n{ ret; }\n",
+     "sass_key": text.replace(b"Function :", b"Procedure :"), "log_unit": log.replace(b"16 bytes", b"16 KiB"), "log_registers": log.replace(b"10 registers", b"ten registers"), "san_unit": san.replace(b"4 bytes", b"4 furlongs"), "san_summary": san.replace(b"ERROR SUMMARY", b"FAULT SUMMARY"),
+ }
+ n = 0
+ for name, data in files.items():
+     open(name, "wb").write(data)
+     r = subprocess.run(["assay", "read", name], capture_output=True, text=True)
+     good = r.returncode in (2, 4) and r.stderr.count("\n") == 1 and r.stderr.startswith(f"assay: {name}: ") and not r.stdout
+     n += good
+     if not good: print(name, r.returncode, repr(r.stdout[:200]), repr(r.stderr))
+ print(n >= 40, n == len(files))
+ END
+ python3 -S broken.py
> True True
