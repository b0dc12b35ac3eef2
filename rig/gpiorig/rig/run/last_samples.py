"""The last samples of a run: they come later than the nodes' reports, and each must be here before a capture ends."""

from __future__ import annotations

import time

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.sigrok.capture import Capture
from gpiorig.rig.recordings.merge import Source

TAIL_S = 0.1  # samples to take after the nodes have reported
CLOCK_PPM = 1000  # by which a virtual analyzer's clock differs from the bench's time at most
STALL_S = 0.02  # by which samples may end before the time of a virtual bench
ARRIVAL_S = 10.0  # samples that an analyzer has sent are here within this
NOTICE_S = 1.0  # a connection that was closed is noticed within this
POLL_S = 0.02


def wait_sent(capture: Capture, source: Source, *, samples: int, bench_s: float) -> None:
    """Wait for as many samples as a virtual analyzer has sent; `bench_s` is the bench's time before, 0: not known.

    Raises
    ------
    AnalyzerError
        They do not come, or end before this time: the analyzer has sent nothing more.
    """
    capture.wait_quiet(samples, deadline_s=ARRIVAL_S)
    reached_s = capture.samples_received / source.samplerate_hz
    if reached_s * (1 + CLOCK_PPM * 1e-6) < bench_s - STALL_S:
        noticed_s = time.monotonic() + NOTICE_S
        while time.monotonic() < noticed_s:
            capture.check()
            time.sleep(POLL_S)
        raise AnalyzerError(
            f"no sample after {reached_s:.6f} s, after {capture.samples_received} samples; the bench ran on to "
            f"{bench_s:.3f} s",
            where=source.driver,
            remedy="check the analyzer's connection",
        )


def wait_taken(capture: Capture, *, samplerate_hz: int) -> None:
    """Wait for the samples that a real analyzer has taken up to now, when the nodes have reported, and a few more.

    Raises
    ------
    AnalyzerError
        They come too slowly; silence is an error of the capture.
    """
    reported = capture.sample_now()
    enough = reported + round(TAIL_S * samplerate_hz)
    deadline_s = time.monotonic() + ARRIVAL_S
    while capture.samples_received < enough and not capture.has_ended:
        if time.monotonic() > deadline_s:
            missing_s = (enough - capture.samples_received) / samplerate_hz
            raise AnalyzerError(
                f"{ARRIVAL_S:g} s after the nodes have reported, the last {missing_s:.3f} s of samples are missing",
                where=capture.analyzer.driver,
                remedy="use a lower samplerate, fewer channels, or a host that does less",
            )
        time.sleep(POLL_S)
        capture.check()
    capture.check()
