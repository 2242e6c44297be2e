import ast
import inspect

WEIGHTS_SEED = 42
BUILD = '''

_assay_model = None


def _assay_run(*inputs):
    """The model is made once, with the weights that the seed gives."""
    global _assay_model
    import torch as _torch
    if _assay_model is None:
        _torch.manual_seed(%d)
        device = next((x.device for x in inputs if _torch.is_tensor(x)), None)
        _assay_model = ModelNew(*%s).to(device)
    with _torch.no_grad():
        return _assay_model(*inputs)


def run_kernel(%s):
    return _assay_run(%s)
'''


def literal(value, where):
    text = repr(value)
    try:
        if ast.literal_eval(text) == value:
            return text
    except (ValueError, SyntaxError):
        pass
    raise CannotImport("%s gives what cannot be written as text: %s" % (where, text[:80].replace("\n", " ")))


class Problem(Format):
    atol = rtol = 1e-4

    def __init__(self, name, sources, facts):
        self.name, self.facts = name, facts
        self.module = run_source(name, sources[name], "kernelbench_problem")
        if not isinstance(getattr(self.module, "Model", None), type) or not hasattr(self.module, "get_inputs"):
            raise CannotImport("%s: no class Model with get_inputs(): not a KernelBench problem" % name)
        self.init = list(self.module.get_init_inputs()) if hasattr(self.module, "get_init_inputs") else []
        self.init_text = literal(self.init, "%s: get_init_inputs()" % name)
        self.parameters = list(inspect.signature(self.module.Model.forward).parameters.values())[1:]
        self.model = None

    def cases(self):
        return ["default"]

    def learn(self):
        with Seeds.of(0):
            answers = [x for x in answer_of(self.reference, self.inputs(0, 0)) if torch.is_tensor(x)]
        if any(x.dtype in (torch.float16, torch.bfloat16) for x in answers):
            self.atol = self.rtol = 1e-2
        elif answers and all(exact(x) for x in answers):
            self.atol = self.rtol = 0.0
        return {"atol": self.atol, "rtol": self.rtol}

    def inputs(self, i, seed):
        values = list(self.module.get_inputs())
        names = [p.name for p in self.parameters]
        if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in self.parameters) or len(values) > len(names):
            raise CannotImport("%s: Model.forward takes %s; the %d inputs of get_inputs() cannot be named after them"
                               % (self.name, ", ".join(names) or "nothing", len(values)))
        for name, value in zip(names, values):
            if not torch.is_tensor(value) and not isinstance(value, (int, float)):
                raise CannotImport("%s: get_inputs() gives %s for '%s'; tensors and numbers can be passed"
                                   % (self.name, kind_of(value), name))
        return {n: v.to(DEVICE) if torch.is_tensor(v) else v for n, v in zip(names, values)}

    def reference(self, values):
        device = next((x.device for x in values.values() if torch.is_tensor(x)), None)
        if self.model is None or self.device != device:
            Seeds.manual_seed(WEIGHTS_SEED)
            self.model, self.device = self.module.Model(*self.init).to(device), device
        with torch.no_grad():
            return self.model(*values.values())

    def glue(self, solution):
        if not solution.has_class("ModelNew"):
            raise CannotImport("%s: no class ModelNew: not a KernelBench solution" % solution.name)
        names = ", ".join(self.inputs(0, 0))
        return BUILD % (WEIGHTS_SEED, self.init_text, names, names)
