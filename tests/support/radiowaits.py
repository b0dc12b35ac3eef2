"""Radio waits on virtual benches, divided by the analysis and by the truth of the virtual air."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise, permutations
from pathlib import Path

import numpy as np
import truthbench
from directbench import record
from numpy.typing import NDArray

from gpiorig.analysis.attribution import frame_owners, radio_waits
from gpiorig.analysis.delays import radio_parts
from gpiorig.analysis.delays.radio_parts import RadioParts
from gpiorig.analysis.packets.routes import Route
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches, boards
from gpiorig.rig.bench.bench import BEAGLELOGIC_CHANNELS
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse
from gpiorig.vbench.boards import truth

LINES = ("tap.irq", "tap.frame_timestamp")
ACK_WAIT_PS = 864_000_000  # 54 symbols of 16 us
BYTE_PS = 32_000_000
ACK_PS = 11 * BYTE_PS
# What the radios' crystals make: a frame is seen at the next edge of 16 MHz, and the longest one, of 133 bytes, lasts
# up to 40 ppm longer or shorter than its bytes.
CRYSTALS_NS = 62.5 + 40e-6 * 133 * 32e3


def bench_text(folder: Path, nodes: Mapping[str, str], *, lines: Mapping[str, tuple[str, ...]] | None = None) -> str:
    """A bench of nodes, name to board, with its truth; `lines` names those of a node that does not have all."""
    channels = iter(BEAGLELOGIC_CHANNELS)
    text = ['name = "radio waits"', "[analyzers.la]", "samplerate_hz = 24_000_000"]
    for name, board in nodes.items():
        known = boards.load(board)
        all_of_them = ("strobe", *known.data_lines, *(line for line in LINES if line in known.pins))
        text += [f"[nodes.{name}]", f'board = "{board}"', f"[nodes.{name}.lines]"]
        text += [f'"{line}" = "{next(channels)}"' for line in (lines or {}).get(name, all_of_them)]
    text += ["[virtual]", "seed = 1", f'truth = "{folder / "truth"}"', "[virtual.analyzers.la]", "clock_ppb = -3_000"]
    for number, name in enumerate(nodes):
        text += [f"[virtual.nodes.{name}]", f"clock_ppb = {12_000 - 9_000 * number}"]
    return "\n".join(text) + "\n"


def links(nodes: Mapping[str, str], loss_ppm: Mapping[tuple[str, str], int]) -> str:
    """All nodes within range of each other; a link loses this share of its frames."""
    text = []
    for sender, receiver in permutations(nodes, 2):
        text += ["[[virtual.links]]", f'from = "{sender}"', f'to = "{receiver}"', "delay_ps = 10_000"]
        text += [f"loss_ppm = {loss_ppm.get((sender, receiver), 0)}"]
    return "\n".join(text) + "\n"


@dataclass(frozen=True, slots=True, eq=False)
class Waits:
    """One radio wait of a recording.

    Parameters
    ----------
    parts
        As the analysis divides it.
    samples_ns, expanded_ns
        float64[k, 7], the parts and their stated uncertainty.
    true_ns
        float64[k, 5], what was on the air, and the backoff before and after the first attempt.
    true_attempts
        int64[k], earlier attempts.
    """

    parts: RadioParts
    samples_ns: NDArray[np.float64]
    expanded_ns: NDArray[np.float64]
    true_ns: NDArray[np.float64]
    true_attempts: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A recording with its route and its waits by the name of the step."""

    recording: Recording
    route: Route
    waits: dict[str, Waits]


def run(folder: Path, bench: str, experiment: Experiment, *, exact: bool = True) -> Run:
    """Record, divide, and divide by the truth.

    The constant of a virtual receiver is that of its board file, so `exact` leaves of its uncertainty what the radios'
    crystals make: the rest must not hide anything. A line that shows frames sent as well (CC2420) has another constant
    for them, within the uncertainty.
    """
    folder.mkdir(exist_ok=True)
    recording = record(folder, bench, experiment)
    opened = open_recording(recording)
    known, result = opened.instruments, analyse(opened)
    seen = result.routes[0]
    header_ns = {name: node.mark_ns for name, node in known.nodes.items()}
    divided = radio_waits.for_route(seen, frame_owners.for_route(result.events, seen, header_ns=header_ns))
    loaded = benches.loads(recording.info.bench)
    true = truthbench.true_route(folder / "truth", recording)
    frames = truth.frames(folder / "truth", loaded)
    if exact:
        nodes = {name: dataclasses.replace(node, mark_uncertainty_ns=CRYSTALS_NS) for name, node in known.nodes.items()}
        known = dataclasses.replace(known, nodes=nodes)
    _, here, there = np.intersect1d(seen.ids, true.ids, return_indices=True)
    assert len(seen) == len(here)
    waits = {}
    for parts in divided:
        step = seen.steps.steps[parts.column]
        true_ps, attempts = _true_parts(true, parts.column, frames, step.node)
        period_ns = 1e9 / float(seen.steps.samplerate_hz)
        waits[step.name] = Waits(
            parts=parts,
            samples_ns=parts.samples * period_ns,
            expanded_ns=np.column_stack(
                [
                    part.expanded_of(samples * period_ns) * (samples > 0)
                    for part, samples in zip(
                        radio_parts.uncertainties(parts, seen, known), parts.samples.T, strict=True
                    )
                ]
            ),
            true_ns=true_ps[there][np.argsort(here)] / 1e3,
            true_attempts=attempts[there][np.argsort(here)],
        )
    return Run(recording, seen, waits)


def _true_parts(
    true: Route, column: int, frames: Mapping[str, NDArray[np.int64]], sender: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of every packet int64[k, 5] in ps, and its earlier attempts; microsecond by microsecond where frames overlap."""
    own = frames[sender]
    # Of another node's frame: part of what that one is on the air for. Crystals are off by far less than half a byte.
    is_ack = np.abs(own[:, 1] - own[:, 0] - ACK_PS) < BYTE_PS / 2
    foreign = np.concatenate([own[is_ack], *(rows for name, rows in frames.items() if name != sender)])
    own = own[~is_ack]
    begins = true.starts + true.steps.samples[:, :column].sum(axis=1)
    ends = begins + true.steps.samples[:, column]
    parts, attempts = [], []
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        early = own[(own[:, 0] >= begin) & (own[:, 1] < end)]
        waits = np.column_stack([early[:, 1], np.minimum(early[:, 1] + ACK_WAIT_PS, end)])
        near = foreign[(foreign[:, 1] > begin) & (foreign[:, 0] < end)]
        edges = np.unique(
            np.clip(np.concatenate([[begin, end], early.ravel(), waits.ravel(), near.ravel()]), begin, end)
        )
        of_part = np.zeros(5, dtype=np.int64)
        for low, high in pairwise(edges.tolist()):
            inside = [bool(((rows[:, 0] <= low) & (high <= rows[:, 1])).any()) for rows in (early, waits, near)]
            backoff = 4 if len(early) and low >= early[0, 0] else 3
            of_part[inside.index(True) if any(inside) else backoff] += high - low
        parts.append(of_part)
        attempts.append(len(early))
    return np.array(parts), np.array(attempts)
