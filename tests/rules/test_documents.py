"""Documents and help texts name what there is: files, headings, modules, and command lines that are accepted."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import documents
import language
import pytest
from written_calls import calls

from gpiorig.analysis.tables import registry
from gpiorig.rig import cli
from gpiorig.rig.arguments import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
MADE = {ROOT / name: text for name, text in documents.DOCUMENTS.items() if name.endswith(".md")}
DOCUMENTS = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("firmware-gpio-probes/**/*.md"), *MADE})
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_IMPORT = re.compile(r"^ *from (gpiorig[\w.]*) import ([\w, ]+)", re.MULTILINE)


def text_of(document: Path) -> str:
    """The text of a page of git, or of one of `make docs` as its sources give it."""
    return MADE[document]() if document in MADE else document.read_text(encoding="utf-8")


def anchors(document: Path) -> set[str]:
    """What a heading is called in a link, as GitHub does it."""
    heads = re.findall(r"^#+ +(.*)$", text_of(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.strip().lower()).replace(" ", "-") for head in heads}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    """Files that a document links to are in git, and so are their headings."""
    dead = []
    for link in _LINK.findall(text_of(document)):
        name, _, heading = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        there = target.exists() and (target not in MADE or not name)
        if "://" not in link and not (there and (not heading or heading in anchors(target))):
            dead.append(link)
    assert [] == dead


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_that_documents_show(document: Path) -> None:
    """What the Python of a document imports is there."""
    for module, names in _IMPORT.findall(text_of(document)):
        for name in names.split(","):
            if not hasattr(importlib.import_module(module), name.strip()):
                importlib.import_module(f"{module}.{name.strip()}")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_that_documents_show(document: Path) -> None:
    """Every line of a document that calls a command is accepted by its parser."""
    for command, *words in calls(text_of(document)):
        cli.options_of(command).parse_args(words)


def test_the_page_of_recordings_lists_every_table() -> None:
    """docs/reference/recording.md names each table that a report writes."""
    named = set(re.findall(r"`(\w+)`", (ROOT / "docs/reference/recording.md").read_text(encoding="utf-8")))
    assert set() == {*registry.NAMES, *registry.EVALUATION_TABLES} - named


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_examples_that_are_accepted(command: str) -> None:
    """The help of each command ends with examples, which its parser takes."""
    examples = [words for words in calls(cli.options_of(command).epilog or "") if words[0] == command]
    assert examples
    for _, *words in examples:
        cli.options_of(command).parse_args(words)


@pytest.mark.slow
def test_names_state_what_a_value_is() -> None:
    """A module of the product binds no name of language.toml, but for those in its list; a mended one is taken off."""
    findings, left = language.names(), language.left()
    assert {} == {module: rows for module, rows in findings.items() if module not in left}
    assert set() == left - findings.keys(), "take these off the list in tests/rules/language.toml"


def test_phrases_that_are_not_written() -> None:
    """In no line of the product or a document; the patterns find what they should."""
    assert {} == language.phrases()
    texts = ("It is no packet.", "as long as there is no packet", "It is no longer", "made anew", "the other goes on")
    patterns = [re.compile(text, re.IGNORECASE) for text in language.table()["phrases"]]
    assert [1, 0, 0, 1, 1] == [sum(bool(pattern.search(text)) for pattern in patterns) for text in texts]
