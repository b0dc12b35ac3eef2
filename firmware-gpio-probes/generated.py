"""Generated files: the head that marks them, and the modules that several sigrok decoders share."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HEAD = re.compile(r"Generated from (.+) by `make generate`\. Do not edit\.")
HEAD_CHARACTERS = 300  # the head is within this number from the start of a file

# Each shared module, and the decoder in which its source is. sigrok loads each decoder's folder alone
# (docs/evidence/sigrok-notes.md), so every other decoder that imports one has a copy.
SHARED = {"mac": "ieee802154", "spiradio": "ieee802154", "bus": "gpio_probe", "table": "gpio_probe"}


def note(source: str) -> str:
    """The head of a generated file, without the signs of a comment."""
    return f"Generated from {source} by `make generate`. Do not edit."


def has_head(path: Path) -> bool:
    """Whether a file is marked as generated."""
    with path.open() as file:
        return HEAD.search(file.read(HEAD_CHARACTERS)) is not None


def copies(generated: dict[str, str]) -> dict[str, str]:
    """The shared modules, for each decoder that imports one, itself or through another."""
    copied = {}
    for decoder in sorted(path.parent for path in (ROOT / "decoders").glob("*/pd.py")):
        foreign = {module for module, owner in SHARED.items() if owner != decoder.name}
        texts = [path.read_text() for path in decoder.glob("*.py") if path.stem not in foreign]
        while texts:
            for module in imported(texts.pop()) & foreign:
                foreign.remove(module)
                source = f"decoders/{SHARED[module]}/{module}.py"
                texts.append(generated.get(source) or (ROOT / source).read_text())
                copied[f"decoders/{decoder.name}/{module}.py"] = f"# {note(source)}\n{texts[-1]}"
    return copied


def imported(text: str) -> set[str]:
    """The modules of its own decoder that a module imports."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names |= {node.module} if node.module else {alias.name for alias in node.names}
    return names


def with_head(files: dict[str, str]) -> Iterator[str]:
    """All files with the head of generated ones, in the folders that have any."""
    for folder in sorted({name.partition("/")[0] for name in files}):
        for path in sorted((ROOT / folder).rglob("*.*")):
            name = path.relative_to(ROOT)
            if path.suffix in (".c", ".h", ".md", ".py") and "build" not in name.parts and has_head(path):
                yield name.as_posix()
