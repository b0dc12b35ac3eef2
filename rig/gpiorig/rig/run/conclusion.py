"""The end of a run's recording: losses are looked for in that of each analyzer, and several are merged."""

from __future__ import annotations

from collections.abc import Mapping

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sigrok import conclusion
from gpiorig.capture.sigrok.conclusion import CODED
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.rig.bench import synchronization, virtual_section
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.recordings import merge

SYNC = "sync"  # what the sync line's channel is called
BENCH_COUNT = "the virtual bench's count of the samples that it sent"


def conclude(
    bench: Bench,
    recordings: dict[str, Recording],
    results: dict[str, CaptureResult],
    recording: Recording,
    *,
    counts: Mapping[str, int] | None = None,
) -> Recording:
    """Finish the recording of a run: look for losses in that of each analyzer, and merge several.

    Parameters
    ----------
    bench
        The bench.
    recordings, results
        The recording of each analyzer, and how its capture ended.
    recording
        That of the run.
    counts
        How many samples each analyzer of a virtual bench has sent, where that is known.

    Returns
    -------
    Recording
        Finished as complete, or as incomplete with the reasons.
    """
    concluded = []
    for name, part in recordings.items():
        beats = {SYNC: CODED} if bench.analyzers[name].sync else {}
        bounds = _counted(bench, name, results[name].samples, counts or {})
        concluded.append(conclusion.conclude(part, results[name], heartbeats=beats, bounds=bounds)[0])
    if len(concluded) == 1:
        return concluded[0]
    lines = synchronization.receivers(bench)
    receivers = None if lines is None else {recordings[name].folder: line for name, line in lines.items()}
    return merge.merge(concluded, recording, sync=SYNC, receivers=receivers)


def _counted(bench: Bench, name: str, samples: int, counts: Mapping[str, int]) -> tuple[Bound, ...]:
    """What the count of a virtual analyzer shows: all that it has sent is here; a fault may drop more before that."""
    if counts.get(name) != samples or not samples or virtual_section.drops(bench, name):
        return ()
    return (Bound(start=0, end=samples, limit_samples=1, found_by=BENCH_COUNT),)
