"""Strict TOML files: unknown keys are refused, with the file, the key and the keys that would be valid."""

from __future__ import annotations

import difflib
import re
import tomllib
from pathlib import Path
from typing import TypeVar, get_args, get_origin

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
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BenchError(f"{what}: not valid TOML: {error}.") from error
    except (RecursionError, ValueError) as error:  # of the parser: lists within lists, integers of 5000 digits
        raise BenchError(f"{what}: nested too deeply, or a number has too many digits. Correct it.") from error
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise BenchError(f"{what}: {explain(str(error), kind)}") from error


def explain(message: str, kind: type) -> str:
    """Msgspec's message, with the key's place in words; hints are of that place, or say where the key belongs."""
    match = re.match(r"Object contains unknown field `(.+?)`(?: - at `\$(.*)`)?$", message)
    if not match:
        return message.replace(" - at `$.", " at `").replace(" - at `$", " at `") + "."
    key, place = match.group(1), (match.group(2) or "").lstrip(".")
    tables = _tables(kind, "")
    valid = sorted(tables.get(re.sub(r"\[\d+\]", "[...]", place), ()))
    near = difflib.get_close_matches(key, valid, n=1)
    elsewhere = [other for other, keys in tables.items() if key in keys]
    if near:
        hint = f"did you mean `{near[0]}`?"
    elif elsewhere:
        hint = f"it belongs {'at the top' if elsewhere[0] == '' else f'in `{elsewhere[0]}`'}."
    else:
        hint = f"known keys{' there' if place else ''}: {', '.join(valid)}."
    return f"unknown key `{key}`{f' in `{place}`' if place else ''}; {hint}"


def _tables(kind: object, place: str) -> dict[str, set[str]]:
    """The keys of each table of a structure, by its place in msgspec's words: `nodes[...]`, say."""
    tables: dict[str, set[str]] = {}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = msgspec.structs.fields(kind)
        tables.setdefault(place, set()).update(field.encode_name for field in fields)
        inside = [(field.type, f"{place}.{field.encode_name}".lstrip(".")) for field in fields]
    elif get_origin(kind) in (dict, list, tuple):
        inside = [(argument, f"{place}[...]") for argument in get_args(kind)]
    else:
        inside = [(argument, place) for argument in get_args(kind)]  # of a union, or annotated
    for argument, where in inside:
        for name, keys in _tables(argument, where).items():
            tables.setdefault(name, set()).update(keys)
    return tables
