"""No page, message or document names an option by the name that it had before."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpiorig.rig.arguments.renamed import RENAMED, WITH_UNIT

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


def test_the_manual_lists_each_old_name() -> None:
    """The table in docs/reference/commands.md has a row for each old name and form, and no other."""
    rows = [f"| `{verb}` | `{old}` | `{new}` |" for verb, olds in RENAMED.items() for old, new in olds.items()]
    rows += [
        f"| `{verb}` | `{option}` with a bare number | `{option} {value}` |"
        for verb, options in WITH_UNIT.items()
        for option, value in options.items()
    ]
    _, _, table = (ROOT / "docs/reference/commands.md").read_text().partition("## Renamed options")
    assert sorted(rows) == sorted(line for line in table.splitlines() if line.startswith("| `"))
