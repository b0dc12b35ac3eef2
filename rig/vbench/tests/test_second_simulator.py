"""The virtual TelosB beside MSPSim, where the reader has it (docs/guide/second-simulator.md), and beside the manual."""

from __future__ import annotations

from pathlib import Path

import pytest
from second_simulator import exchange, instructions, page, runs
from second_simulator.exchange import Interval

mspsim = pytest.mark.skipif(bool(runs.missing()), reason=runs.missing())


def test_sequences_take_the_manuals_cycles(tmp_path: Path) -> None:
    """On the virtual board, each of the sequences of `certify` takes what the tables of the manual add up to."""
    ours = runs.on_virtual_board(runs.image("certify", tmp_path), nodes=1, us=page.INSTRUCTIONS_US)
    cycles = {row.key: row.ours for row in instructions.sequences(ours, ours) if row.unit == "cycles"}
    assert cycles == instructions.BY_MANUAL


def test_causes_of_differences() -> None:
    """A difference has the first cause that holds, and equal intervals are not counted as differing."""
    compared = [
        Interval(10, 10, "mac.tx.enter", "mac.tx.exit", ()),
        Interval(10, 12, "mac.tx.enter", "mac.tx.exit", ("wait", "console", "SPI")),
        Interval(10, 12, "mac.tx.enter", "mac.tx.exit", ("wait",)),
        Interval(10, 11, "mac.tx.enter", "mac.tx.exit", ()),
    ]
    assert exchange.tally(compared) == (1, {"SPI": 1, "wait": 1, "other": 1})


def test_mspsim_is_said_to_be_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the variable, and with a folder that has no MSPSim, the reason for a skip names what to do."""
    monkeypatch.delenv(runs.VARIABLE, raising=False)
    assert runs.VARIABLE in runs.missing()
    monkeypatch.setenv(runs.VARIABLE, str(tmp_path))
    assert "SkyNode.class" in runs.missing()


@mspsim
@pytest.mark.deep
def test_instructions_beside_mspsim(tmp_path: Path) -> None:
    """MSPSim has the manual's cycles too, but for the interrupt that software asks for, and then with it."""
    image = runs.image("certify", tmp_path)
    ours = runs.on_virtual_board(image, nodes=1, us=page.INSTRUCTIONS_US)
    for takes_requests, differing in ((False, {"msp.interrupt"}), (True, set())):
        theirs = runs.on_mspsim(image, nodes=1, us=page.INSTRUCTIONS_US, takes_requests=takes_requests)
        rows = [row for row in instructions.sequences(ours, theirs) if row.unit == "cycles"]
        assert {row.key for row in rows} == set(instructions.BY_MANUAL)
        assert {row.key for row in rows if row.theirs != instructions.BY_MANUAL[row.key]} == differing


@mspsim
@pytest.mark.deep
def test_exchange_beside_mspsim(tmp_path: Path) -> None:
    """The responder's intervals are equal but for SPI, console, and a cycle where a timer's interrupt comes.

    The data sheet's times of the radio are the virtual board's.
    """
    ours, theirs = page.exchanged(tmp_path, takes_requests=True)
    compared = list(exchange.intervals(ours, theirs, node=1))
    differing = [interval for interval in compared if interval.ours != interval.theirs]
    assert len(compared) > 5000 and len(differing) < 0.05 * len(compared)
    for interval in differing:
        if exchange.cause(interval) == "other":
            assert "isr.timer" in interval.before + interval.after and abs(interval.ours - interval.theirs) == 1, (
                interval
            )
    radio = exchange.radio_of_ours(ours)
    assert radio.frames == exchange.radio_of_mspsim(theirs).frames == 20
    assert radio.strobe_to_sfd_us == pytest.approx(page.STROBE_US, abs=0.3)
    assert radio.sfd_us == pytest.approx(page.SFD_US, abs=0.01)
