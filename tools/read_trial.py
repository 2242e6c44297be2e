#!/usr/bin/env python3
"""Reads a trial's column file (docs/FORMATS.md, "Trial file") with `struct` alone and computes its statistics anew.

usage: tools/read_trial.py FILE [--column NAME]... [--where NAME=VALUE]... [--dump]
Prints one JSON document: the header, and per column n, missing, mean, median, min, max, trimmed_mean (10 % cut on each
side: n // 10 values) and sd (n - 1). --where keeps the rows whose column has that value; --dump prints the rows instead,
as CSV. It shares no code with the program, so it can be held against it. Exit 2: the file is not valid.
"""
import argparse
import json
import math
import struct
import sys

TYPES = {"u8": ("B", 1, 255), "u32": ("I", 4, 4294967295), "i64": ("q", 8, -(2**63)), "f64": ("d", 8, math.nan)}


def fail(text):
    print(f"read_trial: {text}", file=sys.stderr)
    sys.exit(2)


def read(path):
    """(header, {name: tuple of values}) of a column file."""
    with open(path, "rb") as f:
        data = f.read()
    if len(data) < 24:
        fail(f"{path}: too short")
    magic, version, zero, n_header = struct.unpack_from("<8sIIQ", data)
    if magic != b"ASSAYCOL" or version != 1 or zero != 0:
        fail(f"{path}: is no column file of version 1")
    if n_header % 8 or 24 + n_header > len(data):
        fail(f"{path}: header of {n_header} bytes")
    header = json.loads(data[24 : 24 + n_header].decode("utf-8"))
    at, columns = 24 + n_header, {}
    for column in header["columns"]:
        letter, size, _ = TYPES[column["type"]]
        n_bytes = header["n_rows"] * size
        if at + n_bytes > len(data):
            fail(f"{path}: column {column['name']} does not fit")
        columns[column["name"]] = struct.unpack_from(f"<{header['n_rows']}{letter}", data, at)
        at += (n_bytes + 7) // 8 * 8
    if at != len(data):
        fail(f"{path}: {len(data) - at} bytes after the last column")
    return header, columns


def is_missing(column, value):
    if not column.get("optional"):
        return False
    missing = TYPES[column["type"]][2]
    return value != value if missing != missing else value == missing


def median(s):
    n = len(s)
    return s[n // 2] if n % 2 else (s[n // 2 - 1] + s[n // 2]) / 2


def statistics(column, values):
    s = sorted(v for v in values if not is_missing(column, v))
    n = len(s)
    out = {"n": n, "missing": len(values) - n, "unit": column["unit"], "type": column["type"]}
    if n and all(math.isfinite(v) for v in s):
        cut = s[n // 10 : n - n // 10]
        mean = math.fsum(s) / n
        out.update(mean=mean, median=median(s), min=s[0], max=s[-1], trimmed_mean=math.fsum(cut) / len(cut))
        if n > 1:
            out["sd"] = math.sqrt(math.fsum((v - mean) ** 2 for v in s) / (n - 1))
    return out


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("file")
    p.add_argument("--column", action="append")
    p.add_argument("--where", action="append", default=[])
    p.add_argument("--dump", action="store_true")
    o = p.parse_args()
    header, columns = read(o.file)
    keep = range(header["n_rows"])
    for rule in o.where:
        name, _, value = rule.partition("=")
        if name not in columns:
            fail(f"no column {name}")
        keep = [i for i in keep if columns[name][i] == float(value)]
    wanted = o.column or list(columns)
    for name in wanted:
        if name not in columns:
            fail(f"no column {name}")
    if o.dump:
        print(",".join(wanted))
        for i in keep:
            print(",".join(repr(columns[name][i]) for name in wanted))
        return
    by_name = {c["name"]: c for c in header["columns"]}
    result = {name: statistics(by_name[name], [columns[name][i] for i in keep]) for name in wanted}
    print(json.dumps({"header": header, "columns": result}, sort_keys=True, indent=2))


main()
