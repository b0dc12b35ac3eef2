"""Tables on the pages of docs/evidence that scripts write."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def table(head: Sequence[object], rows: Sequence[Sequence[object]]) -> str:
    """A table of Markdown; all columns but the first are right-aligned."""
    lines = [head, ["--", *["-:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"


def write_table(page: Path, name: str, text: str) -> None:
    """Put a table between its two marks on a page."""
    begin, end = f"<!-- table: {name} -->\n", f"<!-- end of table: {name} -->"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
