"""TOML of others, read in time that grows with its length: the parser's grows with the square of a key's depth."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MAX_PARTS = 32  # of a dotted key; ours have at most 4
_PART = r"""(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')"""
_DEEP = re.compile(rf"(?<![\w-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{MAX_PARTS}}}")


def decode(text: str) -> dict[str, Any]:
    """The tables of a text.

    Raises
    ------
    ValueError
        It is not TOML, or a name in it has more than `MAX_PARTS` parts with dots between them, or an integer in it has
        thousands of digits.
    RecursionError
        Lists or tables in it are nested too deep.
    """
    if match := _DEEP.search(text):
        line = text.count("\n", 0, match.start()) + 1
        raise ValueError(f"a name with more than {MAX_PARTS} parts, {match[0][:40]}..., in line {line}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError as error:
        raise ValueError("an integer has thousands of digits") from error
