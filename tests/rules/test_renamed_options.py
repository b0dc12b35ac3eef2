"""No page, message or document names an option by the name that it had before."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpiorig.rig.arguments.renamed import RENAMED

ROOT = Path(__file__).parents[2]
PLACES = ("README.md", "hardware-bom.md", "docs", "analysis/gpiorig", "capture/gpiorig", "rig/gpiorig", "decoders")
KINDS = {".md", ".py", ".js", ".jinja", ".toml"}
THEMSELVES = {ROOT / "rig/gpiorig/rig/arguments/renamed.py", ROOT / "docs/reference/commands.md"}
# Names that no command has today, so that wherever they stand they are wrong.
GONE = sorted({old for olds in RENAMED.values() for old in olds} - {"--from", "--to", "-o", "--format"})


@pytest.mark.parametrize("option", GONE)
def test_an_old_name_stands_nowhere(option: str) -> None:
    files = [
        file for place in PLACES for file in ([ROOT / place] if place.endswith(".md") else (ROOT / place).rglob("*"))
    ]
    texts = {file: file.read_text() for file in files if file.suffix in KINDS and file not in THEMSELVES}
    assert len(texts) > 300
    assert [] == [file for file, text in texts.items() if option in text]
