"""The four hooks of the driver that `assay driver new --lang python` writes, for training steps in torch, on the first GPU or on
the CPU. `step` is the time of one step, over some in a row; `operators` counts what a step calls, the same on every machine."""
import statistics

import numpy as np
import torch
from torch.utils._python_dispatch import TorchDispatchMode

CUDA = torch.cuda.is_available()
WARM, IN_A_ROW, CHECKED = (10, 20, 2) if CUDA else (1, 1, 2)
DEVICE = torch.device("cuda", 0) if CUDA else torch.device("cpu")


def prepare(request):
    torch.set_num_threads(1)
    with open(os.path.join(request["test_suite"]["locator"], "cases.json"), encoding="utf-8") as f:
        case = json.load(f)[request["case"]["id"]][DEVICE.type]
    n, tokens, width = case["batch"], case["tokens"], case["width"]
    random = np.random.default_rng(case["seed"])
    batch = [random.standard_normal((n, tokens, width), dtype="f4") for _ in range(2)]
    shapes = {"qkv": (width, 3 * width), "out": (width, width)}
    weights = {k: random.standard_normal(s, dtype="f4") / np.float32(width) ** 0.5 for k, s in shapes.items()}
    step, wanted, losses = load(request["correctness"]["reference"]["locator"]), {k: w.astype("f8") for k, w in weights.items()}, []
    for _ in range(CHECKED):
        loss, wanted = step(wanted, [b.astype("f8") for b in batch], case["heads"])
        losses.append(loss)
    return {"batch": [torch.from_numpy(b).to(DEVICE) for b in batch], "heads": case["heads"], "weights": weights, "wanted": wanted, "losses": losses}


def fresh(weights):
    return {k: torch.from_numpy(w.copy()).to(DEVICE).requires_grad_() for k, w in weights.items()}


def now():
    if CUDA:
        torch.cuda.synchronize()
    return time.perf_counter()


class Counter(TorchDispatchMode):
    """Operators of ATen that are called while it is entered, those of the backward pass among them."""

    n = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.n += 1
        return func(*args, **(kwargs or {}))


def run_subject(subject, request, shared):
    step, batch, heads = load(subject["variant"]["locator"]), shared["batch"], shared["heads"]
    weights = fresh(shared["weights"])
    errors = [abs(float(step(weights, batch, heads)) / loss - 1) for loss in shared["losses"]]
    for name, w in weights.items():  # against what the steps changed, which is far less than what is there
        wanted, begin = shared["wanted"][name], shared["weights"][name]
        got = w.detach().cpu().numpy()
        errors.append(float(abs(got - wanted).max() / abs(wanted - begin).max()) if np.isfinite(got).all() else 1e9)
    for _ in range(WARM):
        step(weights, batch, heads)
    if CUDA:
        torch.cuda.reset_peak_memory_stats()
    samples = {"step": [], "operators": []}
    for _ in range(sample_count(request)):
        begin = now()
        for _ in range(IN_A_ROW):
            step(weights, batch, heads)
        samples["step"].append((now() - begin) / IN_A_ROW * 1e3)
    samples["memory"] = [torch.cuda.max_memory_allocated() / 1e6 if CUDA else 0.0] * len(samples["step"])
    for _ in samples["step"]:
        with Counter() as counter:
            step(weights, batch, heads)
        samples["operators"].append(float(counter.n))
    return {"relative_error": max(errors), "checks": float(len(errors)), "step_ms": statistics.median(samples["step"])}, samples


def environment():
    uuids = [u for u in os.environ["CUDA_VISIBLE_DEVICES"].split(",") if u]
    if len(uuids) != CUDA:
        sys.exit("the request names %d GPUs, torch sees %d" % (len(uuids), CUDA))
    p = torch.cuda.get_device_properties(0) if CUDA else None
    return {
        "gpu_uuids": uuids,
        "gpu_models": [p.name] if CUDA else [],
        "gpu_architectures": ["sm_%d%d" % (p.major, p.minor)] if CUDA else [],
        "driver_version": "CUDA %d" % torch._C._cuda_getDriverVersion() if CUDA else "none",
        "cuda_runtime_version": str(torch.version.cuda) if CUDA else "none",
        "frameworks": {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__},
        "runtime_provenance": {"kind": "host", "identity": platform.platform(), "lineage_complete": True, "lineage": [], "components": []},
    }


def cleanup(shared):
    return []
