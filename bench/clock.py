#!/usr/bin/env python3
"""Times one command: clock.py RUNS COMMAND... prints "wall cpu rss": medians in units of 10 us, the largest peak in KiB.
Never reads what the command prints."""
import os
import subprocess
import sys
import time


def main():
    runs, command = int(sys.argv[1]), sys.argv[2:]
    walls, cpus, peak = [], [], 0
    for _ in range(runs):
        begin = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(child.pid, 0)
        walls.append(time.perf_counter() - begin)
        cpus.append(usage.ru_utime + usage.ru_stime)
        peak = max(peak, usage.ru_maxrss)
        if status not in (0, 256):
            sys.exit("clock.py: %s ended with status %d" % (command[0], status))
    middle = runs // 2
    print("%d %d %d" % (sorted(walls)[middle] * 1e5, sorted(cpus)[middle] * 1e5, peak))


main()
