"""Start-up time of the program against /bin/true, in the same run: medians of 200 starts each, interleaved."""
import subprocess
import sys
import time


def start(command):
    begin = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def main():
    assay, yardstick = [sys.argv[1], "--version"], ["/bin/true"]
    times = {"assay": [], "true": []}
    for _ in range(200):
        times["assay"].append(start(assay))
        times["true"].append(start(yardstick))
    a, t = (sorted(times[k])[100] * 1e3 for k in ("assay", "true"))
    print("start: assay --version %.2f ms, /bin/true %.2f ms: %.2f ms more, ratio %.2f" % (a, t, a - t, a / t))


main()
