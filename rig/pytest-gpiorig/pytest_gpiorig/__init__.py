"""pytest with a bench of gpiorig: units for assertions, and the types of the fixtures (docs/guide/pytest.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_gpiorig.amounts import Amount, ms, ns, percent, s, us

if TYPE_CHECKING:  # they import the analysis, which a session without a run does not need
    from pytest_gpiorig.bench import Bench as Bench
    from pytest_gpiorig.run import Run as Run

__all__ = ["Amount", "ms", "ns", "percent", "s", "us"]
