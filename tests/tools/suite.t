# tools/test.py counts what happened, not what a program says about itself.
masks: NUM NAME

## a small tree with programs that pass, fail, crash, skip, stop early and run nothing
$ mkdir -p tools tests/unit tests/cli build/release/tests
+ cp $ROOT/tools/test.py $ROOT/tools/cli.py tools/
+ printf '#!/bin/sh\necho hello\n' > build/release/assay; chmod +x build/release/assay
+ program() { touch tests/unit/$1.c; (echo '#!/bin/sh'; cat) > build/release/tests/$1; chmod +x build/release/tests/$1; }
+ program test_good <<'END'
+ echo '[==========] Running 2 test(s).'; echo '[ RUN      ] a'; echo '[       OK ] a'
+ echo '[ RUN      ] b'; echo '[  SKIPPED ] b'
+ echo '[  SKIPPED ] 1 test(s), listed below:'; echo '[  SKIPPED ] b'
+ END
+ program test_bad <<'END'
+ echo '[==========] Running 2 test(s).'; echo '[ RUN      ] a'; echo '[       OK ] a'
+ echo '[ RUN      ] b'; echo '[  FAILED  ] b'; echo '[  FAILED  ] 1 test(s), listed below:'; echo '[  FAILED  ] b'; exit 1
+ END
+ program test_crash <<'END'
+ echo '[==========] Running 3 test(s).'; echo '[ RUN      ] a'; echo '[       OK ] a'; echo '[ RUN      ] b'; kill -SEGV $$
+ END
+ program test_early <<'END'
+ echo '[==========] Running 2 test(s).'; echo '[ RUN      ] a'; echo '[       OK ] a'; exit 0
+ END
+ program test_none <<'END'
+ exit 0
+ END
+ program test_liar <<'END'
+ echo '[==========] Running 1 test(s).'; echo '[ RUN      ] a'; echo '[       OK ] a'; exit 1
+ END
+ printf '## says hello\n$ assay\n> hello\n## says bye\n$ assay\n> bye\n' > tests/cli/hello.t
+ : > tests/cli/empty.t

## each is counted, the last line is the sum, failures are shown in full
$ BUILD=release tools/test.py > out; echo $?; grep -E '^(ok|FAILED|skipped)' out | sed 's/, [0-9.]* s)/)/' | sort; tail -1 out
> 1
> FAILED  cli/empty.t (0 passed, 1 failed, 0 skipped)
> FAILED  cli/hello.t (1 passed, 1 failed, 0 skipped)
> FAILED  test_bad (1 passed, 1 failed, 0 skipped)
> FAILED  test_crash (1 passed, 2 failed, 0 skipped)
> FAILED  test_early (1 passed, 1 failed, 0 skipped)
> FAILED  test_liar (1 passed, 1 failed, 0 skipped)
> FAILED  test_none (0 passed, 1 failed, 0 skipped)
> ok      test_good (1 passed, 0 failed, 1 skipped)
> skipped: test_good: b
> 6 passed, 8 failed, 1 skipped
$ sed -n '/===== test_crash/,/===== test_early/p' out | head -2
> ===== test_crash
> ended by SIGSEGV
$ sed -n '/===== cli.hello/,/===== test_bad/p' out
> ===== cli/hello.t
> tests/cli/hello.t:5: says bye
>   $ assay
>     --- stdout expected
>     +++ stdout actual
>     @@ -1 +1 @@
>     -bye
>     +hello
> 
> ===== test_bad

## words choose, and a clean run ends with 0
$ BUILD=release tools/test.py good > out; echo $?; tail -1 out
> 0
> 1 passed, 0 failed, 1 skipped
$ BUILD=debug tools/test.py 2>&1 | sed "s|$PWD|.|"
> ./build/debug/assay is not built: run make test

## what only skips or matches nothing does not pass
$ BUILD=release tools/test.py nosuch; echo $?
> 
> 0 passed, 0 failed
> 1

## the time is shown, not judged
$ BUILD=release tools/test.py good | head -1
> ok      test_good (1 passed, 0 failed, 1 skipped, <NUM> s)

## --times: what costs most stands first, with its dearest case, and is begun first the next time
$ printf '## quick\n$ true\n## burns\n$ i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done\n' >tests/cli/burns.t
$ BUILD=release tools/test.py --times --jobs 1 good burns early | grep -A4 'CPU s'
>   CPU s  wall s  test
>     <NUM>     <NUM>  cli/burns.t  (<NUM> s: burns)
>     0.0     0.0  test_<NAME>
>     0.0     0.0  test_<NAME>
>     <NUM>     <NUM>  together
$ printf '{"test_good": 2.5, "test_early": "much", "cli/burns.t": 1}' >build/release/test-times.json; BUILD=release tools/test.py --jobs 1 good burns | grep -o '^ok *[^ ]*'
> ok      cli/burns.t
> ok      test_good
$ printf '{"test_good": 2.5, "cli/burns.t": 1}' >build/release/test-times.json; BUILD=release tools/test.py --jobs 1 good burns | grep -o '^ok *[^ ]*'
> ok      test_good
> ok      cli/burns.t

## a child that left its group and keeps the output open does not hold up the suite, and ends with its test
$ cat > build/release/tests/test_good <<'END'
+ #!/bin/sh
+ setsid sleep 1000 &
+ echo $! > build/left
+ echo '[==========] Running 1 test(s).'; echo '[ RUN      ] a'; echo '[       OK ] a'
+ END
$ BUILD=release tools/test.py good; cat /proc/$(cat build/left)/cmdline 2>/dev/null | wc -c
> ok      test_good (1 passed, 0 failed, 0 skipped, <NUM> s)
> 
> 1 passed, 0 failed
> 0
