"""Round trips next to a node that keeps the channel busy, with the truth about each wait; run it for the table.

    .venv/bin/python tests/support/interference.py [SEEDS] [PACKETS]

prints its shares next to those found; docs/guide/attribution.md has them in short. The truth comes from the length of a
wait: each further backoff adds full periods of 320 us and a measurement of the channel of 128 us (IEEE 802.15.4-2006,
7.5.1.4, 6.9.9), so a multiple of 64 us. A repetition adds the frame's time on the air, 54 symbols of waiting for the
acknowledgement and 16 us of start-up as well, which together are none. Attribution looks at the length only to find
where one backoff ends.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import numpy as np
from directbench import record

from gpiorig.analysis.attribution import frame_owners, on_air
from gpiorig.analysis.attribution.activities import activities
from gpiorig.analysis.attribution.attribute import attribute
from gpiorig.analysis.attribution.covariates import covariates
from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.attribution.shares import joining
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.packets.routes import Route
from gpiorig.rig.experiments.experiment import Experiment, NodeRole, Settings
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

BENCH = (files("gpiorig.vbench") / "benches" / "interference.toml").read_text()
ONE_BACKOFF_US, GRID_US = 7 * 320, 64  # macMinBE 3: up to 7 periods
CRYSTAL_US = 1  # that a wait of 25 ms is shorter or longer by the radio's crystal, 40 ppm at most off
WAITS = ("request: radio wait: exec done to first bit on air", "reply: radio wait: exec done to first bit on air")


@dataclass(frozen=True)
class Run:
    """A run with what was found on it.

    Attributes
    ----------
    without
        What is found where the third node's own pins are not on the analyzer.
    """

    route: Route
    attributions: dict[str, Attribution]
    without: dict[str, Attribution]

    def truth(self, step: str) -> np.ndarray:
        """int64[k]: 0 one backoff, 1 a busy channel, 2 repeated."""
        us = self.waits_us(step)
        beyond = np.rint(us - us.min()) + CRYSTAL_US
        return np.where(beyond <= ONE_BACKOFF_US + 2 * CRYSTAL_US, 0, np.where(beyond % GRID_US <= GRID_US / 8, 1, 2))

    def waits_us(self, step: str) -> np.ndarray:
        """float64[k], the waits of a step."""
        column = [route_step.name for route_step in self.route.steps.steps].index(step)
        return self.route.steps.samples[:, column] * 1e6 / float(self.route.steps.samplerate_hz)

    def true_shares(self, step: str) -> list[float]:
        """Of one backoff, a busy channel, retries."""
        return [share.value for share in joining(self.waits_us(step), self.truth(step), 3)]


def finding(attributions: dict[str, Attribution], step: str, kind: str) -> Finding | None:
    """The finding of a kind on a step, if there is one."""
    return next((one for one in attributions[step].findings if one.kind == kind), None)


def run(folder: Path, seed: int, *, packets: int, interval_us: int = 10_137) -> Run:
    """Ping-pong every 40 ms next to frames of 80 bytes every 10.137 ms."""
    experiment = Experiment(
        name="interference",
        initiator="initiator",
        responder="responder",
        packets=packets,
        settings=Settings(interval_us=40_000, timeout_us=35_000),
        nodes={"noise": NodeRole(start=True, app="interferer", interval_us=interval_us, payload=64)},
    )
    result = analyse(open_recording(record(folder, BENCH.replace("seed = 1\n", f"seed = {seed}\n"), experiment)))
    route = result.routes[0]
    given, periodic = covariates(result.round_trips, route), activities(result.events)
    both = [
        {
            attribution.step: attribution
            for attribution in attribute(route, covariates=given, activities=periodic, waits=waits(events, route))
        }
        for events in (result.events, _without(result.events, "noise"))
    ]
    return Run(route, *both)


def waits(events: Events, route: Route) -> dict[str, on_air.Wait]:
    """What the packets met on the air, by the name of the step."""
    return {name: air.wait for name, air in frame_owners.for_route(events, route).items()}


def _without(events: Events, node: str) -> Events:
    """The same events where a node's pins were not recorded."""
    rows = events.nodes != events.node(node)
    names = tuple(name for name in events.node_names if name != node)
    assert names == events.node_names[:-1]
    return replace(
        events,
        samples=events.samples[rows],
        nodes=events.nodes[rows],
        codes=events.codes[rows],
        ids=events.ids[rows],
        node_names=names,
    )


def main(seeds: int, packets: int) -> None:
    """Print the table."""
    print("| seed | wait | longer | busy: true | found | retries: true | found | one backoff: true | lattice |")
    print("|---|---|---:|---:|---|---:|---|---:|---|")
    for seed in range(1, seeds + 1):
        with tempfile.TemporaryDirectory() as folder:
            result = run(Path(folder), seed, packets=packets)
        for step in WAITS:
            one, busy, again = result.true_shares(step)
            channel, lattice = (finding(result.attributions, step, kind) for kind in ("channel", "lattice"))
            shares = [channel.numbers[f"{name}_share"] if channel else None for name in ("busy", "retries")]
            shares.append(lattice.numbers["share"] if lattice else None)
            texts = [f"{100 * s.value:.1f} ({100 * s.low:.1f} to {100 * s.high:.1f})" if s else "-" for s in shares]
            longer = int(np.count_nonzero(result.truth(step)))
            print(
                f"| {seed} | {step.split(':')[0]} | {longer} of {len(result.route)} | {100 * busy:.1f} | {texts[0]} | "
                f"{100 * again:.1f} | {texts[1]} | {100 * one:.1f} | {texts[2]} |"
            )
            alone = finding(result.without, step, "channel")
            print(
                f"    {result.attributions[step].sentence}\n    without: {alone.sentence if alone else '-'}",
                file=sys.stderr,
            )


if __name__ == "__main__":
    main(*(int(argument) for argument in (*sys.argv[1:], "10", "1000")[:2]))
