"""The end of a run: the samples up to the nodes' report are awaited, however late they come."""

from types import SimpleNamespace

import pytest

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.sigrok.wall_clock import WallClock
from gpiorig.rig.run import last_samples

RATE_HZ = 1000


class LateCapture:
    """An analyzer whose samples come late: from 2 s on they pass at a share of the speed at which they are taken."""

    def __init__(self, *, passes: float) -> None:
        self.now_s, self._passes = 0.0, passes
        self.clock = WallClock(RATE_HZ)
        self.analyzer = SimpleNamespace(driver="fx2lafw")
        self.has_ended = False

    @property
    def samples_received(self) -> int:
        """What has come; more cannot have been taken."""
        return round(RATE_HZ * (min(self.now_s, 2.0) + self._passes * max(self.now_s - 2.0, 0.0)))

    def sample_now(self) -> int:
        return self.clock.sample_at(round(self.now_s * 1e9), within_s=30)

    def check(self) -> None:
        pass

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        self.clock.note(self.samples_received, round(self.now_s * 1e9))

    def monotonic(self) -> float:
        return self.now_s


def capture_until(seconds: float, *, passes: float, monkeypatch: pytest.MonkeyPatch) -> LateCapture:
    capture = LateCapture(passes=passes)
    monkeypatch.setattr(last_samples, "time", capture)
    while capture.now_s < seconds:
        capture.sleep(0.01)
    return capture


@pytest.mark.parametrize("passes", [1.0, 0.8, 0.5])
def test_late_samples_are_awaited(passes: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """6.4 s of signal in 7.9 s is what a busy host had; the last quarter of the run was missing."""
    capture = capture_until(7.88, passes=passes, monkeypatch=monkeypatch)
    last_samples.wait_taken(capture, samplerate_hz=RATE_HZ)  # type: ignore[arg-type]
    assert capture.samples_received >= 7880 + 100 - 1
    assert capture.now_s < 17.88


def test_samples_that_stay_late_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = capture_until(30.0, passes=0.5, monkeypatch=monkeypatch)
    with pytest.raises(AnalyzerError, match=r"nodes have reported, the last \d\.\d+ s of samples are missing"):
        last_samples.wait_taken(capture, samplerate_hz=RATE_HZ)  # type: ignore[arg-type]


def test_a_capture_that_has_ended_is_not_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = capture_until(7.88, passes=0.5, monkeypatch=monkeypatch)
    capture.has_ended = True
    last_samples.wait_taken(capture, samplerate_hz=RATE_HZ)  # type: ignore[arg-type]
    assert capture.now_s == pytest.approx(7.88, abs=0.02)
