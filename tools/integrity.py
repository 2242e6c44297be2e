#!/usr/bin/env python3
"""The corpus of tests/integrity: kernels that cheat or fail, kernels that do neither, and what assay says of each.

usage: tools/integrity.py [--fast] [--only WORDS] [--markdown FILE] [--json FILE] [--keep]
Prints a line a kernel, then detection rate, false-alarm rate and cost a candidate; ends with 1 where a verdict differs
from the table's. corpus.tsv: kind, file, task, class, expected verdicts (| between them), options, fast.

kind      cheat: must be rejected, or bounded: the bound of the sealed batch stands beside a number that is too small
          harmless: does something odd and must be accepted, since its number is right
          honest: must be accepted
expected  words of the verdict table; flagged:NAME wants that flag as well; bounded: accepted, or rejected:time_denied, and
          the parent's bound is there
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORPUS = os.path.join(ROOT, "tests", "integrity")
TASKS = {"examples/softmax": "softmax", "examples/matmul": "matmul", "examples/transpose": "transpose"}


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
            row["name"] = os.path.splitext(os.path.basename(row["file"]))[0]
            if fast and not row["fast"]:
                continue
            if only and not any(w in row["file"] or w == row["class"] for w in only):
                continue
            yield row


def command(row, assay, folder):
    path = os.path.join(ROOT, row["file"]) if row["file"].startswith("examples/") else os.path.join(CORPUS, row["file"])
    argv = [assay, "bench", path, "--json", "-q", "--store", os.path.join(folder, "store")]
    if not row["file"].startswith("examples/"):
        argv += ["--op-file", os.path.join(CORPUS, "tasks", row["task"] + ".op.json")]
    argv += ["--time-budget=0.25", "--speedup-budget=0", "--warmup=3", "--timeout=15"]
    return argv + row["options"].replace("{src}", os.path.join(ROOT, "src")).replace("{root}", ROOT).split()


def run(row, assay, folder, env):
    begin = time.monotonic()
    p = subprocess.run(command(row, assay, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=folder,
                       timeout=300)
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


def report(done, out):
    cheats = [r for r in done if r["kind"] == "cheat"]
    good = [r for r in done if r["kind"] != "cheat"]
    caught = [r for r in cheats if not r["accepted"]]
    bounded = [r for r in cheats if r["accepted"] and r["ok"]]
    alarms = [r for r in good if not r["accepted"]]
    wrong = [r for r in done if not r["ok"]]
    costs = sorted(r["cost"] for r in done if r.get("cost"))
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
        f.write("| kernel | class | kind | verdict | witness |\n|---|---|---|---|---|\n")
        for r in done:
            verdict = " ".join([r["got"]] + r["flags"])
            if r["kind"] == "cheat" and r["accepted"] and r.get("bound"):
                verdict += " (bound %.1f x the claim)" % r["bound"]
            f.write("| `%s` | %s | %s | %s | %s |\n" % (r["name"], r["class"], r["kind"], verdict, r.get("witness", "")))


def main():
    a = argparse.ArgumentParser()
    a.add_argument("--fast", action="store_true")
    a.add_argument("--only", default="")
    a.add_argument("--markdown")
    a.add_argument("--json")
    a.add_argument("--keep", action="store_true")
    o = a.parse_args()
    assay = os.path.abspath(os.environ.get("ASSAY", os.path.join(ROOT, "build", "release", "assay")))
    folder = tempfile.mkdtemp(prefix="assay-integrity-")
    env = dict(os.environ, HOME=folder, XDG_CACHE_HOME=os.path.join(folder, "cache"),
               ASSAY_LEASE_DIR=os.environ.get("ASSAY_LEASE_DIR", os.path.join(folder, "lease")))
    done = []
    try:
        for row in rows(o.only.split(), o.fast):
            run(row, assay, folder, env)
            row["ok"] = judge(row)
            done.append(row)
            print("%-4s %-24s %-28s %5.1f s  %s" % ("ok" if row["ok"] else "DIFF", row["name"],
                                                   " ".join([row["got"]] + row["flags"])[:60], row["seconds"],
                                                   "" if row["accepted"] else row["text"][:110]), flush=True)
        if o.markdown:
            markdown(done, o.markdown)
        if o.json:
            with open(o.json, "w", encoding="utf-8") as f:
                json.dump([{k: v for k, v in r.items() if k != "record"} for r in done], f, indent=1)
        return report(done, print)
    finally:
        if not o.keep:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
