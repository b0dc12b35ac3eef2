"""What a capture does in a pause and at its end, without a process: by hand, with a clock that a test sets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.sigrok import capture as capturing
from gpiorig.capture.sigrok import conclusion, session
from gpiorig.capture.sigrok.capture import Capture
from gpiorig.capture.sigrok.result import Restart
from gpiorig.capture.sigrok.session import Session

RATE_HZ = 1000
PAUSED_NS = 10**10


def paused(monkeypatch: pytest.MonkeyPatch, *, sample_limit: int | None, patience_s: float) -> tuple[int, str]:
    """How often sigrok-cli was started, a second apart, and why that ended; sample 500 was taken as the pause began."""
    starts: list[int] = []

    def begin(pause: Any) -> None:
        assert 500 == pause.sample
        starts.append(len(starts) + 1)
        raise AnalyzerError("the port is empty", where="fx2lafw")

    monkeypatch.setattr(capturing, "now_ns", lambda: PAUSED_NS + len(starts) * 10**9)
    pause = SimpleNamespace(sample=500, at_ns=PAUSED_NS)
    monkeypatch.setattr(capturing, "Pause", SimpleNamespace(begin=lambda stream, what: pause))
    capture: Any = SimpleNamespace(
        _session=SimpleNamespace(close=lambda: None),
        _ledger=SimpleNamespace(keep=lambda session: None, pausing=False),
        _stopping=SimpleNamespace(is_set=lambda: False, wait=lambda seconds: None),
        _request=SimpleNamespace(samplerate_hz=RATE_HZ, start_deadline_s=1.0),
        _begin=begin,
        stream=None,
        sample_limit=sample_limit,
        analyzer=SimpleNamespace(driver="fx2lafw"),
    )
    with pytest.raises(AnalyzerError) as error:
        Capture._start_again(capture, AnalyzerError("it broke", where="fx2lafw"), Restart(patience_s=patience_s))
    assert capture._ledger.pausing
    return len(starts), error.value.what


def test_an_analyzer_that_does_not_come_back_ends_the_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its patience; or once the last sample to be recorded is past, which leaves no time to come back in."""
    patience = "it broke, and it did not come back in 3 s: the port is empty"
    assert (4, patience) == paused(monkeypatch, sample_limit=None, patience_s=3.0)
    assert (4, patience) == paused(monkeypatch, sample_limit=10_000, patience_s=3.0)
    assert (3, "it broke, and it did not come back") == paused(monkeypatch, sample_limit=2500, patience_s=60.0)


@pytest.mark.parametrize(("limit", "first", "is_noted"), [(None, 900, True), (901, 900, True), (900, 900, False)])
def test_the_first_block_after_a_pause(limit: int | None, first: int, is_noted: bool) -> None:
    """What was lost is a gap, unless the capture ends in the pause."""
    loss = Loss(start=500, end=900, samples=400, uncertainty=1, found_by="test")
    gaps: list[tuple[int, int]] = []
    pause: Any = SimpleNamespace(loss=lambda now_ns, samples, *, began_ns, samplerate_hz: loss)
    capture: Any = SimpleNamespace(
        sample_limit=limit,
        analyzer=SimpleNamespace(driver="fx2lafw"),
        _request=SimpleNamespace(samplerate_hz=RATE_HZ),
        _ledger=SimpleNamespace(losses=[], pausing=True),
        _sink=SimpleNamespace(gap=lambda start, end: gaps.append((start, end))),
    )
    assert first == Capture._after(capture, pause, 0, 0, 0)
    assert ([loss] if is_noted else [], [(500, 900)] if is_noted else []) == (capture._ledger.losses, gaps)
    assert is_noted != capture._ledger.pausing


def test_the_sample_of_now_counts_from_the_first_of_the_pipe() -> None:
    clock = SimpleNamespace(sample_at=lambda now_ns, within_s: 7)
    capture: Any = SimpleNamespace(stream=SimpleNamespace(base=1000, clock=clock))
    assert 1007 == Capture.sample_now(capture)


@pytest.mark.parametrize(
    ("is_full", "settled_after", "looks"),
    [(True, 3, 3), (False, 3, 3), (True, 1000, 9), (False, 1000, 4)],
)
def test_samples_are_taken_beyond_the_end_until_they_settle(
    is_full: bool, settled_after: int, looks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For 0.8 s after a limit, and for 0.3 s where the capture was stopped; a look every 0.1 s."""
    now, seen = [50.0], [0]
    monkeypatch.setattr(capturing, "BEYOND_S", 0.85)
    monkeypatch.setattr(capturing, "STOPPED_S", 0.35)
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + 0.1))
    monkeypatch.setattr(capturing, "time", clock)

    class Stream:
        @property
        def is_settled(self) -> bool:
            seen[0] += 1
            return seen[0] == settled_after

        def cut(self) -> None:
            self.is_cut = True

    stream: Any = Stream()
    stream.is_full = is_full
    capture: Any = SimpleNamespace(
        stream=stream,
        _request=SimpleNamespace(is_real_time=True, one_shot=False),
        _is_aborted=False,
        _error=None,
        _session=SimpleNamespace(process=SimpleNamespace(exit_status=lambda: None)),
    )
    Capture._take_beyond(capture)
    assert (looks, True) == (seen[0], stream.is_cut)


class Watched:
    """A session that is looked at every 0.5 s, whose process goes on; `halts` has the looks after which time jumps."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *, halts: dict[int, float], samples: int, gone: int = 1 << 30):
        self.now_s, self.looks, self.gone_at_s = 1024.0, 0, 0.0
        self.halts, self.samples, self.gone = halts, samples, gone
        monkeypatch.setattr(session, "time", SimpleNamespace(monotonic=lambda: self.now_s))
        monkeypatch.setattr(session, "Peer", lambda pid, *, expected: SimpleNamespace(gone_s=self.gone_s))
        stream = SimpleNamespace(is_full=False, samples=9, last_s=1024.0)
        transfers = SimpleNamespace(failing=None, empty=0)
        process = SimpleNamespace(
            pid=1, started=True, complaint=None, stderr="", transfers=transfers, exit_status=lambda: None
        )
        self.session: Any = SimpleNamespace(
            _driver="demo", _stream=stream, process=process, error=None, _halted_s=0.0, _resumed_s=1024.0
        )
        self.session._watch = lambda *parts, **options: Session._watch(self.session, *parts, **options)

    def wait(self, seconds: float) -> bool:
        self.looks += 1
        self.now_s += self.halts.get(self.looks, 0.5)
        if self.looks <= self.samples:
            self.session._stream.last_s = self.now_s
        return False

    def gone_s(self, now_s: float) -> float:
        if self.looks < self.gone:
            return 0.0
        self.gone_at_s = self.gone_at_s or now_s
        return now_s - self.gone_at_s

    def problem(self, silence_s: float | None = 3.0) -> str:
        stopping: Any = self
        with pytest.raises(AnalyzerError) as error:
            Session.watch(self.session, stopping, silence_s=silence_s, may_end=False)
        return error.value.what


@pytest.mark.parametrize(("halt_s", "is_halt"), [(2.0, False), (2.5, True), (60.0, True)])
def test_silence_counts_from_the_last_sample_or_from_a_halt(
    halt_s: float, is_halt: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Samples come until the fourth look; more than 3 s of silence are a failure, more than 2 s without a look a halt.

    What went wrong then is told with the halt.
    """
    watched = Watched(monkeypatch, halts={6: halt_s}, samples=4)
    what = "no sample for 3 s, after 9 samples"
    halt = f"this program did not run for {halt_s:.1f} s (stopped, or the host slept); then: "
    assert (halt if is_halt else "") + what == watched.problem()
    # From the fourth look 0.5 and `halt_s`, and more than 3 s in all; or these from the halt on.
    assert watched.looks == (6 + 7 if is_halt else 6 + 2)


def test_an_analyzer_that_closed_its_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """What sigrok-cli still holds comes for half a second after that is seen; samples show that the peer is there."""
    watched = Watched(monkeypatch, halts={}, samples=8, gone=3)
    assert "the analyzer closed the connection after 9 samples" == watched.problem(silence_s=None)
    assert 8 + 1 + 2 == watched.looks


@pytest.mark.parametrize(("failing", "empty", "is_told"), [("stall", 0, True), (None, 3, True), (None, 0, False)])
def test_silence_is_explained_by_failing_transfers(
    failing: str | None, empty: int, is_told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "ended", lambda *parts, **options: AnalyzerError("transfers fail", where="demo"))
    watched = Watched(monkeypatch, halts={}, samples=1)
    watched.session.process.transfers = SimpleNamespace(failing=failing, empty=empty)
    assert is_told == (watched.problem() == "transfers fail")


def test_numbers_after_a_pause_count_from_when_the_analyzer_began() -> None:
    process = SimpleNamespace(started_s=10.5)
    run: Any = SimpleNamespace(_base=lambda *arrival: arrival, process=process, began_s=10.0, _began_ns=7_000_000_000)
    assert (3, 4, 7_500_000_000) == Session._number(run, 3, 4)


@pytest.mark.parametrize("period_ns", [conclusion.CODED, 1_000_000])
def test_a_heartbeat_is_coded_or_has_a_period(period_ns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conclusion, "coded_losses", SimpleNamespace(read=lambda waveform, channel: "coded"))
    monkeypatch.setattr(conclusion, "heartbeat", SimpleNamespace(read=lambda waveform, channel, **options: options))
    recording: Any = SimpleNamespace(waveform_of_files=lambda: None)
    beat: Any = conclusion.read_heartbeat(recording, "D0", period_ns, [], ())
    assert beat == (
        "coded" if period_ns == conclusion.CODED else {"period_ns": period_ns, "clock": [], "clock_bounds": ()}
    )
