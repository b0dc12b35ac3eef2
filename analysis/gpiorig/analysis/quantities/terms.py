"""A statistic of a quantity as text, ``rtt.p99`` or ``p99(mac.tx -> mac.rx) at NODE``: of limits and expressions."""

from __future__ import annotations

import re

from gpiorig.analysis.quantities.names import AT

_STATISTIC = r"[a-z][a-z0-9]*(?:\.\d+)?"
_CALL = re.compile(rf"(?P<statistic>{_STATISTIC})\(\s*(?P<quantity>[^()]+?)\s*\)(?:{AT}(?P<node>\S+))?")
_DOTTED = re.compile(rf"(?P<quantity>.+?)\.(?P<statistic>{_STATISTIC})", re.DOTALL)


def call(text: str) -> tuple[str, str, str] | None:
    """Quantity, statistic and node (empty without one) of ``p99(QUANTITY) at NODE``; None for another text."""
    match = _CALL.fullmatch(text)
    return (match["quantity"], match["statistic"], match["node"] or "") if match else None


def dotted(text: str) -> tuple[str, str] | None:
    """Name and word of ``NAME.p99``, whose word need not be a statistic; None for another text."""
    match = _DOTTED.fullmatch(text)
    return (match["quantity"], match["statistic"]) if match else None
