#!/usr/bin/env python3
"""Runs a checker once per file, in parallel, and remembers the files that passed.

usage: tools/each.py NAME [--config FILE]... [--only WORD] --each COMMAND... --files FILE...
COMMAND holds {} where the file goes. A pass is remembered in build/lint/NAME under the digest of: command, tool version,
config files, the file and every own header it sees. A finding is printed (with --only: its lines that hold WORD) and
never remembered. Exit 1 on findings.
"""
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys

INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


class Digests:
    """Content digests of files, with everything that they include from src/ or tests/."""

    def __init__(self):
        self.text = {}

    def read(self, path):
        if path not in self.text:
            try:
                with open(path, "rb") as f:
                    self.text[path] = f.read()
            except FileNotFoundError:
                self.text[path] = None
        return self.text[path]

    def closure(self, path, seen):
        text = self.read(path)
        if text is None or path in seen:
            return
        seen.add(path)
        for inc in INCLUDE.findall(text):
            for folder in ("src", "tests", os.path.dirname(path)):
                self.closure(os.path.join(folder, inc.decode()), seen)

    def of(self, path, base):
        seen, h = set(), base.copy()
        self.closure(path, seen)
        for p in sorted(seen):
            h.update(p.encode() + b"\0" + hashlib.sha256(self.text[p]).digest())
        return h.hexdigest()


def parse(argv):
    name, configs, only = argv[0], [], ""
    i = 1
    while argv[i] in ("--config", "--only"):
        if argv[i] == "--config":
            configs.append(argv[i + 1])
        else:
            only = argv[i + 1]
        i += 2
    assert argv[i] == "--each"
    end = argv.index("--files", i)
    command = argv[i + 1 : end]
    return name, configs, only, command, argv[end + 1 :]


def run(command, path):
    argv = [path if c == "{}" else c for c in command]
    p = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    return p.returncode, (p.stdout + p.stderr).strip()


def main():
    name, configs, only, command, files = parse(sys.argv[1:])
    folder = os.path.join("build", "lint", name)
    os.makedirs(folder, exist_ok=True)
    version = subprocess.run([command[0], "--version"], capture_output=True).stdout
    base = hashlib.sha256("\0".join(command).encode() + version)
    for c in configs:
        with open(c, "rb") as f:
            base.update(f.read())
    digests = Digests()
    pending = []
    keep = set()
    for f in files:
        stamp = digests.of(f, base)
        keep.add(stamp)
        if not os.path.exists(os.path.join(folder, stamp)):
            pending.append((f, stamp))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (f, stamp), (rc, text) in zip(pending, pool.map(lambda t: run(command, t[0]), pending)):
            if rc == 0:
                open(os.path.join(folder, stamp), "w").close()
                continue
            failed += 1
            lines = [line for line in text.split("\n") if only in line]
            print("\n".join(lines) or text or f"{f}: {command[0]} ended with status {rc}")
    for old in os.listdir(folder):
        if old not in keep:
            os.unlink(os.path.join(folder, old))
    sys.exit(1 if failed else 0)


main()
