"""Captures of modelled USB analyzers by sigrok's unmodified drivers: every edge of them by its sample number."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import ROOT
from modelledusb import captured, plugged
from usbcases import CASES

PAGE = ROOT / "docs/evidence/usb.md"
USUAL = (
    *("a transfer fails", "the endpoint stalls", "the FIFO is full", "unplugged", "no permission", "in use"),
    *("4 MB of usbfs memory", "no firmware file", "noise"),
)


def test_the_page_has_each_fault() -> None:
    """With its exit status, by the last run of the study that writes it."""
    lines = PAGE.read_text().partition("<!-- table: usb-faults -->")[2].partition("<!-- end")[0].splitlines()
    rows = [[cell.strip() for cell in line.split(" | ")] for line in lines if line.startswith("| ")][2:]

    assert {name: str(case.status) for name, case in CASES.items()} == {row[0].strip("| "): row[2] for row in rows}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "rate", "samples"),
    [("fx2", "24MHz", 48_000_000), pytest.param("fx2-16 firmware=loaded", "12MHz", 24_000_000)],
)
def test_two_seconds_are_exact(tmp_path: Path, model: str, rate: str, samples: int) -> None:
    """Of a fresh board at the first try: the driver loads its firmware, it comes back at another address."""
    with plugged(f"device model={model} port=3 ppm=37") as bus:
        result = captured(bus, tmp_path / "run", driver="fx2lafw:conn=usb:1-3", rate=rate, duration="2s")

    assert (0, "") == (result.done.status, result.done.stderr)
    assert result.recording is not None and result.against_truth is not None
    assert ("complete", samples) == (result.recording.info.state, result.recording.edges().end)
    assert (0, pytest.approx(4000, abs=1)) == (result.against_truth.wrong, result.against_truth.edges)
    assert 0 == result.against_truth.never_sent


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in USUAL else pytest.mark.deep) for name in CASES]
)
def test_a_fault(tmp_path: Path, name: str) -> None:
    """It is named; status and state agree; what was recorded was there; each gap has its place and its size."""
    case = CASES[name]
    result = case.captured(tmp_path / "run")

    assert case.status == result.done.status, result.done
    assert case.is_named(result), result.done
    if result.recording is None or result.against_truth is None:
        assert 2 == case.status
        return
    assert result.recording.info.state == ("incomplete" if case.status else "complete")
    assert case.is_silent == (result.against_truth.wrong > 0) == (result.against_truth.never_sent > 0)
    uncertainty = max((loss.uncertainty for loss in result.recording.info.losses), default=0)
    for gap in result.against_truth.gaps:
        assert (0, 0) == (gap.hidden_before, gap.hidden_after)
        assert abs(gap.too_wide) <= uncertainty
    shift = max((abs(interval.shift) for interval in result.against_truth.intervals), default=0.0)
    assert case.is_silent or shift <= uncertainty
