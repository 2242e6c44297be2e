# Files that a user names for a result: what is no regular file there stays what it is.
needs: command -v cc && command -v python3
timeout: 120
masks: CWD

## a pipe, a folder, a link to nothing, what stdout is: refused before anything is measured
$ cp $ROOT/tests/data/loop/loop_v0.c $ROOT/tests/data/loop/loop_ref.c $ROOT/tests/data/loop/loop.op.json .; mkfifo pipe; mkdir folder; ln -s nowhere dangling
+ for f in pipe folder dangling none/x; do assay bench loop_v0.c --json-out=$f; assay compare loop_v0.c loop_v0.c --json-out=$f; done; ln -s /proc/self/fd/1 stdout; assay bench loop_v0.c --json-out=stdout >out; assay compare loop_v0.c loop_v0.c --json-out=$PWD/out2 >out2; cat out out2; stat -c '%n %F' pipe folder dangling stdout
! assay: pipe: is a pipe, a file is wanted (--json prints to stdout)
! assay: pipe: is a pipe, a file is wanted (--json prints to stdout)
! assay: folder: is a folder, a file is wanted (--json prints to stdout)
! assay: folder: is a folder, a file is wanted (--json prints to stdout)
! assay: dangling: is a link, and what it leads to cannot be written: No such file or directory
! assay: dangling: is a link, and what it leads to cannot be written: No such file or directory
! assay: none/x: its folder cannot be written: No such file or directory
! assay: none/x: its folder cannot be written: No such file or directory
! assay: stdout: is where the text goes; name another file, or take --json
! assay: <CWD>/out2: is where the text goes; name another file, or take --json
> pipe fifo
> folder directory
> dangling symbolic link
> stdout symbolic link

## the device that swallows everything stays a device, for every verb that writes a named file
$ if mknod null c 1 3 2>/dev/null; then what='character special file'; else mkfifo null; what=fifo; fi; T=$ROOT/tests/data/kineto/generated.json; export XDG_DATA_HOME=$PWD/data
+ for c in "bench loop_v0.c --json-out null" "compare loop_v0.c loop_v0.c --json-out null" "memory export null" "read $T --perfetto null" "trace slim $T --out null" "driver new c -o null" "report record -o null"; do assay $c >said 2>&1; echo ${c%% *} $?; done; [ "$(stat -c %F null)" = "$what" ] && echo kept; ls | grep tmp; true
> bench 2
> compare 2
> memory 2
> read 2
> trace 2
> driver 2
> report 2
> kept

## a link to a file: the file gets the result and keeps its mode, the link stays; no link is followed inside a border
$ K='loop_v0.c --repeat=3 --skip-warm --wait=100 --warmup=1 -q'; echo old >real; chmod 600 real; ln -s real link; assay bench $K --json-out=link >out; stat -c '%n %F %a' link real; head -c 1 real; echo; ASSAY_BORDER=$PWD assay bench $K --json-out=link
! assay: link: is a link; a file of the workspace is wanted
> link symbolic link 777
> real regular file 600
> {
= 2

## assay config: a file that is a link into somebody's collection of settings stays one, and its mode too
$ mkdir -p dot cfg/assay; echo 'noise = 3' >dot/assay; chmod 600 dot/assay; ln -s ../../dot/assay cfg/assay/config; XDG_CONFIG_HOME=$PWD/cfg assay config set warmup 2; cat dot/assay; stat -c '%F %a' dot/assay cfg/assay/config
> warmup = 2 in <CWD>/cfg/assay/config
> noise = 3
> warmup = 2
> regular file 600
> symbolic link 777
