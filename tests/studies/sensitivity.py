"""`make sensitivity`: what the doubt about the timing model does to the steps of a packet.

Each number of `timing.PARAMETERS` that is in doubt takes its lowest and its highest value, one at a time. The shares by
which steps get longer are printed and stored: model_doubt.toml, from which reports of virtual runs take their doubt.
"""

from __future__ import annotations

import datetime
import hashlib
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import directbench
import numpy as np

from gpiorig.analysis.delays import model_doubt
from gpiorig.analysis.delays.instruments import Setting
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.routes import ROUND_TRIP
from gpiorig.analysis.packets.steps import Step
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse
from gpiorig.vbench.description import timing
from gpiorig.vbench.description.model_doubt import FILE
from gpiorig.vbench.description.timing import Range

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "rig/vbench/gpiorig/vbench/description" / FILE
BOARDS_SOURCES = ROOT / "rig/vbench/vboards/src"
EXPERIMENT = (ROOT / "experiments/pingpong.toml").read_text().replace("backoff = true", "backoff = false")
PACKETS = 200
# Two boards of a type on a bench each.
BOARDS = {
    "iotlab-m3": "rig/vbench/gpiorig/vbench/benches/demo.toml",
    "nucleo-l476rg-at86rf231": "tests/data/nucleo_at86rf231_bench.toml",
    "nucleo-l476rg": "tests/data/spirit1_bench.toml",
    "nrf52840dk": "tests/data/nrf52840dk_bench.toml",
}
LEAST = 0.0005  # a share below that is none
SHOWN = ("software", "driver", "interrupt")
WAITS = "prepare the radio"  # may wait for the radio, and then swallows what was spent before it


@dataclass(frozen=True, slots=True)
class Medians:
    """Medians in µs: of the round trip, and of the steps by the keys of `Setting`, summed."""

    rtt: float
    steps: dict[str, float]

    def shares(self, model: Medians) -> dict[str, float]:
        """By which share each is longer than the model's; without those below `LEAST`."""
        shares = {key: us / model.steps[key] - 1 for key, us in self.steps.items()}
        return {key: round(share, 4) for key, share in shares.items() if abs(share) >= LEAST}


def key_of(step: Step) -> str:
    """The kind of a step; its name where it waits for what the radio still does."""
    return step.name if step.short == WAITS else step.kind.value


def medians(bench: str, settings: str) -> Medians:
    """Record the ping-pong without backoff under a changed model."""
    with tempfile.TemporaryDirectory() as folder:
        text = f"{bench}\n[virtual.timing]\n{settings}\n"
        recording = directbench.record(Path(folder) / "bench", text, EXPERIMENT, packets=PACKETS)
        result = analyse(open_recording(recording))
        problems = checks.failed_checks(result, recording)
    route = next(route for route in result.routes if route.name == ROUND_TRIP)
    if problems or len(route) != PACKETS:
        sys.exit(f"{settings}: {len(route)} of {PACKETS} packets complete; {problems}")
    samples_per_us = float(route.steps.samplerate_hz) / 1e6
    sums: dict[str, float] = {}
    for step, samples in zip(route.steps.steps, route.steps.samples.T, strict=True):
        if step.kind is not Kind.AIR:
            sums[key_of(step)] = sums.get(key_of(step), 0.0) + float(np.median(samples)) / samples_per_us
    return Medians(float(np.median(route.totals)) / samples_per_us, sums)


def in_doubt(board: str) -> dict[str, Range]:
    """The numbers whose lowest and highest value differ, with their ranges."""
    return {name: limits for name, limits in timing.of(board).items() if limits.lowest != limits.highest}


def measure(board: str) -> Iterator[str]:
    """Print the rows of a board, and yield the lines of its table in the file."""
    bench = (ROOT / BOARDS[board]).read_text()
    model = medians(bench, "")
    row(board, "the model", [f"{us:.1f} µs" for us in (model.rtt, *(model.steps[kind] for kind in SHOWN))])
    settings = []
    for name, limits in in_doubt(board).items():
        ends: dict[str, dict[str, float]] = {}
        for end, value in (("lowest", limits.lowest), ("highest", limits.highest)):
            if value == limits.model:
                continue
            changed = medians(bench, f"{name} = {value}")
            pairs = [(changed.rtt, model.rtt), *((changed.steps[kind], model.steps[kind]) for kind in SHOWN)]
            row(board, f"{name} {value}, not {limits.model}", [f"{100 * (new / old - 1):+.2f} %" for new, old in pairs])
            ends[end] = changed.shares(model)
        settings.append(Setting(name, ends.get("lowest", {}), ends.get("highest", {})))
        yield f"\n[boards.{board}.{name}]\nrange = {list(limits)}"
        for end, shares in ends.items():
            cells = ", ".join(f'"{key}" = {share}' for key, share in shares.items())
            yield f"{end} = {{ {cells} }}"
    parts = [shift for key, us in model.steps.items() for shift in model_doubt.shifts(settings, key, key, us)]
    groups = [(model_doubt.summed(parts), model.rtt)]
    groups += [(model_doubt.shifts(settings, kind, kind, us), us) for kind in SHOWN for us in (model.steps[kind],)]
    ranges = [(model_doubt.combined(shifts), us) for shifts, us in groups]
    shares = [(100 * doubt.low_ns / us, 100 * doubt.high_ns / us) for doubt, us in ranges]
    row(board, "together", [f"{low:+.1f} to {high:+.1f} %" for low, high in shares])


def row(board: str, changed: str, cells: list[str]) -> None:
    """Print a row of the table."""
    print(f"| {board} | {changed} | {' | '.join(cells)} |", flush=True)


def sources() -> str:
    """Twelve digits of the sha256 of the boards' sources."""
    files = sorted(BOARDS_SOURCES.rglob("*.rs"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def main() -> None:
    """Print the table in Markdown, and store the shares."""
    row("board", "changed", ["RTT", *SHOWN])
    row("--", "--", ["-:"] * (len(SHOWN) + 1))
    head = [
        "# Made by `make sensitivity` (tests/studies/sensitivity.py): by board and number of the model its value,",
        "# the lowest and the highest that silicon may have, and the share by which steps (kind or name) get longer.",
        f'date = "{datetime.datetime.now(datetime.UTC).date()}"',
        f'sources = "{sources()}"  # sha256 of rig/vbench/vboards/src',
        f"packets = {PACKETS}",
    ]
    STORED.write_text("\n".join([*head, *(line for board in BOARDS for line in measure(board))]) + "\n")


if __name__ == "__main__":
    main()
