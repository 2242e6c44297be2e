# What a user can get wrong before anything runs: one line, the right exit status, nothing left behind.
needs: assay bench --help >/dev/null
masks: NUM INT UTC CWD

## a file that is not there
$ assay bench nothing.c --N=10
! assay: nothing.c: cannot be opened: No such file or directory
= 2

## a folder in its place
$ mkdir folder.c; assay bench folder.c --N=10
! assay: folder.c: is a folder, a file is wanted
= 2

## an empty file, a file of noise
$ : >empty.c; assay bench empty.c --N=10
! assay: empty.c: no entry; define void solve(const float *in, float *out, int n) or the like in it
= 2
$ printf '\1\2\0\377"x\n' >noise.c; assay bench noise.c --N=10
! assay: noise.c:1: a NUL byte: this is no source file
= 2

## no entry among several functions
$ cat >noentry.c <<'E'
+ int first(int a) { return a; }
+ int second(int a) { return a; }
+ E
+ assay bench noentry.c --N=10
! assay: noentry.c: no solve, solution or run_kernel, and several other functions: first (line 1), second (line 2); name one with --entry or as "entry" in the operator file
= 2

## an entry that is named and not there
$ cat >scale.c <<'E'
+ void solve(const float *x, float *y, int N)
+ {
+ 	for (int i = 0; i < N; i++)
+ 		y[i] = 2 * x[i];
+ }
+ E
+ assay bench scale.c --entry=run --N=10
! assay: scale.c: no function 'run', which is named as the entry
= 2

## a parameter that cannot be passed: which one, which line
$ cat >unparsable.c <<'E'
+ void solve(const float *x,
+            float *y, struct foo n)
+ {}
+ E
+ assay bench unparsable.c --N=10
! assay: unparsable.c:2: parameter 3 'n': 'struct foo': pass plain numbers and pointers to them
= 2

## a dimension that is missing, zero, negative, no number, too large: which one
$ assay bench scale.c
! assay: scale.c:1: dimension 'N' has no value; give --N=VALUE
= 2
$ assay bench scale.c --N=0
! assay: --N=0: a dimension must be 1 or more
= 2
$ assay bench scale.c --N=-5
! assay: --N=-5: a dimension must be 1 or more
= 2
$ assay bench scale.c --N=abc
! assay: bench: dim N: 'abc' is not a whole number (of 64 bits) like 4096
= 2
$ assay bench scale.c --N=
! assay: bench: dim N: '' is not a whole number (of 64 bits) like 4096
= 2
$ assay bench scale.c --N=99999999999999999999
! assay: bench: dim N: '99999999999999999999' is not a whole number (of 64 bits) like 4096
= 2
$ assay bench scale.c --N=3000000000
! assay: scale.c:1: parameter 'N' is 3000000000, which int32 cannot hold
= 2
$ assay bench scale.c --N=10 --K=5
! assay: --K=5: 'solve' in scale.c:1 has no size of that name; it has: N
= 2

## sizes whose bytes overflow or that no machine holds
$ sed 's/int N)/long long N)/; s/int i/long long i/' scale.c >wide.c
+ assay bench wide.c --N=4611686018427387904
! assay: wide.c:1: parameter 'x': 4611686018427387904 elements of float32 are more than the limit of 2^40 bytes a tensor
= 2
$ assay bench wide.c --N=270000000000 -q
! assay: case 'command_line' needs <NUM> GB: its tensors take 2160.0 GB and 6 copies of them are held; <NUM> GB of memory are free
= 3

## options
$ assay bench
! assay: bench: needs FILE; 0 of at least 1 given (see assay bench --help)
= 2
$ assay bench scale.c scale.c --N=10
! assay: bench: 'scale.c' is one argument too many; it takes FILE
= 2
$ assay bench scale.c --N=10 --atol=x
! assay: bench: --atol: 'x' is not a number
= 2
$ assay bench scale.c --N=10 --repeat=-1
! assay: bench: --repeat: -1 is out of range; it must be 0..1000000
= 2
$ assay bench scale.c --N=10 --backend=triton
! assay: scale.c: backend triton takes a .py file
= 2

## operator files
$ assay bench scale.c --N=10 --op-file=nothing.json
! assay: nothing.json: cannot be opened: No such file or directory
= 2
$ echo '{"params": ' >cut.json; assay bench scale.c --N=10 --op-file=cut.json
! assay: cut.json: line 2 column 1: the text ends where a value was expected
= 2
$ echo '{"params": []}' >format.json; assay bench scale.c --N=10 --op-file=format.json
! assay: format.json: "format" must be "assay/operator-v1"
= 2

## references that are not there
$ assay bench scale.c --N=10 --ref=nothing.py
! assay: nothing.py: cannot be opened: No such file or directory
= 2
$ assay bench scale.c --N=10 --ref=scale.txt
! assay: scale.txt: a reference is a .py, .c, .cpp or .cu file
= 2

## no compiler
$ CC=/nonexistent/cc assay bench scale.c --N=10 -q
! assay: CC='/nonexistent/cc' is no executable file: a path or a name without arguments is wanted
= 3
$ PATH=/nonexistent $ASSAY bench scale.c --N=10 -q
! assay: no C compiler was found: install gcc or set CC
= 3

## no interpreter for a .py reference
$ echo 'def reference(x, y, N): y[:] = x' >any_ref.py
+ assay bench scale.c --N=10 -q --ref=any_ref.py --python=/nonexistent/python
! assay: /nonexistent/python was not found: a .py needs it; --python names an interpreter
= 3

## a store, a lease folder, a result that cannot be written
$ : >file; assay bench scale.c --N=10 -q --repeat=3 --warmup=0 --store=file/x
! assay: <CWD>/file/x: cannot be made: Not a directory
= 4
$ ASSAY_LEASE_DIR=file/x assay bench scale.c --N=10 -q
! assay: file/x: cannot be made: Not a directory
= 4
$ assay bench scale.c --N=10 -q --repeat=3 --warmup=0 --json-out=file/x
! assay: file/x: its folder cannot be written: Not a directory
= 2

## a full disk: earlier records stay whole, no half object is left
? test "$(id -u)" = 0 && unshare -m mount -t tmpfs none /mnt
$ mkdir full; unshare -m sh -c 'mount -t tmpfs -o size=300k none full && {
+   assay bench scale.c --N=10 -q --repeat=3 --warmup=0 --store=full/s >first 2>&1; echo $?
+   head -c 1m /dev/zero >full/ballast 2>/dev/null
+   assay bench scale.c --N=10 -q --repeat=3 --warmup=0 --store=full/s; echo $?
+   rm full/ballast; find full/s -name "*.tmp*" -o -name ".*" -type f | wc -l
+   assay bench scale.c --N=10 -q --repeat=3 --warmup=0 --store=full/s >third 2>&1; echo $?; }'
> 0
> 4
> 0
> 0
! assay: <CWD>/full/s/objects: cannot be written: No space left on device

## a lease that is taken: who has it, since when; waiting for it works; a signal ends its holder cleanly
$ cat >sleeper.c <<'E'
+ #include <unistd.h>
+ void solve(const float *x, float *y, int N) { pause(); }
+ E
+ assay bench sleeper.c --N=10 -q --wait=30 >holder 2>&1 & holder=$!
+ for i in $(seq 200); do
+ assay bench scale.c --N=10 -q --repeat=3 --warmup=0 >out 2>err; status=$?; [ $status = 0 ] || break; sleep 0.05; done
+ cat err; echo $status
+ assay bench scale.c --N=10 -q --repeat=3 --warmup=0 --wait=0.2 2>/dev/null; echo $?
+ kill -TERM $holder; wait $holder; echo holder $?; sed 's/the .* worked/the process worked/' holder
+ assay bench scale.c --N=10 -q --repeat=3 --warmup=0 --wait=10 >out 2>&1; echo $?
> assay: lease cpu is taken by pid <INT> (assay bench sleeper.c --N=10 -q --wait=30: bench sleeper.c) of uid <INT> since <UTC>; try again when it ends
> 3
> 3
> holder 130
> assay: interrupted while the process worked
> 0

