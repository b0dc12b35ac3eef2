"""Recordings that the tests of `gpiorig batch` share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import shared
from batchruns import record_few


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = shared.filled(tmp_path_factory, "batch", record_few)
    with shared.unchanged(folder):
        yield folder
