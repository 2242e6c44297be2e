#!/usr/bin/env python3
"""One document of each kind that the evidence protocol reads or writes: tests/data/formats/protocol/.

formats.py flow TO               a Target from beginning to end in the current folder, by the program $ASSAY; its documents in TO
formats.py shape NEW EXAMPLES    members and types of each document are those of the example
formats.py documented EXAMPLES FORMATS.md    every member of an example stands in the row of its document, and every name in
                                 the row is a member"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys

import reports

ASSAY = os.environ.get("ASSAY", "assay")
SOLVE = {"original": "sum(i * i for i in range(40000))", "candidate": "40000 * 39999 * 79999 // 6", "reference": "40000 * 39999 * 79999 // 6"}


MATERIALS = (
    ("ncu.csv", "ncu", "2026.2.1", "ncu-csv-long-v1", '"Kernel Name","Host Name","Metric Name","Metric Unit","Metric Value"\n"solve","here","dram__bytes.sum","Kbyte","1,024"\n'),
    ("solve.ptx", "nvcc", "13.0", "ptx-v1", ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry solve(.param .u64 p)\n{\n\tret;\n}\n"),
    ("solve.sass", "cuobjdump", "13.0", "sass-text-v1", "\tcode for sm_90a\n\t\tFunction : solve\n        /*0000*/                   LDG.E.128 R4, desc[UR6][R2.64] ;\n        /*0010*/                   EXIT ;\n"),
)


def assay(*argv, out=None):
    p = subprocess.run([ASSAY, *argv], stdout=subprocess.PIPE)
    if p.returncode:
        sys.exit("assay %s ended with %d: %s" % (" ".join(argv), p.returncode, p.stdout.decode()))
    if out:
        with open(out, "wb") as f:
            f.write(p.stdout)
    return p.stdout.decode()


def one(pattern):
    return sorted(glob.glob(pattern))[0]


def flow(to):
    os.makedirs(to)
    for name, text in SOLVE.items():
        os.makedirs(name)
        with open(name + "/solve.py", "w", encoding="utf-8") as f:
            f.write("def solve(case):\n    return %s\n" % text)
    for path, _, _, _, text in MATERIALS:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    os.makedirs("suite")
    with open("suite/cases", "w", encoding="utf-8") as f:
        f.write("one\n")
    assay("driver", "new", "--lang=python", "--output=driver.py")
    with open("driver.py", encoding="utf-8") as f:
        text = f.read().replace("platform.platform()", '"a host"').replace("platform.python_version()", '"3"')
    with open("driver.py", "w", encoding="utf-8") as f:
        f.write(text)
    with open("more.json", "w", encoding="utf-8") as f:
        json.dump({"metric_audit": [{"metric": "latency", "numerator": "time", "denominator": "calls", "source": "driver",
                                     "reconstruction": "none", "identities": ["errors == 0"]}],
                   "materials": [{"kind": "report", "path": path, "tool": tool, "tool_version": version, "dialect": dialect}
                                 for path, tool, version, dialect, _ in MATERIALS]}, f)
    target = ["target", "new", "root", "--original=original", "--suite=suite", "--cases=one", "--reference=reference",
              "--accept=errors<=0", "--primary=latency:ms:lower", "--min-effect=5", "--min-pairs=3", "--more=more.json"]
    driver = ["--", shutil.which("python3", path="/usr/bin") or sys.executable, "-S", "driver.py"]
    assay(*target, "--print-request", *driver, out=to + "/readiness-input-v3.json")
    assay(*target, *driver)
    steps = (("baseline-input", "baseline", ["--samples=3"]),
             ("experiment-input", "experiment", ["--candidate=candidate", "--hypothesis=a formula has no loop", "--mechanism=compute.algorithm",
                                                 "--scope=solve.py", "--", "true"]),
             ("falsify-input", "falsify", []), ("target-input", "target run", ["--pairs=3"]))
    for name, verb, more in steps:
        options = more if "--" not in more else more[:more.index("--")]
        rest = more[len(options):]
        assay(*verb.split(), "root", *options, "--print-request", *rest, out="%s/%s-v3.json" % (to, name))
        said = assay(*verb.split(), "root", *options, *(["--wait"] if name[0] in "bt" else []), *rest)
    invocation = re.search(r"^target (inv-\w+)", said, re.M).group(1)
    select = ["champion", "select", "root", "--result=" + invocation]
    assay(*select, "--print-request", out=to + "/champion-input-v1.json")
    assay(*select)
    assay("handoff", "root", "--json", out=to + "/handoff-v1.json")
    assay("verify", "--store=root", "--json", out=to + "/evidence-verify-v1.json")
    here = "root/invocations/" + invocation
    call = one(here + "/driver/0000*")
    with open(call + "/call.json", encoding="utf-8") as f:
        digest = json.load(f)["receipt"]["driver_output_ref"]["digest"]
    for name, path in (("target", "root/target.json"), ("experiment", "root/experiments/*.json"), ("falsification", "root/falsifications/*.json"),
                       ("invocation-request", here + "/request.json"), ("result", here + "/result.json"), ("worker", here + "/worker.json"),
                       ("driver-request", call + "/request.json"), ("call", call + "/call.json"),
                       ("driver-result", "root/objects/sha256/%s/payload/result.json" % digest),
                       ("champion-current", "root/champion/current.json"), ("selection", "root/champion/selections/*.json")):
        shutil.copy(one(path), "%s/%s.json" % (to, name))
    with open(here + "/events.jsonl", encoding="utf-8") as f, open(to + "/event.json", "w", encoding="utf-8") as out:
        out.write(next(line for line in f if "worker_started" in line))
    evidence(to)


def evidence(to):
    """Requests about the materials, their results; a question to the cards."""
    for i, (family, more) in enumerate((("ncu", ()), ("compiler", ('artifact_ref.stage="ptx"',)), ("sass", ()))):
        name = family + "-input-v1"
        reports.ask(name, family, str(i), *more)
        shutil.copy(name + ".json", to)
        said = json.loads(assay("request", name + ".json", "--wait"))
        shutil.copy("root/invocations/%s/result.json" % said["invocation_id"], "%s/%s-result-v1.json" % (to, "profiler" if family == "ncu" else family))
    question = {"format_version": "cuda-kernel-optimizer/knowledge-input-v1", "operation": "query", "filters": {"mechanism_keys": ["memory.bank_conflict"]},
                "limits": {"max_results": 1, "max_context_bytes": 65536},
                "identity": {"gpu_architecture": "sm_90a", "cuda_version": "13.0", "frameworks": {"torch": "2.9"}, "phenomena": ["shared.bank_conflicts"], "claim_layer": "kernel"}}
    reports.put(to + "/knowledge-input-v1.json", question)
    assay("request", to + "/knowledge-input-v1.json", out=to + "/knowledge-answer-v1.json")


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def shape(x, at, out):
    """Paths with types; the elements of a list are one element that has what any of them has."""
    out.add("%s: %s" % (at, "number" if isinstance(x, (int, float)) and not isinstance(x, bool) else type(x).__name__))
    for key, value in x.items() if isinstance(x, dict) else ():
        shape(value, "%s.%s" % (at, key), out)
    for value in x if isinstance(x, list) else ():
        shape(value, at + "[]", out)
    return out


def differences(new, example, name):
    """What is null in one of them may be anything in the other: it depends on what happened."""
    null = tuple(p[:-len(": NoneType")] for p in new | example if p.endswith(": NoneType"))
    for mine, other, text in ((new, example, "not in the example"), (example, new, "only in the example")):
        for p in sorted(mine - other):
            if not p.startswith(tuple(n + end for n in null for end in (":", ".", "["))) or p.endswith(": NoneType") and \
                    not any(q.startswith(p[:-len("NoneType")]) for q in other):
                yield "%s%s: %s" % (name, p, text)


def compare(new, examples):
    names = sorted(os.listdir(examples))
    bad = ["%s: in one folder only" % n for n in sorted(set(names) ^ set(os.listdir(new)))]
    for n in names:
        if n in os.listdir(new):
            bad += differences(*(shape(load(os.path.join(d, n)), "", set()) for d in (new, examples)), n)
    print("\n".join(bad) if bad else "%d documents as their examples" % len(names))
    return 1 if bad else 0


def documented(examples, path):
    with open(path, encoding="utf-8") as f:
        rows = dict(re.findall(r"^\| \[`([a-z0-9-]+)`\]\([^)]*\) \|(.*)$", f.read(), re.M))
    bad = []
    for n in sorted(os.listdir(examples)):
        name, members = n[:-5], set(load(os.path.join(examples, n)))
        if name not in rows:
            bad.append("%s: no row" % name)
            continue
        text = re.sub(r"\{[^}]*\}|\([^)]*\)", "", rows[name].rsplit("|", 2)[-2])
        said = set(re.findall(r"`([a-z_0-9]+)`", text))
        bad += ["%s: `%s` is not in its row" % (name, m) for m in sorted(members - said)]
        bad += ["%s: `%s` is no member" % (name, m) for m in sorted(said - members)]
    bad += ["%s: a row without an example" % r for r in sorted(set(rows) - {n[:-5] for n in os.listdir(examples)})]
    print("\n".join(bad) if bad else "%d documents described" % len(rows))
    return 1 if bad else 0


def main():
    verb, rest = sys.argv[1], sys.argv[2:]
    sys.exit({"flow": flow, "shape": compare, "documented": documented}[verb](*rest))


main()
