import inspect
import json

WEIGHTS_SEED = 42
LOAD = '''import torch
from torch.utils.cpp_extension import load_inline

SOURCE = %r
_assay_entry = load_inline(name="solution", cpp_sources="", cuda_sources=SOURCE, extra_cuda_cflags=["-O3"]).forward
'''


class Problem(Format):
    entry = "run_kernel"
    atol = rtol = 1e-5

    def __init__(self, name, sources, facts):
        self.name, self.facts = name, facts
        self.module = run_source(name, sources[name], "robust_problem")
        for key in ("forward_fn", "Model", "get_inputs"):
            if not callable(getattr(self.module, key, None)):
                raise CannotImport("%s: no %s: not a robust-kbench problem" % (name, key))
        if "fn" not in inspect.signature(self.module.Model.forward).parameters:
            raise CannotImport("%s: Model.forward() has no parameter fn" % name)
        self.settings = self.read_settings(sources)
        self.parameters = list(inspect.signature(self.module.forward_fn).parameters.values())
        self.shape = facts.get("expression")

    def read_settings(self, sources):
        """(of the inputs, of the model) of each case: lists in the module, else in config_forward.json."""
        config = {}
        if "config_forward.json" in sources:
            try:
                config = json.loads(sources["config_forward.json"])
            except ValueError as x:
                raise CannotImport("config_forward.json: no JSON: %s" % x)
        lists = []
        for key in ("input", "init"):
            found = getattr(self.module, key + "_settings", None)
            if found is None:
                found = (config.get("single_%s_configs" % key) or []) + (config.get("multi_%s_configs" % key) or [])
            if not isinstance(found, list) or not all(isinstance(x, dict) for x in found):
                raise CannotImport("%s: %s_settings must be a list of dicts" % (self.name, key))
            lists.append(found or [{}])
        n = max(len(x) for x in lists)
        if any(len(x) not in (1, n) for x in lists):
            raise CannotImport("%s: %d settings for inputs, %d for the model; they go in pairs" % (self.name, len(lists[0]),
                                                                                               len(lists[1])))
        return [(lists[0][i % len(lists[0])], lists[1][i % len(lists[1])]) for i in range(n)]

    def cases(self):
        return [", ".join("%s=%s" % kv for s in both for kv in s.items()) or "default" for both in self.settings]

    def passed(self, i):
        """What the model passes to fn: inputs and weights."""
        of_inputs, of_model = self.settings[i]
        values = as_list(self.module.get_inputs(**of_inputs))
        calls = []

        def record(*args, **kwargs):
            bound = inspect.signature(self.module.forward_fn).bind(*args, **kwargs)
            bound.apply_defaults()
            calls.append(bound.arguments)
            return self.module.forward_fn(*args, **kwargs)

        offset, Seeds.offset = Seeds.offset, 0
        Seeds.manual_seed(WEIGHTS_SEED + offset)
        model = self.module.Model(**of_model).to(DEVICE).eval()
        Seeds.offset = offset
        with torch.no_grad():
            model(*[x.to(DEVICE) if torch.is_tensor(x) else x for x in values], fn=record)
        if len(calls) != 1:
            raise CannotImport("%s: Model.forward() calls fn %d times; one call is measured" % (self.name, len(calls)))
        return calls[0]

    def flat(self, i):
        values, parts = {}, []
        for name, value in self.passed(i).items():
            flat = Flat(value, name)
            values.update(flat.values)
            parts.append(flat.expression)
        return values, ", ".join(parts)

    def learn(self):
        with Seeds.of(0):
            self.shape = self.flat(0)[1]
            answers = [x for x in as_list(self.reference(self.flat(0)[0])) if torch.is_tensor(x)]
        if any(x.dtype in (torch.float16, torch.bfloat16) for x in answers):
            self.atol = self.rtol = 1e-2
        return {"expression": self.shape}

    def inputs(self, i, seed):
        values, shape = self.flat(i)
        if shape != self.shape:
            raise CannotImport("%s: case '%s' calls fn(%s), case '%s' fn(%s); one operator has one form of call"
                               % (self.name, self.cases()[i], shape[:200], self.cases()[0], self.shape[:200]))
        return values

    def reference(self, values):
        with torch.no_grad():
            return self.module.forward_fn(*rebuilt("(%s,)" % self.shape, values))

    def glue_for(self, function):
        with Seeds.of(0):
            names = ", ".join(self.flat(0)[0])
        return "\n\ndef run_kernel(%s):\n    return %s(%s)\n" % (names, function, self.shape)

    def glue(self, solution):
        solution.arguments("forward_fn", len(self.parameters))
        return self.glue_for("forward_fn")

    def unpack(self, name, text):
        """A .cu that exports forward by pybind11."""
        if "PYBIND11_MODULE" not in text or "forward" not in text:
            raise CannotImport("%s: a CUDA solution exports forward (PYBIND11_MODULE)" % name)
        return LOAD % text, self.glue_for("_assay_entry")
