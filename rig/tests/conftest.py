"""The image of the tests of the virtual bench."""

from __future__ import annotations

from pathlib import Path

import pytest
from virtualbench import build_tick


@pytest.fixture(scope="session")
def tick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The image of tests/data/tick.c."""
    return build_tick(tmp_path_factory.mktemp("tick"))
