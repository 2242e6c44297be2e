#!/usr/bin/env python3
"""Holds the documents to the program: README*.md and docs/ of the repository, or the files that are given.

usage: tools/docs.py check [FILE...]   links and their anchors resolve; every verb, option, flag, make target and path that is
                                       mentioned exists; every error word of the program has an entry in TROUBLESHOOTING.md
       tools/docs.py run [FILE...]     runs the commands of every block that begins with ```sh, a file in one scratch folder; a
                                       translation, with the same commands in the same order, once
                                       --also=gpu (or another mark) runs those blocks too, one document at a time
       tools/docs.py list              blocks that are not run, with their reason

A block is run when its first line is ```sh alone. ```sh gpu, ```sh network, ```sh long (minutes), ```sh system (installs or
needs privileges) are not run: their verbs, options and paths are checked all the same. Output of commands stands in ```text.
A command ends with 0 unless its line ends with "# exit status N". Budgets are cut short: what is run is the command, not the
measurement. ASSAY: the program (build/release/assay)."""
import concurrent.futures
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ASSAY = os.path.abspath(os.environ.get("ASSAY", os.path.join(ROOT, "build", "release", "assay")))
NOT_RUN = {"gpu": "needs a GPU", "network": "needs the network", "long": "takes minutes", "system": "installs or needs privileges"}
COMMAND_S = 60
# Options of other programs that documents name, and of tools of ours that are no verbs.
FOREIGN = {"--restrict", "--page", "--use_fast_math", "--import", "--prefix", "--depth", "--break-system-packages", "--user"}
OURS = ("tools/", "tests/", "bench/")  # scripts: their own options are looked for in their text
# What makes a command short, appended to it by verb.
SHORT = {"bench": "--time-budget=0.02 --speedup-budget=0 --skip-warm --warmup=2",
         "compare": "--placements=1 --time-budget=1 --calls=2 --blocks=1",
         "optimize": "--time-budget=0.02 --compare-budget=0.5 --speedup-budget=0",
         "check": "", "profile": ""}


class Block:
    def __init__(self, path, line, language, tag):
        self.path, self.line, self.language, self.tag, self.lines = path, line, language, tag, []


class Document:
    def __init__(self, path):
        self.path, self.blocks, self.text = path, [], []
        self.name = os.path.relpath(path, ROOT) if path.startswith(ROOT) else os.path.basename(path)
        self.anchors = set()
        block = None
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f.read().split("\n"), 1):
                fence = re.match(r"```(\S*)\s*(.*)", line)
                if fence and block is None:
                    block = Block(self, number, fence.group(1), fence.group(2).strip())
                    self.blocks.append(block)
                elif fence:
                    block = None
                elif block:
                    block.lines.append((number, line))
                else:
                    self.text.append((number, line))
                    if line.startswith("#"):
                        self.anchors.add(slug(line.lstrip("#").strip()))
                    self.anchors.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
        self.is_open = block is not None


def slug(title):
    """The anchor that GitHub gives a heading."""
    title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", title).replace(" ", "-")


def documents(paths):
    if not paths:
        paths = sorted(glob.glob(os.path.join(ROOT, "README*.md")) +
                       glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True))
    return [Document(os.path.abspath(p)) for p in paths]


# ---- commands of a block


class Command:
    def __init__(self, line, text, status):
        self.line, self.text, self.status = line, text, status


def commands(block):
    """Logical lines: continued by a backslash or a here-document; comments and blank lines are none."""
    out, held, start, end_word = [], [], 0, None
    for number, line in block.lines:
        if end_word is not None:
            held.append(line)
            if line.strip() == end_word:
                end_word = None
                out.append(Command(start, "\n".join(held), status_of(held[0])))
                held = []
            continue
        if not held and (not line.strip() or line.lstrip().startswith("#")):
            continue
        start = start if held else number
        held.append(line)
        here = re.search(r"<<-?\s*['\"]?(\w+)['\"]?", line)
        if here:
            end_word = here.group(1)
        elif not line.endswith("\\"):
            out.append(Command(start, "\n".join(held), status_of(line)))
            held = []
    if held:
        out.append(Command(start, "\n".join(held), 0))
    return out


def status_of(line):
    m = re.search(r"#.*(?:exit status|退出状态) (\d+)\s*$", line)
    return int(m.group(1)) if m else 0


# ---- what the program has


class Program:
    def __init__(self):
        text = self.ask("--help")
        self.verbs = set(re.findall(r"^  ([a-z]+) +[A-Z]", text, re.M)) | {"worker"}
        self.options, self.dims = {}, set()
        for verb in sorted(self.verbs - {"worker"}):
            text = self.ask(verb, "--help")
            self.options[verb] = set(re.findall(r"(--[a-z][a-z0-9-]*)", text.split("\nexamples:")[0]))
            self.options[verb] |= {"--no-" + o[2:] for o in self.options[verb]}
            if "--NAME=VALUE" in text:
                self.dims.add(verb)
        self.all_options = set().union(*self.options.values()) | {"--version", "--help"}
        with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as f:
            text = f.read()
        for path in glob.glob(os.path.join(ROOT, "*", "rules.mk")) + glob.glob(os.path.join(ROOT, "tests", "*", "rules.mk")):
            with open(path, encoding="utf-8") as f:
                text += f.read()
        self.targets = {t for names in re.findall(r"^([a-z][a-z -]*):", text, re.M) for t in names.split()}
        self.source = ""
        for path in glob.glob(os.path.join(ROOT, "tools", "*")) + glob.glob(os.path.join(ROOT, "tests", "*", "*.py")) + \
                glob.glob(os.path.join(ROOT, "bench", "*")):
            if os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as f:
                    self.source += f.read()

    @staticmethod
    def ask(*argv):
        p = subprocess.run([ASSAY, *argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60,
                           env=dict(os.environ, COLUMNS="100", NO_COLOR="1"))
        return p.stdout.decode(errors="replace")


def words_of(text):
    text = re.sub(r"\\\n\s*", " ", text.split("<<")[0])
    try:
        return shlex.split(text, comments=True)
    except ValueError:
        return text.split()


def check_words(program, words, say, is_exact):
    """One command as words. is_exact: paths must exist too."""
    while words and re.match(r"[A-Z_][A-Z0-9_]*=", words[0]):
        words = words[1:]
    for skip in ("sudo", "time", "nice", "exec"):
        if words[:1] == [skip]:
            words = words[1:]
    if not words:
        return
    first = words[0]
    if first == "make":
        for w in words[1:]:
            if re.fullmatch(r"[a-z][a-z-]*", w) and w not in program.targets:
                say("make has no target '%s'" % w)
    elif first == "assay" or first.endswith("/assay"):
        check_assay(program, words[1:], say)
    elif first.startswith(OURS) and is_exact and not os.path.exists(os.path.join(ROOT, first)):
        say("there is no %s" % first)


def check_assay(program, words, say):
    if not words or words[0].startswith("-"):
        for w in words[:1]:
            if w.split("=")[0] not in program.all_options:
                say("assay has no option %s" % w)
        return
    verb = words[0]
    if not re.fullmatch(r"[a-z]+", verb):  # also a|b|c
        return  # VERB, ...
    if verb not in program.verbs:
        say("assay has no verb '%s'" % verb)
        return
    for w in words[1:]:
        if w in ("--", "|", ">", "&&", ";", "||", "&"):
            break
        m = re.match(r"(--[A-Za-z][\w-]*)(=.*)?$", w, re.S)
        if m and m.group(1) not in program.options.get(verb, ()):
            is_dim = verb in program.dims and re.match(r"--[A-Z]\w*=(\d+|VALUE)$", w)
            if not is_dim:
                say("assay %s has no option %s" % (verb, m.group(1)))


def pipeline(words):
    out = [[]]
    for w in words:
        if w in ("|", "&&", "||", ";", "&", "(", ")", "{", "}", "then", "do", "else"):
            out.append([])
        else:
            out[-1].append(w)
    return out


# ---- check


def check_links(doc, anchors, say):
    for number, line in doc.text:
        for target in re.findall(r"\]\(([^)\s]+)\)", line):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(doc.path), path)) if path else doc.path
            if not os.path.exists(full):
                say(doc, number, "link to %s: there is no such file" % target)
            elif anchor and full.endswith(".md"):
                if full not in anchors:
                    anchors[full] = Document(full).anchors
                if anchor not in anchors[full]:
                    say(doc, number, "link to %s: no heading gives this anchor" % target)


def is_ours(path):
    return not re.search(r"(^|[/_])X([/.]|$)", path) and re.match(r"(docs|tools|tests|bench|examples|src|skills|reference)/[\w./-]+$", path)


def check_mentions(doc, program, say):
    for number, line in doc.text:
        for code in re.findall(r"`([^`]+)`", line):
            words = words_of(code)
            here = lambda text, n=number: say(doc, n, text)  # noqa: E731
            if words and (words[0] in ("assay", "make") or words[0].endswith("/assay")):
                check_words(program, words, here, False)
            for option in re.findall(r"(?<![\w-])(--[a-z][a-z0-9_-]*)", code) if words[:1] != ["assay"] else ():
                is_dim = re.search(re.escape(option) + r"=(\d+|N)\b", code)  # a size, by the name of a kernel's parameter
                if option not in program.all_options and option not in FOREIGN and option not in program.source and not is_dim:
                    here("no verb has an option %s" % option)
            if len(words) == 1 and is_ours(words[0]) and not glob.glob(os.path.join(ROOT, words[0])):
                here("there is no %s" % words[0])
        if re.match(r" {4,}\S", line) and re.match(r"\s+(\$ )?(build/release/)?assay [a-z]+ ", line):
            say(doc, number, "a command outside of a ```sh block is not run: put it into one")


def check_blocks(doc, program, say):
    if doc.is_open:
        say(doc, doc.blocks[-1].line, "this block has no end")
    for b in doc.blocks:
        if b.language == "sh" and b.tag and b.tag not in NOT_RUN:
            say(doc, b.line, "```sh %s: the tag is one of %s" % (b.tag, ", ".join(NOT_RUN)))
        if b.language in ("bash", "shell", "console", ""):
            say(doc, b.line, "```%s: commands stand in ```sh, output in ```text" % b.language)
        if b.language == "text":
            for number, line in b.lines:
                if re.match(r"(\$ )?(build/release/)?assay [a-z]+( |$)", line):
                    for part in re.split(r" {3,}", re.sub(r"[\[\]]", " ", line.lstrip("$ "))):
                        check_words(program, words_of(part), lambda text, n=number: say(doc, n, text), False)
        if b.language != "sh":
            continue
        for c in commands(b):
            for part in pipeline(words_of(c.text)):
                check_words(program, part, lambda text, n=c.line: say(doc, n, text), True)


# How src/protocol says an error_code, a stop_reason and what blocks a verdict.
PROTOCOL_WORDS = (r'protocol_step\([^,()]+, "([a-z_]+)"', r'\bcode = "([a-z_]+)"', r'(?:stop_|\b)reason = "([a-z_]+)"',
                  r'\b(?:blocked|found) = "([a-z_]+)"', r'return "(not_[a-z]+)"', r'\bproblem = "([a-z_]+)"',
                  r'return "([a-z]+(?:_[a-z]+)*_mismatch)"', r'\breason = [^;"]*"[a-z_]+" : "([a-z_]+)";',
                  r'publish_lost\([^;]*"([a-z_]+)"', r'deadline_reasons\[\] = \{"([a-z_]+)"',
                  r'\{"([a-z_]+)", "(?:failed|timed_out|cancelled)"\}')


def error_words():
    """Every word by which the program says that something went wrong, from its source."""
    def find(path, pattern):
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            return re.findall(pattern, f.read())

    words = {w: "src/base/err.def" for w in find("src/base/err.def", r'ERR\(\w+, "([a-z_]+)"')}
    for stage, word in find("src/facts/verdict.def", r'VERDICT\((\w+), \w+,\s*"([a-z_:]+)"'):
        if stage not in ("COMPARISON", "FLAG"):
            words[word] = "src/facts/verdict.def"
    for path in sorted(glob.glob(os.path.join(ROOT, "src", "protocol", "**", "*.c"), recursive=True)):
        path = os.path.relpath(path, ROOT)
        for pattern in PROTOCOL_WORDS:
            for w in find(path, pattern):
                words.setdefault(w, path)
        for what in find(path, r'plan_record\([^,()]+, "([a-z]+)"'):
            for end in ("not_found", "invalid", "changed"):  # plan_record in plan.c makes them
                words.setdefault("%s_%s" % (what, end), path)
    for word, outcome in find("src/loop/outcome.def", r'REASON\(\w+, "(\w+)", "(\w+)"'):
        if outcome != "positive":
            words.setdefault(word, "src/loop/outcome.def")
    with open(os.path.join(ROOT, "src/collect/profile.c"), encoding="utf-8") as f:
        states = re.search(r"profile_state_name.*?names\[\] = \{(.*?)\}", f.read(), re.S).group(1)
    words.update((w, "src/collect/profile.c") for w in re.findall(r'"(\w+)"', states) if w not in words)
    for word in ("completed", "collected", "passed", "done", "running"):  # nothing went wrong, or is never shown
        words.pop(word, None)
    return words


def check_troubleshooting(say_plain):
    path = os.path.join(ROOT, "docs", "TROUBLESHOOTING.md")
    with open(path, encoding="utf-8") as f:
        text = f.read()
    entries = set(re.findall(r"^\| `([a-z_:]+)`", text, re.M))
    words = error_words()
    for w in sorted(set(words) - entries):
        say_plain("docs/TROUBLESHOOTING.md: no entry for `%s` (%s)" % (w, words[w]))
    for w in sorted(entries - set(words)):
        say_plain("docs/TROUBLESHOOTING.md: `%s` is no word of the program" % w)
    with open(os.path.join(ROOT, "src/facts/verdict.def"), encoding="utf-8") as f:
        flags = re.findall(r'"(flagged:[a-z_]+)"', f.read())
    with open(os.path.join(ROOT, "docs", "INTEGRITY.md"), encoding="utf-8") as f:
        text = f.read()
    for flag in flags:
        if not re.search(r"^\|.*`%s`" % flag, text, re.M):
            say_plain("docs/INTEGRITY.md: no row for %s" % flag)
    for name in sorted(check_names()):
        if "\n### %s\n" % name not in text:
            say_plain("docs/INTEGRITY.md: no section for the check %s" % name)
    return len(words)


def check_formats(say_plain):
    """Every format name of the source stands in FORMATS.md, and every one there in the source."""
    with open(os.path.join(ROOT, "docs", "FORMATS.md"), encoding="utf-8") as f:
        said = set(re.findall(r"assay/([a-z-]+-v\d+)", f.read()))
    written, known = set(), set()
    for path in glob.glob(os.path.join(ROOT, "src", "**", "*"), recursive=True):
        if path.endswith((".c", ".h", ".py", ".js")):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    names = re.findall(r"assay/([a-z-]+-v\d+)", line)
                    known.update(names)
                    if "sha256_str" not in line:  # part of a key, no document
                        written.update(names)
    for name in sorted(written - said):
        say_plain("docs/FORMATS.md: assay/%s is not described" % name)
    for name in sorted(said - known - {"name-v", "NAME-vN"}):
        say_plain("docs/FORMATS.md: assay/%s is no format of the program" % name)


def check_index(say_plain, docs):
    """Every document can be reached from docs/README.md in one step."""
    index = next(d for d in docs if d.name == "docs/README.md")
    linked = {os.path.normpath(os.path.join(os.path.dirname(index.path), t.partition("#")[0]))
              for _, line in index.text for t in re.findall(r"\]\(([^)\s]+)\)", line)}
    for d in docs:
        if d.name.startswith("docs/") and d is not index and d.path not in linked:
            say_plain("docs/README.md: no link to %s" % d.name)


def check_names():
    names = set()
    for path in glob.glob(os.path.join(ROOT, "src", "measure", "*.c")):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for m in re.finditer(r'struct integrity_check \w+ = \{\s*(?:\.name = )?"([a-z_]+)"', text):
            names.add(m.group(1))
        for m in re.finditer(r'\{"([a-z_]+)", "[^"]+", VERDICT_\w+\},', text):
            names.add(m.group(1))
    return names


def check(paths):
    program, anchors, wrong = Program(), {}, []

    def say(doc, number, text):
        wrong.append("%s:%d: %s" % (doc.name, number, text))

    docs = documents(paths)
    for doc in docs:
        check_links(doc, anchors, say)
        check_mentions(doc, program, say)
        check_blocks(doc, program, say)
    n_words = 0 if paths else check_troubleshooting(wrong.append)
    if not paths:
        check_formats(wrong.append)
        check_index(wrong.append, docs)
    for w in wrong:
        print(w)
    if not wrong:
        print("docs: %d documents, %d blocks%s: ok" %
              (len(docs), sum(b.language == "sh" for d in docs for b in d.blocks), ", %d error words" % n_words if n_words else ""))
    return 1 if wrong else 0


# ---- run


def scratch_clone(folder):
    """The repository as links, with a program that cuts budgets short."""
    for name in os.listdir(ROOT):
        if name not in ("build", ".git", "assay-runs"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    os.makedirs(os.path.join(folder, "build", "release"))
    wrapper = os.path.join(folder, "build", "release", "assay")
    with open(wrapper, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\nfor a; do case $a in -h|--help|--) exec %s \"$@\" ;; esac; done\ncase ${1-} in\n" % shlex.quote(ASSAY))
        for verb, more in SHORT.items():
            f.write("%s) exec %s \"$@\" %s ;;\n" % (verb, shlex.quote(ASSAY), more))
        f.write("esac\nexec %s \"$@\"\n" % shlex.quote(ASSAY))
    os.chmod(wrapper, 0o755)


def run_document(doc, also=""):
    """(number of commands, failures as text). All blocks of a file in one shell, one after the other."""
    todo = [(b, c) for b in doc.blocks if b.language == "sh" and b.tag in ("", also) for c in commands(b)]
    if not todo:
        return 0, []
    folder = tempfile.mkdtemp(prefix="assay-docs-")
    home = os.path.join(folder, "home")
    env = dict(os.environ, HOME=home, TMPDIR=os.path.join(home, "tmp"), ASSAY_LEASE_DIR=os.path.join(home, "lease"),
               ASSAY_IDLE_WAIT="0", NO_COLOR="1", LC_ALL="C.UTF-8")
    for name in ("DATA", "CACHE", "CONFIG", "STATE"):
        env["XDG_%s_HOME" % name] = os.path.join(home, name.lower())
    work = os.path.join(folder, "assay")
    try:
        os.makedirs(env["TMPDIR"])
        os.makedirs(work)
        scratch_clone(work)
        script = ["exec 2>&1"]
        for i, (_, c) in enumerate(todo):
            script += ["exec >%s/%d.out" % (folder, i), c.text, "echo $? >%s/%d.status" % (folder, i)]
        with open(os.path.join(folder, "script"), "w", encoding="utf-8") as f:
            f.write("\n".join(script) + "\n")
        try:
            subprocess.run(["sh", os.path.join(folder, "script")], cwd=work, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=COMMAND_S * (10 if also else 1) + 5 * len(todo))
        except subprocess.TimeoutExpired:
            pass
        return len(todo), [t for t in (failure(doc, folder, i, c) for i, (_, c) in enumerate(todo)) if t]
    finally:
        subprocess.run(["chmod", "-R", "u+w", folder], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def failure(doc, folder, i, command):
    def read(end):
        try:
            with open(os.path.join(folder, "%d.%s" % (i, end)), encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            return ""

    status = read("status").strip()
    if status == str(command.status):
        return None
    said = "did not end" if not status else "ended with %s, not %d" % (status, command.status)
    lines = read("out").strip().split("\n")[-12:]
    return "%s:%d: %s: %s%s" % (doc.name, command.line, command.text.split("\n")[0], said, "".join("\n    " + x for x in lines))


def plain(doc):
    return [re.sub(r"\s+#.*", "", c.text) if "<<" not in c.text else c.text
            for b in doc.blocks if b.language == "sh" and not b.tag for c in commands(b)]


def is_within(doc, other):
    """Whether the commands of doc are all, in this order, commands of the other: a translation is not run twice."""
    rest = iter(plain(other))
    return doc is not other and all(any(x == y for y in rest) for x in plain(doc))


def run(paths):
    also = [p[len("--also="):] for p in paths if p.startswith("--also=")]
    also = also[0] if also else ""
    docs = documents([p for p in paths if not p.startswith("--also=")])
    same = [d for i, d in enumerate(docs) if plain(d) and
            any(is_within(d, o) and (not is_within(o, d) or k < i) for k, o in enumerate(docs))]
    docs = [d for d in docs if d not in same]
    with concurrent.futures.ThreadPoolExecutor(max_workers=1 if also else max(2, (os.cpu_count() or 2) // 2)) as pool:
        results = list(pool.map(lambda d: run_document(d, also), docs))
    failures = [t for _, f in results for t in f]
    for d in same:
        print("%s: its commands are those of another document" % d.name)
    for t in failures:
        print(t)
    print("docs: %d commands of %d documents run, %d failed" %
          (sum(n for n, _ in results), sum(n > 0 for n, _ in results), len(failures)))
    return 1 if failures else 0


def list_blocks(paths):
    for doc in documents(paths):
        for b in doc.blocks:
            if b.language == "sh" and b.tag:
                print("%s:%d: not run, %s: %s" % (doc.name, b.line, NOT_RUN.get(b.tag, b.tag), b.lines[0][1] if b.lines else ""))
    return 0


def main():
    verbs = {"check": check, "run": run, "list": list_blocks}
    if len(sys.argv) < 2 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    return verbs[sys.argv[1]](sys.argv[2:])


if __name__ == "__main__":
    sys.exit(main())
