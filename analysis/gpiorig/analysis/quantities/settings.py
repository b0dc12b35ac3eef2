"""Settings of an experiment that a quantity is measured against."""

from __future__ import annotations

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.quantities.series import Recorded


def number_of(recorded: Recorded, node: str, key: str) -> int:
    """A setting of a node, its own or that of all; `QuantityError` where the experiment does not set it."""
    value = recorded.parameters.get(f"{node}.{key}", recorded.parameters.get(key))
    if not isinstance(value, int):
        raise QuantityError(f"the recording does not contain `{key}` of {node}; set it in the experiment.")
    return value
