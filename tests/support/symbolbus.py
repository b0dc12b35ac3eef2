"""The symbol bus of docs/reference/line-code.md, encoded independently of what decodes it."""

from __future__ import annotations


def encode(code: int, id_: int | None, width: int) -> list[int]:
    """The symbols of one frame, straight from docs/reference/line-code.md, on strings of bits."""
    body = f"{code | (0 if id_ is None else 128):08b}" + ("" if id_ is None else f"{id_:016b}")
    c = "1001"
    for i in range(0, len(body), 4):
        c = f"{int(c[1:] + c[0], 2) ^ int(body[i : i + 4], 2):04b}"
    if width == 8:
        c = "".join("10"[int(b)] for b in c) + c
    bits = body + c
    return [int(bits[i : i + width], 2) for i in range(0, len(bits), width)]
