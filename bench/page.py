"""The report of a run of 50 iterations: how long `assay report` takes, against reading the same records with sha256sum in the
same run (medians of 9, interleaved). Where there is a Chromium, also how long it takes to open the page and how smoothly its
table of 1000 rows scrolls (tools/deps.sh web).

usage: bench/page.py ASSAY
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "web"))
import make_run  # noqa: E402
from browser import Browser  # noqa: E402

# Scrolls the table by 40 pixels a frame for two seconds; gives the gaps between frames in ms.
SCROLL = """
const done = arguments[arguments.length - 1], s = document.querySelector("#correctness .scroll"), gaps = [];
s.scrollIntoView();
let last = performance.now();
const end = last + 2000;
const step = now => {
  gaps.push(now - last); last = now; s.scrollTop += 40;
  if (s.scrollTop + s.clientHeight >= s.scrollHeight - 1) s.scrollTop = 0;
  if (now < end) requestAnimationFrame(step); else done(gaps.slice(2));
};
requestAnimationFrame(step);
"""
LOADED = "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime;"
SORTED = """const t = performance.now(); document.querySelector("#correctness th:nth-child(8) button").click();
document.body.offsetHeight; return performance.now() - t;"""


def wall_ms(command):
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - begin) * 1e3


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    assay = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as tmp:
        os.environ["ASSAY_STORE"] = os.path.join(tmp, "store")
        run, page = os.path.join(tmp, "run"), os.path.join(tmp, "page.html")
        make_run.make(run, 51, 1000, 200)
        records = [os.path.join(folder, name) for folder, _, names in os.walk(run) for name in names]
        ours, yard = [], []
        for _ in range(9):
            ours.append(wall_ms([assay, "report", run, "-o", page]))
            yard.append(wall_ms(["sha256sum", *records]))
        print("page: a run of 50 iterations, %.1f MB of records, becomes a page of %.2f MB in %.0f ms (at most %.0f); "
              "sha256sum of the records %.0f ms" % (sum(map(os.path.getsize, records)) / 1e6, os.path.getsize(page) / 1e6,
                                                    median(ours), max(ours), median(yard)))
        if not shutil.which("chromium") or not shutil.which("chromedriver"):
            print("page: no chromium and chromedriver here: not opened")
            return
        with Browser(tmp) as b:
            times = []
            for _ in range(5):
                b.open(page)
                times.append(b.js(LOADED))
            gaps = sorted(b.later(SCROLL))
            sorting = b.js(SORTED)
        print("page: opens in %.0f ms; scrolling 1000 rows, %d frames: median %.1f ms, 95 %% below %.1f ms; sorting them %.0f ms"
              % (median(times), len(gaps), median(gaps), gaps[len(gaps) * 95 // 100], sorting))


main()
