#!/usr/bin/env python3
"""Pictures of sections of a run's page, as docs/REPORT.md shows them, as PNGs with a palette (a third of the size).

usage: pictures.py PAGE FOLDER [SECTION-SCHEME ...]     writes FOLDER/SECTION-SCHEME.png
"""
import os
import struct
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402

WANTED = ["head-light", "samples-dark", "parts-light", "memory-light", "integrity-dark", "limits-dark"]
BOX = """const first = arguments[0] === "head" ? document.querySelector("h1") : document.getElementById(arguments[0]);
const last = arguments[0] === "head" ? document.querySelector("#versions .scroll") : first;
const main = document.querySelector("main").getBoundingClientRect(), a = first.getBoundingClientRect();
const b = last.getBoundingClientRect();
return [main.left, a.top + scrollY - 8, main.width, b.bottom - a.top + 16];"""
ALL_VISIBLE = """const style = document.createElement("style");
style.textContent = "section { content-visibility:visible !important }"; document.head.append(style);"""


def rows_of(png):
    """Rows of an 8 bit RGB or RGBA PNG as lists of (r, g, b)."""
    at, packed = 8, b""
    width, height, _, kind = struct.unpack_from(">IIBB", png, 16)
    step = {2: 3, 6: 4}[kind]
    while at < len(png):
        n, name = struct.unpack_from(">I4s", png, at)
        packed += png[at + 8 : at + 8 + n] if name == b"IDAT" else b""
        at += 12 + n
    data, before, rows = zlib.decompress(packed), bytearray(width * step), []
    for y in range(height):
        begin = y * (width * step + 1)
        line = bytearray(data[begin + 1 : begin + 1 + width * step])
        for i in range(len(line)):
            left, up, corner = (line[i - step] if i >= step else 0), before[i], (before[i - step] if i >= step else 0)
            near = min((left, up, corner), key=lambda v: abs(left + up - corner - v))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, near)[data[begin]]) & 255
        rows.append([tuple(line[i : i + 3]) for i in range(0, len(line), step)])
        before = line
    return rows


def with_palette(rows):
    """The PNG with at most 256 colours: as many bits a colour as that takes, each colour the mean of what it stands for."""
    for bits in range(8, 2, -1):
        sums, shift = {}, 8 - bits
        for colour in (c for row in rows for c in row):
            s = sums.setdefault(tuple(v >> shift for v in colour), [0, 0, 0, 0])
            for i in range(3):
                s[i] += colour[i]
            s[3] += 1
        if len(sums) <= 256:
            break
    index = {key: i for i, key in enumerate(sums)}
    palette = bytes(v // s[3] for s in sums.values() for v in s[:3])
    lines = b"".join(b"\0" + bytes(index[tuple(v >> shift for v in c)] for c in row) for row in rows)

    def chunk(name, body):
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 3, 0, 0, 0))
            + chunk(b"PLTE", palette) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b""))


def main():
    page, folder = sys.argv[1:3]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as tmp, Browser(tmp, width=1080) as b:
        b.open(page)
        b.js(ALL_VISIBLE)
        for name in sys.argv[3:] or WANTED:
            section, scheme = name.split("-")
            b.scheme(scheme)
            path = os.path.join(folder, name + ".png")
            b.picture(path, b.js(BOX, section))
            with open(path, "rb") as f:
                small = with_palette(rows_of(f.read()))
            with open(path, "wb") as f:
                f.write(small)


main()
