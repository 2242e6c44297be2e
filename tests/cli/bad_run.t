# What can go wrong with a run of the loop before and around its versions: one line, the right status, nothing lost.
needs: assay optimize --help >/dev/null && command -v cc
timeout: 60
masks: NUM CWD INT UTC

## the bound is mandatory, within its range
$ printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n}\n' >scale_v0.c; cp scale_v0.c ref.c
+ cat >opt <<'E'
+ exec assay optimize "$@" --ref=ref.c --warmup=1 --repeat=3 --skip-warm --any-load -q
+ E
+ sh opt scale_v0.c --N=100
! assay: optimize: --max-iterations=N is missing and required: Optimisations after v0: versions are v0 to vN.
= 2
$ sh opt scale_v0.c --N=100 --max-iterations=-1
! assay: optimize: --max-iterations: -1 is out of range; it must be 0..1000
= 2

## no kernel, no run folder is made
$ sh opt nothing.c --N=100 --max-iterations=1 --run-dir=run; ls -d run
> ...
! assay: nothing.c: cannot be opened: No such file or directory
! ls: cannot access 'run': No such file or directory
= 2

## run folders that cannot be
$ : >file; sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=file/run
! assay: <CWD>/file/run: cannot be made: Not a directory
= 4
$ sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=file
! assay: <CWD>/file: exists and is no folder
= 4

## a folder in which nobody may write
? test "$(id -u)" != 0 || unshare -m mount -t tmpfs -o ro none /mnt
$ mkdir ro; if [ "$(id -u)" = 0 ]; then unshare -m sh -c 'mount -t tmpfs -o ro none ro && sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=ro/run'
+ else chmod 500 ro; sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=ro/run; fi 2>&1 | sed 's/made: .*/made: WHY/'
> assay: <CWD>/ro/run: cannot be made: WHY

## the same folder again: what it is frozen to, what it has, how far it goes
$ sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=run | grep '^v0'; cksum <run/iter_v0/benchmark_result.json >before
> v0 passed, median <NUM> ms: positive baseline_seed
$ sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=run
> run folder: <CWD>/run
! assay: <CWD>/run/iter_v0/optimization_proposal.md: is still the template; the next version is looked at once it says what changes and has tags
= 2
$ sh opt scale_v0.c --N=200 --max-iterations=1 --run-dir=run
> run folder: <CWD>/run
! assay: <CWD>/run: dims was frozen by v0 as {"N":100} and is now {"N":200}; another run folder takes it anew
= 2
$ sh opt scale_v0.c --N=100 --seed=5 --max-iterations=1 --run-dir=run
> run folder: <CWD>/run
! assay: <CWD>/run: seed was frozen by v0 as 42 and is now 5; another run folder takes it anew
= 2
$ sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=run --iteration=0
> run folder: <CWD>/run
! assay: <CWD>/run/iter_v0 exists: version 0 was evaluated; --redo keeps the old folder and does it again
= 2
$ sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=run --iteration=2
> run folder: <CWD>/run
! assay: version 2 is beyond --max-iterations=1 (v0 to v1)
= 2
$ cksum <run/iter_v0/benchmark_result.json | cmp - before
$ sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=run --iteration=0 --redo | grep '^v0'; cksum <run/iter_v0.1/benchmark_result.json | cmp - before
> v0 passed, median <NUM> ms: positive baseline_seed

## a broken manifest is told with its place
$ cp -r run broken; head -c 200 run/run_manifest.json >broken/run_manifest.json; sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=broken 2>&1 | sed 's/: line.*/: line .../'
> assay: <CWD>/broken/run_manifest.json: line ...

## two in the same folder; the lease
$ printf '#include <unistd.h>\nvoid solve(const float *x, float *y, int N)\n{\n\tpause();\n}\n' >sleeper_v0.c
+ sh opt sleeper_v0.c --N=100 --max-iterations=1 --run-dir=busy >first.out 2>&1 & first=$!
+ while [ ! -e busy/iter_v0/sleeper_v0.c ]; do sleep 0.05; done
+ sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=busy; echo $?
+ for i in $(seq 50); do # until the first has it
+ sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=other$i --wait=0.2 >out 2>&1; grep 'lease cpu' out && break; sleep 0.1; done
+ kill -TERM $first; wait $first; echo $?; tail -1 first.out
> 3
> assay: lease cpu is taken by pid <INT> (assay optimize sleeper_v0.c --N=100 --max-iterations=1 --run-dir=busy --ref=ref.c --warmup=1 --repeat=3 --skip-warm --any-load -q: bench sleeper_v0.c) of uid <INT> since <UTC>; try again when it ends
> 130
> assay: interrupted at v0; the same command with --run-dir=<CWD>/busy goes on from here
! assay: <CWD>/busy: another process with pid <INT> works in this run folder; wait for it or use another --run-dir

## what was interrupted goes on by the same command
$ cp scale_v0.c sleeper_v0.c; sh opt sleeper_v0.c --N=100 --max-iterations=1 --run-dir=busy | sed -n '2,3p'; ls -d busy/iter_v0*
> an attempt that was cut short is kept as iter_v*.partial-*; its version is evaluated again
> v0 passed, median <NUM> ms: positive baseline_seed
> busy/iter_v0
> busy/iter_v0.partial-1

## a full disk while it runs: told, and the same command goes on where there is room
? test "$(id -u)" = 0 && unshare -m mount -t tmpfs none /mnt
$ mkdir full; unshare -m sh -c 'mount -t tmpfs -o size=500k none full && {
+   head -c 420k /dev/zero >full/ballast
+   sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=full/run 2>err >out; echo $?; sed "s/iter_v0.*: cannot/iter_v0 ...: cannot/" err
+   rm full/ballast
+   sh opt scale_v0.c --N=100 --max-iterations=1 --run-dir=full/run 2>err >out; echo $?; grep "^v0" out; }'
> 4
> assay: <CWD>/full/run/iter_v0 ...: cannot be written: No space left on device
> 0
> v0 passed, median <NUM> ms: positive baseline_seed
