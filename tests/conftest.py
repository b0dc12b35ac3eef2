"""A demo recording that several tests look at."""

from __future__ import annotations

import pytest
from commandline import Demo, record_demo


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """60 round trips with the seed 1."""
    return record_demo(tmp_path_factory.mktemp("demo") / "run", "--packets", "60", "--seed", "1")
