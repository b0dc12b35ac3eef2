"""The serial path through the real recorder: its stamps are modelled virtual time, and show adapter and reader."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from virtualbench import bench_text, capture, served

from gpiorig.capture.serial.port import SerialPort
from gpiorig.capture.serial.record import read_record

pytestmark = pytest.mark.slow  # each test starts a bench, and most a sigrok-cli
MS_NS = 1_000_000
PRINT_MS = 20  # tick.c prints this often


def delays_ns(folder: Path, tick: Path, serial: str) -> NDArray[np.int64]:
    """How long after its tick each line of one virtual second was stamped."""
    folder.mkdir()
    with served(folder, bench_text(virtual=f"[virtual.serial]\n{serial}\n"), tick) as process:
        end = process.endpoints["serial"]["node"]
        record = folder / "node.rec"
        with SerialPort("node", end["path"], baudrate=500_000, record=record, stamps=Path(end["stamps"])):
            capture(process, "la", samples=1_000_000, rate_hz=1_000_000)
    lines = read_record(record, clock="virtual").lines()
    due_ns = np.array([int(text.removeprefix("tick ")) for text in lines.texts]) * MS_NS
    assert len(due_ns) >= 48
    return np.asarray(lines.stamps_ns - due_ns)


def test_latency_timer(tmp_path: Path, tick: Path) -> None:
    """With 16 ms a line of 8 bytes waits up to a timer and a poll, on average half; with 1 ms a poll or two."""
    slow, quick = delays_ns(tmp_path / "16", tick, ""), delays_ns(tmp_path / "1", tick, "latency_timer_ms = 1")

    assert 160_000 <= slow.min()  # 8 bytes of 20 us
    assert slow.max() <= 18.5 * MS_NS
    assert quick.max() <= 3.5 * MS_NS
    assert slow.mean() > 3 * quick.mean()


def test_reader_with_other_work(tmp_path: Path, tick: Path) -> None:
    """A host that is busy for 10 of every 50 ms stamps lines late that fall into it."""
    base = "latency_timer_ms = 1\nwake_tail_us = 0\n"
    free = delays_ns(tmp_path / "free", tick, base + "other_us = 0")
    busy = delays_ns(tmp_path / "busy", tick, base + "other_period_us = 50_000\nother_us = 10_000")

    assert free.max() < 3 * MS_NS
    assert busy.max() > 5 * MS_NS


def test_same_seed_same_stamps(tmp_path: Path, tick: Path) -> None:
    """The stamps are modelled: two runs agree to the nanosecond, as far as both were recorded."""
    first, second = delays_ns(tmp_path / "a", tick, ""), delays_ns(tmp_path / "b", tick, "")

    assert first[:48].tolist() == second[:48].tolist()
