r"""Tables as LaTeX: a `tabular` with the rules of booktabs, to be read by `\\input` into a table of a paper."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa

from gpiorig.capture.printable import printable_lines

DIGITS = 6  # of numbers that are not integers
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "µ": r"\textmu{}",
    "±": r"\textpm{}",
    "\N{EN DASH}": "--",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\n": " ",
}


def tabular(content: pa.Table) -> str:
    r"""The table as text: numbers are aligned right, words left; an unknown value is a dash.

    Needs `\\usepackage{booktabs}`, and LaTeX of 2020 or later for its signs in text (before: `\\usepackage{textcomp}`).
    """
    numeric = [_is_number(field.type) for field in content.schema]
    head = " & ".join(escape(name) for name in content.column_names)
    columns = [column.to_pylist() for column in content.columns]
    rows = [" & ".join(_cell(value) for value in row) + r" \\" for row in zip(*columns, strict=True)]
    lines = [
        rf"\begin{{tabular}}{{{''.join('r' if number else 'l' for number in numeric)}}}",
        r"\toprule",
        rf"{head} \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def escape(text: str) -> str:
    """Text with the special characters of LaTeX escaped."""
    return "".join(_SPECIAL.get(sign, sign) for sign in printable_lines(text))


def _cell(value: Any) -> str:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "--"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return _number(f"{value:.{DIGITS}g}")
    return _number(str(value)) if isinstance(value, int) else escape(str(value))


def _number(text: str) -> str:
    """A number with a true minus sign and a power of ten."""
    mantissa, e, exponent = text.partition("e")
    shown = mantissa.replace("-", "$-$")
    return rf"{shown}$\,\cdot\,10^{{{int(exponent)}}}$" if e else shown


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
