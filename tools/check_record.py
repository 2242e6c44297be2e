#!/usr/bin/env python3
"""Holds a bench record against its trial file: every series' samples and every number of its summary are made again.

usage: tools/check_record.py RECORD.json STORE
RECORD is what `assay bench --json` printed, STORE the store's folder. Reads the trial with tools/read_trial.py and
computes with tools/recompute.py, which share no code with the program. Exit 1: something differs by more than 1e-12.
"""
import csv
import importlib.util
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
# series: mode column, whether the call was cold
SERIES = {"cold": (1, True), "warm": (1, False), "events": (2, True)}


def load(name):
    spec = importlib.util.spec_from_file_location(name, os.path.join(HERE, name + ".py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows(path):
    text = subprocess.run([sys.executable, os.path.join(HERE, "read_trial.py"), path, "--dump"], check=True,
                          capture_output=True, text=True).stdout
    return list(csv.DictReader(text.splitlines()))


def samples(table, series, mode, cold):
    for row in table:
        flags = int(row["flags"])
        if int(row["mode"]) != mode or bool(flags & 1) != cold or flags & 2:
            continue
        value = float(row["event_ns"]) - series["empty_pair_ns"] if series["source"] == "event_pair" else float(row["span_ns"])
        if math.isfinite(value) and value >= 0:
            yield value


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as f:
        record = json.load(f)
    trial = record["trial"]
    table = rows(os.path.join(sys.argv[2], "objects", trial[:2], trial[2:]))
    recompute, found, checked = load("recompute"), 0, []
    for name, (mode, cold) in SERIES.items():
        series = record["kernel"].get(name)
        if not series:
            continue
        x = list(samples(table, series, mode, cold))
        if x != series["samples_ns"]:
            print(f"{name}: the samples are not those of the trial")
            found += 1
        for line in recompute.differences(name, recompute.summary(x, "ns"), series["summary"]):
            print(line)
            found += 1
        checked.append(name)
    primary = record["kernel"]["warm" if record["kernel"]["cache"] == "warm" else
                               "events" if record["kernel"]["source"] == "event_pair" else "cold"]["summary"]
    for key, of in (("average_ms", "mean_ns"), ("median_ms", "median_ns"), ("min_ms", "min_ns"), ("max_ms", "max_ns")):
        if not math.isclose(record["kernel"][key], primary[of] / 1e6, rel_tol=1e-12):
            print(f"kernel.{key}: {record['kernel'][key]!r}, the trial gives {primary[of] / 1e6!r}")
            found += 1
    print(f"{', '.join(checked)}: {found} differ")
    return 1 if found else 0


sys.exit(main())
