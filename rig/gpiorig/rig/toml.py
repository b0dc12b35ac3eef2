"""Strict TOML files: unknown keys are refused, with the file, the key and the keys that would be valid."""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

from gpiorig.rig.errors import BenchError

T = TypeVar("T")


def load(path: Path, kind: type[T], *, what: str) -> T:
    """The file as `kind` (a msgspec structure).

    Raises
    ------
    BenchError
        The file is missing, is no TOML, or holds an unknown key, a wrong type or an impossible value.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise BenchError(f"{what} {path}: {error.strerror}. Give the path of an existing file.") from error
    except UnicodeDecodeError as error:
        raise BenchError(f"{what} {path}: not UTF-8 text ({error.reason} at byte {error.start}).") from error
    return parse(text, kind, what=f"{what} {path}")


def parse(text: str, kind: type[T], *, what: str) -> T:
    """As `load`, from text; `what` names the source in errors."""
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except tomllib.TOMLDecodeError as error:
        raise BenchError(f"{what}: not valid TOML: {error}.") from error
    except msgspec.ValidationError as error:
        raise BenchError(f"{what}: {explain(str(error), kind)}") from error


def explain(message: str, kind: type) -> str:
    """Msgspec's message, with the key's place in words and the nearest valid keys."""
    match = re.match(r"Object contains unknown field `(.+?)`(?: - at `\$(.*)`)?$", message)
    if not match:
        return message.replace(" - at `$.", " at `").replace(" - at `$", " at `") + "."
    key, place = match.group(1), (match.group(2) or "").lstrip(".")
    valid = sorted(_all_keys(kind, set()))
    near = difflib.get_close_matches(key, valid, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"known keys: {', '.join(valid)}."
    return f"unknown key `{key}`{f' in `{place}`' if place else ''}; {hint}"


def _all_keys(kind: object, seen: set[object]) -> set[str]:
    """Keys of a structure and of the structures inside it."""
    keys: set[str] = set()
    if kind in seen:
        return keys
    seen.add(kind)
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        for field in msgspec.structs.fields(kind):
            keys.add(field.encode_name)
            keys |= _all_keys(field.type, seen)
    for argument in getattr(kind, "__args__", ()):
        keys |= _all_keys(argument, seen)
    return keys
