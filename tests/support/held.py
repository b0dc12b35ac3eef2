"""Numbers that are held, value for value, in a file of `tests/values/recordings`."""

from __future__ import annotations

import dataclasses
import json
import math
import re
import zlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import to_rgba_array
from matplotlib.figure import Figure
from matplotlib.text import Annotation

HERE = Path(__file__).parent.parent / "values" / "recordings"
SIGNIFICANT = 9
RELATIVE = 1e-6
SMALLEST = 1e21  # whose logarithm is taken of numbers above 1e-21
NUMBER = re.compile(r"(?<![\w.])[-\u2212]?\d+(?:\.\d+)?(?![\w.])")
LOOKS = ("color", "facecolor", "edgecolor", "alpha", "linewidth", "markersize", "fontsize", "rotation", "zorder")


def hold(name: str, found: dict[str, Any]) -> None:
    """Write what was found, and hold it to what is stored."""
    new = Path(f"{name}.json").resolve()
    groups = [list(group) for _, group in groupby(found.items(), key=lambda entry: entry[0].split()[:2])]
    new.write_text("{\n" + ",\n".join(", ".join(map(_text, group)) for group in groups) + "\n}\n")
    before = json.loads((HERE / new.name).read_text())
    differing = {
        key: (before.get(key), found.get(key)) for key in before | found if not _equal(before.get(key), found.get(key))
    }
    assert not differing, f"meant? cp {new} {HERE}/"


def drawn(name: str, figure: Figure) -> dict[str, Any]:
    """Lines, bars, points and texts of the diagrams of a figure: their places, and how they look."""
    legends = [legend for legend in (*figure.legends, *(ax.get_legend() for ax in figure.axes)) if legend is not None]
    found = {f"{name} size": [*map(float, figure.get_size_inches()), *(float(len(legend.texts)) for legend in legends)]}
    for number, ax in enumerate(figure.axes):
        places = [np.ravel(np.asarray(line.get_xydata(), dtype=float)) for line in ax.lines]
        places += [np.ravel(patch.get_patch_transform().transform(patch.get_path().vertices)) for patch in ax.patches]
        places += [np.ravel(np.asarray(collection.get_offsets(), dtype=float)) for collection in ax.collections]
        places += [np.ravel(path.vertices) for collection in ax.collections for path in collection.get_paths()]
        limits = [float(limit) for limit in (*ax.get_xlim(), *ax.get_ylim())]
        counts = [len(ax.lines), len(ax.patches), len(ax.collections), len(ax.texts)]
        content = np.concatenate([np.empty(0), *places])
        found[f"{name} {number}"] = [*counts, *map(rounded, limits), *sums(content[np.isfinite(content)].tolist())]
        looks = [look for artist in (*ax.lines, *ax.patches, *ax.collections, *ax.texts) for look in _looks(artist)]
        words = [number for text in ax.texts for number in (*text.get_position(), *numbers_in(text.get_text()))]
        words += numbers_in(ax.get_title(loc="left"))
        words += [place for text in ax.texts if isinstance(text, Annotation) for place in text.xy]
        lines = [float(text.count("\n")) for text in (ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel())]
        found[f"{name} {number} look"] = [*sums(looks), *sums([float(number) for number in words]), *lines]
    return found


def _looks(artist: Artist) -> Iterator[float]:
    """Colours and sizes of an artist."""
    for look in LOOKS:
        value = getattr(artist, f"get_{look}", lambda: None)()
        if value is not None:
            yield from (to_rgba_array(value) if "color" in look else np.array(value, dtype=float)).ravel().tolist()


def leaves(name: str, value: Any) -> Iterator[tuple[str, np.ndarray]]:
    """The numbers in a value by the names of its fields; of its texts those they contain, but for names and methods."""
    match value:
        case np.ndarray():
            yield name, value.ravel().astype(float if value.dtype.kind == "f" else np.int64)
        case dict():
            for key, item in value.items():
                yield from leaves(f"{name} {key}", item)
        case tuple() | list():
            for number, item in enumerate(value):
                yield from leaves(f"{name} {min(number, 2)}", item)
        case str():
            yield name, np.array(numbers_in(value))
        case bool() | int() | float() | np.generic():
            yield name, np.array([value])
        case Fraction():
            yield name, np.array([value.numerator, value.denominator])
        case _ if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                if field.name not in ("events", "logs", "quantity", "method", "clock", "reference"):
                    yield from leaves(f"{name} {field.name}", getattr(value, field.name))


def digest(parts: Sequence[np.ndarray]) -> list[float]:
    """How many whole numbers there are, and their checksum; the sums of others, and of the logarithms of them."""
    whole = np.concatenate([np.zeros(0, np.int64), *(part for part in parts if part.dtype.kind != "f")])
    others = np.concatenate([np.zeros(0), *(part for part in parts if part.dtype.kind == "f")])
    found = [len(whole), zlib.crc32(whole.astype(np.int64).tobytes())]
    return [*found, *sums(others.tolist()), *sums(np.arcsinh(others * SMALLEST).tolist())] if len(others) else found


def sums(numbers: Sequence[float], rows: Any = None) -> list[float]:
    """The sum, and that of each number times its row."""
    content = np.array(numbers, dtype=float)
    finite = np.isfinite(content)
    weights = np.arange(1, len(content) + 1) if rows is None else rows
    return [rounded(float(content[finite].sum())), rounded(float((content * weights)[finite].sum()))]


def numbers_in(text: str) -> list[float]:
    """The numbers within a text."""
    return [float(number.replace("\u2212", "-")) for number in NUMBER.findall(text)]


def rounded(number: float) -> float:
    """To the digits that are held."""
    return float(f"{number:.{SIGNIFICANT}g}")


def _text(entry: tuple[str, Any]) -> str:
    return ": ".join(json.dumps(part, ensure_ascii=False) for part in entry)


def _equal(before: Any, new: Any) -> bool:
    """Whether numbers are equal to the digits that processors and versions of libraries agree in."""
    if isinstance(before, list) and isinstance(new, list):
        return len(before) == len(new) and all(map(_equal, before, new))
    if isinstance(before, float) and isinstance(new, float):
        return math.isclose(before, new, rel_tol=RELATIVE, abs_tol=RELATIVE)
    return bool(before == new)
