"""Strict TOML files: unknown keys are refused, with the file, the key and the keys that would be valid."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar, get_args, get_origin

import msgspec

from gpiorig.capture import toml_text
from gpiorig.rig.errors import BenchError

T = TypeVar("T")


def load(path: Path, kind: type[T], *, what: str) -> T:
    """The file as `kind` (a msgspec structure).

    Raises
    ------
    BenchError
        The file is missing or not TOML, or contains an unknown key, a wrong type or an impossible value.
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
        raw = toml_text.decode(text)
    except ValueError as error:
        raise BenchError(f"{what}: not valid TOML: {error}.") from error
    except RecursionError as error:  # of the parser: lists within lists
        raise BenchError(f"{what}: nested too deeply. Correct it.") from error
    return convert(raw, kind, what=what)


def convert(raw: Mapping[str, object], kind: type[T], *, what: str) -> T:
    """As `parse`, from a table."""
    try:
        return msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise BenchError(f"{what}: {explain(str(error), kind)}") from error


def explain(message: str, kind: type) -> str:
    """The message of msgspec as text with the key's place, and with the keys or values that are valid there."""
    tables = _tables(kind, "")
    unknown = re.match(r"Object contains unknown field `(.+?)`(?: - at `\$(.*)`)?$", message)
    if unknown:
        return _explain_key(unknown[1], (unknown[2] or "").lstrip("."), tables)
    value = re.match(r"Invalid enum value (.+) - at `\$\.(?:(.*)\.)?(\w+)`$", message)
    names = _names(tables.get(_table(value[2] or ""), {}).get(value[3])) if value else []
    if value and names:
        place = f"{value[2]}.{value[3]}" if value[2] else value[3]
        return f"{place} is {value[1]}; use {', '.join(names)}."
    return message.replace(" - at `$.", " at `").replace(" - at `$", " at `") + "."


def _explain_key(key: str, place: str, tables: Mapping[str, Mapping[str, object]]) -> str:
    valid = sorted(tables.get(_table(place), ()))
    near = difflib.get_close_matches(key, valid, n=1)
    elsewhere = [other for other, keys in tables.items() if key in keys]
    if near:
        hint = f"did you mean `{near[0]}`?"
    elif elsewhere:
        hint = f"it belongs {'at the top' if elsewhere[0] == '' else f'in `{elsewhere[0]}`'}."
    else:
        hint = f"known keys{' there' if place else ''}: {', '.join(valid)}."
    return f"unknown key `{key}`{f' in `{place}`' if place else ''}; {hint}"


def _table(place: str) -> str:
    """The place of a table without the numbers of its lists."""
    return re.sub(r"\[\d+\]", "[...]", place)


def _names(kind: object) -> list[str]:
    """The values of a type that is a choice of some, or may be."""
    choices = [part for part in (kind, *get_args(kind)) if get_origin(part) is Literal]
    return [str(name) for choice in choices for name in get_args(choice)]


def _tables(kind: object, place: str) -> dict[str, dict[str, object]]:
    """Keys and types of each table of a structure, by its place as msgspec writes it, such as `nodes[...]`."""
    tables: dict[str, dict[str, object]] = {}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = msgspec.structs.fields(kind)
        tables.setdefault(place, {}).update({field.encode_name: field.type for field in fields})
        inside = [(field.type, f"{place}.{field.encode_name}".lstrip(".")) for field in fields]
    elif get_origin(kind) in (dict, list, tuple):
        inside = [(argument, f"{place}[...]") for argument in get_args(kind)]
    else:
        inside = [(argument, place) for argument in get_args(kind)]  # of a union, or annotated
    for argument, where in inside:
        for name, keys in _tables(argument, where).items():
            tables.setdefault(name, {}).update(keys)
    return tables
