"""What a capture does in a pause and at its end, without a process: by hand, with a clock that a test sets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.sigrok import capture as capturing
from gpiorig.capture.sigrok import conclusion
from gpiorig.capture.sigrok.capture import Capture
from gpiorig.capture.sigrok.result import Restart

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


@pytest.mark.parametrize("period_ns", [conclusion.CODED, 1_000_000])
def test_a_heartbeat_is_coded_or_has_a_period(period_ns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conclusion, "coded_losses", SimpleNamespace(read=lambda waveform, channel: "coded"))
    monkeypatch.setattr(conclusion, "heartbeat", SimpleNamespace(read=lambda waveform, channel, **options: options))
    recording: Any = SimpleNamespace(waveform_of_files=lambda: None)
    beat: Any = conclusion.read_heartbeat(recording, "D0", period_ns, [], ())
    assert beat == (
        "coded" if period_ns == conclusion.CODED else {"period_ns": period_ns, "clock": [], "clock_bounds": ()}
    )
