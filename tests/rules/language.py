"""Words that this project does not write, by language.toml, and the places where they are left.

`python tests/rules/language.py` prints the table with the counts of now.

The row of a word names what to write instead. What is left of it is counted, in the product and in the tests, and a
count may only fall.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("language.toml")
FOREIGN = ("CHANGELOG.md", "LICENSE", "tests/glue/foreign", "rig/vbench/vboards/tests/data", "tests/rules/language.*")
ALL = ("*.py", "*.md", "*.rs", "*.[ch]", "*.toml", "*.html", "*.css", "*.js", "*.sh", "Makefile", ".ci/run")
Places = tuple[list[str], list[str]]  # `file:line` in the product, and in the tests


def words() -> Mapping[str, dict[str, Any]]:
    """The table: `pattern` (case counts if it has capitals) or `identifier`, `instead`, `product`, `tests`."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def places() -> Mapping[str, Places]:
    """By word the places where it is left."""
    table = words()
    left: dict[str, Places] = {name: ([], []) for name in table}
    patterns = {
        name: re.compile(row["pattern"], 0 if re.search("[A-Z]", row["pattern"]) else re.IGNORECASE)
        for name, row in table.items()
        if "pattern" in row
    }
    for path, line, text in _lines(pattern.pattern for pattern in patterns.values()):
        for name, pattern in patterns.items():
            left[name]["tests" in path.parts].extend(f"{path}:{line}" for _ in pattern.finditer(text))
    identifiers = {row["identifier"]: name for name, row in table.items() if "identifier" in row}
    for path in {path for path, _, _ in _lines([rf"\b(?:{'|'.join(identifiers)})\b"]) if path.suffix == ".py"}:
        for bound, line in _bound((ROOT / path).read_text(encoding="utf-8")):
            if bound in identifiers:
                left[identifiers[bound]]["tests" in path.parts].append(f"{path}:{line}")
    return left


def _lines(patterns: Iterable[str]) -> Iterator[tuple[Path, int, str]]:
    """The lines of the repository that match one of several patterns."""
    files = [*ALL, *(f":!{name}" for name in FOREIGN)]
    options = [word for pattern in patterns for word in ("-e", pattern)]
    command = ["git", "grep", "-n", "-i", "-P", *options, "--", *files]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for row in printed.splitlines():
        path, line, text = row.split(":", 2)
        yield Path(path), int(line), text


def _bound(text: str) -> Iterator[tuple[str, int]]:
    """Names that a module binds, with their lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno


def main() -> None:
    """Print the table with the counts of now."""
    left = places()
    for name, row in words().items():
        kind = "identifier" if "identifier" in row else "pattern"
        product, tests = map(len, left[name])
        print(
            f"[{name}]\n{kind} = '{row[kind]}'\ninstead = \"{row['instead']}\"\nproduct = {product}\ntests = {tests}\n"
        )


if __name__ == "__main__":
    main()
