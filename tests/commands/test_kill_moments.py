"""A few of the moments of `kill_moments.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
from kill_moments import KINDS, Kind, trial


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.command} {kind.victim}")
def test_what_a_kill_leaves_opens_and_says_what_is_lost(tmp_path: Path, kind: Kind) -> None:
    """Nothing false, no process, no temporary file; a capture of real time continues."""
    counts, faults = trial(kind, moments=1, seed=2, place=tmp_path, warm=False)

    assert [] == faults
    assert 1 == counts["killed"] + counts["too late"]
