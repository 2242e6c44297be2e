#!/usr/bin/env python3
"""Opens the page of one record in headless Chromium and holds the values in it against the record. One line a finding.

usage: check_record.py compare RECORD PAGE [TRIAL]
       check_record.py target ROOT PAGE
       check_record.py read JSON PAGE
"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

from browser import Browser

READ_TRIAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tools/read_trial.py")

# Values of the marks of the which-th chart of that name: the data attributes, and the name of the group they stand in.
MARKS = """
const figure = document.querySelectorAll(`figure[data-chart=${arguments[0]}]`)[arguments[2]];
return [...figure.querySelectorAll(arguments[1])].map(e => ({...e.dataset, group: e.parentElement.dataset.label ?? null}));
"""
# The cells of the table whose caption begins so: [text, the number that the script sorts by].
TABLE = """
const table = [...document.querySelectorAll("table.data")].find(t => t.caption.textContent.startsWith(arguments[0]));
return table && [...table.tBodies[0].rows].map(r => [...r.cells].map(c => [c.textContent, c.dataset.sort ?? null]));
"""


def near(x, y):
    return math.isclose(float(x), y, rel_tol=1e-9, abs_tol=1e-12)


def say(name, problems, text):
    print(f"{name}: {'; '.join(problems[:5]) if problems else text}")


def differ(what, shown, wanted):
    """Problems of a list of numbers that is to be another one, in its order."""
    if len(shown) != len(wanted):
        return [f"{what}: {len(shown)} are shown, {len(wanted)} are in the record"]
    return [f"{what}: says {x}, the record {y}" for x, y in zip(shown, wanted) if not near(x, y)]


def check_sides(b, record):
    rows, bad = b.js(TABLE, "All sides"), []
    for row, side in zip(rows, record["sides"], strict=True):
        effect = side.get("effect") or {}
        wanted = [side["time_ns"], *(effect.get(k) for k in ("effect_pct", "lower_pct", "upper_pct", "detectable_pct", "n_placements"))]
        if row[0][0] != side["label"] or row[1][0] != side["verdict"]["word"]:
            bad.append(f"row {row[:2]} is not {side['label']}")
        for cell, value in zip(row[2:8], wanted):
            if (cell[1] == "") != (value is None) or (value is not None and not near(cell[1], float(f"{value:.12g}"))):
                bad.append(f"{side['label']}: {cell} is not {value}")
    say("sides", bad, f"{len(rows)} with verdict, time and effect are the record's")


def check_effects(b, record):
    bad, n = [], 0
    with_effect = [s for s in record["sides"][1:] if s["cases"]]
    for side in with_effect:
        dots = [m["x"] for m in b.js(MARKS, "effects", ".dot", 0) if m["group"] == f"{side['label']} against A"]
        bad += differ(side["label"], dots, [100 * math.expm1(d) for d in side["cases"][0]["log_ratio"]])
        n += len(dots)
    marks = b.js(MARKS, "effects", ".mark", 0)
    wanted = [s["effect"] for s in with_effect if s["effect"]]
    bad += differ("intervals", [m[k] for m in marks for k in ("x", "low", "high")],
                  [e[k] for e in wanted for k in ("effect_pct", "lower_pct", "upper_pct")])
    say("effects", bad, f"{n} placements and {len(marks)} intervals are the record's")


def drawn(shown, wanted, caption):
    """What is drawn in the order of `wanted`, with as many left out as the caption says."""
    left = iter(wanted)
    in_order = all(any(near(x, y) for y in left) for x in shown)
    said = f"{len(wanted) - len(shown)} of {len(wanted)} lie above the axis"
    return [] if in_order and said in caption else [f"{len(shown)} of {len(wanted)} dots, in order: {in_order}, {caption}"]


def timed(record, side, rows):
    """The timed calls of a side: what the verdict is made of, and nothing that warmed up."""
    source = "event_ns" if record["source"] == "event_pair" else "span_ns"
    return [float(r[source]) for r in rows if int(r["side"]) == side and int(r["case"]) == 0 and int(r["mode"]) in (1, 2)
            and not int(r["flags"]) & 10]


def check_samples(b, record, trial):
    rows = trial and list(csv.DictReader(subprocess.run([sys.executable, "-B", READ_TRIAL, trial, "--dump"], check=True, stdout=subprocess.PIPE,
                                                        text=True).stdout.splitlines()))
    bad, n = [], 0
    measured = [(i, s) for i, s in enumerate(record["sides"]) if s["cases"]]
    for which, (i, side) in enumerate(measured):
        wanted = timed(record, i, rows) if rows else side["cases"][0]["time_ns"]
        caption = b.js("return document.querySelectorAll('figure[data-chart=series] figcaption')[arguments[0]].textContent", which)
        bad += drawn([m["y"] for m in b.js(MARKS, "series", ".dot", which)], wanted, caption)
        n += len(wanted)
    say("samples", bad, f"{n} {'calls are those of the trial' if rows else 'means are the record' + chr(39) + 's'}")


def check_compare(b, path, trial):
    with open(path, encoding="utf-8") as f:
        record = json.load(f)
    text = b.js("return document.querySelector('.verdict').textContent")
    say("verdict", [] if all(s["verdict"]["word"] in text for s in record["sides"][1:]) else [text], "stands first")
    check_sides(b, record)
    check_effects(b, record)
    check_samples(b, record, trial)
    whole = b.js("return document.querySelector('main').textContent")
    wanted = [record["id"], record["command"], record["trial"], *(s["kernel_sha256"] for s in record["sides"])]
    say("ids", [w for w in wanted if w not in whole], "record, trial, command and digests are there")


def check_target(b, root, _):
    results = {}
    for name in os.listdir(os.path.join(root, "invocations")):
        with open(os.path.join(root, "invocations", name, "result.json"), encoding="utf-8") as f:
            results[name] = json.load(f)
    gains = sorted((r for r in results.values() if r["assay"].get("estimate_pct") is not None), key=lambda r: r["started_at_epoch"])
    marks = b.js(MARKS, "effects", ".mark", 0)
    bad = differ("gains", [m[k] for m in marks for k in ("x", "low", "high")],
                 [r["assay"][k] for r in gains for k in ("estimate_pct", "lower_pct", "upper_pct")])
    rows = b.js(TABLE, "Every invocation")
    bad += [f"{row[0][0]}: {row[2][0]}" for row in rows if row[2][0] != results[row[0][0]]["verdict"]]
    say("invocations", bad + ([] if len(rows) == len(results) else [str(len(rows))]), f"{len(rows)} verdicts and {len(marks)} gains are the records'")
    bad, rows = [], b.js(TABLE, "Every pair")
    pairs = [(name, q) for name, r in results.items() for q in r["performance_receipt"].get("pairs", [])]
    for name, q in pairs:
        found = [r for r in rows if r[0][0] == name and r[1][0] == q["case_id"] and near(r[2][1], q["pair_index"])]
        if len(found) != 1 or any(not near(cell[1], float(f"{q[key]:.12g}")) for cell, key in zip(found[0][3:5], ("reference", "candidate"))):
            bad.append(f"{name} {q['case_id']} {q['pair_index']}")
    say("pairs", bad + ([] if len(rows) == len(pairs) else [str(len(rows))]), f"{len(rows)} are the records'")
    rows = b.js(TABLE, "Every call of the driver")
    wanted = sorted(c["driver_output_ref"]["digest"] for r in results.values() for c in r["command_receipts"])
    say("calls", [] if sorted(r[5][0] for r in rows) == wanted else ["other digests"], f"{len(rows)} with their outputs' digests")


def check_read(b, path, _):
    with open(path, encoding="utf-8") as f:
        doc = json.load(f)
    bad, n = [], 0
    for table in (t for t in doc["tables"] if t["rows"]):
        names = [c["name"] for c in table["columns"]]
        for shown, row in zip(b.js(TABLE, table["title"]), table["rows"], strict=True):
            for cell, name in zip(shown, names, strict=True):
                v = row.get(name)
                is_same = near(cell[1], float(f"{v:.12g}")) if isinstance(v, (int, float)) else cell[0] == (v or cell[0])
                bad += [] if is_same else [f"{table['name']}.{name}: {cell} is not {v}"]
                n += 1
    say("tables", bad, f"{n} cells are those of assay read")
    facts = b.js(TABLE, "Every fact")
    wanted = [f["id"] for f in doc["facts"]["facts"]]
    say("facts", [] if [r[0][0] for r in facts] == wanted else [f"{len(facts)} of {len(wanted)}"], f"{len(facts)} are those of assay read")
    b.click("#facts th:nth-of-type(4) button")
    values = [float(r[3][1]) for r in b.js(TABLE, "Every fact") if r[3][1]]
    say("sort", [] if values == sorted(values) and values else ["not sorted"], "facts by their value")


def main():
    kind, path, page = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as tmp, Browser(tmp) as b:
        b.open(page)
        asked = [a for a in b.requests() if a != "file://" + os.path.abspath(page)]
        say("open", b.console() + asked, "no message on the console, no request")
        {"compare": check_compare, "target": check_target, "read": check_read}[kind](b, path, *sys.argv[4:5] or [None])


main()
