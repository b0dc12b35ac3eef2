"""USB transfers as three of libsigrok's drivers report them: which were lost, after which sample, how many samples.

libsigrok 0.5.2, src/hardware/fx2lafw/protocol.c, dreamsourcelab-dslogic/protocol.c (receive_transfer, log level 4) and
saleae-logic16/protocol.c (logic16_receive_transfer, log level 3): each writes the status and the bytes of a transfer
before it uses it. Transfers that COMPLETED or TIMED_OUT become samples; those with 0 bytes are skipped; what a transfer
of any other status holds is thrown away, and the capture continues; more than 64 in a row of these two kinds end it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import msgspec

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss

_REPORT = re.compile(rb"receive_transfer\(\): status ([^\n]*?) received (\d+) bytes")
_GOOD = (b"COMPLETED", b"TIMED_OUT")
MAX_LOST = 1000
PACKET_BYTES = 512  # of a bulk endpoint at high speed (USB 2.0, 5.8.3): the least that a failed transfer loses
_FX2, _DSLOGIC, _LOGIC16 = "fx2lafw", "dreamsourcelab-dslogic", "saleae-logic16"
DRIVERS = (_FX2, _DSLOGIC, _LOGIC16)


@dataclass(frozen=True, slots=True)
class LostTransfers:
    """Transfers in a row that were thrown away: after how many bytes, how many, the bytes they held, their status."""

    after_bytes: int
    count: int
    held_bytes: int
    status: str


class Transfers:
    """Collects what a run of sigrok-cli reports of its transfers.

    Attributes
    ----------
    size_bytes
        Bytes of the transfers that became samples.
    largest_bytes
        The largest of these; a transfer that failed holds no more.
    lost
        Transfers that were thrown away, the first `MAX_LOST`.
    empty
        Transfers without a byte since the last one with samples.
    """

    def __init__(self) -> None:
        self.size_bytes = self.largest_bytes = self.empty = 0
        self.lost: list[LostTransfers] = []

    def feed(self, lines: bytes) -> None:
        """Take notice of complete lines of sigrok-cli's messages."""
        for status, size in _REPORT.findall(lines):
            if not status.endswith(_GOOD):
                self._lose(status.decode(errors="replace"), int(size))
            elif int(size):
                self.size_bytes += int(size)
                self.largest_bytes = max(self.largest_bytes, int(size))
                self.empty = 0
            else:
                self.empty += 1

    @property
    def failing(self) -> LostTransfers | None:
        """The transfers that were lost last, if no samples have come since."""
        return self.lost[-1] if self.lost and self.lost[-1].after_bytes == self.size_bytes else None

    def _lose(self, status: str, held_bytes: int) -> None:
        if failing := self.failing:
            count, held_bytes = failing.count + 1, failing.held_bytes + held_bytes
            self.lost[-1] = replace(failing, count=count, held_bytes=held_bytes)
        elif len(self.lost) < MAX_LOST:
            self.lost.append(LostTransfers(self.size_bytes, 1, held_bytes, status))


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How a driver makes samples of the bytes of its transfers.

    Attributes
    ----------
    driver
        Driver and connection.
    channels
        How many are captured.
    unitsize
        Bytes of a sample that fx2lafw gets.
    """

    driver: str
    channels: int
    unitsize: int

    def samples(self, size_bytes: int) -> int:
        """Samples in the bytes since the start of a run."""
        driver = self.driver.partition(":")[0]
        if driver == _DSLOGIC:  # 64 samples of a channel, then of the next one (deinterleave_buffer)
            return 64 * (size_bytes // (8 * self.channels))
        if driver == _LOGIC16:  # 16 samples of a channel, then of the next one (convert_sample_data)
            return 16 * (size_bytes // (2 * self.channels))
        return size_bytes // self.unitsize  # a byte or two for each sample (fx2lafw's la_send_data_proc)

    @property
    def rotates(self) -> bool:
        """Whether channels change places after a loss: saleae-logic16 continues to count words of 16 bits."""
        return self.driver.startswith(_LOGIC16) and PACKET_BYTES // 2 % self.channels != 0


def losses(transfers: Transfers, layout: Layout, *, base: int, received: int) -> list[Loss] | None:
    """The lost transfers of a run as losses, each at its place.

    Parameters
    ----------
    transfers
        What the run has reported.
    layout
        Of its samples.
    base, received
        Number of the run's first sample, and how many have come.

    Returns
    -------
    list of Loss
        Nothing for transfers that nothing came after: they are the end of the run. None: the bytes do not add up to the
        samples that came, so that no place is known.
    """
    if layout.driver.partition(":")[0] not in DRIVERS or not transfers.lost:
        return []
    if received > layout.samples(transfers.size_bytes):
        return None
    return [
        _loss(lost, transfers.largest_bytes, layout, base=base, received=received)
        for lost in transfers.lost
        if layout.samples(lost.after_bytes) < received
    ]


def _loss(lost: LostTransfers, largest_bytes: int, layout: Layout, *, base: int, received: int) -> Loss:
    """It lost what it held, or at least a packet, and at most all its transfers."""
    least = layout.samples(max(lost.held_bytes, PACKET_BYTES))
    start = base + layout.samples(lost.after_bytes)
    found_by = f"{_counted(lost.count)} ended with {lost.status}"
    if layout.rotates:
        found_by += ", after which the driver mixes up the channels"
    return Loss(
        start=start,
        end=base + received if layout.rotates else start,
        samples=least,
        uncertainty=max(layout.samples(lost.count * largest_bytes) - least, 0),
        found_by=found_by,
    )


def sized(placed: Iterable[Loss], by_clock: Iterable[Loss], *, bounds: Sequence[Bound]) -> list[Loss]:
    """Losses of known places, and what the host's clock tells of their sizes; those that it alone shows are kept.

    Parameters
    ----------
    placed
        Losses of transfers.
    by_clock
        Losses that the host's clock shows, with an interval in which each is.
    bounds
        The smallest losses that it would have shown.
    """
    unplaced, left = [], list(placed)
    result: list[Loss] = []
    for clock in by_clock:
        inside = [loss for loss in left if clock.start <= loss.start <= clock.end]
        most = sum(loss.samples + loss.uncertainty for loss in inside)
        if not inside or clock.samples - clock.uncertainty > most:
            unplaced.append(clock)  # more than these transfers can have lost
        else:
            result += [_measured(loss, clock) if len(inside) == 1 else loss for loss in inside]
        left = [loss for loss in left if loss not in inside]
    for loss in left:  # nothing that the clock would have shown
        limits = [bound.limit_samples for bound in bounds if bound.start <= loss.start <= bound.end]
        unseen = max((limit - loss.samples for limit in limits if limit is not msgspec.UNSET), default=loss.uncertainty)
        result.append(_with_size(loss, loss.samples, max(min(loss.uncertainty, unseen), 0)))
    return sorted([*result, *unplaced], key=lambda loss: loss.start)


def _measured(loss: Loss, clock: Loss) -> Loss:
    if abs(loss.samples - clock.samples) <= clock.uncertainty:
        return _with_size(loss, loss.samples, min(loss.uncertainty, clock.uncertainty))
    return _with_size(loss, min(clock.samples, loss.samples + loss.uncertainty), clock.uncertainty)


def _with_size(loss: Loss, samples: int, uncertainty: int) -> Loss:
    return Loss(start=loss.start, end=loss.end, samples=samples, uncertainty=uncertainty, found_by=loss.found_by)


def _counted(count: int) -> str:
    return f"{count} USB transfers" if count > 1 else "a USB transfer"
