"""Two FX2 boards with a sync line, one of which is unplugged and comes back in the middle of a capture."""

from __future__ import annotations

from pathlib import Path

import pytest
from replugged import replugged

NEAR = 1.5  # samples between an edge and the truth: one of each analyzer, and the alignment


@pytest.mark.deep  # in real time, with the loading of firmware
def test_one_of_two_is_replugged(tmp_path: Path, tick: Path) -> None:
    """Every edge before and after is where it was, on one time axis; the gap is as wide as the second one was away."""
    result = replugged(tmp_path, tick)

    assert 1 == result.done.status, result.done
    assert "it was unplugged" in result.recording.info.reason
    assert 2.3 < result.gap_s < 5  # away for 0.5 s, and back with its firmware 1.8 s later
    assert min(result.edges) > 2000
    assert result.farthest < NEAR
