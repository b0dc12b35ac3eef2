"""What is made once for several tests: recordings of the demo, the FreeRTOS kernel; and what goes at their end."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import shared
from commandline import Demo, record_demo
from freertos_image import KERNEL, fetch_kernel


@pytest.hookimpl(tryfirst=True)  # before what is left is looked for
def pytest_sessionfinish() -> None:
    """Delete what the fuzzer's targets wrote, under whichever name their module was imported."""
    for module in [module for name, module in sys.modules.items() if name.endswith("fuzz.readers")]:
        module.forget()


def shared_demo(factory: pytest.TempPathFactory, name: str, *words: str, as_a_user: bool = False) -> Iterator[Demo]:
    """A demo of 60 round trips that tests share read-only."""

    def make(folder: Path) -> None:
        numbers = record_demo(folder / "run", "--packets", "60", *words, as_a_user=as_a_user).numbers
        (folder / "numbers.json").write_text(json.dumps(numbers))

    folder = shared.filled(factory, name, make)
    with shared.unchanged(folder):
        numbers = json.loads((folder / "numbers.json").read_text())
        yield Demo(folder / "run", numbers | {"report": str(folder / "run" / "report" / "report.html")})


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """60 round trips with the seed 1."""
    yield from shared_demo(tmp_path_factory, "demo", "--seed", "1", as_a_user=True)


@pytest.fixture(scope="session")
def other_demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """The demo once more, everything random differently; figures are blank."""
    yield from shared_demo(tmp_path_factory, "other-demo", "--seed", "2")


@pytest.fixture(scope="session")
def freertos_kernel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources of the kernel."""
    return shared.filled(tmp_path_factory, "freertos", fetch_kernel) / KERNEL
