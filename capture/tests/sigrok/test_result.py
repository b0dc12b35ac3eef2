"""What is lost in a pause, by hand: a samplerate of 100 Hz."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.sigrok import edge_queue, lost_transfers
from gpiorig.capture.sigrok.edge_queue import EdgeSink
from gpiorig.capture.sigrok.lost_transfers import Layout, Transfers, losses, sized
from gpiorig.capture.sigrok.result import Pause
from gpiorig.capture.sigrok.wall_clock import WallClock

S = 10**9  # ns
DEADLINE_S = 20.0


def pause(sample: int, at_s: int) -> Pause:
    return Pause(sample=sample, at_ns=at_s * S, received=900, uncertainty_s=0.5, what="a test")


def test_a_pause_of_ten_seconds() -> None:
    """Sample 1000 at 5 s, a block of 300 samples at 15 s: it begins with sample 1700 of 2000.

    The analyzer began 0.1 s before the block came: 0.5 + 0.1 s, and 200 ppm of 10 s, are 60.2 samples.
    """
    loss = pause(1000, 5).loss(15 * S, 300, began_ns=15 * S - S // 10, samplerate_hz=100)

    assert (900, 1700, 800, 61) == (loss.start, loss.end, loss.samples, loss.uncertainty)
    assert loss.in_files


def test_a_pause_loses_a_sample_at_least() -> None:
    """However short it was; the analyzer cannot have begun before it."""
    loss = pause(900, 5).loss(6 * S, 300, began_ns=0, samplerate_hz=100)

    assert (900, 901, 1, 151) == (loss.start, loss.end, loss.samples, loss.uncertainty)


def test_the_sample_at_a_time_is_that_of_the_least_late_block() -> None:
    """Blocks of the last seconds, the oldest of which counts, too."""
    clock = WallClock(1000.0)
    assert 0 == clock.sample_at(5 * S)
    for samples, at_ms in ((0, 0), (900, 1000), (1900, 2000), (2880, 3000)):
        clock.note(samples, 7 * S + at_ms * 10**6)

    assert 3500 == clock.sample_at(7 * S + 3500 * 10**6, within_s=3)
    assert 3400 == clock.sample_at(7 * S + 3500 * 10**6, within_s=2)
    assert 3380 == clock.sample_at(7 * S + 3500 * 10**6, within_s=0.5)


FX2 = Layout(driver="fx2lafw", channels=8, unitsize=1)


def reports(*sizes: int) -> Transfers:
    """Transfers of these numbers of bytes; a negative number is one that failed."""
    transfers = Transfers()
    for size in sizes:
        status = "TRANSFER_ERROR" if size < 0 else "TRANSFER_COMPLETED"
        transfers.feed(f"receive_transfer(): status {status} received {abs(size)} bytes.\n".encode())
    return transfers


def test_losses_need_bytes_that_add_up_and_something_after_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many samples as bytes do, one more does not; of many losses the first ones are kept."""
    transfers = reports(1000, -600, 1000, -600, 500)
    for received, count in ((2500, 2), (2001, 2), (2000, 1), (1001, 1), (1000, 0)):
        assert count == len(losses(transfers, FX2, base=0, received=received) or ())
    assert losses(transfers, FX2, base=0, received=2501) is None
    monkeypatch.setattr(lost_transfers, "MAX_LOST", 2)
    assert [1000, 1010] == [lost.after_bytes for lost in reports(1000, -1, 10, -2, -3, 10, -4, 10).lost]


def test_the_clock_measures_losses_in_its_interval() -> None:
    """Its ends belong to it; a size that the transfers can have had with its uncertainty is theirs."""
    placed = Loss(start=500, end=500, samples=10, uncertainty=90, found_by="transfer")
    for start, end, samples, expected in (
        (500, 600, 70, [(500, 70)]),
        (400, 500, 70, [(500, 70)]),
        (501, 600, 70, [(500, 10), (501, 70)]),
        (400, 499, 70, [(400, 70), (500, 10)]),
        (400, 600, 120, [(500, 100)]),
        (400, 600, 121, [(400, 121)]),
        (400, 600, 30, [(500, 10)]),
        (400, 600, 31, [(500, 31)]),
    ):
        clock = Loss(start=start, end=end, samples=samples, uncertainty=20, found_by="clock")
        both = sized([placed], [clock], bounds=[])
        assert expected == [(loss.start, loss.samples) for loss in both]
    other = Loss(start=550, end=550, samples=10, uncertainty=0, found_by="transfer")
    clock = Loss(start=400, end=600, samples=70, uncertainty=20, found_by="clock")
    assert [placed, other] == sized([placed, other], [clock], bounds=[])


class Writer:
    """Keeps what it is given; waits before each block while it is not `free`."""

    def __init__(self) -> None:
        self.watermark, self.rows, self.gaps = 0, list[int](), list[tuple[int, int]]()
        self.free, self.written = threading.Event(), threading.Semaphore(0)
        self.free.set()

    def append(self, samples: np.ndarray, levels: np.ndarray, *, watermark: int) -> None:
        assert samples.size == levels.size
        assert self.free.wait(DEADLINE_S)
        self.rows += samples.tolist()
        self.watermark = watermark
        self.written.release()

    def gap(self, start: int, end: int) -> None:
        self.gaps.append((start, end))
        self.watermark = end

    def sync(self) -> None:
        pass


@contextmanager
def sink_of(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> Iterator[EdgeSink]:
    """A queue of 8 rows that writes from 4 rows on, and by no clock."""
    for name, value in (("FLUSH_ROWS", 4), ("MAX_ROWS", 8), ("FLUSH_S", 3600.0), ("SYNC_S", 0.01)):
        monkeypatch.setattr(edge_queue, name, value)
    sink = EdgeSink(writer, on_error=lambda error: pytest.fail(str(error)))  # type: ignore[arg-type]
    try:
        yield sink
    finally:
        writer.free.set()
        sink.close()


def rows(*samples: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array(samples), np.zeros(len(samples), dtype=np.uint64)


def test_a_queue_writes_from_a_number_of_rows_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """At four of them; what is less waits for the end, and a gap is written at once, after what came before it."""
    writer = Writer()
    with sink_of(writer, monkeypatch) as sink:
        sink.append(rows(1, 2, 3, 4), watermark=10)
        assert writer.written.acquire(timeout=DEADLINE_S)
        sink.append(rows(11, 12), watermark=20)
        sink.gap(20, 30)
        assert ([1, 2, 3, 4, 11, 12], [(20, 30)], 30) == (writer.rows, writer.gaps, writer.watermark)
        sink.append(rows(31), watermark=40)
        assert 6 == len(writer.rows)
    assert ([1, 2, 3, 4, 11, 12, 31], 40) == (writer.rows, writer.watermark)
    assert 0.5 == sink.fullest


def test_a_full_queue_waits_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than eight rows are one block too many: the next one is taken once the disk has taken some."""
    writer = Writer()
    writer.free.clear()
    with sink_of(writer, monkeypatch) as sink:
        for start in (1, 11, 21):
            sink.append(rows(start, start + 1, start + 2, start + 3), watermark=start + 9)
        waiting = threading.Thread(target=sink.append, args=[rows(31)], kwargs={"watermark": 40}, daemon=True)
        waiting.start()
        waiting.join(0.05)
        assert waiting.is_alive()
        writer.free.set()
        waiting.join(DEADLINE_S)
        assert not waiting.is_alive()
    assert 13 == len(writer.rows)
    assert 1.5 == sink.fullest
