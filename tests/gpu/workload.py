"""A workload in torch through the evidence protocol, on the first GPU or, where there is none, on the CPU.

usage: workload.py FOLDER       (ASSAY: the program; FOLDER is made anew)
The driver is what `assay driver new` writes, with the hooks of tests/data/workload: training steps of an attention block, whose candidate
does the heads in one product, keeps the mask and waits for nothing. After each phase its record is read again: from the
samples that are stored, not from what the answer says. Prints one line a phase; exit status 1 when a check failed.
"""
import hashlib
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DATA, MAKE = os.path.join(ROOT, "tests", "data", "workload"), os.path.join(ROOT, "tests", "data", "protocol", "make.py")
LEAST_PCT = 10  # the least gain that counts; what is gained is a multiple


def gpu():
    """UUID and name of the first GPU, or two empty words."""
    p = subprocess.run("nvidia-smi --query-gpu=uuid,name --format=csv,noheader", shell=True, capture_output=True, text=True)
    return tuple(w.strip() for w in p.stdout.splitlines()[0].split(",", 1)) if p.returncode == 0 and p.stdout else ("", "")


class Chain:
    """The phases, each a request and its answer in `folder`; `said` holds what the answers were."""

    def __init__(self, folder, assay, check, row):
        self.folder, self.assay, self.check, self.row = folder, assay, check, row
        self.uuid, self.gpu_name = gpu()
        self.said, self.root = {}, os.path.join(folder, "root")
        self.lifecycle = os.environ.get("LIFECYCLE", "same_process")
        self.pairs, self.unit = (4, "ms") if self.uuid else (3, "operators")

    def run(self, argv):
        return subprocess.run(argv, cwd=self.folder, capture_output=True, text=True, timeout=240)

    def make(self, *words):
        common = ["cases=1", "gpus=" + self.uuid, "timeout=200", "command=60", "pairs=%d" % self.pairs, "scope=solve.py",
                  "effect=%d" % LEAST_PCT, "lifecycle=" + self.lifecycle, "minimum_pairs=3"]
        p = self.run([sys.executable, "-S", MAKE, *words[:2], *common, *words[2:]])
        if p.returncode:
            raise RuntimeError("make.py %s: %s" % (words[0], p.stderr[-500:]))

    def ask(self, name, status=0):
        """Has NAME.json answered; the answer goes to NAME.out, where make.py looks for it."""
        begin = time.time()
        p = self.run([self.assay, "request", name + ".json", "--wait"])
        seconds = time.time() - begin
        self.said[name] = json.loads(p.stdout) if p.stdout.strip() else {}
        with open(os.path.join(self.folder, name + ".out"), "w", encoding="utf-8") as f:
            f.write(p.stdout)
        self.check("workload %s: exit status %d" % (name, status), p.returncode == status, "%d %s %s" % (
            p.returncode, p.stderr[-600:], p.stdout[-1500:]))
        return self.said[name], seconds

    def reference(self, ref, path, key="id"):
        """The record at `path` has the digest that its reference says; returns it."""
        with open(os.path.join(self.root, path), "rb") as f:
            data = f.read()
        self.check("workload: %s is what its reference says" % path.split("/")[0], hashlib.sha256(data).hexdigest() == ref["sha256"], path)
        return json.loads(data)

    def result(self, name):
        ref = self.said[name]["result_ref"]
        return self.reference(ref, "invocations/%s/result.json" % ref["invocation_id"])

    def outputs(self, result):
        """What the driver wrote, call by call: (path, document), from the objects that the result names."""
        for receipt in result["command_receipts"]:
            folder = os.path.join(self.root, receipt["driver_output_ref"]["locator"])
            path = next(os.path.join(d, f) for d, _, files in os.walk(folder) for f in files if f == "result.json")
            with open(path, encoding="utf-8") as f:
                yield path, json.load(f)

    def gain_pct(self, result):
        """From the samples themselves: the mean over pairs of ln(median / median), per cent."""
        logs, sides = [], {}
        for _, document in self.outputs(result):
            for m in document["evidence"]["measurements"]:
                sides.setdefault(m["role"], []).append(statistics.median(m["result"]["primary"]["samples"]))
        new = sides.pop("candidate")
        (old,) = sides.values()
        logs = [math.log(a / b) for a, b in zip(old, new)]
        return 100 * math.expm1(sum(logs) / len(logs)), old, new

    # ---- the phases ----

    def setup(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        for name in ("original", "candidate", "wrong", "reference", "suite"):
            shutil.copytree(os.path.join(DATA, name), os.path.join(self.folder, name), ignore=shutil.ignore_patterns("__pycache__"))
        template = self.run([self.assay, "driver", "new", "--lang", "python"]).stdout
        before, rest = template.split("# ---- hooks ----\n")
        _, after = rest.split("# ---- the protocol ----\n")
        with open(os.path.join(DATA, "hooks.py"), encoding="utf-8") as f:
            hooks = f.read()
        with open(os.path.join(self.folder, "driver.py"), "w", encoding="utf-8") as f:
            f.write(before + "\n" + hooks + "\n\n# ---- the protocol ----\n" + after)
        metric = lambda name, unit, **more: {"name": name, "unit": unit, "direction": "lower", "aggregation": "median", **more}
        more = {
            "objective": {
                "primary_metric": metric("step", "ms") if self.uuid else metric("operators", "1"),
                "minimum_effect": {"value": LEAST_PCT, "unit": "percent"},
                "constraints": [metric("operators", "1", max_regression_pct=0), metric("memory", "MB", max_regression_pct=25)] if self.uuid else [],
            },
            "correctness": {"reference_path": "reference", "method": "driver",
                            "acceptance": {"metric": "relative_error", "operator": "less_or_equal", "value": 1e-4}},
        }
        self.make("setup", "fill=1", "command_line=%s %s" % (sys.executable, os.path.join(self.folder, "driver.py")), "extra=" + json.dumps(more))
        for folder in ("original/cost", "candidate/cost", "suite/data", "reference/data"):  # make.py's, for other drivers
            os.remove(os.path.join(self.folder, folder))

    def readiness(self):
        r, seconds = self.ask("readiness")
        self.check("workload readiness", r.get("status") == "ready" and r.get("highest_claim_layer") == "workload", str(r))
        target = self.reference(r["target_ref"], "target.json")
        runtime = target["environment"]["runtime"]
        self.check("workload readiness: the GPU is in the Target", runtime["gpu_uuids"] == ([self.uuid] if self.uuid else []) and
                   runtime["gpu_models"] == ([self.gpu_name] if self.uuid else []), str(runtime))
        self.row("readiness", seconds, "torch %s on %s" % (runtime["frameworks"]["torch"], self.gpu_name or "the CPU"))

    def baseline(self):
        self.make("baseline", "baseline", "samples=9")
        r, seconds = self.ask("baseline")
        self.check("workload baseline", r.get("verdict") == "passed" and r["completed_driver_calls"] == 1, str(r)[:800])
        ((_, document),) = self.outputs(self.result("baseline"))
        samples = document["evidence"]["measurements"][0]["result"]["primary"]["samples"]
        self.check("workload baseline: nine samples", len(samples) == 9 and min(samples) > 0, str(samples))
        self.row("baseline", seconds, "a step takes %.4g %s" % (statistics.median(samples), self.unit))

    def experiment(self, candidate):
        name = "experiment_" + candidate
        self.make("experiment", name, "candidate=" + candidate, "screen=yes" if candidate == "candidate" else "screen=no")
        r, seconds = self.ask(name)
        record = self.reference(r["experiment_ref"], "experiments/%s.json" % r["experiment_ref"]["id"])
        self.check("workload %s: what changed was found" % name, record["changed_paths"] == ["solve.py"], str(record["changed_paths"]))
        self.row("experiment", seconds, candidate)
        return name

    def rejected(self):
        """A candidate that is faster and wrong: its numbers do not count."""
        self.make("target", "wrong", "of=%s.out" % self.experiment("wrong"))
        r, seconds = self.ask("wrong", 1)
        self.check("workload: a wrong candidate is rejected", r.get("verdict") == "rejected" and r.get("stop_reason") == "correctness_failed", str(r)[:800])
        self.row("target", seconds, "the wrong one: %s, %s, %d call(s)" % (r.get("verdict"), r.get("stop_reason"), r.get("completed_driver_calls", -1)))

    def comparison(self, what, name, verdict, *words):
        self.make(what, name, *words)
        r, seconds = self.ask(name)
        result = self.result(name)
        problem = [c.get("observation", {}).get("because") for c in self.calls(name)]
        self.check("workload %s: %s" % (name, verdict), result["verdict"] == verdict and result["stop_reason"] == "completed",
                   "%s %s %s %s" % (result["verdict"], result["stop_reason"], result.get("assay"), problem))
        gain, old, new = self.gain_pct(result)
        told = result["assay"]["estimate_pct"]
        self.check("workload %s: the gain is that of the samples" % name, abs(gain - told) <= 1e-6 * abs(gain), "%r, %r" % (gain, told))
        wrong = [c for c in result["correctness_receipts"] if c.get("status", "passed") != "passed"]
        self.check("workload %s: correct in every call" % name, not wrong, str(wrong)[:500])
        self.row(name, seconds, "%s: %.4g to %.4g %s, %+.0f %%, %d call(s)" % (
            result["verdict"], statistics.median(old), statistics.median(new), self.unit, gain, result["completed_driver_calls"]))
        return result

    def calls(self, name):
        folder = os.path.join(self.root, "invocations", self.said[name]["result_ref"]["invocation_id"], "driver")
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name, "call.json"), encoding="utf-8") as f:
                yield json.load(f)

    def select(self):
        self.make("champion", "show", "do=show")
        self.ask("show")
        self.make("select", "select")
        r, seconds = self.ask("select")
        ref = r["selection_ref"]
        record = self.reference(ref, "champion/selections/%s.json" % ref["id"])
        with open(os.path.join(self.root, "champion", "current.json"), encoding="utf-8") as f:
            now = json.load(f)["selection_ref"]
        self.check("workload select", r.get("status") == "selected" and now == ref and
                   record["comparison_result_ref"] == self.said["target"]["result_ref"], str(r)[:500])
        self.row("select", seconds, r.get("status"))

    def verify(self):
        p = self.run([self.assay, "verify", "--store", "root", "--json"])
        return p.returncode, [d["path"] for d in json.loads(p.stdout)["damage"]]

    def tampered(self):
        """One digit of one sample of the audit is changed: found and named; put back, nothing is left."""
        begin = time.time()
        self.check("workload: the evidence verifies", self.verify() == (0, []), str(self.verify()))
        path, document = next(self.outputs(self.result("audit")))
        sample = json.dumps(document["evidence"]["measurements"][0]["result"]["primary"]["samples"][0])
        with open(path, encoding="utf-8") as f:
            text = f.read()
        mode = os.stat(path).st_mode
        os.chmod(path, 0o644)
        for content, want in ((text.replace(sample, str(int(sample[0]) % 9 + 1) + sample[1:], 1), True), (text, False)):
            with open(path, "w", encoding="utf-8") as f:
                f.write(content)
            status, damage = self.verify()
            name = os.path.relpath(path, self.root)
            self.check("workload: a changed sample %s" % ("is found" if want else "put back is none"), status == want and
                       [name.startswith(d) for d in damage] == [True] * want, "%d %s %s" % (status, damage, name))
        os.chmod(path, mode)
        self.row("tampered", time.time() - begin, "a sample of the audit: named by verify")


def chain(folder, assay, check, row):
    begin = time.time()
    c = Chain(os.path.abspath(folder), assay, check, row)
    c.setup()
    c.readiness()
    c.baseline()
    c.rejected()
    good = "of=%s.out" % c.experiment("candidate")
    c.comparison("screen", "screen", "inconclusive", good, "pairs=1")
    target = c.comparison("target", "target", "passed", good)
    check("workload target: a win by the published rule too", target["compat_status"] == "confirmed_win", target["compat_status"])
    c.select()
    audit = c.comparison("audit", "audit", "passed")
    check("workload audit: the original against the Champion", [v["role"] for v in audit["variant_refs"]] == ["original", "candidate"], str(audit["variant_refs"]))
    c.tampered()
    row("all", time.time() - begin, c.lifecycle)


def main():
    failed = []

    def check(name, ok, detail=""):
        if not ok:
            failed.append(name)
            print("FAILED %s: %s" % (name, detail), flush=True)

    chain(sys.argv[1], os.environ["ASSAY"], check, lambda phase, seconds, text: print("%-13s %.1f s  %s" % (phase, seconds, text), flush=True))
    print("failed: %d" % len(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
