"""Generated pages: the keys of files from the structures that read them, the quantities, the rooms of the code."""

from __future__ import annotations

import functools
import inspect
import operator
import re
import types
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
from rooms import ROOMS, portion

from gpiorig.analysis.packets.path import POINTS, STEPS
from gpiorig.analysis.quantities.kinds import Kind, Unit
from gpiorig.capture.recording.recording import RecordingInfo
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.consoles import Console
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.experiments.node_settings import NodeSettings, Settings
from gpiorig.studies.plans.journal import Record
from gpiorig.studies.plans.outcome import CAUSES
from gpiorig.studies.plans.plan_file import PlanFile
from gpiorig.studies.plans.state import AT_BENCH, AT_NODE
from gpiorig.studies.points.study_file import StudyFile
from gpiorig.vbench.description.virtual import Virtual

FILES: tuple[tuple[str, str, Any, str], ...] = (
    ("Bench files", "bench-files.md", Bench, ""),
    ("The virtual section of a bench file", "bench-files.md#virtual-benches", Virtual, "virtual"),
    ("Experiment files", "experiments.md", Experiment, ""),
    ("Console files", "consoles.md", Console, ""),
    ("Study files", "studies.md", StudyFile, ""),
    ("Plan files", "studies.md#plan-files", PlanFile, ""),
    ("recording.toml", "recording.md", RecordingInfo, ""),
    ("Journal of a plan", "studies.md#journal", Record, ""),
)
SECTION = r"\n\n(?:Attributes|Parameters)\n-+\n"  # of a docstring
ELSEWHERE = (Board, Settings)  # a board is a file of its own; settings.md
UNITS = {
    Unit.TIME: "time",
    Unit.COUNT: "count, no unit",
    Unit.SHARE: "%",
    Unit.RATE: "bit/s, kbit/s, Mbit/s",
    Unit.FREQUENCY: "1/s",
    Unit.ENERGY: "J, mJ, µJ, nJ",
    Unit.POWER: "W, mW, µW, nW",
    Unit.BYTES: "B, kB, KiB",
}
ROOM_NOTE = "In the order of their imports: a room imports those above it. The lines are the docstrings of the rooms."


def keys_page() -> str:
    """Every key of every file, with its values, its default and its meaning."""
    lines = ["# Keys of files", "", "Made from the structures that read the files, by `make docs`."]
    for title, page, struct, path in FILES:
        lines += ["", f"## {title}", "", f"See [{page.partition('#')[0]}]({page})."]
        lines += [line for place, tables in _tables(path, struct) for line in _section(place, tables)]
    lines += ["", "### Causes of a failure", "", "| cause | what was noticed | counted for |", "|---|---|---|"]
    counted = dict.fromkeys(AT_NODE, "the node") | dict.fromkeys(AT_BENCH, "the bench")
    lines += [f"| `{cause}` | {noticed} | {counted.get(cause, 'nothing')} |" for cause, noticed in CAUSES.items()]
    return "\n".join([*lines, ""])


def quantities_page() -> str:
    """Every kind of quantity, with its names, its value and its unit; and the milestones of a packet's path."""
    lines = ["# Names of quantities", "", f"Made from the docstring of `{Kind.__module__}.Kind` by `make docs`.", ""]
    lines += [
        "How they are used: [quantities](../guide/quantities.md).",
        "",
        "| name | value | unit |",
        "|---|---|---|",
    ]
    meanings = _meanings(Kind)
    for kind in Kind:
        names, _, value = meanings[kind.name].partition(": ")
        lines.append(f"| {names} | {value} | {UNITS[kind.unit]} |")
    lines += ["", "## Milestones of a packet's path", "", "| milestone | event | at | steps that end here |"]
    lines += ["|---|---|---|---|"]
    for point in POINTS:
        steps = dict.fromkeys(step for (_, end), (step, _) in STEPS.items() if end == point.name)
        place = "receiver" if point.received else "sender"
        lines.append(f"| {point.name} | `{point.event}` | {place} | {'; '.join(steps)} |")
    return "\n".join([*lines, ""])


def rooms_page() -> str:
    """Every room of the code, with its docstring."""
    lines = ["# Rooms", "", "Made from the docstrings of the rooms by `make docs`.", "", ROOM_NOTE, ""]
    lines += ["| room | content |", "|---|---|"]
    for component, rooms in ROOMS.items():
        for room in rooms:
            if (package := portion(component) / component / room / "__init__.py").is_file() and room:
                lines.append(f"| `{component}.{room}` | {_first_line(package)} |")
    return "\n".join([*lines, ""])


def _first_line(module: Path) -> str:
    return module.read_text(encoding="utf-8").splitlines()[0].strip('"').removesuffix(".")


def _tables(path: str, struct: Any) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The tables of a file by their places, each with its structures: several are kinds of one array."""
    yield path, (struct,)
    for field in msgspec.structs.fields(struct):
        named, listed, structs = _structs(field.type)
        place = ".".join(filter(None, (path, field.encode_name, "NAME" * named)))
        if len(structs) > 1:
            yield f"[{place}]", structs
        elif structs:
            for below, tables in _tables(place, structs[0]):
                yield f"[{below}]" if listed and below == place else below, tables


def _structs(kind: Any) -> tuple[bool, bool, tuple[Any, ...]]:
    """Whether a type has tables by name, whether it is a list of them, and their structures."""
    kind = _plain(kind)
    if get_origin(kind) is dict:
        return True, False, _structs(get_args(kind)[1])[2]
    if get_origin(kind) in (list, tuple):
        return False, True, _structs(get_args(kind)[0])[2]
    parts = get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,)
    return False, False, tuple(part for part in parts if _is_table(part)) if all(map(_is_table, parts)) else ()


def _is_table(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in ELSEWHERE


def _plain(kind: Any) -> Any:
    """A type without what stands for a key that is not there."""
    if get_origin(kind) not in (Union, types.UnionType):
        return kind
    parts = [part for part in get_args(kind) if part not in (type(None), msgspec.UnsetType)]
    return functools.reduce(operator.or_, parts)


def _section(place: str, tables: tuple[Any, ...]) -> list[str]:
    head = ["", f"### `[{place}]`"] if place else []
    if len(tables) == 1:
        text = re.split(SECTION, inspect.cleandoc(tables[0].__doc__ or ""))[0]
        return [*head, "", _markdown(text), "", *_rows(tables)]
    kinds = [f"| `{kind.__struct_config__.tag}` | {_summary(kind)} | {_names(kind)} |" for kind in tables]
    return [*head, "", "| `kind` | meaning | keys |", "|---|---|---|", *kinds, "", *_rows(tables)]


def _rows(tables: tuple[Any, ...]) -> list[str]:
    """A row for each entry of the docstrings: its keys, their values and their defaults, equal ones once."""
    rows: dict[str, tuple[dict[str, None], ...]] = {}
    for struct in tables:
        meanings = {"name": "its name"} | _meanings(struct)
        inherited = NodeSettings.__struct_fields__ if issubclass(struct, NodeSettings) else ()  # settings.md
        for field in msgspec.structs.fields(struct):
            if _structs(field.type)[2] or field.name in inherited:
                continue
            if field.name not in meanings:
                raise ValueError(f"{struct.__module__}.{struct.__name__}: the docstring lacks `{field.name}`")
            cells = rows.setdefault(meanings[field.name], ({}, {}, {}))
            for cell, text in zip(cells, (f"`{field.encode_name}`", _values(field.type), _default(field)), strict=True):
                cell[text] = None
    lines = [
        f"| {', '.join(keys)} | {'; '.join(values)} | {', '.join(defaults)} |"
        for keys, values, defaults in rows.values()
    ]
    head = ["| key | values | default | meaning |", "|---|---|---|---|"]
    return [*head, *(f"{line} {text} |" for line, text in zip(lines, rows, strict=True))] if lines else []


def _names(struct: Any) -> str:
    return ", ".join(f"`{field.encode_name}`" for field in msgspec.structs.fields(struct))


def _summary(struct: Any) -> str:
    return _markdown((struct.__doc__ or "").partition("\n\n")[0]).removesuffix(".")


def _meanings(documented: type[Any]) -> dict[str, str]:
    """By name the entries of the sections of a class and of those that it is made from, as numpy writes them."""
    texts: dict[str, str] = {}
    for base in reversed(documented.__mro__):
        if base.__module__.startswith("gpiorig") and base.__doc__:
            section = re.split(SECTION, inspect.cleandoc(base.__doc__))[1:]
            for names, text in re.findall(r"^(\w.*)\n((?:    .*\n?)+)", "\n".join(section), re.MULTILINE):
                texts |= dict.fromkeys(names.split(", "), _markdown(inspect.cleandoc(text)).removesuffix("."))
    return texts


def _markdown(text: str) -> str:
    """A text of a docstring as a cell of a page in docs/reference."""
    text = re.sub(r"\bdocs/(\w+/([\w-]+\.md))", r"[\2](../\1)", " ".join(text.split()))
    return text.replace("``", "`").replace("|", "\\|")


def _values(kind: Any) -> str:
    """What a key takes."""
    kind = _plain(kind)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        limits = [getattr(arguments[1], name) for name in ("ge", "gt", "le")]
        least = limits[0] if limits[0] is not None else limits[1]
        text = " to ".join(_number(limit) for limit in (least, limits[2]) if limit is not None)
        return _values(arguments[0]) if not text else text if least is not None else f"up to {text}"
    if origin is Literal:
        return ", ".join(f"`{_toml(value)}`" for value in arguments)
    if origin in (list, tuple):
        return f"list: {_values(arguments[0])}"
    if origin is dict:
        return f"table: {_values(arguments[1])}"
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(_values(part) for part in arguments if part not in ELSEWHERE))
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"`{_toml(member.value)}`" for member in kind)
    return {bool: "`true`, `false`", int: "integer", float: "number", str: "text"}.get(
        kind, "any" if kind is Any else "table"
    )


def _number(value: float) -> str:
    return f"{value:,}".replace(",", " ")


def _default(field: msgspec.structs.FieldInfo) -> str:
    value = field.default_factory() if field.default_factory is not msgspec.NODEFAULT else field.default
    if value is msgspec.NODEFAULT:
        return "needed"
    is_absent = value in (None, msgspec.UNSET, "", (), {}, []) and value is not False
    return "none" if is_absent or isinstance(value, msgspec.Struct) else f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    return f"[{', '.join(map(_toml, value))}]" if isinstance(value, list | tuple) else str(value)
