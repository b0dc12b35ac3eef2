"""Rows as text in columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def lines(header: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[int] = ()) -> list[str]:
    """A header and rows, columns separated by two spaces; those of the numbers `right` are aligned to the right."""
    table = [header, *rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if n in right else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
