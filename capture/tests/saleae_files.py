"""Binary exports and sessions of Saleae's program, written byte by byte."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path

import numpy as np

RATE = 24_000_000


def version_0(initial: int, begin: float, end: float, times: list[float]) -> bytes:
    """A file as Saleae describes version 0."""
    head = struct.pack("<8siiIddQ", b"<SALEAE>", 0, 0, initial, begin, end, len(times))
    return head + np.array(times, dtype="<f8").tobytes()


def version_1(*chunks: tuple[int, float, float, list[float]], rate: float = RATE) -> bytes:
    """A file as Saleae describes version 1."""
    data = struct.pack("<8siiQ", b"<SALEAE>", 1, 0, len(chunks))
    for initial, begin, end, times in chunks:
        data += struct.pack("<IdddQ", initial, rate, begin, end, len(times)) + np.array(times, dtype="<f8").tobytes()
    return data


def code(run: int) -> bytes:
    """A run length as native/src/runs.rs describes it."""
    value, groups = run - 1, []
    while True:
        groups.insert(0, value & 0x7F)
        value >>= 7
        if not value:
            break
    if len(groups) == 1 and groups[0] < 0x40:
        return bytes(groups)
    if groups[0] >= 0x40 or len(groups) == 1:
        groups.insert(0, 0)
    return bytes([groups[0] | 0x40, *(group | 0x80 for group in groups[1:-1]), groups[-1]])


def channel(level: int, chunks: list[list[int]], version: int = 3) -> bytes:
    """A `digital-N.bin` of runs; each chunk ends with a transition."""
    data, at = struct.pack("<8sII", b"<SALEAE>", version, 100).ljust(51, b"\0"), 0
    for runs in chunks:
        body = b"".join(map(code, runs))
        data += struct.pack("<QQHQ", at, at + sum(runs), level, len(body)) + body
        at += sum(runs)
        level ^= len(runs) & 1
    return data


START = {"unixTimeMilliseconds": 1624995793493, "fractionalMilliseconds": 0.7435}


def session(path: Path, *blobs: bytes, start: object = START) -> Path:
    """A `.sal` file of these channels."""
    meta = {
        "version": 22,
        "data": {
            "legacySettings": {"sampleRate": {"digital": 50_000_000}},
            "captureStartTime": start,
            "rowsSettings": [{"name": "CS", "channel": {"type": "Digital", "deviceChannel": 1}}],
        },
        "binData": [{"type": "Digital", "deviceChannel": n, "file": f"./digital-{n}.bin"} for n in range(len(blobs))],
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.json", json.dumps(meta))
        for number, blob in enumerate(blobs):
            archive.writestr(f"digital-{number}.bin", blob)
    return path
