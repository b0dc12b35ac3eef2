"""Names and phrases that this project does not write, by language.toml.

`python tests/rules/language.py` writes the list of modules still to be mended as it is now; a change only shortens it,
or has the new places of modules that moved.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("language.toml")
WRITTEN = ("*.py", "*.md", "*.rs", "*.[ch]", "*.toml", "*.html", "*.css", "*.js", "*.sh", "Makefile", ".ci/run")
NOT_HELD = (":!CHANGELOG.md", ":!tests", ":!*/tests/*")  # tests name what they compare
Findings = Mapping[str, list[str]]  # by file, what it has


def table() -> Mapping[str, Any]:
    """The content of language.toml."""
    return tomllib.loads(TABLE.read_text(encoding="utf-8"))


def left() -> set[str]:
    """The modules whose names are still to be mended."""
    return {str(PurePosixPath(folder, name)) for folder, names in table()["left"].items() for name in names.split()}


def names() -> Findings:
    """By module of the product, `line N: NAME` of each forbidden name that it binds."""
    forbidden = set(table()["names"].split())
    modules = [path for path in _git("ls-files", "*/gpiorig/*.py", *NOT_HELD) if (ROOT / path).exists()]
    rows = defaultdict(list)
    for path in modules:
        for name, line in _bound((ROOT / path).read_text(encoding="utf-8")):
            if name in forbidden:
                rows[path].append(f"line {line}: {name}")
    return rows


def phrases() -> Findings:
    """By file of product or documents, `line N: write …` of each phrase."""
    patterns = {re.compile(text, re.IGNORECASE): instead for text, instead in table()["phrases"].items()}
    options = [word for pattern in patterns for word in ("-e", pattern.pattern)]
    rows = defaultdict(list)
    for row in _git("grep", "-n", "-i", "-P", *options, "--", *WRITTEN, *NOT_HELD):
        path, line, text = row.split(":", 2)
        rows[path] += [f"line {line}: write {instead}" for pattern, instead in patterns.items() if pattern.search(text)]
    return rows


def _git(*words: str) -> list[str]:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode < 2, done.stderr  # 1: no line matches
    return done.stdout.splitlines()


def _bound(text: str) -> Iterator[tuple[str, int]]:
    """Names that a module binds, with their lines."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno


if __name__ == "__main__":
    folders = defaultdict(list)
    for module in map(PurePosixPath, names()):
        folders[module.parent].append(module.name)
    rows = [f'"{folder}" = "{" ".join(modules)}"\n' for folder, modules in sorted(folders.items())]
    head, table_line, _ = TABLE.read_text(encoding="utf-8").partition("[left]\n")
    TABLE.write_text("".join([head, table_line, *rows]), encoding="utf-8")
