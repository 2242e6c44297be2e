import ast
import inspect
import re

LINE = re.compile(r"^#{100,}\s*$", re.M)


def halves(name, text):
    """Kernel and wrapper stand above the line of #, the test below it."""
    found = LINE.search(text)
    if not found:
        raise CannotImport("%s: no line of 100 or more #, above which the kernel stands and below which the test" % name)
    return text[:found.start()], text[found.end():]


class Problem(Format):
    """The test calls wrappers: each call is recorded and becomes a case."""
    entry = "run_kernel"

    def __init__(self, name, sources, facts):
        self.name, self.facts = name, facts
        self.top, bottom = halves(name, sources[name])
        self.source = self.top + "\n" * 2 + bottom
        tree = ast.parse(sources[name])
        below = self.top.count("\n") + 1
        tests = [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test_") and n.lineno > below]
        if not tests:
            raise CannotImport("%s: no function test_*() below the line of #" % name)
        self.test = tests[0]
        self.called = {n.func.id for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == self.test
                       for n in ast.walk(f) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        self.tree, self.whole = tree, sources[name]
        defined = [n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef)) and n.lineno < below]
        self.wrappers = [n for n in defined if n in self.called]
        if not self.wrappers:
            raise CannotImport("%s: %s() calls no function that stands above the line of #" % (name, self.test))
        self.wrapper = facts.get("wrapper")
        self.shape = facts.get("expression")

    def load(self):
        """The file without what it runs at the end: result_gold = test_x()."""
        kept = [n for n in self.tree.body if not (isinstance(n, (ast.Assign, ast.Expr)) and any(
            isinstance(c, ast.Call) and isinstance(c.func, ast.Name) and c.func.id == self.test for c in ast.walk(n)))]
        module = run_source(self.name, "", "tritonbench_problem")
        import linecache
        linecache.cache[self.name] = (len(self.whole), None, self.whole.splitlines(True), self.name)
        exec(compile(ast.Module(kept, []), self.name, "exec"), module.__dict__)
        return module

    def calls(self, seed):
        module, calls = self.load(), []

        def recorder(name, function):
            def call(*args, **kwargs):
                bound = inspect.signature(function).bind(*args, **kwargs)
                bound.apply_defaults()
                kinds = inspect.signature(function).parameters
                if any(kinds[k].kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD) for k in kinds):
                    raise CannotImport("%s: %s() takes *args or **kwargs, which cannot be named" % (self.name, name))
                kept = {k: v.detach().clone() if torch.is_tensor(v) else v for k, v in bound.arguments.items()}
                calls.append((name, kept))
                return function(*args, **kwargs)
            return call

        first = self.wrapper or self.wrappers[0]
        for name in self.wrappers if not self.wrapper else [first]:
            function = getattr(module, name)
            if inspect.isfunction(function):
                setattr(module, name, recorder(name, function))
        with Seeds.of(seed):
            getattr(module, self.test)()
        return calls

    def flat(self, arguments):
        values, parts = {}, []
        for name, value in arguments.items():
            flat = Flat(value, name)
            values.update(flat.values)
            parts.append("%s=%s" % (name, flat.expression))
        return values, ", ".join(parts)

    def learn(self):
        calls = self.calls(0)
        if not calls:
            raise CannotImport("%s: %s() makes no call of %s" % (self.name, self.test, ", ".join(self.wrappers)))
        self.wrapper = calls[0][0]
        self.shape = self.flat(calls[0][1])[1]
        which = [i for i, (n, a) in enumerate(c for c in calls if c[0] == self.wrapper) if self.flat(a)[1] == self.shape]
        self.facts.update(wrapper=self.wrapper, expression=self.shape, which=which)
        self.kept = []
        others = sorted({n for n, _ in calls} - {self.wrapper})
        left = sum(n == self.wrapper for n, _ in calls) - len(which)
        if others:
            self.kept.append("the test also calls %s; %s is measured" % (", ".join(others), self.wrapper))
        if left:
            self.kept.append("%d call(s) with another form of arguments are left out" % left)
        return dict(wrapper=self.wrapper, expression=self.shape, which=which)

    def notes(self):
        return self.kept

    def cases(self):
        return ["call_%d" % (i + 1) for i in self.facts.get("which", [])]

    def inputs(self, i, seed):
        calls = [a for n, a in self.calls(seed) if n == self.wrapper]
        values, shape = self.flat(calls[self.facts["which"][i]])
        return values

    def reference(self, values):
        with torch.no_grad():
            function = getattr(self.load(), self.wrapper)
            return rebuilt("f(%s)" % self.shape, dict(values, f=function))

    def glue(self, solution):
        solution.function(self.wrapper)
        with Seeds.of(0):
            names = ", ".join(self.inputs(0, 0))
        return "\n\ndef run_kernel(%s):\n    return %s(%s)\n" % (names, self.wrapper, self.shape)
