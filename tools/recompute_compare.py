#!/usr/bin/env python3
"""Makes every number of a comparison again from its calls, by the rules in src/stats/placement.h and paired.h.

usage: tools/recompute_compare.py RECORD.json TRIAL
RECORD: as `assay compare --json` prints it; TRIAL: the column file of the store that its "trial" names. Prints a line a
number that differs by more than 1e-9 (of the times and log ratios: 1e-12); exit 1 when there is one, 2 for bad input.
Shares no code with assay. What is not made again is the level of a look: its nominal alpha is taken from the record.
"""
import json
import math
import struct
import sys

from recompute import t_quantile

FLAG_WARMUP, FLAG_CHECKED = 2, 8


def read_columns(path):
    data = open(path, "rb").read()
    magic, version, zero, n_header = struct.unpack_from("<8sIIQ", data)
    if magic != b"ASSAYCOL" or version != 1 or zero != 0:
        raise ValueError(f"{path}: not a trial file")
    header, at, out = json.loads(data[24 : 24 + n_header]), 24 + n_header, {}
    for c in header["columns"]:
        letter, size = {"u8": "B1", "u32": "I4", "i64": "q8", "f64": "d8"}[c["type"]]
        out[c["name"]] = struct.unpack_from(f"<{header['n_rows']}{letter}", data, at)
        at += (header["n_rows"] * int(size) + 7) // 8 * 8
    return out, header["n_rows"]


def trimmed(x):
    s, g = sorted(x), len(x) // 10
    return math.fsum(s[g : len(s) - g]) / (len(s) - 2 * g)


def timed_calls(t, n):
    """{(placement, case): [calls in order of time]}, those of blocks only."""
    out, last = {}, None
    for i in range(n):
        if t["mode"][i] not in (1, 2):
            continue
        key, worker = (t["placement"][i], t["case"][i]), (t["placement"][i], t["side"][i])
        call = {"time": None, "block": t["block"][i], "quarter": t["quarter"][i], "side": t["side"][i]}
        call["switch"], last = worker != last, worker
        call["row"] = i
        if not t["flags"][i] & (FLAG_WARMUP | FLAG_CHECKED):
            out.setdefault(key, []).append(call)
    return out


def reduce(calls, side):
    """Log ratio, standard error, times of one candidate in one placement; None without a pair."""
    blocks = {c["block"] for c in calls if c["side"] == side}
    mine = [c for c in calls if c["block"] in blocks]
    kept = [
        i > 0 and (c["side"] == mine[i - 1]["side"]) and not c["switch"] and c["time"] > 0
        for i, c in enumerate(mine)
    ]
    ratios, a, b, means = [], [], [], []
    for block in sorted(blocks):
        quarters = [[c for c, k in zip(mine, kept) if k and c["block"] == block and c["quarter"] == q] for q in range(4)]
        new = []
        for x, y in (*zip(quarters[0], quarters[1]), *zip(quarters[3], quarters[2])):
            base, other = (x, y) if x["side"] == 0 else (y, x)
            a.append(base["time"])
            b.append(other["time"])
            new.append(math.log(base["time"] / other["time"]))
        if new:
            means.append(math.fsum(new) / len(new))
        ratios += new
    if not ratios:
        return None
    m = math.fsum(means) / len(means)
    squares = math.fsum((x - m) ** 2 for x in means)
    se = math.sqrt(squares / (len(means) - 1) / len(means)) if len(means) > 1 else 0.0
    return trimmed(ratios), se, trimmed(a), trimmed(b)


class Check:
    def __init__(self):
        self.n, self.bad = 0, 0

    def __call__(self, what, got, want, relative, floor=0.0):
        self.n += 1
        if want is None or not abs(got - want) <= relative * abs(want) + floor:
            print(f"{what}: recomputed {got!r}, the record says {want!r}")
            self.bad += 1


def verdict(estimate, half, m):
    lower, upper = estimate - half, estimate + half
    if lower > 0 and estimate >= m:
        return "faster"
    if upper < 0 and estimate <= -m:
        return "slower"
    return "equivalent" if m > 0 and -m < lower and upper < m else "inconclusive"


def check_effect(check, name, d, effect):
    n = effect["n_placements"]
    if n == 0:
        return
    d = d[:n]
    estimate = math.fsum(d) / n
    sd = math.sqrt(math.fsum((x - estimate) ** 2 for x in d) / (n - 1))
    half = t_quantile(1 - effect["nominal_alpha"] / 2, n - 1) * sd / math.sqrt(n)
    check(f"{name}.effect_log", estimate, effect["effect_log"], 1e-9, 1e-13)
    check(f"{name}.sd_log", sd, effect["sd_log"], 1e-9)
    check(f"{name}.half_width_log", half, effect["half_width_log"], 1e-8)
    check(f"{name}.upper_pct", 100 * math.expm1(estimate + half), effect["upper_pct"], 1e-8, 1e-9)


def main():
    if len(sys.argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    record = json.load(open(sys.argv[1], encoding="utf-8"))
    t, n = read_columns(sys.argv[2])
    source = {"host_clock": "span_ns", "device_record": "span_ns", "event_pair": "event_ns"}[record["source"]]
    calls = timed_calls(t, n)
    for key, list_ in calls.items():
        for c in list_:
            off = record["sides"][c["side"]]["empty_pair_ns"][key[0]] if source == "event_ns" else 0.0
            x = t[source][c["row"]] - off
            c["time"] = x if math.isfinite(x) else 0.0
    check, m = Check(), math.log1p(record["min_effect_pct"] / 100)
    for side, x in enumerate(record["sides"][1:], 1):
        columns = []
        for i_case, case in enumerate(x["cases"]):
            got = [reduce(calls[key], side) for key in sorted(calls) if key[1] == i_case]
            got = [g for g in got if g]
            columns.append([g[0] for g in got])
            for p, (g, d, se, time) in enumerate(zip(got, case["log_ratio"], case["log_ratio_se"], case["time_ns"])):
                name = f"{x['label']}.{case['name']}[{p}]"
                check(f"{name}.log_ratio", g[0], d, 1e-12, 1e-15)
                check(f"{name}.log_ratio_se", g[1], se, 1e-9, 1e-15)
                check(f"{name}.time_ns", g[3], time, 1e-12)
        effect = x["effect"]
        if not effect:
            continue
        overall = [math.fsum(row) / len(row) for row in zip(*columns)]
        check_effect(check, x["label"], overall, effect)
        for case, d, e in zip(x["cases"], columns, effect.get("cases", [])):
            check_effect(check, f"{x['label']}.{case['name']}", d, e)
        word = verdict(effect["effect_log"], effect["half_width_log"], m) if effect["n_placements"] else "inconclusive"
        if len(record["sides"]) == 2 and word != effect["verdict"]:  # several share alpha by Holm
            print(f"{x['label']}: recomputed {word}, the record says {effect['verdict']}")
            check.bad += 1
    print(f"{check.n} numbers, {check.bad} differ")
    return 1 if check.bad or check.n == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
