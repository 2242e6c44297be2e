import re


class Yaml:
    """The part of YAML that task files use: nested maps and lists, flow lists and maps, texts in quotes and blocks."""

    def __init__(self, name, text):
        self.name, self.at = name, 0
        self.lines = []
        for i, line in enumerate(text.splitlines()):
            if "\t" in line[:len(line) - len(line.lstrip())]:
                raise CannotImport("%s:%d: a tab cannot indent YAML" % (name, i + 1))
            self.lines.append((i + 1, line.rstrip()))

    def bad(self, what):
        number = self.lines[min(self.at, len(self.lines) - 1)][0] if self.lines else 1
        raise CannotImport("%s:%d: %s" % (self.name, number, what))

    def peek(self):
        while self.at < len(self.lines):
            text = self.lines[self.at][1]
            if text.strip() and not text.strip().startswith("#") and text.strip() not in ("---", "..."):
                return len(text) - len(text.lstrip()), text.strip()
            self.at += 1
        return -1, ""

    def scalar(self, text):
        text = text.strip()
        if text[:1] in "\"'":
            end = text.find(text[0], 1)
            while text[0] == '"' and end > 0 and text[end - 1] == "\\":
                end = text.find('"', end + 1)
            if end < 0:
                self.bad("the quote does not end: %s" % text[:60])
            return text[1:end].replace('\\"', '"').replace("\\n", "\n"), text[end + 1:]
        end = len(text)
        for stop in (",", "]", "}", " #"):
            at = text.find(stop) if self.in_flow or stop == " #" else -1
            end = min(end, at) if at >= 0 else end
        if self.in_flow and re.search(r":\s", text[:end]):
            self.bad("a ',' is missing in: %s" % text[:end][:60])
        return self.plain(text[:end].strip()), text[end:]

    @staticmethod
    def plain(word):
        if word in ("", "~", "null"):
            return None
        if word in ("true", "True", "false", "False"):
            return word.lower() == "true"
        if re.fullmatch(r"[-+]?\d+", word):
            return int(word)
        if re.fullmatch(r"[-+]?(\d+\.\d*|\.\d+|\d+)([eE][-+]?\d+)?", word):
            return float(word)
        return word

    in_flow = 0

    def flow(self, text):
        """(value, rest); a flow value may go on in the next lines."""
        text = self.more(text)
        if text[:1] not in "[{":
            return self.scalar(text)
        close, out, self.in_flow = "]" if text[0] == "[" else "}", [] if text[0] == "[" else {}, self.in_flow + 1
        text = self.more(text[1:])
        while text[:1] != close:
            if close == "}":
                key, text = self.key(text)
                out[key], text = self.flow(text)
            else:
                value, text = self.flow(text)
                out.append(value)
            text = self.more(text)
            if text[:1] == ",":
                text = self.more(text[1:])
            elif text[:1] != close:
                self.bad("'%s' or ',' is wanted before: %s" % (close, text[:40]))
        self.in_flow -= 1
        return out, text[1:]

    def more(self, text):
        text = text.lstrip()
        while self.in_flow and (not text or text.startswith("#")):
            self.at += 1
            if self.at >= len(self.lines):
                self.bad("a bracket does not close")
            text = self.lines[self.at][1].lstrip()
        return text

    def key(self, text):
        found = re.match(r"""("(?:[^"\\]|\\.)*"|'[^']*'|[^\s:,{}\[\]#][^:,{}\[\]]*?)\s*:(?=\s|$)""", text) or \
            (re.match(r"""("(?:[^"\\]|\\.)*"|'[^']*')\s*:""", text) if self.in_flow else None)
        if not found:
            self.bad("a key is wanted: %s" % text[:60])
        key = found.group(1)
        return key[1:-1] if key[0] in "\"'" else self.plain(key), text[found.end():]

    def folded(self, indent, keep):
        lines, least = [], None
        while self.at < len(self.lines):
            text = self.lines[self.at][1]
            depth = len(text) - len(text.lstrip())
            if text.strip() and depth <= indent:
                break
            least = depth if text.strip() and least is None else least
            lines.append(text[least or 0:])
            self.at += 1
        return ("\n" if keep else " ").join(lines).strip() + "\n"

    def value(self, text, indent):
        text = text.strip()
        if not text or text.startswith("#"):
            self.at += 1
            depth, next_text = self.peek()
            if depth > indent or (depth == indent and next_text.startswith("- ")):
                return self.block(depth)
            return None
        if text[0] in "|>":
            self.at += 1
            return self.folded(indent, text[0] == "|")
        if text[0] in "&*!":
            self.bad("anchors, aliases and tags are not read: %s" % text[:40])
        got, rest = self.flow(text)
        if rest.strip() and not rest.strip().startswith("#"):
            self.bad("text behind the value: %s" % rest.strip()[:40])
        self.at += 1
        return got

    def block(self, indent):
        depth, text = self.peek()
        if text == "-" or text.startswith("- "):
            out = []
            while self.peek()[0] == indent and (self.peek()[1] == "-" or self.peek()[1].startswith("- ")):
                text = self.peek()[1][1:]
                inner = text.lstrip()
                is_map = inner[:1] not in ("", "{", "[", '"', "'", "#") and re.match(r"[^\s:]+\s*:(\s|$)", inner)
                if is_map:
                    number = self.lines[self.at][0]
                    deeper = indent + 1 + len(text) - len(inner)
                    self.lines[self.at] = (number, " " * deeper + inner)
                    out.append(self.block(deeper))
                else:
                    out.append(self.value(text, indent))
            return out
        out = {}
        while self.peek()[0] == indent:
            key, rest = self.key(self.peek()[1])
            if key in out:
                self.bad("the key '%s' stands here a second time" % key)
            out[key] = self.value(rest, indent)
        if self.peek()[0] > indent:
            self.bad("indented deeper than its block")
        return out

    def read(self):
        return self.block(self.peek()[0]) if self.peek()[1] else {}


def utils(name):
    """What tasks import from utils, where the folder has none."""
    def verbose_allclose(received, expected, rtol=1e-05, atol=1e-08, max_print=5):
        ok = received.shape == expected.shape and torch.allclose(received.float(), expected.float(), rtol, atol, equal_nan=True)
        return [] if ok else ["values differ"]

    def verbose_allequal(received, expected, max_print=5):
        seen_tolerance(0, 0)
        return [] if received.shape == expected.shape and torch.equal(received, expected) else ["values differ"]

    def match_reference(data, output, reference, rtol=1e-05, atol=1e-08):
        reasons = verbose_allclose(output, reference(data), rtol=rtol, atol=atol)
        return not reasons, " ".join(reasons)

    def make_match_reference(reference, **kwargs):
        return lambda data, output: match_reference(data, output, reference=reference, **kwargs)

    class DeterministicContext:
        def __enter__(self):
            return self

        def __exit__(self, *how):
            return None

    return dict(verbose_allclose=verbose_allclose, verbose_allequal=verbose_allequal, match_reference=match_reference,
                make_match_reference=make_match_reference, DeterministicContext=DeterministicContext,
                set_seed=lambda seed=42: torch.manual_seed(seed), get_device=lambda use_cuda=True: torch.device(DEVICE),
                clear_l2_cache=lambda: None)


def watch_utils(module):
    """verbose_allclose and its like compare by hand: what they were asked for is written down."""
    import inspect
    for name in ("verbose_allclose", "match_reference", "verbose_allequal"):
        function = getattr(module, name, None)
        if not callable(function):
            continue
        signature = inspect.signature(function)

        def call(*args, _function=function, _signature=signature, **kwargs):
            bound = _signature.bind(*args, **kwargs)
            bound.apply_defaults()
            if "rtol" in bound.arguments and "atol" in bound.arguments:
                seen_tolerance(bound.arguments["atol"], bound.arguments["rtol"])
            elif _function.__name__ == "verbose_allequal":
                seen_tolerance(0, 0)
            return _function(*args, **kwargs)
        setattr(module, name, call)


class Problem(Format):
    entry = "run_kernel"

    def __init__(self, name, sources, facts):
        self.name, self.facts, self.sources, self.kept = name, facts, sources, []
        self.task = Yaml(name, sources[name]).read()
        if not isinstance(self.task, dict):
            raise CannotImport("%s: it must be a map of keys" % name)
        if self.task.get("lang", "py") != "py":
            raise CannotImport("%s: lang is '%s': %s; tasks with lang: py are imported, and their submissions may hold inline "
                               "CUDA (load_inline)" % (name, self.task["lang"], self.native_data()))
        if self.task.get("multi_gpu"):
            raise CannotImport("%s: multi_gpu: a kernel is measured on one GPU" % name)
        if "reference.py" not in sources:
            raise CannotImport("%s: there is no reference.py beside it" % name)
        self.specs = self.read_specs()
        if "utils.py" in sources:
            import utils as own
            watch_utils(own)
        else:
            module_of("utils", utils(name))
        if "task.py" not in sources:
            module_of("task", {"input_t": object, "output_t": object, "TestSpec": dict})
        import reference
        self.module = reference
        for function in ("generate_input", "ref_kernel", "check_implementation"):
            if not callable(getattr(reference, function, None)):
                raise CannotImport("reference.py: no function %s()" % function)
        self.atol, self.rtol = facts.get("atol"), facts.get("rtol")
        self.outputs = {facts["output"]: "either"} if facts.get("output") else {}
        self.shape = facts.get("expression")

    def native_data(self):
        """Why data of a task in C++ cannot be handed over: no tensors with shapes."""
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", self.sources.get("task.h", ""), flags=re.S)
        found = re.search(r"using\s+input_t\s*=\s*([^;]+);|typedef\s+([^;]+?)\s+input_t\s*;|struct\s+(input_t)\b", text)
        kind = " ".join((found.group(1) or found.group(2) or "a struct").split())[:100] if found else ""
        where = "task.h: " if found else ""
        what = "host memory, which its custom_kernel() copies to the GPU and back, so that copies would be timed" \
            if re.search(r"\b(std::)?vector\b", kind) else "a C++ type without shapes, made and judged by its reference.cuh"
        return "%sinput_t%s is %s" % (where, " (%s)" % kind if kind else "", what)

    def read_specs(self):
        """The last benchmark is timed; the tests follow."""
        tests, benchmarks = self.task.get("tests") or [], self.task.get("benchmarks") or []
        for key, list_of in (("tests", tests), ("benchmarks", benchmarks)):
            if not isinstance(list_of, list) or not all(isinstance(x, dict) for x in list_of):
                raise CannotImport("%s: %s must be a list of maps" % (self.name, key))
        return benchmarks[-1:] + tests or []

    def cases(self):
        return [", ".join("%s=%s" % (k, v) for k, v in s.items() if k != "seed") or "default" for s in self.specs]

    def data(self, i, seed):
        spec = dict(self.specs[i])
        if isinstance(spec.get("seed"), int):
            spec["seed"] = spec["seed"] + seed
        with Seeds.of(seed):
            Seeds.offset = 0  # the seed is in the specification
            return self.module.generate_input(**spec)

    def checked(self, data, answer):
        said = self.module.check_implementation(data, answer)
        if isinstance(said, str):
            return not said, said
        return (bool(said[0]), str(said[1])) if isinstance(said, tuple) else (bool(said), "")

    def check(self, given, got):
        """Data as they were, and the answer in the form that ref_kernel() gives it."""
        values = dict(given, **{k: torch.zeros_like(given[k]) for k in self.outputs if k in given})
        parts = [x.reshape(()) if is_number else x for x, is_number in zip(got.values(), self.facts["numbers"])]
        form = self.facts["form"]
        answer = dict(zip(form, parts)) if isinstance(form, list) else parts[0] if form == "one" else \
            list(parts) if form == "list" else tuple(parts)
        return self.module.check_implementation(rebuilt(self.shape, values), answer)

    def learn(self):
        import copy
        if not self.specs:
            return {}
        data = self.data(len(self.specs) - 1, 0)
        flat = Flat(data, "data")
        self.shape = flat.expression
        self.kept = flat.notes
        answer = self.answer(flat.values)
        single = torch.is_tensor(answer)
        with watching_tolerances():
            ok, why = self.checked(rebuilt(self.shape, {k: v.clone() if torch.is_tensor(v) else v
                                                       for k, v in flat.values.items()}), copy.deepcopy(answer))
        if not ok:
            raise CannotImport("reference.py: check_implementation() refuses ref_kernel()'s own answer: %s" % why[:200])
        if SEEN:
            self.atol, self.rtol = SEEN["atol"], SEEN["rtol"]
        elif all(exact(x) for x in as_list(answer) if torch.is_tensor(x)):
            self.atol = self.rtol = 0.0
        else:
            self.try_check(flat, answer)
        output = self.buffer(flat.values, answer) if single else None
        self.outputs = {output: "either"} if output else {}
        form = list(answer) if isinstance(answer, dict) else "one" if single else "list" if isinstance(answer, list) else "tuple"
        return {"expression": self.shape, "output": output, "atol": self.atol, "rtol": self.rtol, "form": form,
                "numbers": [torch.is_tensor(x) and x.dim() == 0 for x in as_list(answer)]}

    def try_check(self, flat, answer):
        """The check compares by hand: it is asked about answers that are off."""
        def accepts(other):
            data = rebuilt(self.shape, {k: v.clone() if torch.is_tensor(v) else v for k, v in flat.values.items()})
            try:
                return self.checked(data, other)[0]
            except Exception:  # an assertion is a refusal, too
                return False
        got = tried_tolerance(accepts, answer)
        if isinstance(got, str):
            self.kept.append("check_implementation() uses no tolerance that could be seen, and %s; assay's own for the element "
                             "type is used" % got)
        else:
            self.atol, self.rtol = float("%.3g" % got[0]), float("%.3g" % got[1])
            self.kept.append("check_implementation() compares by itself; it accepts atol %.3g, rtol %.3g, found by trying answers "
                             "that are off by a little" % (self.atol, self.rtol))

    def buffer(self, values, answer):
        """The preallocated output among the data: as large as the answer, and the answer does not depend on what is in it."""
        for name in reversed(list(values)):
            x = values[name]
            if not torch.is_tensor(x) or x.shape != answer.shape or x.dtype != answer.dtype:
                continue
            other = dict(values, **{name: torch.full_like(x, 1) if x.dtype != torch.bool else ~x})
            if torch.equal(torch.nan_to_num(self.answer(other).float()), torch.nan_to_num(answer.float())):
                return name
        return None

    def answer(self, values):
        with torch.no_grad():
            return self.module.ref_kernel(rebuilt(self.shape, {k: v.clone() if torch.is_tensor(v) else v
                                                              for k, v in values.items()}))

    def notes(self):
        return self.kept

    def inputs(self, i, seed):
        flat = Flat(self.data(i, seed), "data")
        if flat.expression != self.shape:
            raise CannotImport("task.yml: generate_input() gives %s for '%s' and %s for another test; one operator has one form of "
                               "data" % (flat.expression[:200], self.cases()[i], self.shape[:200]))
        return flat.values

    def reference(self, values):
        answer = self.answer(values)
        return tuple(answer) if isinstance(answer, (tuple, list)) else answer

    def head(self, solution):
        imported, parts = solution.imports(), []
        if "reference" in imported:
            raise CannotImport("%s:%d: imports reference, where the answer is; write the kernel without it"
                               % (solution.name, imported["reference"]))
        for name in ("task", "utils"):
            if name in imported and name + ".py" in self.sources:
                parts.append("(%r, %r)" % (name, self.sources[name + ".py"]))
            elif name == "task" and name in imported:
                parts.append("('task', 'input_t = output_t = object\\nTestSpec = dict\\n')")
        if not parts:
            return ""
        return "import sys as _sys, types as _types; [(_sys.modules.setdefault(n, _types.ModuleType(n)), exec(compile(t, n + '.py'," \
            " 'exec'), _sys.modules[n].__dict__)) for n, t in [%s]]" % ", ".join(parts)

    def glue(self, solution):
        solution.arguments("custom_kernel", 1)
        names = ", ".join(self.inputs(len(self.specs) - 1, 0))
        return "\n\ndef run_kernel(%s):\n    return custom_kernel(%s)\n" % (names, self.shape)
