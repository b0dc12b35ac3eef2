"""The serial ports of a bench, with and without a record."""

from __future__ import annotations

import os
import pty
import tty
from importlib.resources import files
from pathlib import Path

import pytest

from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.rig.bench import benches
from gpiorig.rig.run import endpoints
from gpiorig.rig.run.endpoints import Endpoints

MORE_THAN_A_PTY_TAKES = bytes(200_000)


@pytest.mark.parametrize("recorded", [True, False])
def test_ports_are_read_with_and_without_a_record(recorded: bool, tmp_path: Path) -> None:
    """A virtual bench waits for the reader of a port whose buffer is full."""
    bench = benches.loads((files("gpiorig.vbench") / "benches" / "demo.toml").read_text())
    info = RecordingInfo(samplerate="1/1", channels=(), epoch=Epoch(wall="2026-01-01T00:00:00+00:00"), virtual=True)
    recording = Recording.create(tmp_path / "run", info)
    master, slave = pty.openpty()
    tty.setraw(slave)
    ends = Endpoints(drivers={}, ports={"initiator": os.ttyname(slave)})
    with endpoints.serial_ports(bench, ends, recording, recorded=recorded):
        written = sum(os.write(master, MORE_THAN_A_PTY_TAKES[at : at + 1000]) for at in range(0, 200_000, 1000))
    os.close(master)
    os.close(slave)

    assert len(MORE_THAN_A_PTY_TAKES) == written
    assert recorded == recording.serial_path("initiator").exists()
