"""The edges of one channel as arrays and as a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from gpiorig.analysis import columns
from gpiorig.analysis.measure import edges as measure
from gpiorig.api.tabular import Tabular, timed
from gpiorig.capture.edges import arrow_table
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError


@dataclass(frozen=True, eq=False, repr=False)
class Edges(Tabular):
    """The edges of a channel.

    A change that was seen at the end of lost samples has no instant, so it is not among them.

    Attributes
    ----------
    channel
        Name of the channel.
    samples
        int64[n], increasing: sample numbers.
    levels
        uint8[n], the level after each edge: 1 after a rise.
    gaps
        int64[k, 2], ranges of samples (from, to) that were lost.
    samplerate_hz
        Samples per second.
    table
        A row for each edge: `sample`, `level`, `time_s`, and `time` where that of sample 0 is known.
    """

    channel: str
    samples: NDArray[np.int64]
    levels: NDArray[np.uint8]
    gaps: NDArray[np.int64]
    samplerate_hz: float
    table: pa.Table

    @property
    def times_s(self) -> NDArray[np.float64]:
        """float64[n], seconds since sample 0."""
        return np.asarray(self.table.column("time_s").to_numpy())

    @property
    def rises(self) -> NDArray[np.int64]:
        """int64, the samples from which on the channel is high."""
        return np.asarray(self.samples[self.levels == 1])

    @property
    def falls(self) -> NDArray[np.int64]:
        """int64, the samples from which on the channel is low."""
        return np.asarray(self.samples[self.levels == 0])

    def __repr__(self) -> str:
        lost = f", {len(self.gaps)} gaps" if len(self.gaps) else ""
        return f"<Edges of {self.channel[:80]}: {len(self)} at {self.samplerate_hz / 1e6:g} MHz{lost}>"


def of_channel(waveform: Waveform, channel: str) -> Edges:
    """Read a capture once, and keep the edges of one channel; raises `CaptureError` for one that is not there."""
    if channel not in waveform.channels or not channel:
        names = ", ".join(filter(None, waveform.channels))
        raise CaptureError(f"no channel {channel!r} in this capture", remedy=f"available channels: {names or 'none'}")
    by_kind, gaps = measure.instants(waveform, [(channel, "edge")])
    instants = by_kind[channel, "edge"]
    plain = columns.table({"sample": instants.samples, "level": instants.levels}, waveform.samplerate_hz)
    table = timed(plain, waveform.samplerate_hz, waveform.epoch)
    return Edges(channel, instants.samples, instants.levels, gaps, float(waveform.samplerate_hz), table)


def all_levels(waveform: Waveform) -> pa.Table:
    """A row wherever a channel changed, a column for each channel, as `gpiorig export -o FILE.parquet` writes it."""
    rows = pa.Table.from_batches(arrow_table.batches(waveform), arrow_table.schema(waveform))
    return timed(rows, waveform.samplerate_hz, waveform.epoch)
