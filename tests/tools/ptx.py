#!/usr/bin/env python3
"""Runs our PTX without a GPU: an interpreter for the instructions that assay.ptx uses.

usage: ptx.py MODULE.ptx CASES
CASES has one JSON document a line: {"kernel", "blocks", "threads", "arg": hex, "memory": [[address, before, after]],
"close": n}. Every case is run; its memory must then equal `after`, byte for byte; the last `close` doubles of the last
region may differ by 1e-12 of their size (sums that are added in another order). Prints what differs, exits 1 then.
Threads of a block run one after the other between barriers. Registers are whole numbers that hold the bits.
"""
import ctypes
import functools
import json
import math
import re
import struct
import sys

LIBM = ctypes.CDLL("libm.so.6")
LIBM.fmaf.restype, LIBM.fmaf.argtypes = ctypes.c_float, [ctypes.c_float] * 3
LIBM.fma.restype, LIBM.fma.argtypes = ctypes.c_double, [ctypes.c_double] * 3
FORMAT = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}
COMPARE = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
           "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}


@functools.lru_cache(None)
def width(kind):
    return int(kind[1:])


def value(kind, bits):
    """The number that `bits` mean in a type such as f32, s64, u8, b16."""
    n = width(kind)
    bits &= (1 << n) - 1
    if kind[0] in "ub":
        return bits
    if kind[0] == "f":
        f, u = FORMAT[n]
        return struct.unpack(f, struct.pack(u, bits))[0]
    return bits - (1 << n) if bits >> (n - 1) else bits


def bits_of(kind, v):
    n = width(kind)
    if kind[0] != "f":
        return int(v) & ((1 << n) - 1)
    f, u = FORMAT[n]
    try:
        return struct.unpack(u, struct.pack(f, v))[0]
    except OverflowError:  # rounds to infinity
        return struct.unpack(u, struct.pack(f, math.copysign(math.inf, v)))[0]


def largest(a, b):
    """max of PTX: +0 is above -0. No NaN comes here."""
    if a == b:
        return a if math.copysign(1, a) > 0 else b
    return a if a > b else b


def nearest24(v):
    """A whole number to 24 significant bits, ties to even."""
    drop = max(abs(v).bit_length() - 24, 0)
    half, rest = (1 << drop) >> 1, abs(v) & (1 << drop) - 1
    kept = abs(v) >> drop
    kept += drop > 0 and (rest > half or rest == half and kept & 1)
    return math.copysign(float(kept << drop), v)


def divide(a, b):
    return a / b if b else math.copysign(math.inf, a) * math.copysign(1, b)


def product(a, b):
    try:
        return a * b
    except OverflowError:
        return math.inf


class Function:
    def __init__(self, name, results, params, body):
        self.name, self.results, self.params = name, results, params
        self.code, self.labels, self.shared, self.shared_bytes = [], {}, {}, 0
        for text in body.replace("\n", " ").split(";"):
            self.add(text.strip())

    def add(self, text):
        label = re.match(r"(\w+):\s*(.*)$", text, re.S)
        if label:
            self.labels[label.group(1)] = len(self.code)
            self.add(label.group(2))
            return
        if not text or text.startswith(".reg"):
            return
        if text.startswith(".shared"):
            name, size = re.search(r"(\w+)\[(\d+)\]", text).groups()
            self.shared[name] = self.shared_bytes
            self.shared_bytes += int(size)
            return
        guard = None
        if text[0] == "@":
            negated, guard, text = re.match(r"@(!?)(\w+)\s+(.*)$", text, re.S).groups()
            guard = (guard, negated == "")
        op, _, rest = text.partition(" ")
        args = [a.strip() for a in re.findall(r"\{[^}]*\}|\([^)]*\)|\[[^\]]*\]|[^,\s][^,]*", rest)]
        self.code.append((guard, op.split("."), args, text))


def names(text):
    return [p.split()[-1] for p in text.split(",")] if text and text.strip() else []


def parse(text):
    text = re.sub(r"//.*", "", text)
    head = r"(?:\.visible \.entry|\.func(?: \((.*?)\))?) (\w+)\((.*?)\)[^{]*?\n\{(.*?)\n\}"
    return {m.group(2): Function(m.group(2), names(m.group(1)), names(m.group(3)), m.group(4))
            for m in re.finditer(head, text, re.S)}


@functools.lru_cache(None)
def constant(name):
    return int(name[2:], 16) if name[:2] in ("0f", "0d") else int(name, 0) & ((1 << 64) - 1)


@functools.lru_cache(None)
def parts_of(text):
    """"{a, b}" -> a, b; "[a+8]" -> a, 8."""
    if text[0] == "[":
        base, _, offset = text.strip("[] ").partition("+")
        return base, int(offset or 0)
    return [p.strip() for p in text.strip("{}").split(",")]


REAL = {"sqrt": lambda v: math.sqrt(v[0]), "add": lambda v: v[0] + v[1], "sub": lambda v: v[0] - v[1],
        "mul": lambda v: product(v[0], v[1]), "div": lambda v: divide(v[0], v[1]), "max": lambda v: largest(v[0], v[1]),
        "min": lambda v: -largest(-v[0], -v[1])}
PREDICATE = {"not": lambda v: not v[0], "and": lambda v: v[0] and v[1], "or": lambda v: v[0] or v[1]}
WHOLE = {"add": lambda v: v[0] + v[1], "sub": lambda v: v[0] - v[1], "neg": lambda v: -v[0], "and": lambda v: v[0] & v[1],
         "or": lambda v: v[0] | v[1], "xor": lambda v: v[0] ^ v[1], "min": min, "max": max, "rem": lambda v: v[0] % v[1],
         "popc": lambda v: bin(v[0]).count("1"), "bfind": lambda v: v[0].bit_length() - 1}


class Memory:
    def __init__(self, regions):
        self.regions = regions

    def find(self, address, n, what):
        for base, data in self.regions:
            if base <= address and address + n <= base + len(data):
                return data, address - base
        raise SystemExit(f"{what}: {n} bytes at {address:#x} lie in no region")

    def load(self, address, n, what):
        data, at = self.find(address, n, what)
        return int.from_bytes(data[at:at + n], "little")

    def store(self, address, n, v, what):
        data, at = self.find(address, n, what)
        data[at:at + n] = v.to_bytes(n, "little")


class Thread:
    def __init__(self, module, special, arg, memory, shared):
        self.module, self.special, self.arg, self.memory, self.shared = module, special, arg, memory, shared

    def get(self, regs, name, f):
        v = regs.get(name)
        if v is not None:
            return v
        if name in self.special:
            return self.special[name]
        if name in f.shared:
            return f.shared[name]
        return constant(name)

    def address(self, regs, text, f):
        base, offset = parts_of(text)
        return self.get(regs, base, f) + offset

    def run(self, f, regs):
        at = 0
        while at < len(f.code):
            guard, op, args, text = f.code[at]
            at += 1
            if guard and bool(regs[guard[0]]) != guard[1]:
                continue
            if op[0] == "bra":
                at = f.labels[args[0]]
            elif op[0] == "ret":
                return
            elif op[0] == "bar":
                yield
            elif op[0] == "call":
                called = self.module[args[1]]
                inner = dict(zip(called.params, [self.get(regs, a.strip(), f) for a in args[2].strip("()").split(",")]))
                yield from self.run(called, inner)
                regs.update(zip([a.strip() for a in args[0].strip("()").split(",")],
                                [inner[r] for r in called.results]))
            elif op[0] in ("ld", "st", "red"):
                self.access(regs, op, args, text, f)
            else:
                self.compute(regs, op, args, text, f)

    def access(self, regs, op, args, text, f):
        kind, n = op[-1], width(op[-1]) // 8
        if op[1] == "param":
            offset = int(args[1].strip("[]").partition("+")[2] or 0)
            regs[args[0]] = int.from_bytes(self.arg[offset:offset + n], "little")
            return
        memory = self.shared if op[1] == "shared" else self.memory
        place, data = (args[1], args[0]) if op[0] == "ld" else (args[0], args[1])
        where, parts = self.address(regs, place, f), parts_of(data)
        if where % (n * len(parts)):
            raise SystemExit(f"{f.name}: {text}: {where:#x} is not aligned")
        for i, part in enumerate(parts):
            if op[0] == "ld":
                v = memory.load(where + i * n, n, text)
                regs[part] = value(kind, v) & ((1 << 64) - 1) if kind[0] == "s" else v
                continue
            v = self.get(regs, part, f) & ((1 << 8 * n) - 1)
            if op[0] == "red":
                old = memory.load(where, n, text)
                v = min(old, v) if op[2] == "min" else (old + v) & ((1 << 8 * n) - 1)
            memory.store(where + i * n, n, v, text)

    def compute(self, regs, op, args, text, f):
        name, kind = op[0], op[-1]
        raw = [self.get(regs, a, f) for a in args[1:] if a[0] != "{"]
        out = args[0]
        if name == "setp":
            v = COMPARE[op[1]](value(kind, raw[0]), value(kind, raw[1]))
            regs[out] = v and bool(raw[2]) if op[2] == "and" else v or bool(raw[2]) if op[2] == "or" else v
        elif name == "mov" and out[0] == "{":
            half = width(kind) // 2
            low, high = [p.strip() for p in out.strip("{}").split(",")]
            regs[low], regs[high] = raw[0] & ((1 << half) - 1), raw[0] >> half
        elif name == "mov" and args[1][0] == "{":
            half = width(kind) // 2
            low, high = [self.get(regs, p.strip(), f) & ((1 << half) - 1) for p in args[1].strip("{}").split(",")]
            regs[out] = low | high << half
        elif name in ("mov", "cvta"):
            regs[out] = raw[0]
        elif name == "selp":
            regs[out] = raw[0] if raw[2] else raw[1]
        elif name == "testp":
            test = {"finite": math.isfinite, "notanumber": math.isnan, "infinite": math.isinf}[op[1]]
            regs[out] = test(value(kind, raw[0]))
        elif kind == "pred":
            regs[out] = PREDICATE[name](raw)
        elif name == "cvt":
            regs[out] = self.convert(op, raw[0])
        elif kind[0] == "f":
            regs[out] = self.real(op, kind, raw, text)
        else:
            regs[out] = self.whole(op, kind, raw, text)

    @staticmethod
    def convert(op, raw):
        to, frm = op[-2], op[-1]
        if any(m not in ("rn", "rni") for m in op[1:-2]):
            raise SystemExit(f"not interpreted: {'.'.join(op)}")
        v = value(frm, raw)
        if to[0] == "f" and frm[0] != "f" and width(to) == 32:
            v = nearest24(v)  # through double would round twice
        if to[0] != "f" and frm[0] == "f":
            v = round(v)  # to nearest even, as .rni
        return bits_of(to, v)

    @staticmethod
    def real(op, kind, raw, text):
        n = width(kind)
        if op[0] in ("neg", "abs"):
            return raw[0] ^ 1 << n - 1 if op[0] == "neg" else raw[0] & (1 << n - 1) - 1
        if op[0] not in ("max", "min") and op[1:-1] != ["rn"] or op[0] in ("max", "min") and len(op) != 2:
            raise SystemExit(f"not interpreted: {text}")
        v = [value(kind, r) for r in raw]
        # float32 through double rounds once: 53 bits are more than twice 24 and two
        if op[0] == "fma":
            return bits_of(kind, (LIBM.fmaf if n == 32 else LIBM.fma)(*v))
        if op[0] not in REAL:
            raise SystemExit(f"not interpreted: {text}")
        return bits_of(kind, REAL[op[0]](v))

    @staticmethod
    def whole(op, kind, raw, text):
        n, v = width(kind), [value(kind, r) for r in raw]
        if op[0] == "mul":
            wide = v[0] * v[1]
            return wide & (1 << 64) - 1 if op[1] == "wide" else bits_of(kind, wide if op[1] == "lo" else wide >> n)
        if op[0] in ("shl", "shr"):
            by = raw[1] & 0xffffffff
            if op[0] == "shl":
                return 0 if by >= n else bits_of(kind, v[0] << by)
            return bits_of(kind, v[0] >> min(by, n))
        if op[0] == "prmt":
            both, selector = raw[0] & 0xffffffff | (raw[1] & 0xffffffff) << 32, raw[2]
            return sum((both >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i for i in range(4))
        if op[0] not in WHOLE:
            raise SystemExit(f"not interpreted: {text}")
        return bits_of(kind, WHOLE[op[0]](v))


def launch(module, case, memory):
    f = module[case["kernel"]]
    arg, clock = bytes.fromhex(case["arg"]), 0
    for block in range(case["blocks"]):
        shared = Memory([(0, bytearray(f.shared_bytes))])
        threads = []
        for i in range(case["threads"]):
            clock += 1
            special = {"%ctaid.x": block, "%ntid.x": case["threads"], "%nctaid.x": case["blocks"], "%tid.x": i,
                       "%clock64": clock, "%globaltimer": clock}
            threads.append(Thread(module, special, arg, memory, shared).run(f, {}))
        while threads:
            running = []
            for t in threads:
                try:
                    next(t)
                    running.append(t)
                except StopIteration:
                    pass
            threads = running


def differs(got, want, close):
    """Offset of the first byte that differs, or None."""
    exact = len(want) - 8 * close
    for i in range(exact):
        if got[i] != want[i]:
            return i
    for i in range(exact, len(want), 8):
        a, b = struct.unpack_from("<d", got, i)[0], struct.unpack_from("<d", want, i)[0]
        if not (a == b or abs(a - b) <= 1e-12 * abs(b) or a != a and b != b):
            return i
    return None


def main():
    module, bad, n = parse(open(sys.argv[1], encoding="utf-8").read()), 0, 0
    for line in open(sys.argv[2], encoding="utf-8"):
        case = json.loads(line)
        regions = [(base, bytearray.fromhex(before)) for base, before, _ in case["memory"]]
        launch(module, case, Memory(regions))
        n += 1
        for i, (base, got) in enumerate(regions):
            want = bytes.fromhex(case["memory"][i][2])
            at = differs(got, want, case["close"] if i == len(regions) - 1 else 0)
            if at is not None:
                bad += 1
                print(f"{case['kernel']} {case.get('name', '')}: region {i}, byte {at}: "
                      f"{got[at:at + 8].hex()}, expected {want[at:at + 8].hex()}")
    print(f"{n} cases, {bad} differ")
    sys.exit(1 if bad or not n else 0)


main()
