#!/usr/bin/env python3
"""Runs the test-suite: unit tests (cmocka), command-line tests (.t) and fault tests, on all cores: a quarter more at a time than there are.

usage: tools/test.py [--list] [--times] [--jobs N] [WORD...]   BUILD=release|debug|asan|tsan|cov in the environment
With words, only the tests whose name holds one of them. Failures are printed in full at the end; the last line is
"N passed, N failed" (", N skipped"), counting single cmocka tests and single cases of .t files. Exit 1 on a failure.
--times: what each file cost, and its dearest case. What costs most is begun first: as the last run found it, which
build/BUILD/test-times.json remembers.
"""
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
BUILD = os.environ.get("BUILD", "release")
OUT = os.path.join(ROOT, "build", BUILD)
TIMES = os.path.join(OUT, "test-times.json")
SLOW = {"asan": 3, "tsan": 5, "debug": 2, "cov": 2}.get(BUILD, 1)
UNIT_TIMEOUT_S = 60 * SLOW
FILE_TIMEOUT_S = 300 * SLOW

sys.path.insert(0, os.path.join(ROOT, "tools"))
import cli  # noqa: E402


class Result:
    def __init__(self, name):
        self.name, self.passed, self.failed, self.skipped, self.seconds = name, 0, 0, 0, 0.0
        self.cpu_s = 0.0  # of the processes that the test waited for
        self.dearest = ""  # the case of a .t file that cost most
        self.text = ""  # printed at the end when something failed
        self.reasons = []  # of skipped cases


def run_bounded(argv, tmp, timeout_s):
    """(exit status or None on timeout, stdout, stderr, CPU seconds). Output goes to files, which a child that was left behind may keep
    open; whatever is left ends with the test."""
    env = cli.private_env(tmp, OUT)
    with open(os.path.join(tmp, "out"), "wb+") as out, open(os.path.join(tmp, "err"), "wb+") as err:
        p = subprocess.Popen(argv, env=env, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                             start_new_session=True)
        status, cpu_s = cli.wait_for(p, timeout_s)
        cli.end_leftovers(tmp)
        texts = []
        for f in (out, err):
            f.seek(0)
            texts.append(f.read().decode(errors="replace"))
    return status, texts[0], texts[1], cpu_s


def how_it_ended(rc, timeout_s):
    if rc is None:
        return f"ended at the limit of {timeout_s} s"
    return f"ended by {signal.Signals(-rc).name}" if rc < 0 else f"exit status {rc}"


def run_unit(path):
    """One cmocka program. Its own counts are not trusted: a test counts as passed only by its OK line."""
    r = Result(os.path.basename(path))
    started = time.monotonic()
    with cli.private_folder("assay-test.") as tmp:
        rc, out, err, r.cpu_s = run_bounded([path], os.path.realpath(tmp), UNIT_TIMEOUT_S)
    r.seconds = time.monotonic() - started
    both = out + "\n" + err
    declared = sum(int(n) for n in re.findall(r"^\[=+\].*Running (\d+) test", both, re.M))
    ran = re.findall(r"^\[ RUN +\] (\S+)", both, re.M)
    skipped = [n for n in dict.fromkeys(re.findall(r"^\[ +SKIPPED +\] (\S+)$", both, re.M)) if n in ran]
    r.passed = len(re.findall(r"^\[ +OK +\] ", both, re.M))
    r.skipped = len(skipped)
    r.failed = max(declared, len(ran)) - r.passed - r.skipped
    r.reasons = [f"{r.name}: {n}" for n in skipped]
    if declared == 0:
        r.failed = max(r.failed, 1)
        r.text = "ran no test\n"
    if rc != 0:
        r.failed = max(r.failed, 1)
    if r.failed:
        r.text += f"{how_it_ended(rc, UNIT_TIMEOUT_S)}\n{out}{err}"
    return r


def run_cases(path):
    """One .t file (docs/TESTING.md)."""
    r = Result(os.path.relpath(path, os.path.join(ROOT, "tests")))
    started = time.monotonic()
    cases = cli.run_file(path, ROOT, OUT, FILE_TIMEOUT_S)
    for case in cases:
        if case.skipped:
            r.skipped += 1
            r.reasons.append(f"{r.name}: {case.title}: {case.skipped}")
        elif case.failure:
            r.failed += 1
            r.text += case.failure
        else:
            r.passed += 1
    if r.passed + r.failed + r.skipped == 0:
        r.failed, r.text = 1, "holds no case\n"
    else:
        dearest = max(cases, key=lambda case: case.cpu_s)
        r.cpu_s = sum(case.cpu_s for case in cases)
        r.dearest = f"{dearest.cpu_s:.1f} s: {dearest.title}" if len(cases) > 1 and dearest.cpu_s >= 0.1 else ""
    r.seconds = time.monotonic() - started
    return r


def discover(words):
    units, jobs = [], []
    for folder in ("unit", "fault"):
        top = os.path.join(ROOT, "tests", folder)
        for name in sorted(os.listdir(top)) if os.path.isdir(top) else []:
            if name.startswith("test_") and name.endswith(".c"):
                units.append((name[:-2], run_unit, os.path.join(OUT, "tests", name[:-2])))
    for folder, dirs, names in sorted(os.walk(os.path.join(ROOT, "tests"))):
        dirs[:] = [d for d in dirs if d != "data"]
        for name in sorted(names):
            if name.endswith(".t"):
                path = os.path.join(folder, name)
                jobs.append((os.path.relpath(path, os.path.join(ROOT, "tests")), run_cases, path))
    return [j for j in jobs + units if not words or any(w in j[0] for w in words)]


def remembered():
    """{name: CPU seconds} of the last run of each test on this build."""
    try:
        with open(TIMES, encoding="utf-8") as f:
            return {str(k): float(v) for k, v in json.load(f).items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}


def remember(results):
    times = remembered()
    times.update((r.name, round(r.cpu_s, 2)) for r in results)
    try:
        with open(f"{TIMES}.{os.getpid()}", "w", encoding="utf-8") as f:
            json.dump(times, f, indent=1, sort_keys=True)
        os.replace(f.name, TIMES)
    except OSError:  # a build that may only be read
        pass


def dearest_first(jobs):
    """A test that is not remembered: a .t file before the units, which take less."""
    times = remembered()
    return sorted(jobs, key=lambda j: -times.get(j[0], 60.0 if j[1] is run_cases else 0.0))


def print_times(results, wall_s):
    print("\n  CPU s  wall s  test")
    for r in sorted(results, key=lambda r: -r.cpu_s):
        print(f"{r.cpu_s:7.1f} {r.seconds:7.1f}  {r.name}" + (f"  ({r.dearest})" if r.dearest else ""))
    print(f"{sum(r.cpu_s for r in results):7.1f} {wall_s:7.1f}  together")


def guarded(job):
    name, body, path = job
    try:
        return body(path)
    except Exception as error:  # a broken test file is a failure, not the end of the run
        r = Result(name)
        r.failed, r.text = 1, f"{type(error).__name__}: {error}\n"
        return r


def main():
    args = sys.argv[1:]
    n_cpus = os.cpu_count() or 1
    n_jobs = n_cpus + max(1, n_cpus // 4)  # a bench stands still for a third of its time, to see whether others are at work
    if "--jobs" in args:
        i = args.index("--jobs")
        n_jobs = int(args[i + 1])
        del args[i : i + 2]
    only_list, started = "--list" in args, time.monotonic()
    jobs = discover([a for a in args if not a.startswith("--")])
    if only_list:
        print("\n".join(j[0] for j in jobs))
        return 0
    if not shutil.which("sh") or not os.path.exists(os.path.join(OUT, "assay")):
        print(f"{OUT}/assay is not built: run make test", file=sys.stderr)
        return 2
    results = []
    with cli.private_folder("assay-nvcc.") as built, concurrent.futures.ThreadPoolExecutor(n_jobs) as pool:
        os.environ["FAKE_NVCC_CACHE"] = os.path.realpath(built)  # the tests of one run share what the fake nvcc makes of a kernel
        for f in concurrent.futures.as_completed([pool.submit(guarded, j) for j in dearest_first(jobs)]):
            r = f.result()
            results.append(r)
            word = "FAILED" if r.failed else "skipped" if not r.passed and r.skipped else "ok"
            print(f"{word:7} {r.name} ({r.passed} passed, {r.failed} failed, {r.skipped} skipped, {r.seconds:.1f} s)",
                  flush=True)
    remember(results)
    results.sort(key=lambda r: r.name)
    if "--times" in args:
        print_times(results, time.monotonic() - started)
    for reason in sorted(reason for r in results for reason in r.reasons):
        print(f"skipped: {reason}")
    for r in results:
        if r.failed:
            print(f"\n===== {r.name}\n{r.text.rstrip()}")
    passed, failed, skipped = (sum(getattr(r, k) for r in results) for k in ("passed", "failed", "skipped"))
    print(f"\n{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or not passed else 0


sys.exit(main())
