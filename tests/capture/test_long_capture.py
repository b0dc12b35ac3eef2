"""A shorter `long_capture.py`: 20 s at 24 MS/s, through the real sigrok-cli as fast as it goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from long_capture import EVERY, record

SAMPLES = 480_000_000
SPREAD_KIB = 16 << 10  # the queue to the disk and the allocator come and go; 480 M samples are 960 MB


@pytest.mark.slow
def test_a_long_capture_takes_constant_memory(tmp_path: Path) -> None:
    """No sample is lost, and the memory does not grow once the capture runs."""
    output, memory = record(SAMPLES, tmp_path / "run")
    facts = output["capture"]
    assert isinstance(facts, dict)
    running = [kib for kib in memory[len(memory) // 2 :] if kib]

    assert ("complete", SAMPLES, SAMPLES // EVERY) == (output["state"], facts["samples"], facts["rows"])
    assert max(running) - min(running) < SPREAD_KIB
