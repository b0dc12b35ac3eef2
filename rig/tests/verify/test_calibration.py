"""Verdicts on the calibration burst of a board."""

from __future__ import annotations

import pytest

from gpiorig.rig.verify.calibration import Calibration, findings


@pytest.mark.parametrize(("samples", "verdict"), [(1, "wrong"), (2, "unknown"), (3, "right")])
def test_the_shortest_symbol(samples: int, verdict: str) -> None:
    """A symbol of three sample periods can show as two samples; fewer are too few for certain."""
    burst = Calibration(
        width=2, ids=32, damaged=0, samples_per_symbol=samples, shortest_pulse_ns=samples / 24e6 * 1e9, skew_ns={}
    )
    _, symbol = findings("responder", burst, width=2, rate_hz=24_000_000)
    assert (f"{samples} samples in the shortest symbol", verdict) == (symbol.what.partition(",")[0], symbol.verdict)
