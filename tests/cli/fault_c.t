# What a candidate can do wrong on the CPU: one word of the verdict table each, exit status 1, the next run not disturbed.
needs: assay bench --help >/dev/null
masks: NUM CWD

## the kernels: each does its work and then something more
$ kernel() { { printf '#include <signal.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n'
+ printf 'void solve(const float *x, float *y, int N)\n{\n\tfor (int i = 0; i < N; i++)\n\t\ty[i] = 2 * x[i];\n\t%s\n}\n' "$2"; } >$1.c; }
+ kernel right ''
+ kernel segv '*(volatile int *)8 = 1;'
+ kernel fpe 'volatile int z = 0; y[0] = (float)(N / z);'
+ kernel ill '__builtin_trap();'
+ kernel abort 'abort();'
+ kernel killed 'kill(getpid(), SIGKILL);'
+ kernel exit0 'exit(0);'
+ kernel exit3 '_exit(3);'
+ kernel hang 'for (;;) pause();'
+ kernel wrong 'y[N / 2] += 1;'
+ kernel nan 'y[3] = 0.0f / 0.0f * y[3];'
+ kernel unwritten 'memset(y + N - 5, 0xff, 20);'
+ kernel guard 'y[N + 3] = 1;'
+ kernel before 'y[-1] = 1;'
+ kernel input '((float *)x)[5] = 7;'
+ kernel later 'static int n; if (n++ > 6) y[0] = 9;'
+ kernel garbage 'for (int fd = 3; fd < 64; fd++) (void)!write(fd, "garbage garbage garbage", 23);'
+ kernel closer 'for (int fd = 3; fd < 64; fd++) close(fd);'
+ kernel fork 'if (fork() == 0) for (;;) pause();'
+ kernel parent 'kill(getppid(), SIGKILL);'
+ kernel constructor '} __attribute__((constructor)) static void at_load(void) { abort();'
+ kernel missing 'extern void not_there(void); not_there();'
+ printf 'int solve(const float *x, float *y, int N)\n{\n\ty[0] = x[0];\n\treturn N - 100;\n}\n' >code.c
+ cat >run <<'E'
+ # verdict, text and exit status of each kernel
+ for k in "$@"; do
+ 	assay bench $k.c --ref right.c --N=1000 --repeat=5 --warmup=1 --skip-warm -q --timeout=20 $options >$k.out 2>$k.err; status=$?
+ 	cat $k.err; grep -v '^note\|^command\|^record' $k.out | sed -n 2,3p; echo "= $status"
+ done
+ E
+ sh run right | sed 's/; max.*//; 2d'
> correct    passed: 1 case(s) on 2 data sets
> = 0

## crashes
$ sh run segv fpe ill abort killed
> crash_segv: invalid memory access
>            invalid memory access (SIGSEGV)
> = 1
> crash_fpe: arithmetic trap
>            arithmetic trap (SIGFPE)
> = 1
> crash_ill: illegal instruction
>            illegal instruction (SIGILL)
> = 1
> abort: called abort
>            called abort (SIGABRT)
> = 1
> killed: ended by a signal from outside
>            ended by a signal from outside (SIGKILL)
> = 1

## exits
$ sh run exit0 exit3 | sed 's/(exit .*/(exit N)/' # a sanitizer ends with a status of its own
> exited_early: exited before it answered
>            exited before it answered (exit N)
> = 1
> exited_early: exited before it answered
>            exited before it answered (exit N)
> = 1

## a hang ends at its deadline
$ options=--timeout=0.5 sh run hang
> hang: still busy at its deadline
>            still busy at its deadline (SIGKILL)
> = 1

## wrong, not finite, unwritten: where first, how many
$ sh run wrong nan unwritten
> wrong_result: the output differs from the reference beyond tolerance
>            1 of 1000 elements of 'y', first at [500]: <NUM>, expected <NUM> (case 'command_line', data set 0, correctness)
> = 1
> not_finite: NaN or infinity where the reference is finite
>            NaN or infinity among: 1 of 1000 elements of 'y', first at [3]: nan, expected <NUM> (case 'command_line', data set 0, correctness)
> = 1
> output_unwritten: output elements were never written
>            never written: 5 of 1000 elements of 'y', the last 5 elements, first at [995]: nan, expected <NUM> (case 'command_line', data set 0, correctness)
> = 1

## memory that is not the kernel's: behind, before, an input
$ sh run guard before input
> guard_damaged: memory outside the tensors was written
>            4 bytes outside the tensors were written, first 12 bytes behind the end of 'y' (case 'command_line', data set 0, correctness)
> = 1
> guard_damaged: memory outside the tensors was written
>            4 bytes outside the tensors were written, first 4 bytes before 'y' (case 'command_line', data set 0, correctness)
> = 1
> input_modified: an input was changed
>            input 'x' was changed (case 'command_line', data set 0, correctness)
> = 1

## right while it is checked, wrong when it is timed
$ sh run later
> wrong_result: the output differs from the reference beyond tolerance
>            1 of 1000 elements of 'y', first at [0]: 9, expected <NUM> (case 'command_line', data set 0, the same data again)
> = 1

## an error code of the entry
$ sh run code
> entry_failed: the entry returned an error code
>            the entry returned 900
> = 1

## garbage on the link, a closed link
$ sh run garbage closer
> protocol_error: sent a message that is not allowed there
>            sent a message that is not allowed here (SIGKILL)
> = 1
> exited_early: exited before it answered
>            exited before it answered (exit 4); its last words: assay worker: message rows cannot be sent to the parent: Bad file descriptor
> = 1

## an object that aborts while it is loaded, one that cannot be loaded
$ sh run constructor missing | sed 's/undefined symbol.*/undefined symbol/; s, /.*/kernel.so, KERNEL,'
> abort: called abort
>            called abort (SIGABRT)
> = 1
> load_failed: the built object or module cannot be loaded
>            KERNEL: undefined symbol
> = 1

## inside the sandbox it can neither fork nor reach its parent
$ sh run fork parent | sed '/^correct/s/; max.*//; /^cache/d'
> correct    passed: 1 case(s) on 2 data sets
> = 0
> correct    passed: 1 case(s) on 2 data sets
> = 0

## does not build: the compiler's first message with its line
$ printf 'void solve(const float *x, float *y, int N)\n{\n\ty[0] = z;\n}\n' >nobuild.c; sh run nobuild
> build_failed: does not build
>            nobuild.c:3:16: error: ‘z’ undeclared (first use in this function)
> = 1

## references that fail: a crash, one that does not build, one without the entry, one that is not finite
$ assay bench right.c --ref segv.c --N=100 -q | sed -n '/^reference_/,+1p'
> reference_failed: the reference could not be run
>            the reference failed: crash_segv: invalid memory access (SIGSEGV)
$ assay bench right.c --ref nobuild.c --N=100 -q | sed -n '/^reference_/,+1p'
> reference_failed: the reference could not be run
>            the reference does not build: <CWD>/nobuild.c:3:16: error: ‘z’ undeclared (first use in this function)
$ echo 'int other(int a) { return a; }' >other.c
+ assay bench right.c --ref other.c --N=100 -q | sed -n '/^reference_/,+1p'; assay bench right.c --ref nan.c --N=100 -q | sed -n '/^reference_/,+1p'
> reference_failed: the reference could not be run
>            the reference does not build: <CWD>/other.c: no exported function solve; there are: other
> reference_not_finite: the reference itself is not finite: the case is invalid
>            the reference's own output 'y' is not finite at element 3 of case 'command_line', data set 0: the case is invalid

## the store has each of them with its verdict, and says who saw it
$ assay bench segv.c --ref right.c --N=1000 -q --json >out; echo $?
+ python3 -c 'import json; v = json.load(open("out"))["verdict"]; print(v["word"], v["stage"], v["witness"], v["mode"])'
+ assay bench wrong.c --ref right.c --N=1000 -q --json >out; echo $?
+ python3 -c 'import json; v = json.load(open("out"))["verdict"]; print(v["word"], v["stage"], v["witness"], v["mode"])'
+ assay bench code.c --ref right.c --N=1000 -q --json >out; echo $?
+ python3 -c 'import json; v = json.load(open("out"))["verdict"]; print(v["word"], v["stage"], v["witness"], v["mode"])'
> 1
> crash_segv run parent time
> 1
> wrong_result correctness keeper None
> 1
> entry_failed run claim time
