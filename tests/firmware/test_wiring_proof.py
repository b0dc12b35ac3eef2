"""`prove`: the wiring proof and the calibration burst, again on request."""

from __future__ import annotations

import numpy as np
import oneboard
import pytest
from images import FIRMWARE

from gpiorig.analysis.events.table import BY_NAME

BOARDS = ("iotlab-m3", "nucleo-l476rg", "telosb")


def image(board: str) -> bytes:
    return (FIRMWARE / "build" / board / "reference.elf").read_bytes()


@pytest.mark.parametrize("board", BOARDS)
def test_prove_sends_what_a_boot_sends(board: str) -> None:
    """`rig.boot` and 32 calibration events come again, undamaged, and the node answers as before."""
    run = oneboard.run(board, image(board), "prove", "identify")
    codes = run.frames.codes
    boots = np.flatnonzero(codes == BY_NAME["rig.boot"].code)

    assert "ok prove" in run.printed
    assert f"ok identify board={board}" in run.printed
    assert 2 == len(boots)
    assert 0 == len(run.frames.damaged_samples)
    for boot in boots:
        burst = slice(boot + 1, boot + 33)
        assert np.all(codes[burst] == BY_NAME["rig.calibrate"].code)
        assert list(range(32)) == run.frames.ids[burst].tolist()


def test_prove_is_refused_while_packets_are_sent() -> None:
    """The proof masks interrupts, so it does not come between packets."""
    run = oneboard.run("iotlab-m3", image("iotlab-m3"), "start", "prove", "stop")

    assert "error prove: packets are being sent; wait for done, or stop" in run.printed
