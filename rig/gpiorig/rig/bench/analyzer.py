"""The analyzers of a bench file."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from gpiorig.capture.recording.recording import SyncDelay


class Analyzer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logic analyzer.

    Attributes
    ----------
    samplerate_hz
        Samples per second.
    driver
        Sigrok's driver with its connection, such as ``fx2lafw:conn=usb:1-3``; a virtual one has none before it runs.
    sync
        The channel that the sync line is on (docs/reference/sync-line.md).
    sync_frames
        In place of a sync line: a line of a radio receiver, as ``NODE.LINE``.
    sync_delay_ns, sync_delay_limit_ns
        How long the line takes to it, and the half width of the interval in which that is.
    clock_ppm, skew_ns, aperture_ns
        Half widths: of the clock's error, of what two channels or edges differ by, of the time around a sampling
        instant in which an edge may be shown by it or not; by its driver otherwise (docs/guide/uncertainty.md).
    config
        Options of sigrok's driver (``sigrok-cli -d DRIVER --show``).
    """

    samplerate_hz: Annotated[int, Meta(le=1_000_000_000)]
    driver: str | None = None
    sync: str | None = None
    sync_frames: str | None = None
    sync_delay_ns: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    sync_delay_limit_ns: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    clock_ppm: Annotated[float, Meta(ge=0, le=100_000)] | None = None
    skew_ns: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    aperture_ns: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    config: dict[str, str | int | float | bool] | None = None

    @property
    def sync_delay(self) -> SyncDelay | msgspec.UnsetType:
        """How long the sync line takes to it; unset if the bench file has nothing of it."""
        if self.sync_delay_ns is None and self.sync_delay_limit_ns is None:
            return msgspec.UNSET
        return SyncDelay(self.sync_delay_ns or 0.0, self.sync_delay_limit_ns or 0.0)

    @property
    def options(self) -> list[str]:
        """Its `config` as sigrok-cli takes it: ``key=value`` each."""
        words = {True: "on", False: "off"}
        given = (self.config or {}).items()
        return [f"{key}={words[value] if isinstance(value, bool) else value}" for key, value in given]
