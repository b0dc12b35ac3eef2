"""On the air: the frames around the waits of one step, and when each packet met another node's first."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.attribution import airtime
from gpiorig.analysis.attribution.airtime import Flags, Intervals, Samples

NEVER = np.inf


@dataclass(frozen=True, slots=True, eq=False)
class Wait:
    """Frames that the packets of a route met in one wait for the radio.

    Parameters
    ----------
    others
        float64[k], samples from the beginning of the wait to the first frame of another node on the air; 0 for one
        that is there already, inf where none is before the wait ends.
    repeated
        bool[k], the packet's own frame was on the air before, or collided.
    starts, ends
        int64[f], frames of other nodes over the entire recording, merged where they overlap.
    span
        int64, samples of the recording.
    """

    others: NDArray[np.float64]
    repeated: Flags
    starts: Samples
    ends: Samples
    span: int

    def __len__(self) -> int:
        return len(self.others)

    def rows(self, rows: Samples) -> Wait:
        """The frames around the waits of some of the packets."""
        return replace(self, others=self.others[rows], repeated=self.repeated[rows])

    def chance(self, window: float) -> float:
        """Probability that a frame of another node is on the air within a window of this many samples, at any time."""
        if not len(self.starts):
            return 0.0
        apart = self.starts[1:] - self.ends[:-1]
        covered = float(np.sum(self.ends - self.starts)) + float(np.minimum(apart, window).sum()) + window
        return min(1.0, covered / max(self.span, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Air:
    """Frames on the air around the waits of one step.

    Parameters
    ----------
    begins, ends
        int64[k], samples between which each packet waited.
    lengths
        int64[k], samples that its frame is on the air.
    attempts
        Earlier frames of the packets, each within a wait; merged.
    others
        Frames of other nodes that a line shows, over the entire recording; merged.
    unreceived
        Transmissions of other nodes that the receiver did not receive, by their reported end; merged.
    hidden
        bool[k], such a transmission lies within the wait and no attempt that a line shows overlaps it.
    unclear
        bool[k], a frame within the wait may be the packet's own or another node's, or where one was is not known.
    unseen
        bool[k], another node was sending during the wait, and no line shows the frames of that node.
    foreign
        bool[k], such a node that is not a sender of the route.
    commanded
        Whether the driver's commands show every attempt.
    samplerate_hz, span
        Exact samplerate; samples of the recording.
    """

    begins: Samples
    ends: Samples
    lengths: Samples
    attempts: Intervals
    others: Intervals
    unreceived: Intervals
    hidden: Flags
    unclear: Flags
    unseen: Flags
    foreign: Flags
    commanded: bool
    samplerate_hz: Fraction
    span: int

    @property
    def wait(self) -> Wait:
        """The first instant at which each packet met another node's frame, and whether it was repeated."""
        first = np.searchsorted(self.others.ends, self.begins, side="right")
        start = np.append(self.others.starts, np.iinfo(np.int64).max)[first]
        return Wait(
            others=np.where(start < self.ends, np.maximum(start - self.begins, 0).astype(np.float64), NEVER),
            repeated=self.hidden | (airtime.count_within(self.attempts, self.begins, self.ends) > 0),
            starts=self.others.starts,
            ends=self.others.ends,
            span=self.span,
        )
