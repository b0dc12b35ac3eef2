"""The objects that commands print with `--json`: structures, and their text."""

from __future__ import annotations

import json
import math
from typing import Any, Self, TypeAlias

import msgspec

Number: TypeAlias = float | None  # NaN and infinity, which JSON does not have, become null


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An object of `--json`, or a part of one; a field that is `UNSET` is omitted. Its class gives the schema."""

    @classmethod
    def of(cls, *sources: object, **given: Any) -> Self:
        """The fields that are given, and the others as the attributes of the sources that have their names."""
        names = [name for name in cls.__struct_fields__ if name not in given]
        values = {name: getattr(source, name) for source in sources for name in names if hasattr(source, name)}
        return cls(**values, **given)


class Failure(Result, frozen=True, kw_only=True):
    """What went wrong: the error's class, its text, and the node whose port it is about."""

    kind: str
    text: str
    node: str | msgspec.UnsetType = msgspec.UNSET


class Failed(Result, frozen=True, kw_only=True):
    """The object of a command that ended with an error."""

    error: Failure


def plain(result: Any) -> Any:
    """A structure as dictionaries and lists; a number that is not defined is None."""
    return without_nan(msgspec.to_builtins(result, str_keys=True, enc_hook=_of_numpy))


def text(result: Any, *, ascii: bool = True) -> str:
    """A structure as one line of JSON; `ascii`: with escapes for all other characters."""
    return json.dumps(plain(result), allow_nan=False, ensure_ascii=ascii)


def without_nan(value: Any) -> Any:
    """Numbers that are not defined, such as the spread of one packet, as null."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _of_numpy(value: Any) -> Any:
    """A number of numpy as Python's."""
    if not hasattr(value, "item"):
        raise NotImplementedError(type(value))  # as msgspec asks for
    return value.item()
