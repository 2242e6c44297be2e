#!/usr/bin/env python3
"""Opens a run's page in headless Chromium and holds what is drawn against the records. One line a finding, for report.t.

usage: check_report.py PICTURES RUN_FOLDER PAGE [RUN_FOLDER PAGE ...]
PICTURES: folder for a dark and a light picture of the first page. Of further pages the charts are looked at; "PAGE " stands
before their lines.
"""
import json
import math
import os
import struct
import sys
import tempfile
import time
import zlib

from browser import Browser

# Marks of one chart: data attributes, and where they are drawn (the middle of the last shape, in units of the chart).
MARKS = """
const middle = e => { const b = e.getBBox(); return [b.x + b.width / 2, b.y + b.height / 2]; };
const figure = document.querySelectorAll(`figure[data-chart=${arguments[0]}]`)[arguments[2]];
return [...figure.querySelectorAll(arguments[1])].map(e => ({...e.dataset, title: e.querySelector("title")?.textContent,
  group: e.parentElement.dataset.label ?? null, at: middle(e.lastElementChild && e.lastElementChild.tagName !== "title" ? e.lastElementChild : e)}));
"""
TICKS = """
const figure = document.querySelectorAll(`figure[data-chart=${arguments[0]}]`)[arguments[2]];
return [...figure.querySelectorAll(`text.tick.${arguments[1]}[data-value]`)].map(e => [Number(e.dataset.value), Number(e.dataset.at)]);
"""
# Pairs of texts of one chart that cover each other by more than a pixel, and texts that leave the chart.
OVERLAPS = """
const out = [];
for (const svg of document.querySelectorAll("figure svg")) {
  const frame = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].map(e => [e, e.getBoundingClientRect()]);
  texts.forEach(([e, r], i) => {
    if (r.left < frame.left - 1 || r.right > frame.right + 1 || r.top < frame.top - 1 || r.bottom > frame.bottom + 1)
      out.push(`${svg.parentElement.dataset.chart}: "${e.textContent}" leaves the chart`);
    for (const [f, q] of texts.slice(i + 1))
      if (Math.min(r.right, q.right) - Math.max(r.left, q.left) > 1 && Math.min(r.bottom, q.bottom) - Math.max(r.top, q.top) > 3)
        out.push(`${svg.parentElement.dataset.chart}: "${e.textContent}" covers "${f.textContent}"`);
  });
}
return out;
"""
CONTRAST = """
const rgb = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
const light = c => { const v = c / 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
const luminance = c => { const [r, g, b] = rgb(c).map(light); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const page = luminance(getComputedStyle(document.body).backgroundColor);
const out = {};
for (const css of ["body", "p.dim", "td.good", "nav a", ".outcome.bad", ".outcome.warn", "svg text.tick", "svg text.dim"]) {
  const e = document.querySelector(css);
  if (!e) continue;
  const style = getComputedStyle(e), text = luminance(e.closest("svg") ? style.fill : style.color);
  out[css] = (Math.max(text, page) + 0.05) / (Math.min(text, page) + 0.05);
}
return out;
"""


def near(x, y):
    return math.isclose(x, y, rel_tol=1e-9, abs_tol=1e-12)


prefix = ""


def say(name, problems, text):
    print(f"{prefix}{name}: {'; '.join(problems[:5]) if problems else text}")


class Axis:
    """The scale of a chart, from its tick labels alone: where a value belongs."""

    def __init__(self, ticks):
        self.ticks = ticks
        self.f = max((lambda v: v, math.log10), key=self._fit)

    def _line(self, f):
        (v0, p0), (v1, p1) = self.ticks[0], self.ticks[-1]
        return lambda v: p0 + (f(v) - f(v0)) / (f(v1) - f(v0)) * (p1 - p0)

    def _fit(self, f):
        if f is math.log10 and min(v for v, _ in self.ticks) <= 0:
            return -math.inf
        line = self._line(f)
        return -max(abs(line(v) - p) for v, p in self.ticks)

    def place(self, v):
        return self._line(self.f)(v)


class Report:
    def __init__(self, browser, folder):
        self.b, self.folder = browser, folder
        with open(os.path.join(folder, "run_manifest.json"), encoding="utf-8") as f:
            self.manifest = json.load(f)
        self.versions = self.manifest["iterations"]
        self.bench = []
        for i in range(len(self.versions)):
            with open(os.path.join(folder, f"iter_v{i}", "benchmark_result.json"), encoding="utf-8") as f:
                self.bench.append(json.load(f))
        self.best = self.manifest["best_iteration"]

    def marks(self, chart, css, which=0):
        return self.b.js(MARKS, chart, css, which)

    def axis(self, chart, name, which=0):
        ticks = self.b.js(TICKS, chart, name, which)
        if not 3 <= len(ticks) <= 9:
            print(f"{prefix}ticks: {len(ticks)} on {name} of {chart}")
        return Axis(ticks)

    def series_of(self, i):
        return (self.bench[i].get("kernel") or {}).get("cold") or {}

    def check_versions(self):
        bad, y = [], self.axis("versions", "y")
        seen = {m["label"]: m for m in self.marks("versions", ".mark")}
        for i, v in enumerate(self.versions):
            m, s = seen.pop(f"v{i}", None), self.series_of(i).get("summary")
            if m is None:
                bad.append(f"v{i} is not drawn")
            elif s is None:
                if m.get("word") != v["verdict"] or v["verdict"] not in m["title"]:
                    bad.append(f"v{i} says {m}, its verdict is {v['verdict']}")
            elif not (near(float(m["y"]), s["trimmed_mean_ns"]) and near(float(m["low"]), s["min_ns"])
                      and near(float(m["high"]), s["max_ns"]) and near(float(m["half"]), s["interval"]["half_width_ns"])):
                bad.append(f"v{i} says {m}, the record {s}")
            elif abs(m["at"][1] - y.place(s["trimmed_mean_ns"])) > 0.5:
                bad.append(f"v{i} stands at {m['at']}, its time at {y.place(s['trimmed_mean_ns'])}")
        bad += [f"{label} is drawn and not in the records" for label in seen]
        n = sum(1 for i in range(len(self.versions)) if self.series_of(i))
        say("chart versions", bad, f"{n} times and {len(self.versions) - n} rejected are the records'")

    def check_speedups(self):
        bad, x = [], self.axis("speedups", "x")
        compared = [(f"v{i} against v{v['comparison']['baseline']}", v["comparison"])
                    for i, v in enumerate(self.versions) if (v.get("comparison") or {}).get("speedup") is not None]
        compared += [(f"v{c['candidate']} against v{c['baseline']}, again", c) for c in self.manifest["confirmations"]]
        marks = self.marks("speedups", ".mark")
        seen = {m["label"]: m for m in marks if "x" in m}
        for label, c in compared:
            m = seen.get(label)
            wanted = (c["speedup"], 1 + c["lower_pct"] / 100, 1 + c["upper_pct"] / 100)
            if m is None or not all(near(float(m[k]), v) for k, v in zip(("x", "low", "high"), wanted)) or m["word"] != c["verdict"]:
                bad.append(f"{label}: {m}, the record {wanted}")
            elif abs(m["at"][0] - x.place(c["speedup"])) > 0.5:
                bad.append(f"{label} stands at {m['at'][0]}, not at {x.place(c['speedup'])}")
        if len(marks) - len(seen) != len(self.versions) - 1 + len(self.manifest["confirmations"]) - len(compared):
            bad.append(f"{len(marks) - len(seen)} marks of versions that were not compared")
        say("chart speedups", bad, f"{len(compared)} comparisons are the records'")

    def check_samples(self):
        bad, x, n = [], self.axis("samples", "x"), 0
        for i in sorted({0, max(self.best, 0)}):
            wanted = self.series_of(i).get("samples_ns", [])
            dots = [m for m in self.marks("samples", ".dot") if m["group"] == f"v{i}"]
            shown = sorted(float(m["x"]) for m in dots)
            n += len(dots)
            if not set(shown) <= set(wanted) or len(shown) < 0.98 * len(wanted):
                bad.append(f"v{i}: {len(shown)} dots of {len(wanted)} samples")
            bad += [f"v{i}: a dot of {m['x']} at {m['at'][0]}" for m in dots if abs(m["at"][0] - x.place(float(m["x"]))) > 0.5]
            line = [m for m in self.marks("samples", ".median") if m["group"] == f"v{i}"][0]
            if not near(float(line["x"]), self.series_of(i)["summary"]["median_ns"]):
                bad.append(f"v{i}: median {line['x']}")
        say("chart samples", bad, f"{n} dots and the medians are the records'")

    def check_series(self):
        bad, n, lanes = [], 0, []
        for which, i in enumerate(sorted({0, max(self.best, 0)})):
            wanted = self.series_of(i)["samples_ns"]
            x, y = self.axis("series", "x", which), self.axis("series", "y", which)
            dots = self.marks("series", ".dot", which)
            shown = [float(m["y"]) for m in dots]
            rest = iter(wanted)
            if not all(any(v == w for w in rest) for v in shown):
                bad.append(f"v{i}: not the samples in their order")
            n += len(dots)
            bad += [f"v{i}: {m} stands at {m['at']}" for m in dots
                    if abs(m["at"][0] - x.place(float(m["x"]))) > 0.5 or abs(m["at"][1] - y.place(float(m["y"]))) > 0.5]
            lanes = sorted({m["group"] for m in self.marks("series", ".seen circle", which)})
        say("chart series", bad, f"{n} dots in the records' order, under them {', '.join(lanes) or 'nothing'}")

    def check_roofline(self):
        bad, x, y = [], self.axis("roofline", "x"), self.axis("roofline", "y")
        wanted = {f"v{i}": b["limits"]["roofline"] for i, b in enumerate(self.bench) if b.get("limits")}
        marks = {m["label"]: m for m in self.marks("roofline", ".mark")}
        for label, r in wanted.items():
            m = marks.get(label)
            if m is None or not (near(float(m["x"]), r["intensity_flop_per_byte"]) and near(float(m["y"]), r["flop_per_s"])):
                bad.append(f"{label}: {m}, the record {r}")
            elif abs(m["at"][0] - x.place(float(m["x"]))) > 0.5 or abs(m["at"][1] - y.place(float(m["y"]))) > 0.5:
                bad.append(f"{label} stands at {m['at']}")
        roofs = {m["label"]: float(m["perS"]) for m in self.marks("roofline", ".roof")}
        peaks = next(b["limits"]["peaks"] for b in self.bench if b.get("limits"))
        expected = {k: peaks[j]["per_s"] for k, j in (("memory", "bytes"), ("arithmetic", "flop")) if peaks[j]}
        if roofs.keys() != expected.keys() or not all(near(roofs[k], v) for k, v in expected.items()):
            bad.append(f"ceilings {roofs}, the record {expected}")
        say("chart roofline", bad, f"{len(wanted)} versions and {len(roofs)} ceilings are the records'")

    def check_parts(self):
        bad, n = [], 0
        for m in self.marks("cost", ".bar rect"):
            s = self.versions[int(m["group"][1:])]["seconds"]
            wanted = {"build": s["bench_phases"].get("build"), "comparison": s.get("compare"), "profiling": s.get("profile"),
                      "integrity": s["bench_phases"].get("integrity")}.get(m["part"])
            n += wanted is not None
            if wanted is not None and not near(float(m["ns"]), wanted * 1e9):
                bad.append(f"{m['group']} {m['part']}: {m['ns']}, the record {wanted}")
        activities = (self.bench[max(self.best, 0)].get("identity") or {}).get("activities")
        if activities:
            shown = [(int(float(m["ns"])), int(m["stream"])) for m in self.marks("timeline", ".activity")]
            if shown != [(a["duration_ns"], a["stream"]) for a in activities]:
                bad.append(f"timeline {shown}")
            call = {(m["group"], m["part"]): float(m["ns"]) for m in self.marks("call", ".bar rect")}
            for i, b in enumerate(self.bench):
                if b.get("identity") and not near(call[(f"v{i}", "device busy")], b["identity"]["busy_ns"]):
                    bad.append(f"v{i} busy {call[(f'v{i}', 'device busy')]}")
        say("chart parts", bad, f"{n} costs and {len(activities or [])} activities are the records'")

    def check_mix(self):
        bad, n, shown = [], 0, {}
        for m in self.marks("mix", ".bar rect"):
            shown.setdefault(m["group"], {})[m["part"]] = int(m["n"])
        for i in range(len(self.versions)):
            with open(os.path.join(self.folder, f"iter_v{i}", "machine_code.json"), encoding="utf-8") as f:
                counts = {}
                for k in json.load(f)["kernels"]:
                    for name, v in k["by_class"].items():
                        counts[name] = counts.get(name, 0) + v
            bar = shown.get(f"v{i}", {})
            named = {k: v for k, v in bar.items() if k != "other"}
            n += len(bar)
            if any(counts.get(k) != v for k, v in named.items()) or sum(bar.values()) != sum(counts.values()):
                bad.append(f"v{i}: {bar}, the record {counts}")
        say("chart mix", bad, f"{n} counts of instructions are the records'")

    def table(self, caption):
        """Rows of the table whose caption begins so, as lists of cell texts, those only that are shown."""
        return self.b.js("""const t = [...document.querySelectorAll("table.data")].find(t => t.caption.textContent.startsWith(arguments[0]));
            return [...t.tBodies[0].rows].filter(r => r.offsetParent).map(r => [...r.cells].map(c => c.dataset.sort ?? c.textContent));""", caption)

    def check_tables(self):
        outputs = [(c["case"], o["max_abs_error"]) for b in self.bench for c in b["correctness"]["cases"] for o in c["outputs"]]
        rows = self.table("What the keeper saw")
        same = [(r[1], float(r[7])) for r in rows] == [(c, float(f"{e:.12g}")) for c, e in outputs]
        say("table", [] if same else [f"{len(rows)} rows are not the records' {len(outputs)}"], f"{len(rows)} rows are the records'")
        head = "#correctness th:nth-child(8) button"
        orders = []
        for _ in range(2):
            self.b.click(head)
            orders.append([float(r[7]) for r in self.table("What the keeper saw")])
        up, down = sorted(orders[0]), sorted(orders[1], reverse=True)
        say("sort", [] if orders == [up, down] and up[0] < up[-1] else ["not in order"], "up, then down")
        self.b.click("#versions th:nth-child(3) button")
        medians = [r[2] for r in self.table("All versions")]
        n_none = sum(1 for v in self.versions if v.get("median_ms") is None)
        last = medians[len(medians) - n_none :]
        say("sort", [] if n_none and not any(last) else [f"missing times at {medians}"], "versions without a time come last")
        self.b.type("#correctness input.filter", "case_017")
        left = self.table("What the keeper saw")
        wanted = sum(1 for c, _ in outputs if c == "case_017")
        status = self.b.js('return document.querySelector("#correctness [role=status]").textContent')
        say("filter", [] if len(left) == wanted and all(r[1] == "case_017" for r in left) and status.startswith(f"{wanted} of ")
            else [f"{len(left)} rows left of {wanted}; {status}"], f"{status} with case_017")
        self.b.js('const i = document.querySelector("#correctness input.filter"); i.value = ""; i.dispatchEvent(new Event("input"));')
        at = self.b.js("""const s = document.querySelector("#correctness .scroll"); s.scrollIntoView(); s.scrollTop = s.scrollHeight;
            const box = s.getBoundingClientRect(), row = s.querySelector("tbody").lastElementChild.getBoundingClientRect();
            return [row.bottom <= box.bottom + 1, Math.abs(s.querySelector("th").getBoundingClientRect().top - box.top) < 1.5, s.scrollTop > 1000];""")
        say("scroll", [] if all(at) else [f"{at}"], "the last row is in sight, the headings stay")

    def check_difference(self):
        self.b.click("#compare summary")
        n = len(self.versions) - 1
        self.b.js('const s = document.getElementById("to"); s.value = "source-v1"; s.dispatchEvent(new Event("change"));')
        bad = []
        for to in (1, n):
            self.b.js('const s = document.getElementById("to"); s.value = arguments[0]; s.dispatchEvent(new Event("change"));', f"source-v{to}")
            lines = self.b.js('return [...document.querySelectorAll("#difference span")].map(e => e.textContent)')
            for i, sign in ((0, "+"), (to, "-")):
                with open(os.path.join(self.folder, f"iter_v{i}", os.path.basename(self.versions[i]["path"])), encoding="utf-8") as f:
                    if [x[1:] for x in lines if x[0] != sign] != f.read().rstrip("\n").split("\n"):
                        bad.append(f"v0 to v{to} does not give v{i} back")
            if not any(x[0] == "+" for x in lines) or not any(x[0] == " " for x in lines):
                bad.append(f"v0 to v{to}: nothing added or nothing kept")
        say("difference", bad, "any two versions give both sources back")

    def check_access(self):
        missing = self.b.js("""const none = css => [...document.querySelectorAll(css)].length;
            return ["main", "nav[aria-label]", "h1", "html[lang]"].filter(css => none(css) !== 1)
              .concat(["figure svg:not([role=img][aria-label])", "section:not([aria-labelledby])", "th:not([scope])",
                       "input:not([aria-label])", "select:not([aria-label])", "table:not(:has(caption))"].filter(none))
              .concat([...document.querySelectorAll("nav a")].filter(a => !document.querySelector(a.getAttribute("href"))).map(a => a.href));""")
        say("landmarks", missing, "main, contents, named sections, charts, tables and inputs")


    def check_charts(self):
        self.check_versions()
        self.check_speedups()
        self.check_samples()
        self.check_series()
        self.check_roofline()
        self.check_parts()
        self.check_mix()
        say("labels", self.b.js(OVERLAPS), "none covers another, none leaves its chart")


def first_pixel(path):
    """Colour of the upper left pixel of a PNG: its filters leave that one as it is."""
    with open(path, "rb") as f:
        data = f.read()
    at, packed = 8, b""
    while at < len(data):
        n, kind = struct.unpack_from(">I4s", data, at)
        packed += data[at + 8 : at + 8 + n] if kind == b"IDAT" else b""
        at += 12 + n
    return tuple(zlib.decompressobj().decompress(packed, 4)[1:4])


def check_pictures(b, folder):
    for scheme, is_right in (("light", lambda c: min(c) > 230), ("dark", lambda c: max(c) < 50)):
        b.scheme(scheme)
        path = os.path.join(folder, scheme + ".png")
        b.picture(path)
        ratios = b.js(CONTRAST)
        low = [f"{css} {r:.1f}" for css, r in ratios.items() if r < 4.5]
        say(scheme, low + ([] if is_right(first_pixel(path)) else [f"background {first_pixel(path)}"]),
            f"background and the contrast of {len(ratios)} kinds of text are right")


def check_print(b):
    b.scheme("dark", media="print")
    style = b.js("""const s = document.querySelector("#correctness .scroll");
        return [getComputedStyle(document.body).backgroundColor, s.scrollHeight <= s.clientHeight + 1, s.scrollWidth <= s.clientWidth + 1];""")
    b.scheme("light")
    pdf = b.pdf()
    n_pages = pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page/")
    bad = [] if pdf.startswith(b"%PDF-") and n_pages > 5 else [f"{len(pdf)} bytes, {n_pages} pages"]
    say("print", bad + ([] if style == ["rgb(255, 255, 255)", True, True] else [str(style)]), "a PDF on white, no table cut off")


def check_page(b, folder, page, pictures):
    b.scheme("light")
    b.open(page)
    console, asked = b.console(), b.requests()
    say("open", console + [a for a in asked if a != "file://" + os.path.abspath(page)], "no message on the console, no request")
    r = Report(b, folder)
    r.check_charts()
    r.check_access()
    r.check_tables()
    r.check_difference()
    check_pictures(b, pictures)
    check_print(b)
    say("afterwards", b.console() + [a for a in b.requests() if not a.startswith("data:")], "no message on the console, no request")
    for _ in range(3):  # scripts that are allowed again while the page still loads would run
        b.scripts(False)
        b.open(page)
        time.sleep(0.3)
        b.scripts(True)
        n_sources = b.js('return document.querySelectorAll("details.pair, details.source").length')
        n_added = b.js('return document.querySelectorAll("th button, input").length')
        is_readable = bool(r.table("What the keeper saw") and n_sources and not n_added)
        if is_readable:
            break
    say("without script", [] if is_readable else ["not readable"],
        "tables, differences and sources are there")


def main():
    global prefix
    pictures, rest = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as tmp, Browser(tmp) as b:
        check_page(b, rest[0], rest[1], pictures)
        for folder, page in zip(rest[2::2], rest[3::2]):
            prefix = page + " "
            b.open(page)
            Report(b, folder).check_charts()


main()
