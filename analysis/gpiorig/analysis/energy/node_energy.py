"""The energy of a node, by step of its packets, layer and state: measured, or estimated from states.

A node's time from its first event, or step, to its last is cut where a step, a layer or a state begins or ends. A
segment is of all steps that are under way at the node, in equal shares; a step on the air is at its sender and at its
receiver, each with that node's own energy. Of layers and of states each segment has one. So each division adds up to
the node's energy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.energy import segments, states
from gpiorig.analysis.energy.segments import Energies, Segments
from gpiorig.analysis.energy.states import PROCESSOR, RADIO
from gpiorig.analysis.energy.trace_clock import TraceClock
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.ids import code_set
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.processor import ownership
from gpiorig.capture.power.trace import PowerTrace

Samples = NDArray[np.int64]
Floats = NDArray[np.float64]
ESTIMATE = "estimate, not measured"
MEASURED = "measured"
_IS_RIG = code_set(code for code, event in BY_CODE.items() if event.layer == "rig")


@dataclass(frozen=True, slots=True)
class Current:
    """The current of a state, A, half width of what it may be, and where both are from."""

    amperes: float
    uncertainty: float
    source: str


@dataclass(frozen=True, slots=True)
class Supply:
    """What a board draws in each state of its processor and of its radio, at a voltage.

    Parameters
    ----------
    volts
        Voltage of the supply.
    currents
        By state: ``run`` and ``sleep`` of the processor, ``send``, ``listen`` and ``off`` of the radio.
    """

    volts: float
    currents: Mapping[str, Current]

    def above_sleep(self) -> Supply:
        """What is drawn in each state beyond a processor that sleeps and a radio that is off."""
        currents = dict(self.currents)
        for base, above in (("sleep", ("run",)), ("off", ("send", "listen"))):
            least = self.currents[base]
            for state in above:
                of_state = self.currents[state]
                doubt = of_state.uncertainty + least.uncertainty
                currents[state] = Current(of_state.amperes - least.amperes, doubt, of_state.source)
            currents[base] = Current(0.0, 0.0, least.source)
        return Supply(self.volts, currents)

    def bounds(self, names: tuple[str, ...]) -> Floats:
        """float64[2, s], least and greatest power of each state; one that is not shown is any of the others."""
        used = {name: current for name, current in self.currents.items() if name in names}
        low = {name: self.volts * (used[name].amperes - used[name].uncertainty) for name in used}
        high = {name: self.volts * (used[name].amperes + used[name].uncertainty) for name in used}
        assumed = {name: name.partition(",")[0] for name in names}
        return np.array(
            [
                [low.get(assumed[name], min(low.values())) for name in names],
                [high.get(assumed[name], max(high.values())) for name in names],
            ]
        )


@dataclass(frozen=True, slots=True, eq=False)
class Owners:
    """The steps at a node: int64[r] each.

    Parameters
    ----------
    routes, columns
        Place of the route, and of the step in it.
    packets
        Row of the packet; of a round trip that of its request.
    ids
        Its id.
    begins, ends
        Samples.
    """

    routes: Samples
    columns: Samples
    packets: Samples
    ids: Samples
    begins: Samples
    ends: Samples


class NodeTime:
    """A node's time, divided.

    Parameters
    ----------
    analysis
        Analysis of the recording.
    node
        Name of the node.
    windows
        int64[k, 2], further intervals of which the energy is asked, in samples.

    Raises
    ------
    EventError
        The recording has no events of this node.
    """

    def __init__(self, analysis: Analysis, node: str, *, windows: Samples | None = None) -> None:
        events = analysis.events
        number = events.node(node) if node in events.node_names else -1
        seen = events.samples[(events.nodes == number) & ~_IS_RIG[events.codes]]
        if len(seen) < 2:
            raise EventError(f"{node}: no events of its own; the recording has {', '.join(events.node_names)}.")
        self.node, self._analysis = node, analysis
        index = Index(events)
        self._owned = states.occupants(events, index, number)
        self.owners = _owners(analysis, node)
        processor, of_processor = states.processor_bounds(self._owned)
        radio, of_radio = states.radio_bounds(events, index, analysis.hops, number)
        begin, end = np.append(self.owners.begins, seen[0]).min(), np.append(self.owners.ends, seen[-1]).max()
        asked = np.empty(0, dtype=np.int64) if windows is None else windows.ravel()
        cuts = [self.owners.begins, self.owners.ends, processor, radio, asked]
        self.bounds = np.unique(np.clip(np.concatenate([*cuts, [begin, end]]), begin, end))
        begins = self.bounds[:-1]
        self.processor = of_processor[np.searchsorted(processor, begins, side="right") - 1]
        self.radio = of_radio[np.maximum(np.searchsorted(radio, begins, side="right") - 1, 0)]
        self.durations = np.diff(self.bounds)

    def place(self, samples: Samples) -> Samples:
        """Indices into `bounds` of samples that are among them, or outside."""
        return np.searchsorted(self.bounds, np.clip(samples, self.bounds[0], self.bounds[-1]))

    @cached_property
    def shares(self) -> Samples:
        """int64[m], how many steps own each segment."""
        counts = np.zeros(len(self.bounds), dtype=np.int64)
        np.add.at(counts, self.place(self.owners.begins), 1)
        np.add.at(counts, self.place(self.owners.ends), -1)
        return np.cumsum(counts)[:-1]

    @cached_property
    def layers(self) -> tuple[tuple[str, ...], Samples]:
        """Names of the layers, sleep and the rest, and the place of each segment's."""
        owned, codes = self._owned, self._analysis.events.codes
        of_code = [BY_CODE[code].layer if code in BY_CODE else "" for code in range(256)]
        layers = tuple(dict.fromkeys(of_code))
        layer = np.array([layers.index(name) for name in of_code])[codes[owned.spans]]
        names = (*layers, *(ownership.name_of(key) for key in owned.keys))
        of_interval = np.where(owned.spans >= 0, layer, len(layers) + owned.occupants)
        return names, of_interval[np.searchsorted(owned.starts, self.bounds[:-1], side="right") - 1]

    @property
    def states(self) -> tuple[tuple[str, ...], Samples]:
        """Names of the states of processor and radio together, and the place of each segment's."""
        names = tuple(f"{processor}; {radio}" for processor in PROCESSOR for radio in RADIO)
        return names, self.processor * len(RADIO) + self.radio

    @property
    def unshown(self) -> float:
        """Share of the time in which the pins do not show a state: an assumed one is not shown."""
        is_unshown = (self.processor == PROCESSOR.index(states.UNSEEN)) | np.isin(
            self.radio, [RADIO.index(states.UNSHOWN), RADIO.index(states.ASSUMED)]
        )
        return float(self.durations[is_unshown].sum() / max(int(self.durations.sum()), 1))

    def measured(self, trace: PowerTrace, clock: TraceClock, *, clock_ppm: float) -> Segments:
        """The energy by a power trace."""
        return segments.measure(trace, clock, self.bounds, clock_ppm=clock_ppm)

    def estimated(self, supply: Supply) -> Segments:
        """The energy by the time in each state and the current of each; what is not shown widens ±."""
        low, high = (
            of_processor[self.processor] + of_radio[self.radio]
            for of_processor, of_radio in zip(supply.bounds(PROCESSOR), supply.bounds(RADIO), strict=True)
        )
        seconds = self.durations / float(self._analysis.events.samplerate_hz)
        nothing = np.zeros(len(seconds))
        return Segments(
            bounds=self.bounds,
            joules=(low + high) / 2 * seconds,
            shifts=np.zeros((2, len(seconds))),
            edges=np.zeros(len(self.bounds)),
            variances=nothing,
            limits=(high - low) / 2 * seconds,
            complete=np.ones(len(seconds), dtype=bool),
        )

    def of_steps(self, measured: Segments) -> Energies:
        """The energy of each of `owners`."""
        return measured.owned(self.place(self.owners.begins), self.place(self.owners.ends), self.shares)

    def within(self, measured: Segments, windows: Samples) -> Energies:
        """The energy of intervals int64[k, 2], each as if it were alone."""
        alone = np.ones(len(self.durations), dtype=np.int64)
        return measured.owned(self.place(windows[:, 0]), self.place(windows[:, 1]), alone)


def _owners(analysis: Analysis, node: str) -> Owners:
    """The steps of all packets of all routes at a node."""
    parts: list[list[Samples]] = [[np.empty(0, dtype=np.int64)] * 6]
    for number, route in enumerate(analysis.routes):
        ends = route.starts[:, None] + np.cumsum(route.steps.samples, axis=1)
        begins = ends - route.steps.samples
        for column, step in enumerate(route.steps.steps):
            if node in step.nodes and len(route):
                same = [np.full(len(route), value) for value in (number, column)]
                identity = [route.steps.rows.astype(np.int64), route.ids.astype(np.int64)]
                parts.append([*same, *identity, begins[:, column], ends[:, column]])
    return Owners(*(np.concatenate(column) for column in zip(*parts, strict=True)))
