"""A bench and an analysis in place of the real ones."""

from __future__ import annotations

import keptpoints as kept
import pytest

from gpiorig.studies.points import analysed, work


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is recorded or analysed."""
    monkeypatch.setattr(work, "record", kept.record)
    monkeypatch.setattr(analysed, "numbers", kept.numbers)
