"""What is kept of runs of sigrok-cli, in sample numbers of the recording; a stream from a pipe, by its own numbers."""

from __future__ import annotations

import datetime
import os
import resource
import socket
import threading
import time
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.sigrok import peer, priority
from gpiorig.capture.sigrok.lost_transfers import Layout, Transfers, losses
from gpiorig.capture.sigrok.peer import Peer
from gpiorig.capture.sigrok.request import Request
from gpiorig.capture.sigrok.result import Pause, Resume, moved, wrong_rate
from gpiorig.capture.sigrok.run_log import Ledger
from gpiorig.capture.sigrok.session import Session
from gpiorig.capture.sigrok.stream import SampleStream
from gpiorig.capture.sigrok.wall_clock import ClockCheck, now_ns

RATE_HZ = 1000


class Sink:
    """Keeps rows; `busy_s` and `fullest` are what a test sets."""

    def __init__(self) -> None:
        self.rows, self.watermark = list[tuple[int, int]](), 0
        self.busy_s = self.fullest = 0.0

    def append(self, rows: tuple[np.ndarray, np.ndarray], *, watermark: int) -> None:
        self.rows += zip(rows[0].tolist(), rows[1].tolist(), strict=True)
        self.watermark = watermark


def stream_of(sink: Sink, *, first: int = 0, limit: int | None = None) -> SampleStream:
    return SampleStream(
        sink,  # type: ignore[arg-type]
        used=0xFF,
        samplerate_hz=Fraction(RATE_HZ),
        on_progress=lambda: None,
        first=first,
        limit=limit,
    )


def run(stream: SampleStream, *parts: bytes, unitsize: int = 1, **options: Any) -> None:
    """Send the parts through a pipe, 20 ms apart, and read until it is closed."""
    read, write = os.pipe()

    def send() -> None:
        for part in parts:
            os.write(write, part)
            time.sleep(0.02)
        os.close(write)

    sender = threading.Thread(target=send)
    sender.start()
    try:
        stream.run(read, unitsize=lambda: unitsize, began_ns=now_ns(), **options)
    finally:
        sender.join()
        os.close(read)


def test_a_stream_counts_what_came_through_its_pipes() -> None:
    """Two pipes, the second from sample 1000 on; times, rows and the processor time that it took."""
    sink = Sink()
    stream = stream_of(sink, first=5)
    created_s = stream.first_s
    cpu_s = time.thread_time()
    run(stream, b"\0\1", b"\1\2", b"\2")
    assert (5, 10, 5, 5, 3) == (stream.base, stream.samples, stream.received, stream.size_bytes, stream.edges)
    began_s = stream.first_s
    assert created_s < began_s <= stream.last_s - 0.03
    run(stream, b"\3", b"\3\4", base=lambda arrival_ns, samples: 1000 * samples)
    cpu_s = time.thread_time() - cpu_s

    assert (1000, 1003, 8, 8, 5) == (stream.base, stream.samples, stream.received, stream.size_bytes, stream.edges)
    assert [(5, 0), (6, 1), (8, 2), (1000, 3), (1002, 4)] == sink.rows
    assert (1003, began_s) == (sink.watermark, stream.first_s)
    wall_s = stream.last_s - stream.first_s
    sink.busy_s, sink.fullest = wall_s / 4, 1.5
    headroom = stream.headroom()
    assert 0.25 == pytest.approx(headroom.writer_busy)
    assert 0 < headroom.reader_busy * wall_s <= cpu_s
    assert (0 <= headroom.pipe_fullest < 1, 1.0) == (True, headroom.queue_fullest)


@pytest.mark.parametrize(("limit", "is_full"), [(7, True), (8, True), (9, False)])
def test_a_stream_ends_before_its_limit(limit: int, is_full: bool) -> None:
    """What comes later is counted for the clock, and dropped."""
    sink = Sink()
    stream = stream_of(sink, first=5, limit=limit)
    run(stream, b"\0\1\2")

    assert (min(limit, 8), min(limit, 8) - 5, 3) == (stream.samples, stream.received, stream.size_bytes)
    assert is_full == stream.is_full
    asked = []
    stream.clock = SimpleNamespace(is_settled=asked.append)  # type: ignore[assignment]
    assert None is stream.is_settled
    assert [stream.samples - 5] == asked


def test_a_limit_counts_the_bytes_of_a_sample_that_came_before() -> None:
    """Samples of two bytes in pieces of three: the first byte of the second sample is with the first."""
    sink = Sink()
    stream = stream_of(sink, limit=2)
    run(stream, b"\0\0\1", b"\0\2\0", unitsize=2)

    assert (2, 2, 6, [(0, 0), (1, 1)]) == (stream.samples, stream.received, stream.size_bytes, sink.rows)


def clock_check(rate_ppm: float | None, *, losses: tuple[Loss, ...] = (), bounds: tuple[Bound, ...] = ()) -> ClockCheck:
    return ClockCheck(windows=6, rate_ppm=rate_ppm, rate_uncertainty_ppm=10.0, losses=losses, bounds=bounds)


def finished(log: Ledger, *, transfers: Transfers | None = None, overruns: object = None) -> None:
    """A run ends."""
    process = SimpleNamespace(stderr="", overruns=overruns or {}, transfers=transfers or Transfers(), unitsize=1)
    log.keep(SimpleNamespace(process=process))  # type: ignore[arg-type]


def log_of(stream: SampleStream, *, driver: str = "fx2lafw", **options: Any) -> Ledger:
    request = Request(driver=driver, channels=["D0"], samplerate_hz=RATE_HZ, silence_s=1.0, **options)
    return Ledger(SimpleNamespace(request=request, used=0xFF), stream)  # type: ignore[arg-type]


def test_losses_and_bounds_of_a_run_are_in_samples_of_the_recording() -> None:
    """The clock checks the samples of the run; what it finds is moved to where the run began."""
    stream = stream_of(Sink())
    log = log_of(stream)
    stream.base, stream.samples = 400, 900
    stream.first_s, stream.last_s = 100.0, 103.5
    ends = []

    def check(*, end: int) -> ClockCheck:
        ends.append(end)
        lost = Loss(start=10, end=20, samples=5, uncertainty=1, found_by="clock")
        bound = Bound(start=0, end=500, limit_samples=7, found_by="clock")
        return clock_check(300.0, losses=(lost,), bounds=(bound,))

    stream.clock = SimpleNamespace(check=check)  # type: ignore[assignment]
    transfers = Transfers()
    for status, size in (("COMPLETED", 200), ("ERROR", 200), ("COMPLETED", 300)):
        transfers.feed(f"receive_transfer(): status TRANSFER_{status} received {size} bytes.\n".encode())
    finished(log, transfers=transfers)
    finished(log)  # a run without a sample
    result = log.result(None, in_order=True, rows=3)

    assert [500] == ends
    assert [(410, 420, 5), (600, 600, 512)] == [(loss.start, loss.end, loss.samples) for loss in result.losses]
    assert [(400, 900, 7)] == [(bound.start, bound.end, bound.limit_samples) for bound in result.bounds]
    assert (1, 3.5, 900) == (result.runs, result.wall_s, result.samples)
    assert ["the analyzer sent 1000 samples per second instead of 1000, +300 ppm"] == [
        text.partition(";")[0] for text in result.problems
    ]


@pytest.mark.parametrize(("count", "times"), [(1, ""), (2, ", 2 times")])
def test_reports_of_lost_samples_have_their_time(count: int, times: str) -> None:
    stream = stream_of(Sink())
    stream.first_s = 100.0
    log = log_of(stream, one_shot=True, sample_limit=10)
    stream.base, stream.samples = 2, 10
    stream.clock = SimpleNamespace()  # type: ignore[assignment]
    finished(log, overruns={"overflow": (102.5, count)})
    result = log.result(None, in_order=False, rows=0)

    assert (f"sigrok-cli reports after 2.5 s{times}: overflow",) == result.problems
    assert [(2, 10, 1)] == [(bound.start, bound.end, bound.limit_samples) for bound in result.bounds]


def test_an_analyzer_of_another_rate_is_described() -> None:
    checks = [clock_check(ppm) for ppm in (None, 150.0, -250_000.0)]
    assert "the analyzer sent 750 samples per second instead of 1000, -250000 ppm; a crystal" in wrong_rate(
        checks, samplerate_hz=1000
    )
    assert "" == wrong_rate(checks[:2], samplerate_hz=1000)
    assert [(15, 25), (8, 9)] == [
        (loss.start, loss.end)
        for loss in moved(
            [Loss(start=start, end=end, samples=1, uncertainty=0, found_by="x") for start, end in ((10, 20), (3, 4))], 5
        )
    ]


def test_pauses_begin_and_their_crystals_drift() -> None:
    """200 ppm of 10 000 s are two seconds; one since an earlier program is as long as the wall clock has it."""
    pause = Pause(sample=1000, at_ns=0, received=900, uncertainty_s=0.5, what="a test")
    loss = pause.loss(10_000 * 10**9, 300, began_ns=10_000 * 10**9 - 10**8, samplerate_hz=100)
    assert (1_000_700, 261) == (loss.end, loss.uncertainty)

    began = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=60)
    for received, least in ((0, 6000), (5999, 6000), (50_000, 50_000)):
        since = Pause.since(Resume(began=began, uncertainty_s=0.25), received=received, samplerate_hz=100)
        assert least <= since.sample <= least + 3000
        assert (received, 0.25) == (since.received, since.uncertainty_s)
    stream = stream_of(Sink())
    stream.base, stream.samples = 500, 620
    stream.clock = SimpleNamespace(sample_at=lambda at_ns: 130)  # type: ignore[assignment]
    begun = Pause.begin(stream, what="a test")
    assert (630, 620, 0.0) == (begun.sample, begun.received, begun.uncertainty_s)


@pytest.mark.parametrize(
    ("driver", "channels", "unitsize", "size", "samples"),
    [
        ("dreamsourcelab-dslogic", 12, 2, 191, 64),
        ("saleae-logic16:conn=1.2", 3, 2, 11, 16),
        ("fx2lafw", 16, 2, 5, 2),
    ],
)
def test_samples_that_are_complete(driver: str, channels: int, unitsize: int, size: int, samples: int) -> None:
    """Of a group of them, all channels have come."""
    layout = Layout(driver=driver, channels=channels, unitsize=unitsize)
    assert (samples, int) == (layout.samples(size), type(layout.samples(size)))


@pytest.mark.parametrize(("failed", "text"), [(1, "a USB transfer"), (2, "2 USB transfers")])
def test_a_loss_names_how_many_transfers_it_was(failed: int, text: str) -> None:
    transfers = Transfers()
    for status in ["TRANSFER_COMPLETED", *["TRANSFER_ERROR"] * failed, "TRANSFER_COMPLETED"]:
        transfers.feed(f"receive_transfer(): status {status} received 100 bytes.\n".encode())
    (loss,) = losses(transfers, Layout(driver="fx2lafw", channels=8, unitsize=1), base=0, received=200) or ()
    assert text in loss.found_by
    assert ("transfers" in loss.found_by) == (failed > 1)


def test_how_long_a_peer_has_been_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """From when it was missed on; once it is back, from the next time."""
    is_connected = True
    monkeypatch.setattr(peer, "is_connected", lambda pid: is_connected)
    remote, local = Peer(os.getpid(), expected=True), Peer(os.getpid(), expected=False)
    assert 0.0 == remote.gone_s(10.0)
    is_connected = False
    assert [0.0, 2.5, 4.0] == [remote.gone_s(at_s) for at_s in (11.0, 13.5, 15.0)]
    assert [0.0, 0.0] == [local.gone_s(at_s) for at_s in (11.0, 13.5)]
    is_connected = True
    assert 0.0 == remote.gone_s(16.0)
    is_connected = False
    assert [0.0, 1.0] == [remote.gone_s(at_s) for at_s in (17.0, 18.0)]


def test_a_connection_is_there_until_an_end_closes_it() -> None:
    """A socket that listens is not one."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert not peer.is_connected(os.getpid())
        near = socket.create_connection(server.getsockname())
        far, _ = server.accept()
        assert peer.is_connected(os.getpid())
        far.close()
        near.close()
        assert not peer.is_connected(os.getpid())
    assert peer.is_connected(1 << 30), "no such process: ask again"


@pytest.mark.parametrize(
    ("user", "limit", "expected"),
    [(0, 0, True), (1000, 0, False), (1000, 9, False), (1000, 10, True), (1000, resource.RLIM_INFINITY, True)],
)
def test_who_may_raise_priorities(monkeypatch: pytest.MonkeyPatch, user: int, limit: int, expected: bool) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(resource, "getrlimit", lambda what: (limit, limit))
    assert expected == priority.is_permitted()


@pytest.mark.parametrize(("looks", "status", "expected"), [(3, None, True), (999, None, False), (999, 1, False)])
def test_an_analyzer_is_waited_for(looks: int, status: int | None, expected: bool) -> None:
    """Until it samples, for as long as the deadline, or until sigrok-cli ends."""

    class Process:
        looked = 0

        @property
        def started(self) -> bool:
            self.looked += 1
            return self.looked > looks

        def exit_status(self) -> int | None:
            return status

    process = Process()
    began_s = time.monotonic()
    started = Session.starts(SimpleNamespace(process=process), threading.Event(), deadline_s=0.05)  # type: ignore[arg-type]
    assert expected == started
    if looks == 999 and status is None:
        assert 0.05 <= time.monotonic() - began_s
        assert process.looked > 2
