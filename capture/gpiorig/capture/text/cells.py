"""Cells of text in CSV files: spreadsheets execute those that begin like a formula, so these get an apostrophe."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

# What Excel, LibreOffice and Google Sheets take for a formula, or drop and look at what follows (OWASP, CSV Injection).
# Apostrophes before it count, so that taking one back gives exactly what there was. RE2 and `re` both understand these.
FORMULA = r"^('*[=+\-@\t\r])"
GUARDED = r"^'('*[=+\-@\t\r])"
_FORMULA, _GUARDED = re.compile(FORMULA), re.compile(GUARDED)


def guarded(text: str) -> str:
    """Return the text as a cell that is shown, whatever it begins with."""
    return _FORMULA.sub(r"'\1", text)


def unguarded(text: str) -> str:
    """Return the text of such a cell."""
    return _GUARDED.sub(r"\1", text)


def guarded_columns(content: pa.Table | pa.RecordBatch) -> Any:
    """Return a table or a batch for CSV, with the text in its columns `guarded`; numbers are unchanged."""
    return _each_text(content, FORMULA, r"'\1")


def unguarded_columns(content: pa.Table) -> Any:
    """Return a table that was read from CSV, with its text restored."""
    return _each_text(content, GUARDED, r"\1")


def _each_text(content: Any, pattern: str, replacement: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, field in enumerate(content.schema):
        column = content.column(place)
        # Few values occur often: to look at them once costs little compared with writing them.
        if pa.types.is_string(field.type) and pc.any(pc.match_substring_regex(column.unique(), pattern)).as_py():
            changed = pc.replace_substring_regex(column, pattern, replacement)
            content = content.set_column(place, field, changed)
    return content
