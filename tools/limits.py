#!/usr/bin/env python3
"""Checks the size and shape limits of docs/TESTING.md ("Limits") over src/ and tests/.

usage: tools/limits.py [ROOT]
One line a finding: file:line: what, value, limit. Exit 1 when there is one.
"""
import os
import re
import sys

MAX_C, MAX_H, MAX_FUNCTION, MAX_NESTING, MAX_PARAMS, MAX_VIEW = 600, 150, 60, 4, 6, 1500
HEAD_LINES = 4
TABLE = re.compile(r"/\* table: \S.*\*/")  # on one of the first lines: the file is a table and may be longer
TABLE_WITHIN = 12
MARKS = re.compile(r"\b(" + "TO" + "DO|FIX" + "ME|X" + "XX|HA" + "CK)\\b")
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "do", "else", "case", "defined", "_Static_assert"}

findings = []


def complain(path, line, text):
    findings.append(f"{path}:{line}: {text}")


def blank(text):
    """Comments, strings and character constants become spaces: same length, same line breaks."""
    out, i, n = [], 0, len(text)
    spaces = re.compile(r"[^\n]")
    token = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    while i < n:
        m = token.search(text, i)
        if not m:
            break
        out.append(text[i : m.start()])
        out.append(spaces.sub(" ", m.group()) if m.group()[0] == "/" else '"' + spaces.sub(" ", m.group()[1:-1]) + '"')
        i = m.end()
    out.append(text[i:])
    return "".join(out)


def without_directives(text):
    """Preprocessor lines (with continuations) become spaces. Of #if ... #else only the first branch stays."""
    out, hide, in_directive = [], [], False
    for line in text.split("\n"):
        stripped = line.lstrip()
        starts = stripped.startswith("#") and not in_directive
        if starts:
            word = stripped[1:].lstrip()
            if word.startswith("if"):
                hide.append(False)
            elif word.startswith(("else", "elif")) and hide:
                hide[-1] = True
            elif word.startswith("endif") and hide:
                hide.pop()
        directive = starts or in_directive
        in_directive = directive and line.rstrip().endswith("\\")
        out.append(" " * len(line) if directive or any(hide) else line)
    return "\n".join(out)


def split_params(text):
    """Top-level commas of a parameter list."""
    parts, depth, last = [], 0, 0
    for i, c in enumerate(text):
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[last:i])
            last = i + 1
    parts.append(text[last:])
    parts = [p.strip() for p in parts]
    return [] if parts in ([""], ["void"]) else parts


def check_params(path, line, name, params):
    if len(params) > MAX_PARAMS:
        complain(path, line, f"{name} has {len(params)} parameters, limit {MAX_PARAMS}")
    is_bool = [bool(re.match(r"(const )?(bool|_Bool)\b(?!.*\*)", p)) for p in params]
    if any(a and b for a, b in zip(is_bool, is_bool[1:])):
        complain(path, line, f"{name} takes two bools side by side: use flags or an options struct")


def matching(text, i, opening, closing):
    depth = 0
    for j in range(i, len(text)):
        if text[j] == opening:
            depth += 1
        elif text[j] == closing:
            depth -= 1
            if depth == 0:
                return j
    return len(text) - 1


def declarator(head):
    """(name, parameter text, offset of name) of the last function declarator in a declaration, or None."""
    head = re.sub(r"__attribute__\s*\(\(.*?\)\)", lambda m: " " * len(m.group()), head, flags=re.S)
    best = None
    for m in re.finditer(r"\b([A-Za-z_]\w*)\s*\(", head):
        before = head[: m.start()]
        if before.count("(") != before.count(")") or m.group(1) in KEYWORDS or m.group(1).isupper():
            continue
        if "=" in before or not re.search(r"[\w*]\s*\**\s*$", before):
            continue
        close = matching(head, m.end() - 1, "(", ")")
        best = (m.group(1), head[m.end() : close], m.start())
        break
    return best


def check_nesting(path, first_line, name, body):
    stack, worst, where = [], 0, 0
    for i, c in enumerate(body):
        if c == "{":
            before = body[:i].rstrip()
            block = not stack or stack[-1] and before.endswith((")", "else", "do", ";", "{", "}", ":"))
            stack.append(block)
            depth = sum(stack) - 1
            if depth > worst:
                worst, where = depth, first_line + body.count("\n", 0, i)
        elif c == "}" and stack:
            stack.pop()
    if worst > MAX_NESTING:
        complain(path, where, f"{name} nests {worst} deep, limit {MAX_NESTING}")


def check_functions(path, text):
    code = without_directives(blank(text))
    i, start, n = 0, 0, len(code)
    while i < n:
        c = code[i]
        if c == "(":
            i = matching(code, i, "(", ")")
        elif c == ";":
            found = declarator(code[start:i]) if "typedef" not in code[start:i] else None
            if found:
                check_params(path, code.count("\n", 0, start + found[2]) + 1, found[0], split_params(found[1]))
            start = i + 1
        elif c == "{":
            end = matching(code, i, "{", "}")
            head = code[start:i]
            found = declarator(head) if head.rstrip().endswith(")") else None
            if found:
                first = code.count("\n", 0, start + found[2]) + 1
                last = code.count("\n", 0, end) + 1
                check_params(path, first, found[0], split_params(found[1]))
                is_table = any(TABLE.search(line) for line in text.split("\n")[first - 1 : first + 3])
                if last - first + 1 > MAX_FUNCTION and not is_table:
                    complain(path, first, f"{found[0]} has {last - first + 1} lines, limit {MAX_FUNCTION}")
                check_nesting(path, code.count("\n", 0, i) + 1, found[0], code[i : end + 1])
                start = end + 1
            i = end
            # After a struct, enum or initializer the declaration goes on until its semicolon.
        i += 1


def includes(text):
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', text, re.M)


def view(name, texts, seen):
    """Lines of own headers that a file sees, each header once."""
    total = 0
    for kind, inc in includes(texts[name]):
        header = "src/" + inc
        if kind == '"' and inc.endswith(".h") and header in texts and header not in seen:
            seen.add(header)
            total += texts[header].count("\n") + view(header, texts, seen)
    return total


def check_include_order(path, text, texts):
    room = path.split("/")[1]
    own = path[4:-2] + ".h"

    # The first include is the own header, or the door that this file is the body of.
    first = next(iter(includes(text)), None)
    door = first[1] if first and first[0] == '"' and first[1].startswith(room + "/") else own

    def rank(kind, inc):
        if inc == door:
            return 0
        if kind == "<":
            return 1
        return 2 if inc.startswith("base/") else 3

    last, code = -1, text
    for m in re.finditer(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', code, re.M):
        if m.group(2).endswith(".def"):
            continue
        r = rank(m.group(1), m.group(2))
        if room == "base" and r == 3:
            r = 2
        if r < last:
            complain(path, code.count("\n", 0, m.start()) + 1,
                     f'include of {m.group(2)} out of order: own header, system, base, other rooms')
            return
        last = r
    if "src/" + own in texts and ('"', own) not in includes(text):
        complain(path, 1, f"does not include its own header {own}")


def check_head(path, text):
    m = re.match(r"/\*.*?\*/", text, re.S)
    lines = m.group().count("\n") + 1 if m else 0
    if lines != HEAD_LINES:
        complain(path, 1, f"head comment has {lines} lines; it has {HEAD_LINES}: what it does, in, out, never")
        return
    for word in ("In:", "Out:", "Never"):
        if not re.search(r"\b" + word, m.group(), re.I):
            complain(path, 1, f'head comment does not say "{word}"')


def check_file(path, text, texts):
    lines = text.count("\n")
    is_table = any(TABLE.search(line) for line in text.split("\n")[:TABLE_WITHIN])
    limit = MAX_H if path.endswith(".h") else MAX_C
    if lines > limit and not is_table:
        complain(path, 1, f"{lines} lines, limit {limit} (a table says so: /* table: what it is */)")
    for m in MARKS.finditer(text):
        complain(path, text.count("\n", 0, m.start()) + 1, f"{m.group()} left behind")
    check_functions(path, text)
    if not path.endswith(".c"):
        return
    seen = view(path, texts, set())
    if seen > MAX_VIEW:
        complain(path, 1, f"sees {seen} lines of own headers, limit {MAX_VIEW}")
    if path.startswith("src/"):
        check_head(path, text)
        check_include_order(path, text, texts)
    elif not text.startswith("/*"):
        complain(path, 1, "no head comment")


def main():
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    texts, others = {}, []
    for top in ("src", "tests", "tools", "examples", "bench"):
        for folder, _, names in sorted(os.walk(top)):
            if "/data" in folder or "corpus" in folder:
                continue
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith((".c", ".h")) and top in ("src", "tests", "bench"):
                    texts[path] = open(path, encoding="utf-8").read()
                elif name.endswith((".S", ".def", ".py", ".sh", ".ptx", ".css", ".js", ".mk", ".t", ".cu", ".c", ".h")):
                    others.append(path)
    for path, text in texts.items():
        check_file(path, text, texts)
    for path in others:
        text = open(path, encoding="utf-8", errors="replace").read()
        for m in MARKS.finditer(text):
            complain(path, text.count("\n", 0, m.start()) + 1, f"{m.group()} left behind")
    for line in findings:
        print(line)
    sys.exit(1 if findings else 0)


main()
