"""A few of the moments of `kill_moments.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from kill_moments import KINDS, Kind, Reference, trial, undisturbed


@pytest.fixture(scope="module")
def references() -> dict[tuple[str, bool], Reference]:
    """A try without a kill of each command line: it does not depend on the victim."""
    return {}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.command} {kind.victim}")
def test_what_a_kill_leaves_opens_and_says_what_is_lost(
    tmp_path: Path, kind: Kind, references: dict[tuple[str, bool], Reference]
) -> None:
    """Nothing false, no process, no temporary file; a capture of real time continues."""
    command = (kind.command, kind.serves)
    if command not in references:
        references[command] = undisturbed(kind, tmp_path / "undisturbed", times=1)
    counts, faults = trial(kind, moments=1, seed=2, place=tmp_path, reference=references[command])

    assert [] == faults
    assert 1 == counts["killed"] + counts["too late"]
