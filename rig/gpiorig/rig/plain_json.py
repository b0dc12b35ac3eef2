"""What JSON can hold: it has no NaN and no infinity."""

from __future__ import annotations

import math
from typing import Any


def without_nan(value: Any) -> Any:
    """Numbers that are not defined, such as the spread of one packet, as null."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
