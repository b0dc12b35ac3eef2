"""Schemas of what `--json` prints (docs/reference/json), held by every call of these commands in tests.

They need studies and plans, radio buses, boards or two analyzers, which their own tests have; the schemas of all other
commands are held in tests/commands/test_json.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema
import msgspec
import results

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "reference" / "json"
HELD = {
    *("bench-verify", "flash", "merge", "probes", "radio"),
    *("study-list", "study-report", "study-run", "study-status"),
}
FOLLOWED = "study-status"  # with `--follow` an object for each line: a record
RECORD = "study-record"


@cache
def validator(name: str) -> Callable[[Any], Any]:
    """The function that refuses what the structures of a command, or a schema, do not state."""
    if name in results.results():
        return lambda content: strictly(name, content)
    valid: Callable[[Any], Any] = fastjsonschema.compile(json.loads((FOLDER / f"{name}.json").read_text()))
    return valid


def strictly(name: str, content: Any) -> Any:
    """The structure that an object is one of; a key or type that none of them has is an error."""
    errors = []
    for kind in results.results()[name]:
        try:
            return msgspec.convert(content, type=kind, strict=True)
        except msgspec.ValidationError as error:
            errors.append(f"{kind}: {error}")
    raise AssertionError("; ".join(errors))


def name_of(call: Sequence[str]) -> str:
    """The schema of a call: the name of its verbs; empty for a call without `--json` or of another command."""
    if "--json" not in call:
        return ""
    names = ["-".join(call[:count]) for count in (2, 1)]
    return next((name for name in names if name in HELD), "")


def hold(call: Sequence[str], printed: str) -> None:
    """Refuse output of a call that its schema does not state; a call that failed may print nothing."""
    name = name_of(call)
    if not name or not printed.strip():
        return
    lines = name == FOLLOWED and "--follow" in call
    schema = RECORD if lines else name
    for result in map(json.loads, printed.splitlines()) if lines else [json.loads(printed)]:
        validator(schema)(result)
