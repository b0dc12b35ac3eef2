"""What the correction for probes takes off, against firmware without probes: `python …/corrections.py FOLDER …`.

A folder is what `gpiorig firmware cost BENCH EXPERIMENT -o FOLDER` makes on a virtual bench; `normal` is compared with
`off`.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays import probe_costs, uncertainty
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

LOG_NS = 2000  # a difference of two differences of timestamps in integer microseconds


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """Of the round trip: true cost and what was taken off, float64[k] in ns; what was stated of the latter (k = 2)."""

    true_ns: NDArray[np.float64]
    taken_ns: NDArray[np.float64]
    stated_ns: float

    @property
    def errors_ns(self) -> NDArray[np.float64]:
        """float64[k]."""
        return self.taken_ns - self.true_ns

    @property
    def inside(self) -> float:
        """Share of the packets whose error is within what was stated."""
        return float(np.mean(np.abs(self.errors_ns) <= self.stated_ns + LOG_NS))

    def says(self) -> str:
        """The numbers in a line."""
        true, corrected, error = (np.median(values) / 1e3 for values in (self.true_ns, self.taken_ns, self.errors_ns))
        return (
            f"{len(self.true_ns)} packets: cost {true:.1f} us, taken off {corrected:.1f} us, error {error:+.1f} us, "
            f"stated {self.stated_ns / 1e3:.0f} us, inside {self.inside:.3f}"
        )


def correction(shown: Recording, bare: Recording) -> Correction:
    """Compare the same packets of a run with probes and of one without, by the initiator's own stamps."""
    result = analyse(open_recording(shown))
    route = result.routes[0]
    known = open_recording(shown).instruments
    costs = probe_costs.for_route(result.events, route, known)
    assert costs is not None
    whole = uncertainty.for_steps(route.steps, known, total=route.name, costs=costs)[-1]
    initiator = str(shown.info.parameters["initiator"])
    with_probes, without = (_round_trips(log[initiator]) for log in (result.logs, analyse(open_recording(bare)).logs))
    rows = [(row, id_) for row, id_ in enumerate(route.ids.tolist()) if id_ in with_probes and id_ in without]
    true_ns = np.array([1e3 * (with_probes[place] - without[place]) for _, place in rows])
    taken_ns = costs.costs_ns.sum(axis=1, dtype=np.float64)[[row for row, _ in rows]]
    return Correction(true_ns, taken_ns, whole.corrected_expanded_ns)


def _round_trips(log: NodeLog) -> dict[int, int]:
    """Microseconds by sequence number."""
    good = ~log.lost & (log.received_us >= 0) & (log.sent_us >= 0)
    us = (log.received_us[good] - log.sent_us[good]) % (1 << 32)
    return dict(zip(log.sequences[good].tolist(), us.tolist(), strict=True))


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]):
        print(folder.name, correction(*(Recording.open(folder / probes) for probes in ("normal", "off"))).says())
