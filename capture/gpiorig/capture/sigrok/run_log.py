"""Ledger of a capture's runs of sigrok-cli: messages, checks of the host's clock, losses."""

from __future__ import annotations

from collections.abc import Iterator

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.sigrok import lost_transfers
from gpiorig.capture.sigrok.lost_transfers import Layout
from gpiorig.capture.sigrok.process import SigrokProcess
from gpiorig.capture.sigrok.request import Order
from gpiorig.capture.sigrok.result import CaptureResult, moved, wrong_rate
from gpiorig.capture.sigrok.session import WATCH_S, Session
from gpiorig.capture.sigrok.stream import SampleStream
from gpiorig.capture.sigrok.wall_clock import ClockCheck, WallClock, now_ns

OWN_COUNT = "the analyzer's own count: as many as were asked for came"
OWN_TIME = "none: the analyzer has a time of its own, which the host's clock does not tell"


class Ledger:
    """Collects what becomes the result of a capture.

    Attributes
    ----------
    losses
        What is known to be lost.
    pausing
        sigrok-cli has failed, and no sample has come since.
    """

    def __init__(self, order: Order, stream: SampleStream) -> None:
        self._request, self._stream = order.request, stream
        self._channels = order.used.bit_count()
        self.losses: list[Loss] = []
        self.pausing = False
        self._end = 0
        self._overruns: list[str] = []
        self._checks: list[ClockCheck] = []
        self._bounds: list[Bound] = []
        self._checked: WallClock | None = None
        self._stderr: list[str] = []
        self._runs = 0

    def keep(self, session: Session) -> None:
        """Keep what a run of sigrok-cli leaves; it is over."""
        process, stream = session.process, self._stream
        self._stderr.append(process.stderr)
        for line, (first_s, count) in process.overruns.items():
            times = f", {count} times" if count > 1 else ""
            self._overruns.append(f"sigrok-cli reports after {first_s - stream.first_s:.1f} s{times}: {line}")
        if stream.clock is self._checked:
            return  # it has sent no samples
        self._checked = stream.clock
        self._runs += 1
        lost = self._lost_transfers(process)
        if self._request.one_shot:
            self._bounds.append(Bound(start=stream.base, end=stream.samples, limit_samples=1, found_by=OWN_COUNT))
        elif self._request.is_real_time:
            check = stream.clock.check(end=stream.samples - stream.base)
            self._checks.append(check)
            bounds = tuple(moved(check.bounds, stream.base))
            self._bounds += bounds
            lost = lost_transfers.sized(lost, moved(check.losses, stream.base), bounds=bounds)
        else:
            self._bounds.append(Bound(start=stream.base, end=stream.samples, found_by=OWN_TIME))
        self.losses += lost

    def _lost_transfers(self, process: SigrokProcess) -> list[Loss]:
        """The USB transfers that a run has lost; without their places where these are unknown."""
        layout = Layout(driver=self._request.driver, channels=self._channels, unitsize=process.unitsize)
        stream = self._stream
        losses = lost_transfers.losses(
            process.transfers, layout, base=stream.base, received=stream.samples - stream.base
        )
        if losses is None:
            lost = process.transfers.lost
            count = sum(transfer.count for transfer in lost)
            self._overruns.append(f"{count} USB transfers were lost, their place is unknown: {lost[0].status}")
        return losses or []

    def end(self, error: CaptureError | None) -> int:
        """Number of the sample before which it ended, or should have ended where it `fills`."""
        stream, limit = self._stream, self._request.sample_limit
        if error is None and not self.pausing:
            return stream.samples
        if not self._request.is_real_time or self._request.fills:
            return max(stream.samples, limit or 0)
        noticed = stream.base + stream.clock.sample_at(now_ns())
        return max(stream.samples, noticed if limit is None else min(noticed, limit))

    def lost_the_end(self, start: int, end: int, error: CaptureError | None, *, in_files: bool) -> None:
        """The end of the capture is lost; `in_files`: the files have a gap for it, else there was no room for that."""
        self._end = end
        why = "a pause" if error is None else error.what.split(" (sigrok-cli reports")[0]
        self.losses.append(
            Loss(
                start=start,
                end=end if in_files else start,
                samples=end - start,
                uncertainty=round(WATCH_S * self._request.samplerate_hz),
                found_by=f"the end of the capture: {why}",
                in_files=in_files,
            )
        )

    def result(self, error: CaptureError | None, *, in_order: bool, rows: int) -> CaptureResult:
        """How the capture ended; `rows` are in the files."""
        stream = self._stream
        return CaptureResult(
            samples=max(stream.samples, self._end),
            size_bytes=stream.size_bytes,
            wall_s=stream.last_s - stream.first_s,
            edges=rows,
            in_order=in_order,
            stderr="\n".join(self._stderr),
            headroom=stream.headroom(),
            runs=self._runs,
            clocks=tuple(self._checks),
            losses=tuple(self.losses),
            bounds=tuple(self._bounds),
            problems=tuple(self._problems(error, in_order=in_order)),
        )

    def _problems(self, error: CaptureError | None, *, in_order: bool) -> Iterator[str]:
        """Problems of the capture, as text, other than losses."""
        if error is not None:
            yield str(error)
        elif not in_order and not self._request.one_shot:
            yield "sigrok-cli did not end in order: the tail of the capture may be missing"
        yield from self._overruns
        if text := wrong_rate(self._checks, samplerate_hz=self._request.samplerate_hz):
            yield text
