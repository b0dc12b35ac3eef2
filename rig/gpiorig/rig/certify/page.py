"""The certification as text and as a page, and all of it in one archive."""

from __future__ import annotations

import html
import zipfile
from collections.abc import Sequence
from pathlib import Path

from gpiorig.analysis.number_text import DASH, plus_minus
from gpiorig.capture.atomic_file import replacing
from gpiorig.rig import text_table
from gpiorig.rig.certify.causes import Cause
from gpiorig.rig.certify.comparison import Comparison
from gpiorig.rig.certify.row_values import Value
from gpiorig.rig.recordings.provenance import VIRTUAL

ORDER = {"differs": 0, "not measured": 1, "agrees": 2}
HEAD = ("", "row", "measured", "model", "difference", "unit", "verdict", "what it is")
STYLE = (
    "body{font:15px/1.4 sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse}"
    "td,th{padding:.2em .7em;text-align:left;border-bottom:1px solid #ddd}tr>:nth-child(n+3):nth-child(-n+5)"
    "{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}.differs{background:#fbe3d6}.not{color:#777}"
)


def lines(rows: Sequence[Comparison], causes: Sequence[Cause], *, virtual: bool) -> list[str]:
    """The rows that differ and those that were not measured, each in a line, and what they come down to.

    `virtual`: the bench itself states that its boards are.
    """
    worst = [row for row in _sorted(rows) if row.verdict != "agrees"]
    table = text_table.lines(HEAD[:-1], [_cells(row)[:-1] for row in worst], right=(2, 3, 4)) if worst else []
    return [*table, summary(rows), *(f"  {cause}" for cause in causes), *([VIRTUAL] if virtual else [])]


def summary(rows: Sequence[Comparison]) -> str:
    """How many rows agree, differ, were not measured."""
    counts = [f"{sum(row.verdict == verdict for row in rows)} {verdict}" for verdict in ("agrees", "differs")]
    absent = sum(row.verdict == "not measured" for row in rows)
    return f"{len(rows)} rows: {', '.join(counts).replace('agrees', 'agree').replace('differs', 'differ')}" + (
        f", {absent} not measured" if absent else ""
    )


def write(path: Path, bench: str, rows: Sequence[Comparison], causes: Sequence[Cause], *, virtual: bool) -> None:
    """Write the page, the rows that differ first; `virtual` as of `lines`."""
    body = "".join(
        f'<tr class="{row.verdict}">{"".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row))}</tr>\n'
        for row in _sorted(rows)
    )
    named = "".join(f"<li>{html.escape(str(cause))}</li>\n" for cause in causes)
    mark = f"<p><strong>{VIRTUAL}</strong></p>\n" if virtual else ""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in HEAD)
    text = (
        f'<!doctype html>\n<html lang="en"><meta charset="utf-8"><title>certify: {html.escape(bench)}</title>\n'
        f"<style>{STYLE}</style>\n{mark}<h1>{html.escape(bench)} beside its virtual twin</h1>\n"
        f"<p>{summary(rows)}.</p>\n"
        f"<ul>\n{named}</ul>\n<table>\n<tr>{head}</tr>\n{body}</table>\n</html>\n"
    )
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8")


def archive(folder: Path, path: Path) -> None:
    """All files of the folder in one archive; its recordings are read from there once it is unpacked."""
    with replacing(path) as new, zipfile.ZipFile(new, "w", zipfile.ZIP_DEFLATED) as target:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                target.write(file, f"{folder.name}/{file.relative_to(folder)}")


def _sorted(rows: Sequence[Comparison]) -> list[Comparison]:
    return sorted(rows, key=lambda row: (ORDER[row.verdict], -_ratio(row)))


def _ratio(row: Comparison) -> float:
    return abs(row.difference) / row.uncertainty if row.difference is not None and row.uncertainty else 0.0


def _cells(row: Comparison) -> list[str]:
    difference = ""
    if row.difference is not None and row.uncertainty is not None:
        difference = plus_minus(row.difference, row.uncertainty, sign="+")
    verdict = f"{row.verdict} {row.reason}".rstrip()
    return [row.about, row.row, _number(row.measured), _number(row.model), difference, row.unit, verdict, row.text]


def _number(value: Value | None) -> str:
    if value is None:
        return DASH
    return plus_minus(value.value, value.uncertainty) if value.uncertainty else f"{value.value:g}"
