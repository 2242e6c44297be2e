#!/usr/bin/env python3
"""Runs command-line tests: .t files as docs/TESTING.md describes them.

usage: tools/cli.py FILE.t...          runs them, prints each case
       tools/cli.py --rewrite FILE.t   prints the file with what the commands printed just now (masks are put back by hand)
BUILD in the environment chooses the program (build/BUILD/assay).
"""
import difflib
import os
import re
import select
import signal
import string
import subprocess
import sys
import tempfile
import time

# Named patterns. A .t file names those that it uses; every other byte of expected text is literal.
MASKS = {
    "NUM": r"[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?",
    "INT": r"\d+",
    "TIME": r"\d+(?:\.\d+)? ?(?:ns|us|ms|s|min|h)",
    "UTC": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\d{8}T\d{6}Z",
    "BYTES": r"\d+(?:\.\d+)? ?(?:B|KB|MB|GB|KiB|MiB|GiB)",
    "PCT": r"[-+]?\d+(?:\.\d+)? ?%",
    "SHA": r"[0-9a-f]{64}",
    "ID": r"[0-9a-f]{8,40}",
    "PATH": r"[^\s\"':,]+",
    "NAME": r"[A-Za-z0-9_.-]+",
    "VERSION": r"\d+\.\d+(?:\.\d+)*(?:[-+.][A-Za-z0-9]+)*",
    "COMMIT": r"(?:[0-9a-f]{7,40}|unknown)(?:\+dirty)?",
    "PAD": r" *",
}
EXACT_MASKS = ("CWD", "ROOT", "HOME")  # stand for the folder of this run
COMMAND_TIMEOUT_S = 60


class Step:
    def __init__(self, line, command):
        self.line, self.command = line, command
        self.out, self.err, self.status, self.needs = [], None, 0, None


class Case:
    def __init__(self, title, line):
        self.title, self.line, self.steps = title, line, []
        self.skipped, self.failure, self.cpu_s = None, None, 0.0
        self.needs = None


class Script:
    def __init__(self):
        self.masks, self.needs, self.timeout_s, self.on_disk, self.cases = [], None, COMMAND_TIMEOUT_S, False, []
        self.unset, self.set = [], {}


def parse(path):
    s = Script()
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    for n, line in enumerate(lines, 1):
        tag, rest = line[:1], line[2:]
        here = f"{os.path.basename(path)}:{n}"
        case = s.cases[-1] if s.cases else None
        step = case.steps[-1] if case and case.steps else None
        if not line.strip() or tag == "#" and not line.startswith("## "):
            continue
        if line.startswith("## "):
            s.cases.append(Case(line[3:].strip(), n))
        elif not case and line.startswith("masks:"):
            s.masks = line[6:].split()
        elif not case and line.startswith("needs:"):
            s.needs = line[6:].strip()
        elif not case and line.startswith("timeout:"):
            s.timeout_s = int(line[8:])
        elif not case and line.startswith("unset:"):
            s.unset = line[6:].split()
        elif not case and line.startswith("set:"):
            name, _, value = line[4:].strip().partition("=")
            s.set[name] = value
        elif not case and line == "folder: disk":
            s.on_disk = True
        elif case and tag == "?" and not step:
            case.needs = rest
        elif case and tag == "$":
            case.steps.append(Step(n, rest))
        elif step and tag == "+":
            step.command += "\n" + rest
        elif step and tag == ">":
            step.out.append(rest)
        elif step and tag == "!":
            step.err = (step.err or []) + ([rest] if line != "!" else [])
        elif step and tag == "=":
            step.status = int(rest)
        else:
            raise ValueError(f"{here}: not a line of a .t file here: {line!r}")
    for name in s.masks:
        if name not in MASKS and name not in EXACT_MASKS:
            raise ValueError(f"{os.path.basename(path)}: no such mask: {name}")
        if not any(f"<{name}>" in line for line in lines):
            raise ValueError(f"{os.path.basename(path)}: mask {name} is named and not used")
    for c in s.cases:
        if not c.steps:
            raise ValueError(f"{os.path.basename(path)}:{c.line}: a case without a command")
    return s


def line_pattern(text, masks, exact):
    """Regular expression of one expected line."""
    out, last = "", 0
    for m in re.finditer(r"<([A-Z]+)>", text):
        if m.group(1) not in masks:
            continue
        out += re.escape(text[last : m.start()])
        name = m.group(1)
        out += re.escape(exact[name]) if name in exact else f"(?:{MASKS[name]})"
        last = m.end()
    return re.compile(out + re.escape(text[last:]) + r"\Z")


def match_lines(expected, actual, masks, exact):
    """Whether actual lines match; an expected line "..." stands for any number of lines, also none."""
    patterns = [None if e == "..." else line_pattern(e, masks, exact) for e in expected]

    def rest(i, j):
        while i < len(patterns) and patterns[i] is not None:
            if j >= len(actual) or not patterns[i].match(actual[j]):
                return False
            i, j = i + 1, j + 1
        if i == len(patterns):
            return j == len(actual)
        return any(rest(i + 1, k) for k in range(j, len(actual) + 1))

    return rest(0, 0)


# What a test may see of the environment that it is started in: where programs and libraries are found. All else would make a
# test's outcome depend on where it runs (CI=1 keeps invocations in the foreground, SLURM_STEP_ID too).
KEPT = {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "CUDA_HOME", "CUDA_PATH", "PYENV_ROOT", "USER", "SHELL",
        "KILLS", "SECONDS_EACH", "FAKE_NVCC_CACHE"}


def private_folder(prefix, on_disk=False):
    """A folder of a test's own: in memory where there is room and programs can run from it (4 GB, for what tests write and
    map), since thousands of small files and their flushes cost half of a test's time on a disk; else where TMPDIR says."""
    try:
        s = os.statvfs("/dev/shm")
        in_memory = not s.f_flag & os.ST_NOEXEC and s.f_bavail * s.f_frsize >= 4 << 30 and os.access("/dev/shm", os.W_OK)
    except OSError:
        in_memory = False
    return tempfile.TemporaryDirectory(prefix=prefix, dir="/dev/shm" if in_memory and not on_disk and "TMPDIR" not in os.environ else None)


def private_env(tmp, out):
    """Environment of every test: nothing of the user's home, locale, proxies, colours or of the job that runs it."""
    env = {k: v for k, v in os.environ.items() if k in KEPT}
    home = os.path.join(tmp, "home")
    for name, folder in (("HOME", ""), ("XDG_DATA_HOME", "data"), ("XDG_CACHE_HOME", "cache"),
                         ("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"), ("XDG_RUNTIME_DIR", "runtime"),
                         ("ASSAY_LEASE_DIR", "leases"), ("TMPDIR", "tmp")):
        env[name] = os.path.join(home, folder) if folder else home
        os.makedirs(env[name], mode=0o700, exist_ok=True)
    env.update(LC_ALL="C.UTF-8", TZ="UTC", TERM="dumb", NO_COLOR="1", ASSAY_IDLE_WAIT="0", ASSAY_EVICT="1", COLUMNS="100",
               PYTHONDONTWRITEBYTECODE="1", PATH=os.path.dirname(os.path.realpath(sys.executable)) + ":" + env.get("PATH", "/usr/bin:/bin"),
               ASSAY=os.path.join(out, "assay"), BUILD=os.path.basename(out), FAKE=os.path.join(out, "fake"),
               ASAN_OPTIONS="detect_leaks=1:exitcode=99:abort_on_error=0:" + os.environ.get("ASAN_OPTIONS", ""),
               UBSAN_OPTIONS="print_stacktrace=1:halt_on_error=1", TSAN_OPTIONS="halt_on_error=1:exitcode=99")
    return env


def end_leftovers(tmp):
    """Ends every process that still carries the private folder `tmp` in its environment: children of a test that left its
    process group. Gives how many there were."""
    n = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as f:
                ours = tmp.encode() + b"/" in f.read()
            if ours and int(pid) != os.getpid():
                os.kill(int(pid), signal.SIGKILL)
                n += 1
        except OSError:
            continue
    return n


def wait_for(p, timeout_s):
    """Waits for a child that leads its process group, and ends the group at the limit. (Status as Popen gives it, None at the
    limit; CPU seconds of the child and of all that it waited for.)"""
    end = time.monotonic() + timeout_s
    try:
        fd = os.pidfd_open(p.pid)
    except (AttributeError, OSError):  # a kernel or an interpreter without it
        fd = -1
    done, late = 0, False
    while not done and not late:
        late = time.monotonic() >= end
        if late:
            os.killpg(p.pid, signal.SIGKILL)
        done, status, used = os.wait4(p.pid, 0 if late else os.WNOHANG)
        if not done and fd >= 0:
            select.select([fd], [], [], max(end - time.monotonic(), 0))
        elif not done:
            time.sleep(0.005)
    if fd >= 0:
        os.close(fd)
    p.returncode = os.waitstatus_to_exitcode(status)
    return None if late else p.returncode, used.ru_utime + used.ru_stime


def run_command(command, env, cwd, timeout_s):
    """(status or None, stdout lines, stderr lines, CPU seconds). Output goes to files: a background child may keep them open."""
    out_path, err_path = os.path.join(env["TMPDIR"], ".out"), os.path.join(env["TMPDIR"], ".err")
    with open(out_path, "wb") as out, open(err_path, "wb") as err:
        p = subprocess.Popen(["sh", "-c", command], env=env, cwd=cwd, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                             start_new_session=True)
    status, cpu_s = wait_for(p, timeout_s)

    def lines(path):
        with open(path, encoding="utf-8", errors="backslashreplace") as f:
            text = f.read()
        return text[:-1].split("\n") if text.endswith("\n") else text.split("\n") + ["(no newline at the end)"] if text else []

    return status if status is None or status >= 0 else 128 - status, lines(out_path), lines(err_path), cpu_s


def difference(title, expected, actual):
    return "".join(f"    {line}\n" for line in difflib.unified_diff(expected, actual, f"{title} expected",
                                                                     f"{title} actual", lineterm=""))


def check_step(step, got, masks, exact):
    status, out, err, _ = got
    text = ""
    if status is None:
        text += "  ended at the time limit\n"
    elif status != step.status:
        text += f"  exit status {status}, expected {step.status}\n"
    if not match_lines(step.out, out, masks, exact):
        text += difference("stdout", step.out, out)
    if step.err is not None and not match_lines(step.err, err, masks, exact):
        text += difference("stderr", step.err, err)
    elif text and err:
        text += "".join(f"    stderr: {line}\n" for line in err[-30:])
    return text


def met(command, env, cwd):
    return command is None or run_command(command, env, cwd, COMMAND_TIMEOUT_S)[0] == 0


def run_file(path, root, out, limit_s):
    """Runs all cases in one private folder; gives the cases with skipped or failure set."""
    script = parse(path)
    shown = os.path.relpath(path, root) if path.startswith(root + "/") else os.path.basename(path)
    deadline = time.monotonic() + limit_s
    slow = {"asan": 3, "tsan": 5}.get(os.path.basename(out), 1)
    with private_folder("assay-t.", script.on_disk) as tmp:
        tmp = os.path.realpath(tmp)
        cwd, bin_folder = os.path.join(tmp, "work"), os.path.join(tmp, "bin")
        os.makedirs(cwd)
        os.makedirs(bin_folder)
        os.symlink(os.path.join(out, "assay"), os.path.join(bin_folder, "assay"))
        env = private_env(tmp, out)
        env.update(PATH=bin_folder + ":" + env.get("PATH", "/usr/bin:/bin"), ROOT=root, DATA=os.path.join(root, "tests/data"))
        for name in script.unset:
            del env[name]
        env.update((name, string.Template(value).substitute(env)) for name, value in script.set.items())
        exact = {"CWD": cwd, "ROOT": root, "HOME": env["HOME"]}
        file_met = met(script.needs, env, cwd)
        for case in script.cases:
            if not file_met or not met(case.needs, env, cwd):
                case.skipped = f"needs {case.needs if file_met else script.needs}"
                continue
            for step in case.steps:
                left_s = min(script.timeout_s * slow, deadline - time.monotonic())
                step.got = run_command(step.command, env, cwd, max(left_s, 0.1))
                case.cpu_s += step.got[3]
                text = check_step(step, step.got, script.masks, exact)
                if text:
                    case.failure = (case.failure or "") + f"{shown}:{step.line}: {case.title}\n" \
                        f"  $ {step.command}\n{text}"
        end_leftovers(tmp)
    return script.cases


def rewrite(path, root, out):
    steps = {s.line: s for c in run_file(path, root, out, 600) for s in c.steps if hasattr(s, "got")}
    with open(path, encoding="utf-8") as f:
        lines = f.read().rstrip("\n").split("\n")
    pending = None
    for n, line in enumerate(lines + [""], 1):
        if pending and line[:1] in (">", "!", "="):
            continue
        if pending and line[:1] != "+":
            status, out_lines, err_lines, _ = pending.got
            print("".join(f"> {text}".rstrip() + "\n" for text in out_lines), end="")
            if pending.err is not None:
                print("".join(f"! {text}".rstrip() + "\n" for text in err_lines) or "!\n", end="")
            if status:
                print(f"= {status}")
            pending = None
        pending = steps.get(n, pending)
        if n <= len(lines):
            print(line)


def main():
    root = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    out = os.path.join(root, "build", os.environ.get("BUILD", "release"))
    if sys.argv[1:2] == ["--rewrite"]:
        rewrite(sys.argv[2], root, out)
        return 0
    bad = 0
    for path in sys.argv[1:]:
        for case in run_file(os.path.abspath(path), root, out, 600):
            word = "skipped" if case.skipped else "FAILED" if case.failure else "ok"
            print(f"{word:7} {os.path.basename(path)}: {case.title}")
            if case.failure:
                print(case.failure, end="")
                bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
