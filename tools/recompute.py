#!/usr/bin/env python3
"""Makes every number of a summary again from its samples, by the definitions in src/stats/summary.h, and compares.

usage: tools/recompute.py FILE.json
FILE holds {"samples": [numbers in order of time], "unit": "ns", "summary": {as assay wrote it}}, or a list of such
objects. Prints one line a number that differs by more than 1e-12 (relative); exit 1 when there is one, 2 for bad input.
Shares no code with assay: sums by math.fsum, t quantiles from the finite sums for whole degrees of freedom (Abramowitz
and Stegun 26.7.3, 26.7.4).
"""
import json
import math
import sys


def quantile(s, p):
    h = (len(s) - 1) * p
    i = math.floor(h)
    return s[-1] if i + 1 >= len(s) else s[i] + (h - i) * (s[i + 1] - s[i])


def t_inside(t, df):
    """P(|T| < t) for whole df."""
    theta = math.atan(t / math.sqrt(df))
    c2, sin = math.cos(theta) ** 2, math.sin(theta)
    if df % 2:
        terms, term = [], math.cos(theta)
        for k in range(1, (df - 1) // 2 + 1):
            terms.append(term)
            term *= c2 * (2 * k) / (2 * k + 1)
        return 2 / math.pi * (theta + sin * math.fsum(terms))
    terms, term = [], 1.0
    for k in range(1, df // 2 + 1):
        terms.append(term)
        term *= c2 * (2 * k - 1) / (2 * k)
    return sin * math.fsum(terms)


def t_quantile(p, df):
    low, high = 0.0, 1.0
    while t_inside(high, df) < 2 * p - 1:
        high *= 2
    for _ in range(200):
        mid = (low + high) / 2
        if mid in (low, high):
            break
        low, high = (mid, high) if t_inside(mid, df) < 2 * p - 1 else (low, mid)
    return (low + high) / 2


def mean(v):
    return math.fsum(v) / len(v)


def squares(v, m):
    return math.fsum((x - m) ** 2 for x in v)


def quantum(s):
    if len(s) < 8 or s[0] == s[-1]:
        return None
    if all(x == math.floor(x) and abs(x) < 2**53 for x in s):
        return float(math.gcd(*(int(x) for x in s))) or None
    tol = 2.4e-7 * max(abs(s[0]), abs(s[-1]))
    gaps = [b - a for a, b in zip(s, s[1:]) if b - a > tol]
    if len(gaps) < 3 or min(gaps) <= 16 * tol:
        return None
    q = min(gaps)
    for x in s[1:]:
        d = x - s[0]
        k = math.floor(d / q + 0.5)
        if abs(d - k * q) > 2 * tol:
            return None
        if k > 0:
            q = d / k
    return q


def interval(x, s):
    """Half width, method, effective n (None below 20)."""
    n, g = len(x), len(x) // 10
    w = [min(max(v, s[g]), s[n - 1 - g]) for v in x]
    c = n / (n - 2 * g)
    var = squares(w, mean(w)) / (n - 1) / n
    half, method, effective = c * math.sqrt(var) * t_quantile(0.975, n - 2 * g - 1), "independent", None
    if n >= 20:
        b = [mean(w[j * n // 10 : (j + 1) * n // 10]) for j in range(10)]
        var_b = squares(b, mean(b)) / 9 / 10
        wide = c * math.sqrt(var_b) * t_quantile(0.975, 9)
        if wide > half:
            half, method = wide, "batch_means"
        effective = min(n, n * var / var_b) if var_b > 0 else n
    return half, method, effective


def modes(s, q):
    n, centre, best, k_best = len(s), quantile(s, 0.5), -1.0, 1
    total, left = math.fsum(v - centre for v in s), 0.0
    for k in range(1, n):
        left += s[k - 1] - centre
        between = k * (n - k) * ((total - left) / (n - k) - left / k) ** 2
        if between > best * (1 + 1e-13):
            best, k_best = between, k
    low, high = s[:k_best], s[k_best:]
    m_low, m_high = mean(low), mean(high)
    var = squares(low, m_low) / len(low) / 2 + squares(high, m_high) / len(high) / 2 + (q or 0) ** 2 / 12
    out = {"mean_low": m_low, "mean_high": m_high, "share_high": len(high) / n}
    out["separation"] = (m_high - m_low) / math.sqrt(var) if var > 0 else (math.inf if m_high > m_low else 0.0)
    out["bimodal"] = out["separation"] > 4 and 10 * min(len(low), len(high)) > n
    return out


def summary(x, unit):
    s, n = sorted(x), len(x)
    g = n // 10
    u = (lambda name: f"{name}_{unit}") if unit else (lambda name: name)
    out = {"n": n, "n_distinct": len(set(x)), u("mean"): mean(s), u("median"): quantile(s, 0.5), u("min"): s[0]}
    out[u("max")], out[u("trimmed_mean")] = s[-1], mean(s[g : n - g])
    out[u("mad")] = quantile(sorted(abs(v - quantile(s, 0.5)) for v in x), 0.5)
    if n >= 2:
        out[u("sd")] = math.sqrt(squares(s, mean(s)) / (n - 1))
    for p, name in ((0.05, "p05"), (0.25, "p25"), (0.75, "p75"), (0.95, "p95"), (0.99, "p99")):
        if 1 - p**n - (1 - p) ** n >= 0.95:
            out[u(name)] = quantile(s, p)
    q = quantum(s)
    if q:
        out[u("quantum")] = q
    if n - 2 * g >= 2:
        half, method, effective = interval(x, s)
        out["interval"] = {"of": "trimmed_mean", u("half_width"): half, "level": 0.95, "method": method}
        if effective is not None:
            out["n_effective"] = effective
    if n >= 20:
        m = modes(s, q)
        out["modes"] = {u(k) if k.startswith("mean") else k: v for k, v in m.items() if v != math.inf}
    return out


def differences(path, want, got):
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted(set(want) | set(got)):
            if key not in want or key not in got:
                yield f"{path}.{key}: only in {'the file' if key in got else 'the recomputation'}"
            else:
                yield from differences(f"{path}.{key}", want[key], got[key])
    elif isinstance(want, (int, float)) and isinstance(got, (int, float)) and not isinstance(want, bool):
        if not abs(want - got) <= 1e-12 * abs(want):
            yield f"{path}: recomputed {want!r}, the file says {got!r}"
    elif want != got:
        yield f"{path}: recomputed {want!r}, the file says {got!r}"


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with open(sys.argv[1], encoding="utf-8") as f:
        entries = json.load(f)
    entries = entries if isinstance(entries, list) else [entries]
    found, n_numbers = 0, 0
    for i, entry in enumerate(entries):
        x = [float(v) for v in entry["samples"]]
        if not x or not all(math.isfinite(v) for v in x):
            print(f"{sys.argv[1]}: entry {i}: no samples, or one that is not finite", file=sys.stderr)
            return 2
        want = summary(x, entry.get("unit", ""))
        n_numbers += len(want)
        for line in differences(f"{sys.argv[1]}[{i}]", want, entry["summary"]):
            print(line)
            found += 1
    print(f"{len(entries)} summaries, {n_numbers} fields, {found} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
