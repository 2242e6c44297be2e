#!/usr/bin/env python3
"""Damages values of a run's records, one to three at a time, and makes its page each time: it is a page without a number that is
none, or an error that names the file; never a crash, never markup from a record.

usage: damage.py RUN TIMES     prints what went wrong, then the count of pages and errors
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys

ODD = [None, True, -1, 0, 1e308, -5.5, "x", "", [], {}, [1], {"a": 1}, 2**62, [None], "<b>&"]
WRONG = re.compile(r'"-?(?:nan|inf)|<b>&<')


def paths(value, at=()):
    if at:
        yield at
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], at + (key,))
    elif isinstance(value, list):
        for i in range(min(len(value), 3)):
            yield from paths(value[i], at + (i,))


def damage(rng, document):
    copy = json.loads(json.dumps(document))
    for _ in range(rng.choice([1, 1, 3])):
        *way, last = rng.choice(list(paths(copy)))
        part = copy
        for key in way:
            part = part[key]
        if isinstance(part, dict) and rng.random() < 0.3:
            del part[last]
        else:
            part[last] = json.loads(json.dumps(rng.choice(ODD)))
    return copy


def main():
    run, times = sys.argv[1], int(sys.argv[2])
    rng, n_pages, n_errors = random.Random(5), 0, 0
    best = json.load(open(os.path.join(run, "run_manifest.json"), encoding="utf-8"))["best_iteration"]
    names = ["run_manifest.json", "iter_v0/benchmark_result.json", f"iter_v{best}/benchmark_result.json"]
    documents = {name: json.load(open(os.path.join(run, name), encoding="utf-8")) for name in names}
    shutil.copytree(run, "damaged")
    for i in range(times):
        name = rng.choice(names)
        with open(os.path.join("damaged", name), "w", encoding="utf-8") as f:
            json.dump(damage(rng, documents[name]), f)
        p = subprocess.run(["assay", "report", "damaged", "-o", "damaged.html"], capture_output=True, timeout=60, check=False)
        if p.returncode == 0:
            n_pages += 1
            with open("damaged.html", encoding="utf-8") as f:
                found = WRONG.search(f.read())
            if found:
                print(f"{i}: {name}: {found.group(0)} in the page")
        elif p.returncode == 2 and b"damaged" in p.stderr:
            n_errors += 1
        else:
            print(f"{i}: {name}: status {p.returncode}: {p.stderr[-200:]}")
        with open(os.path.join("damaged", name), "w", encoding="utf-8") as f:
            json.dump(documents[name], f)
    print(f"{n_pages + n_errors} of {times} ended well, {'most' if n_pages > n_errors else 'few'} of them with a page")


main()
