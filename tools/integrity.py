#!/usr/bin/env python3
"""The corpus of tests/integrity: kernels that cheat or fail, kernels that do neither, and what assay says of each.

usage: tools/integrity.py [--backend c,cuda,python|all] [--fast] [--only WORDS] [--jobs N] [--python FILE] [--deadline S]
                          [--markdown FILE] [--json FILE] [--keep]
Prints a line a kernel, a line a class, then detection rate, false-alarm rate and cost a candidate; ends with 1 where a
verdict differs from the table's. corpus.tsv: kind, file, task (-: no operator file), class, expected verdicts (| between them), options,
fast. Without --backend: c and python, and cuda too where there is a GPU. Of the kernels in Python those with torch are left
out where the interpreter has none, those with Triton where there is no GPU. --jobs: .cu are built N at a time before the
first one is measured; measured is always one at a time. --deadline: rows that would begin later are left out.

kind      cheat: must be rejected, or bounded: the bound of the sealed batch stands beside a number that is too small
          harmless: does something odd and must be accepted, since its number is right
          honest: must be accepted
expected  words of the verdict table; flagged:NAME wants that flag as well; bounded: accepted, or rejected:time_denied, and
          the parent's bound is there
"""
import argparse
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.path.join(ROOT, "tests", "integrity")
BACKENDS = {".c": "c", ".cu": "cuda", ".py": "python"}


def has_gpu():
    try:
        return subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def has_module(python, name):
    p = subprocess.run([python, "-c", "import importlib.util as u; exit(u.find_spec('%s') is None)" % name])
    return p.returncode == 0


def unavailable(row, python, gpu):
    """Why a row cannot run here, or None."""
    need = "triton" if "/triton/" in row["file"] else "torch" if "/torch/" in row["file"] else "numpy"
    if row["backend"] == "cuda" and not gpu:
        return "no GPU"
    if row["backend"] != "python":
        return None
    if need == "triton" and not gpu:
        return "no GPU"
    return None if has_module(python, need) else "no module %s" % need


def rows(only, fast):
    with open(os.path.join(CORPUS, "corpus.tsv"), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            line = line.rstrip("\n")
            if not line or line.startswith("#"):
                continue
            cells = line.split("\t")
            if len(cells) < 5:
                sys.exit("corpus.tsv:%d: five cells are wanted" % number)
            cells += [""] * (7 - len(cells))
            row = dict(zip(("kind", "file", "task", "class", "expected", "options", "fast"), cells))
            row["name"], ending = os.path.splitext(os.path.basename(row["file"]))
            row["backend"] = BACKENDS[ending]
            if fast and not row["fast"]:
                continue
            if only and not any(w in row["file"] or w == row["class"] for w in only):
                continue
            yield row


class Bench:
    """How assay is called: program, interpreter, a folder of its own."""

    def __init__(self, python):
        self.assay = os.path.abspath(os.environ.get("ASSAY", os.path.join(ROOT, "build", "release", "assay")))
        self.python = python
        self.folder = tempfile.mkdtemp(prefix="assay-integrity-")
        self.env = dict(os.environ, HOME=self.folder, XDG_CACHE_HOME=os.path.join(self.folder, "cache"),
                        ASSAY_LEASE_DIR=os.environ.get("ASSAY_LEASE_DIR", os.path.join(self.folder, "lease")))

    def command(self, row, timeout):
        is_example = row["file"].startswith("examples/")
        path = os.path.join(ROOT if is_example else CORPUS, row["file"])
        argv = [self.assay, "bench", path, "--json", "-q", "--store", os.path.join(self.folder, "store")]
        if is_example:
            if "--op-file" not in row["options"]:
                argv += ["--op-file", os.path.join(ROOT, "examples", row["task"], row["task"] + ".op.json")]
        elif row["task"] != "-":
            argv += ["--op-file", os.path.join(CORPUS, "tasks", row["task"] + ".op.json")]
        if row["backend"] == "python":
            argv += ["--python", self.python]
        argv += ["--time-budget=%g" % (0.15 if row["backend"] == "cuda" else 0.25), "--speedup-budget=0", "--warmup=3"]
        options = row["options"].replace("{src}", os.path.join(ROOT, "src")).replace("{root}", ROOT)
        options = options.replace("{corpus}", CORPUS).split()
        if timeout is not None:
            options = [o for o in options if not o.startswith("--timeout")] + ["--timeout=%g" % timeout]
        elif not any(o.startswith("--timeout") for o in options):
            options.append("--timeout=15")
        return argv + options

    def build(self, row):
        """Only the build of it is wanted, which the cache keeps: the deadline of the calls ends the rest."""
        env = dict(self.env, ASSAY_LEASE_DIR=tempfile.mkdtemp(dir=self.folder), ASSAY_IDLE_WAIT="0")
        subprocess.run(self.command(row, 0.1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, cwd=self.folder,
                       timeout=300)

    def build_all(self, table, jobs):
        begin = time.monotonic()
        each = {(r["file"], "--flags" in r["options"]): r for r in table if r["backend"] == "cuda"}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            list(pool.map(self.build, each.values()))
        print("%d built in %.1f s, %d at a time" % (len(each), time.monotonic() - begin, jobs), flush=True)


def run(row, bench):
    begin = time.monotonic()
    try:
        p = subprocess.run(bench.command(row, None), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=bench.env,
                           cwd=bench.folder, timeout=120)
    except subprocess.TimeoutExpired:
        row.update(got="no end after 120 s", text="", flags=[], record={}, seconds=time.monotonic() - begin)
        return
    row["seconds"] = time.monotonic() - begin
    row["status"] = p.returncode
    try:
        record = json.loads(p.stdout.decode())
    except ValueError:
        row.update(got="no record: " + p.stderr.decode(errors="replace").strip()[-200:], text="", flags=[], record={})
        return
    if "verdict" not in record:
        row.update(got="no verdict: " + json.dumps(record)[:300], text="", flags=[], record=record)
        return
    row["record"] = record
    row["got"] = record["verdict"]["word"]
    row["text"] = record["verdict"]["text"]
    integrity = record.get("integrity") or {}
    row["flags"] = [f["word"] for f in integrity.get("flags", [])]
    row["cost"] = sum((integrity.get("seconds") or {}).values())
    row["witness"] = record["verdict"].get("witness") or ""
    for check in integrity.get("checks", []):
        if check["state"] == "failed":
            row["witness"] = check["witness"]
        if check["name"] == "sealed_batch" and check["evidence"]:
            row["bound"] = check["evidence"].get("bound_over_claim")


def judge(row):
    accepted = row["got"] in ("passed", "unchecked")
    row["accepted"] = accepted
    for want in row["expected"].split("|"):
        if want == "accepted" and accepted:
            return True
        if want.startswith("flagged:") and accepted and want in row["flags"]:
            return True
        if want == "bounded" and (row["got"] == "rejected:time_denied" or (accepted and row.get("bound"))):
            return True
        if want == row["got"]:
            return True
    return False


def classes(done):
    """Rows of the table by class: class, kernels, rejected, bounded or flagged, missed, accepted, false alarms."""
    table = {}
    for r in done:
        c = table.setdefault(("cheats and faults" if r["kind"] == "cheat" else r["kind"], r["class"]), [0] * 6)
        c[0] += 1
        if r["kind"] == "cheat":
            c[1 if not r["accepted"] else 2 if r["ok"] else 3] += 1
        else:
            c[4 if r["accepted"] else 5] += 1
    order = {"cheats and faults": 0, "harmless": 1, "honest": 2}
    for (kind, name), c in sorted(table.items(), key=lambda x: (order[x[0][0]], x[0][1])):
        yield [kind, name] + c


CLASS_COLUMNS = ("kind", "class", "kernels", "rejected", "bounded or flagged", "missed", "accepted", "false alarms")


def report(done, out):
    cheats = [r for r in done if r["kind"] == "cheat"]
    good = [r for r in done if r["kind"] != "cheat"]
    caught = [r for r in cheats if not r["accepted"]]
    bounded = [r for r in cheats if r["accepted"] and r["ok"]]
    alarms = [r for r in good if not r["accepted"]]
    wrong = [r for r in done if not r["ok"]]
    costs = sorted(r["cost"] for r in done if r.get("cost"))
    out("")
    wide = "%-18s %-14s %8s %9s %19s %7s %9s %13s"
    out(wide % CLASS_COLUMNS)
    for row in classes(done):
        out(wide % tuple(str(v) if v else "-" for v in row))
    out("")
    out("cheats and faults   %d: %d rejected, %d bounded or flagged, %d missed" %
        (len(cheats), len(caught), len(bounded), len(cheats) - len(caught) - len(bounded)))
    out("honest and harmless %d: %d accepted, %d false alarms" % (len(good), len(good) - len(alarms), len(alarms)))
    if cheats:
        out("detection rate      %.1f %%" % (100 * (len(caught) + len(bounded)) / len(cheats)))
    if good:
        out("false-alarm rate    %.1f %%" % (100 * len(alarms) / len(good)))
    if costs:
        out("cost a candidate    %.2f s median, %.2f s at most, of %.2f s in all" %
            (costs[len(costs) // 2], costs[-1], sum(r["seconds"] for r in done) / len(done)))
    for r in wrong:
        out("differs: %s: %s wanted, %s came (%s) %s" % (r["file"], r["expected"], r["got"], r["text"], " ".join(r["flags"])))
    return 1 if wrong else 0


def markdown(done, path):
    with open(path, "w", encoding="utf-8") as f:
        f.write("| " + " | ".join(CLASS_COLUMNS) + " |\n" + "|---" * len(CLASS_COLUMNS) + "|\n")
        for row in classes(done):
            f.write("| " + " | ".join(str(v) if v else "-" for v in row) + " |\n")
        f.write("\n| kernel | class | kind | verdict | witness |\n|---|---|---|---|---|\n")
        for r in done:
            verdict = " ".join([r["got"]] + r["flags"])
            if r["kind"] == "cheat" and r["accepted"] and r.get("bound"):
                verdict += " (bound %.1f x the claim)" % r["bound"]
            f.write("| `%s` | %s | %s | %s | %s |\n" % (r["name"], r["class"], r["kind"], verdict, r.get("witness", "")))


def choose(o, gpu):
    """The rows that are to run; says which kinds are left out, and why."""
    every = set(BACKENDS.values())
    wanted = every if o.backend in ("", "all") else set(o.backend.split(","))
    if wanted - every:
        sys.exit("--backend %s: there are %s, and all" % (o.backend, ", ".join(sorted(every))))
    if not o.backend and not gpu:
        wanted = every - {"cuda"}
    table, left = [], collections.Counter()
    known = {}
    for row in rows(o.only.split(), o.fast):
        if row["backend"] not in wanted:
            continue
        key = row["backend"], row["file"].rpartition("/")[0]
        if key not in known:
            known[key] = unavailable(row, o.python, gpu)
        if known[key]:
            left[known[key]] += 1
        else:
            table.append(row)
    for why, n in sorted(left.items()):
        print("%d rows left out: %s" % (n, why))
    return table


def measure(table, bench, deadline, begin):
    done = []
    for row in table:
        if deadline and time.monotonic() - begin > deadline:
            print("%d rows left out: the deadline of %g s has passed" % (len(table) - len(done), deadline))
            break
        run(row, bench)
        row["ok"] = judge(row)
        done.append(row)
        print("%-4s %-24s %-28s %5.1f s  %s" % ("ok" if row["ok"] else "DIFF", row["name"],
                                               " ".join([row["got"]] + row["flags"])[:60], row["seconds"],
                                               "" if row["accepted"] else row["text"][:110]), flush=True)
    return done


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--backend", default="")
    a.add_argument("--fast", action="store_true")
    a.add_argument("--only", default="")
    a.add_argument("--jobs", type=int, default=1)
    a.add_argument("--python", default="python3")
    a.add_argument("--deadline", type=float, default=0)
    a.add_argument("--markdown")
    a.add_argument("--json")
    a.add_argument("--keep", action="store_true")
    o = a.parse_args()
    table = choose(o, has_gpu())
    bench = Bench(o.python)
    begin = time.monotonic()
    try:
        if o.jobs > 1:
            bench.build_all(table, o.jobs)
        done = measure(table, bench, o.deadline, begin)
        if o.markdown:
            markdown(done, o.markdown)
        if o.json:
            with open(o.json, "w", encoding="utf-8") as f:
                json.dump([{k: v for k, v in r.items() if k != "record"} for r in done], f, indent=1)
        return report(done, print)
    finally:
        if not o.keep:
            shutil.rmtree(bench.folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
