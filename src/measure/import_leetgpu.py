class Spec:
    """A tensor that the judge makes itself: what to fill it with."""

    def __init__(self, make, shape, dtype):
        self.make, self.shape, self.dtype = make, tuple(shape), dtype

    def tensor(self):
        return self.make(self)


def challenge_base():
    """The classes that challenge files import from core.challenge_base."""
    class ChallengeBase:
        def __init__(self, device="cuda", **attributes):
            self.device = device
            self.__dict__.update(attributes)

    def rand(shape, low=0.0, high=1.0, dtype=torch.float32):
        return Spec(lambda s: torch.rand(s.shape, device=DEVICE).mul_(high - low).add_(low).to(dtype), shape, dtype)

    def randn(shape, mean=0.0, std=1.0, dtype=torch.float32):
        return Spec(lambda s: torch.randn(s.shape, device=DEVICE).mul_(std).add_(mean).to(dtype), shape, dtype)

    def randint(shape, low, high, dtype=torch.int32):
        return Spec(lambda s: torch.randint(low, high, s.shape, device=DEVICE, dtype=dtype), shape, dtype)

    def full(shape, value, dtype=torch.float32):
        return Spec(lambda s: torch.full(s.shape, value, device=DEVICE, dtype=dtype), shape, dtype)

    def out(shape, dtype=torch.float32):
        return Spec(lambda s: torch.zeros(s.shape, device=DEVICE, dtype=dtype), shape, dtype)

    names = {"ChallengeBase": ChallengeBase, "RandTensor": rand, "RandnTensor": randn, "RandIntTensor": randint,
             "FullTensor": full, "OutTensor": out}
    core = module_of("core", {"__path__": []})
    core.challenge_base = module_of("core.challenge_base", names)


class Problem(Format):
    native = True

    def __init__(self, name, sources, facts):
        challenge_base()
        module = run_source(name, sources[name], "challenge")
        kind = getattr(module, "Challenge", None)
        if not isinstance(kind, type):
            raise CannotImport("%s: no class Challenge" % name)
        for method in ("reference_impl", "get_solve_signature", "generate_functional_test"):
            if not callable(getattr(kind, method, None)):
                raise CannotImport("%s: class Challenge has no %s()" % (name, method))
        self.name, self.facts = name, facts
        self.challenge = kind()
        if getattr(self.challenge, "num_gpus", 1) not in (None, 0, 1):
            raise CannotImport("%s: num_gpus is %s; a kernel is measured on one GPU" % (name, self.challenge.num_gpus))
        for key in ("atol", "rtol"):
            value = getattr(self.challenge, key, None)
            if not isinstance(value, (int, float)):
                raise CannotImport("%s: class Challenge has no number %s" % (name, key))
            setattr(self, key, float(value))
        self.signature = self.challenge.get_solve_signature()
        if not isinstance(self.signature, dict) or not all(
                isinstance(v, tuple) and len(v) == 2 and v[1] in ("in", "out", "inout") for v in self.signature.values()):
            raise CannotImport("%s: get_solve_signature() must give {name: (ctypes type, \"in\", \"out\" or \"inout\")}" % name)
        self.outputs = {k: v[1] for k, v in self.signature.items() if v[1] != "in"}
        if not self.outputs:
            raise CannotImport("%s: get_solve_signature() names no output" % name)
        self.made = facts.get("cases")

    def performance(self):
        got = getattr(self.challenge, "generate_performance_test", lambda: None)()
        return got[0] if isinstance(got, list) and got else got

    def functional(self):
        got = self.challenge.generate_functional_test()
        if not isinstance(got, list):
            raise CannotImport("%s: generate_functional_test() gives %s; a list of dicts is wanted" % (self.name, kind_of(got)))
        return got

    def cases(self):
        return self.made

    def learn(self):
        """The performance test comes first: it is the one that is timed."""
        self.made = (["performance"] if self.performance() else []) \
            + ["functional_%d" % (i + 1) for i in range(len(self.functional()))]
        return {"cases": self.made}

    def inputs(self, i, seed):
        has_performance = self.made[0] == "performance"
        test = self.performance() if has_performance and i == 0 else self.functional()[i - has_performance]
        where = "%s: test '%s'" % (self.name, self.made[i])
        if not isinstance(test, dict):
            raise CannotImport("%s is %s; a dict is wanted" % (where, kind_of(test)))
        values = {}
        for key in self.signature:
            if key not in test:
                raise CannotImport("%s has no '%s', which get_solve_signature() names" % (where, key))
            value = test[key]
            values[key] = value.tensor() if isinstance(value, Spec) else value
            if not torch.is_tensor(values[key]) and not isinstance(value, (int, float)):
                raise CannotImport("%s: '%s' is %s; a tensor or a number is wanted" % (where, key, kind_of(value)))
            if key in self.outputs and not torch.is_tensor(values[key]):
                raise CannotImport("%s: the output '%s' is %s; a tensor is wanted" % (where, key, kind_of(value)))
        for key in test:
            if key not in self.signature:
                raise CannotImport("%s has '%s', which get_solve_signature() does not name" % (where, key))
        return values

    def reference(self, values):
        with torch.no_grad():
            self.challenge.reference_impl(**values)

    def glue(self, solution):
        """Arguments are passed by position, as the judge does."""
        solution.arguments("solve", len(self.signature))
        names = ", ".join(self.signature)
        return "\n\ndef run_kernel(%s):\n    return solve(%s)\n" % (names, names)
