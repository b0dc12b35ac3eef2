"""What tests share is read-only: a test that writes into it fails, not the next one."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

Value = TypeVar("Value")


def locked(value: Value) -> Value:
    """Return it, with every array in it, however deep, set read-only."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            locked(getattr(value, field.name))
    elif isinstance(value, Mapping):
        locked(tuple(value.values()))
    elif isinstance(value, (tuple, list)):
        for each in value:
            locked(each)
    return value


def contents(folder: Path) -> dict[str, str]:
    """Names of the files in a folder and digests of what is in them."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
