import hashlib
import inspect

TYPES = {"float": "float32", "double": "float64", "int": "int32", "size_t": "int64", "uint8_t": "uint8", "int8_t": "int8",
         "int32_t": "int32", "int64_t": "int64", "uint32_t": "int32", "uint64_t": "int64", "unsigned int": "int32",
         "float16": "float16", "half": "float16", "__half": "float16", "bfloat16": "bfloat16", "bool": "bool"}


class Base:
    """What problem files import as problem.Problem."""
    parameters = None
    is_exact = False

    def __init__(self, name="", time_limit=100, **attributes):
        self.name = name
        self.time_limit = time_limit
        self.__dict__.update(attributes)

    @staticmethod
    def get_seed(text):
        return int(hashlib.md5(str(text).encode()).hexdigest()[:8], 16)

    def param_dtype(self, which):
        p = self.parameters[which] if isinstance(which, int) else next(p for p in self.parameters if p["name"] == which)
        if p["type"] not in TYPES:
            raise CannotImport("parameter '%s' has the type '%s'; %s are known" % (p["name"], p["type"], ", ".join(TYPES)))
        return getattr(torch, TYPES[p["type"]])

    def get_extra_params(self, case):
        return []


def called(method, dtype, *args):
    """Older problems take the element type too."""
    parameters = [p for p in inspect.signature(method).parameters.values() if p.default is p.empty]
    return method(*args, dtype) if len(parameters) > len(args) else method(*args)


class Problem(Format):
    native = True
    entry = "solution"

    def __init__(self, name, sources, facts):
        module_of("problem", {"Problem": Base})
        module = run_source(name, sources[name], "tensara_problem")
        kinds = [x for x in vars(module).values() if isinstance(x, type) and issubclass(x, Base) and x is not Base]
        if len(kinds) != 1:
            raise CannotImport("%s: %d classes derive from Problem; one is wanted" % (name, len(kinds)))
        for method in ("reference_solution", "generate_test_cases", "verify_result"):
            if not callable(getattr(kinds[0], method, None)):
                raise CannotImport("%s: class %s has no %s()" % (name, kinds[0].__name__, method))
        self.name, self.facts, self.kept = name, facts, []
        self.problem = kinds[0]()
        self.atol, self.rtol = facts.get("atol"), facts.get("rtol")
        self.made = facts.get("cases")
        self.outputs = dict.fromkeys(facts.get("outputs", ()), "either")
        self.dtype = torch.float32
        if self.problem.parameters is not None and not all(
                isinstance(p, dict) and {"name", "type", "pointer", "const"} <= set(p) for p in self.problem.parameters):
            raise CannotImport("%s: each of parameters needs name, type, pointer and const" % name)

    def tests(self):
        """The last test is the largest by custom; it is timed, so it comes first."""
        tests = called(self.problem.generate_test_cases, self.dtype)
        if not isinstance(tests, list) or not all(isinstance(t, dict) and callable(t.get("create_inputs")) for t in tests):
            raise CannotImport("%s: generate_test_cases() must give a list of dicts with create_inputs" % self.name)
        return tests[-1:] + tests[:-1]

    def cases(self):
        return self.made

    def names(self, n_in, n_out, n_extra):
        """Inputs, outputs, then the extra numbers, as the judge passes them; `parameters` has their names and may order them
        otherwise."""
        given = self.problem.parameters
        n = n_in + n_out + n_extra
        if given is None:
            return ["in%d" % i for i in range(n_in)] + ["out%d" % i for i in range(n_out)] + ["n%d" % i for i in range(n_extra)]
        if len(given) != n:
            raise CannotImport("%s: parameters lists %d; %d inputs, %d outputs and %d extra numbers are passed"
                               % (self.name, len(given), n_in, n_out, n_extra))
        return [p["name"] for p in given]

    def made_inputs(self, test):
        got = test["create_inputs"]()
        got = list(got) if isinstance(got, (tuple, list)) else [got]
        for i, x in enumerate(got):
            if not torch.is_tensor(x) and not isinstance(x, (int, float)):
                raise CannotImport("%s: case '%s': input %d is %s; tensors and numbers can be passed"
                                   % (self.name, test.get("name"), i + 1, kind_of(x)))
        return got

    def learn(self):
        tests = self.tests()
        self.made = [str(t.get("name", "case_%d" % (i + 1))) for i, t in enumerate(tests)]
        with watching_tolerances():
            for test in tests[-1:]:
                got = self.made_inputs(test)
                answer = as_list(self.answer(got))
                said = called(self.problem.verify_result, self.dtype, answer[0] if len(answer) == 1 else tuple(answer),
                              answer[0].clone() if len(answer) == 1 else tuple(x.clone() for x in answer))
                if not (said[0] if isinstance(said, tuple) else said):
                    raise CannotImport("%s: verify_result() refuses the problem's own answer" % self.name)
        if SEEN:
            self.atol, self.rtol = SEEN["atol"], SEEN["rtol"]
        elif all(exact(x) for x in answer):
            self.atol = self.rtol = 0.0
        else:
            self.try_check(tests[-1], answer)
        facts = {"cases": self.made, "atol": self.atol, "rtol": self.rtol, "n_in": len(got), "answers": []}
        for test in tests:
            inputs = {"in%d" % i: x for i, x in enumerate(self.made_inputs(test))}
            answer = answer_of(lambda values: self.answer(list(values.values())), inputs)
            facts["answers"].append([[str(x.dtype)[6:], list(x.shape)] for x in answer])
        extra = self.extra(tests[0])
        names = self.names(len(got), len(answer), len(extra))
        outputs = self.places(names, len(got), len(answer))
        facts["outputs"] = [names[i] for i in outputs]
        facts["names"], facts["places"] = names, outputs
        self.facts.update(facts)
        self.outputs = dict.fromkeys(facts["outputs"], "either")
        return facts

    def places(self, names, n_in, n_out):
        given = self.problem.parameters
        if given is None:
            return list(range(n_in, n_in + n_out))
        found = [i for i, p in enumerate(given) if p["pointer"] and not p["const"]]
        if len(found) != n_out:
            raise CannotImport("%s: reference_solution() returns %d tensors; parameters lists %d that are written (pointer, "
                               "not const)" % (self.name, n_out, len(found)))
        return found

    def check(self, given, got):
        def form(x):
            return x[0] if len(x) == 1 else tuple(x)
        want = as_list(self.reference(given))
        parts = [x.reshape(y.shape) for x, y in zip(got.values(), want)]
        return called(self.problem.verify_result, self.dtype, form(want), form(parts))

    def extra(self, test):
        return [x for x in called(self.problem.get_extra_params, self.dtype, test)]

    def try_check(self, test, answer):
        def accepts(other):
            want = answer[0].clone() if len(answer) == 1 else tuple(x.clone() for x in answer)
            try:
                said = called(self.problem.verify_result, self.dtype, want, other[0] if len(other) == 1 else tuple(other))
            except Exception:
                return False
            return bool(said[0] if isinstance(said, tuple) else said)
        got = tried_tolerance(accepts, answer)
        if isinstance(got, str):
            self.kept = ["verify_result() uses no tolerance that could be seen, and %s; assay's own for the element type is used" % got]
        else:
            self.atol, self.rtol = float("%.3g" % got[0]), float("%.3g" % got[1])
            self.kept = ["verify_result() compares by itself; it accepts atol %.3g, rtol %.3g, found by trying answers that are off "
                         "by a little" % (self.atol, self.rtol)]

    def notes(self):
        return self.kept

    def answer(self, got):
        with torch.no_grad():
            return self.problem.reference_solution(*[x.clone() if torch.is_tensor(x) else x for x in got])

    def inputs(self, i, seed):
        test = self.tests()[i]
        got, extra = self.made_inputs(test), self.extra(test)
        outs = [torch.zeros(shape, dtype=getattr(torch, dtype), device=DEVICE) for dtype, shape in self.facts["answers"][i]]
        rest = iter(got + [x.to(DEVICE) if torch.is_tensor(x) else x for x in extra])
        values = {}
        for k, name in enumerate(self.facts["names"]):
            values[name] = outs[self.facts["places"].index(k)] if k in self.facts["places"] else next(rest)
        return values

    def reference(self, values):
        names, places = self.facts["names"], self.facts["places"]
        got = [values[n] for k, n in enumerate(names) if k not in places][:self.facts["n_in"]]
        return tuple(as_list(self.answer(got)))

    def flops(self, i):
        if not callable(getattr(self.problem, "get_flops", None)):
            return None
        got = self.problem.get_flops(self.tests()[i])
        return float(got) if isinstance(got, (int, float)) else None

    def glue(self, solution):
        solution.arguments("solution", len(self.facts["names"]))
        names = ", ".join(self.facts["names"])
        return "\n\ndef run_kernel(%s):\n    return solution(%s)\n" % (names, names)
