#!/usr/bin/env python3
"""Facts, not directions: no text that the program can print says what to do next or what pays off.

usage: tools/words.py [ROOT]
Looks at string literals of src/**/*.{c,h,def} and at the whole text of embedded files. tools/words.allow lists exceptions,
one a line: "path: the text around the word". Exit 1 on findings, and on an exception that matches nothing.
"""
import os
import re
import sys

WORDS = re.compile(r"\b(recommend\w*|suggest\w*|should|next steps?|return on investment|ROI)\b", re.I)
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\'', re.S)
CODE = (".c", ".h", ".def")
EMBEDDED = (".json", ".html", ".css", ".js", ".txt", ".md")


def texts(path, content):
    """(line, text) of everything that can be printed."""
    if path.endswith(CODE):
        for m in TOKEN.finditer(content):
            if m.group(1):
                yield content.count("\n", 0, m.start()) + 1, m.group(1)
    else:
        for i, line in enumerate(content.split("\n"), 1):
            yield i, line


def main():
    tools = os.path.dirname(os.path.abspath(__file__))
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(tools, ".."))
    allowed = []
    for line in open(os.path.join(tools, "words.allow"), encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            path, text = line.rstrip("\n").split(": ", 1)
            allowed.append([path, text, False])
    bad = 0
    for folder, _, names in sorted(os.walk("src")):
        for name in sorted(names):
            path = os.path.join(folder, name)
            if not name.endswith(CODE + EMBEDDED):
                continue
            for line, text in texts(path, open(path, encoding="utf-8").read()):
                for m in WORDS.finditer(text):
                    hits = [a for a in allowed if a[0] == path and a[1] in text and m.group() in a[1]]
                    for a in hits:
                        a[2] = True
                    if not hits:
                        print(f'{path}:{line}: "{m.group()}" in a text of the program: {text.strip()[:80]}')
                        bad = 1
    for path, text, used in allowed:
        if not used and len(sys.argv) < 2:
            print(f"tools/words.allow: matches nothing: {path}: {text}")
            bad = 1
    sys.exit(bad)


main()
