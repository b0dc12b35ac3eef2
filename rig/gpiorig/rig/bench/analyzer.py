"""The analyzers of a bench file."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from gpiorig.capture.recording.recording import SyncDelay


class Analyzer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logic analyzer: samplerate, and sigrok's driver with its connection; a virtual one has none before it runs.

    `sync` is the channel that the sync line is on (docs/reference/sync-line.md), `sync_delay_ns` how long the line
    takes to it, within plus or minus `sync_delay_limit_ns`. The three after them are limits of what it may be off by,
    where they are better known than by its driver (docs/guide/uncertainty.md). `config` has options of sigrok's driver.
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
