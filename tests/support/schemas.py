"""What `--json` prints is one of the structures of its command (`RESULTS`), held by every call of some in tests.

They need studies and plans, radio buses, boards or two analyzers, which their own tests have; the results of all other
commands are held in tests/commands/test_json.py. A structure cannot violate its schema, but a command can print another
one, and parts are made by hand: counts of logs, rows of SQL, fields of dictionaries.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import results

from gpiorig.rig.plain_json import Failed

HELD = {
    *("bench-verify", "flash", "firmware-cost", "merge", "radio"),
    *("study-list", "study-report", "study-run", "study-status"),
}
FOLLOWED = "study-status"  # with `--follow` an object for each line


def check(name: str, content: Any) -> None:
    """Refuse an object that is none of the structures of a command: a key or a type that none of them has."""
    errors = []
    for kind in (*results.results()[name], Failed):
        try:
            read = msgspec.json.encode(msgspec.convert(content, type=kind))
        except msgspec.ValidationError as error:
            errors.append(f"{kind}: {error}")
            continue
        if msgspec.json.decode(read) == content:
            return
        errors.append(f"{kind}: has other keys")
    raise AssertionError("; ".join(errors))


def name_of(call: Sequence[str]) -> str:
    """The results of a call: the name of its verbs; empty for a call without `--json` or of another command."""
    if "--json" not in call:
        return ""
    names = ["-".join(call[:count]) for count in (2, 1)]
    return next((name for name in names if name in HELD), "")


def hold(call: Sequence[str], printed: str) -> None:
    """Refuse output of a call that its structures do not state; a call that failed may print nothing."""
    name = name_of(call)
    if not name or not printed.strip():
        return
    lines = name == FOLLOWED and "--follow" in call
    for result in map(json.loads, printed.splitlines()) if lines else [json.loads(printed)]:
        check(name, result)
