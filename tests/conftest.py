"""What is made once for several tests: a demo recording, the FreeRTOS kernel."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import Demo, record_demo
from freertos_image import fetch_kernel


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """60 round trips with the seed 1."""
    return record_demo(tmp_path_factory.mktemp("demo") / "run", "--packets", "60", "--seed", "1")


@pytest.fixture(scope="session")
def freertos_kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources of the kernel."""
    return fetch_kernel(tmp_path_factory.mktemp("crate"))
