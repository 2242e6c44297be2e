#!/usr/bin/env python3
"""Installed skills: every link resolves, every verb and option in them exists, every command without a placeholder runs.

usage: tests/tools/skills_check.py FOLDER [norun]   FOLDER is what `assay skills install` wrote; the working folder holds kernel.c,
next.c, op.json, report.ncu-rep, next.ncu-rep. Prints counts; exit 1 on any finding.
"""
import json
import os
import re
import shlex
import subprocess
import sys

LINK = re.compile(r"\]\(([^)#]+)\)")
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.M | re.S)
INLINE = re.compile(r"`((?:assay|python3?) [^`]*)`")
PATHS = re.compile(r"`(scripts/[\w.]+)`")
# Dims are options too where a verb has them.
DIM = re.compile(r"^--[A-Z]\w*$")


def out_of(*argv):
    return subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True).stdout


class Check:
    def __init__(self, folder, runs):
        self.runs, self.folder, self.findings, self.counts = runs, folder, [], {"links": 0, "commands": 0, "ran": 0, "scripts": 0}
        self.verbs = set(re.findall(r"^  ([a-z]+) ", out_of("assay", "--help"), re.M))
        self.schemas = {}

    def complain(self, where, text):
        self.findings.append(f"{os.path.relpath(where, self.folder)}: {text}")

    def schema(self, verb):
        if verb not in self.schemas:
            self.schemas[verb] = json.loads(out_of("assay", "schema", verb))["properties"]
        return self.schemas[verb]

    def options(self, where, verb, words):
        if verb not in self.verbs:
            self.complain(where, f"no verb {verb}")
            return
        for w in words:
            name = w.split("=")[0]
            if w == "--":
                break
            if not name.startswith("--") or name == "--help":
                continue
            known = name[2:].replace("-", "_") in self.schema(verb)
            if not known and not (DIM.match(name) and "dims" in self.schema(verb)):
                self.complain(where, f"assay {verb} has no {name}")

    def command(self, where, line, runs):
        words = shlex.split(line)
        self.counts["commands"] += 1
        skill = where
        while os.path.basename(skill) and not os.path.exists(os.path.join(skill, "SKILL.md")):
            skill = os.path.dirname(skill)
        if words[0].startswith("python"):
            if not os.path.exists(os.path.join(skill, words[1])) and not os.path.exists(words[1]):
                self.complain(where, f"no script {words[1]}")
                return
            cwd = skill if words[1].startswith("scripts/") else "."
        else:
            self.options(where, words[1] if len(words) > 1 else "", words[2:])
            cwd = "."
        if runs and self.runs and "<" not in line and "..." not in line:
            p = subprocess.run(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.counts["ran"] += 1
            if p.returncode:
                self.complain(where, f"{line}: exit {p.returncode}: {p.stderr.strip()[-200:]}")

    def document(self, path):
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for link in LINK.findall(text):
            self.counts["links"] += 1
            if not os.path.exists(os.path.join(os.path.dirname(path), link)):
                self.complain(path, f"link {link} leads nowhere")
        for block in BLOCK.findall(text):
            for line in block.strip().split("\n"):
                self.command(path, line, True)
        for line in INLINE.findall(BLOCK.sub("", text)):
            if line.split()[1].islower():
                self.command(path, " ".join(line.split()), False)
        skill = os.path.dirname(path) if path.endswith("SKILL.md") else None
        for script in PATHS.findall(text) if skill else []:
            self.counts["scripts"] += 1
            p = os.path.join(skill, script)
            if not os.access(p, os.X_OK):
                self.complain(path, f"{script} is not there or not executable")

    def all(self):
        for folder, _, names in sorted(os.walk(self.folder)):
            for name in sorted(names):
                if name.endswith(".md"):
                    self.document(os.path.join(folder, name))
        for f in self.findings:
            print(f)
        print(*(f"{v} {k}" for k, v in self.counts.items()))
        sys.exit(bool(self.findings))


Check(os.path.abspath(sys.argv[1]), len(sys.argv) < 3).all()
