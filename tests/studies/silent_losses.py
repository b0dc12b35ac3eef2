"""Samples that an analyzer loses without a word: which the real `gpiorig capture` finds, by size and by position.

.venv/bin/python tests/studies/silent_losses.py [--write]     the scan; with --write, docs/evidence/complete-captures.md
.venv/bin/python tests/studies/silent_losses.py --arrivals    how late samples come here, idle and busy
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/support"))

from evidence import table, write_table  # noqa: E402
from lossy_analyzer import LossyAnalyzer, Plan  # noqa: E402

from gpiorig.capture.recording.recording import Recording  # noqa: E402
from gpiorig.capture.sigrok.analyzer import scan  # noqa: E402
from gpiorig.capture.sigrok.capture import Capture, Request  # noqa: E402
from gpiorig.capture.sigrok.loss_by_clock import SETTLED_WINDOWS  # noqa: E402
from gpiorig.capture.sigrok.wall_clock import WINDOW_NS, WallClock  # noqa: E402

GPIORIG = Path(sys.executable).parent / "gpiorig"
PAGE = ROOT / "docs/evidence/complete-captures.md"
RATE_HZ = 1_000_000
AT_ONCE = 4
# Seconds, captures, losses in each; a third of the losses are in the last second, and captures without any come last.
SCAN = ((3, 60, 1), (6, 30, 2), (10, 20, 2), (20, 10, 4), (60, 4, 12), (3, 20, 0), (10, 10, 0))
APART_S = 0.7
SIZES = ("below the bound", "1 to 2 times", "2 to 10 times", "more")
PLACES = ("first 0.5 s", "middle", "last 1 s", "last 0.1 s")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A loss, and what became of it: its share of the bound that is stated at its place."""

    duration_s: int
    at_s: float
    ratio: float
    is_found: bool
    state: str

    @property
    def is_false(self) -> bool:
        """The bound that is stated does not hold."""
        return not self.is_found and self.ratio >= 1

    @property
    def size(self) -> str:
        """The class of its size."""
        return SIZES[int(np.searchsorted([1, 2, 10], self.ratio, side="right"))]

    @property
    def place(self) -> str:
        """The class of its position."""
        left_s = self.duration_s - self.at_s
        return PLACES[0 if self.at_s < 0.5 else 3 if left_s < 0.1 else 2 if left_s < 1 else 1]


def plan(random: np.random.Generator, duration_s: int, losses: int) -> Plan:
    """Losses at random places, apart from each other, of 0.3 ms to 1 s."""
    places_s: list[float] = []
    while len(places_s) < losses:
        at_s = float(random.uniform(0, duration_s))
        if random.random() < 1 / 3:
            at_s = duration_s - float(random.exponential(0.2))
        if 0 < at_s and all(abs(at_s - place_s) > APART_S for place_s in places_s):
            places_s.append(at_s)
    sizes_s = np.exp(random.uniform(np.log(0.3e-3), np.log(random.choice([5e-3, 1.0])), losses))
    return Plan(
        losses=[(at_s, round(size_s * RATE_HZ)) for at_s, size_s in zip(places_s, sizes_s.tolist(), strict=True)],
        ppm=float(random.uniform(-100, 100)),
    )


def captured(plan: Plan, duration_s: int, folder: Path) -> tuple[Recording, list[tuple[int, int]]]:
    """Record an analyzer of this plan by the command line; the recording, and what was lost before its end."""
    with LossyAnalyzer(plan) as analyzer:
        words = ["capture", "-d", analyzer.driver, "--samplerate", "1MHz", "--duration", f"{duration_s}s", "-o", folder]
        subprocess.run([GPIORIG, *words], check=False, stdout=subprocess.DEVNULL)
        lost = analyzer.lost()
    return Recording.open(folder), [(at, samples) for at, samples in lost if at < duration_s * RATE_HZ]


def outcomes(recording: Recording, lost: Sequence[tuple[int, int]], duration_s: int) -> Iterator[Outcome]:
    """What became of each loss."""
    info = recording.info
    for at, samples in lost:
        limits = [bound.limit_samples for bound in info.bounds if bound.start <= at < bound.end and bound.is_checked]
        ratio = samples / limits[0] if limits and isinstance(limits[0], int) else float("inf")
        is_found = any(loss.start <= at <= loss.end for loss in info.losses)
        yield Outcome(duration_s, at / RATE_HZ, ratio, is_found, info.state)


def scanned(seed: int = 1) -> tuple[list[Outcome], Counter[str], list[float]]:
    """All captures of the scan: each loss, the states of captures without one, and the bounds of these in ms."""
    random = np.random.default_rng(seed)
    cases = [(plan(random, duration_s, losses), duration_s) for duration_s, n, losses in SCAN for _ in range(n)]
    losses: list[Outcome] = []
    clean: Counter[str] = Counter()
    bounds_ms: list[float] = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(AT_ONCE) as pool:
        runs = [
            pool.submit(captured, plan, duration_s, Path(folder) / str(number))
            for number, (plan, duration_s) in enumerate(cases)
        ]
        for run, (_, duration_s) in zip(runs, cases, strict=True):
            recording, lost = run.result()
            losses += outcomes(recording, lost, duration_s)
            if not lost:
                clean[recording.state] += 1
                limits = [bound.limit_samples for bound in recording.info.bounds[1:]]
                bounds_ms += [1e3 * limit / RATE_HZ for limit in limits if isinstance(limit, int)]
    return losses, clean, bounds_ms


def share(losses: Sequence[Outcome]) -> str:
    """How many of some losses were found."""
    return f"{sum(outcome.is_found for outcome in losses)} of {len(losses)}" if losses else ""


def scan_table(losses: Sequence[Outcome]) -> str:
    """Losses found of those that were made, by size and position, and by size and duration."""
    rows = [
        [size, *(share([loss for loss in losses if loss.size == size and loss.place == place]) for place in PLACES)]
        for size in SIZES
    ]
    durations = sorted({outcome.duration_s for outcome in losses})
    more = [
        [
            size,
            *(
                share([loss for loss in losses if loss.size == size and loss.duration_s == seconds])
                for seconds in durations
            ),
        ]
        for size in SIZES
    ]
    return "\n".join(
        [
            table(["size, of the bound there", *PLACES], rows),
            table(["size, of the bound there", *(f"{seconds} s" for seconds in durations)], more),
        ]
    )


def summary(losses: Sequence[Outcome], clean: Counter[str], bounds_ms: Sequence[float]) -> str:
    """The numbers of the scan, as text."""
    wrong = [loss for loss in losses if loss.is_false]
    states = Counter(loss.state for loss in losses)
    return (
        f"{share(losses)} losses were found; by the state of their recording: {dict(states)}. Not found although "
        f"at or beyond the bound that is stated at their place: {len(wrong)}; of these in a recording called complete: "
        f"{sum(loss.state == 'complete' for loss in wrong)}. Captures without a loss: {dict(clean)}; their bounds "
        f"after 0.5 s: median {np.median(bounds_ms):.2f} ms, largest {max(bounds_ms):.2f} ms."
    )


def arrivals(seconds: float, *, busy: int) -> str:
    """How late the best block of some windows in a row is, in a capture while `busy` processes compute."""
    rows: list[tuple[int, int]] = []
    note = WallClock.note

    def record(clock: WallClock, samples: int, now_ns: int) -> None:
        rows.append((now_ns, samples))
        note(clock, samples, now_ns)

    WallClock.note = record  # type: ignore[method-assign]
    with contextlib.ExitStack() as stack, tempfile.TemporaryDirectory() as folder:
        for _ in range(busy):
            process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            stack.callback(process.wait)
            stack.callback(process.kill)
        analyzer = stack.enter_context(LossyAnalyzer(Plan()))
        channels = scan(analyzer.driver).channels
        request = Request(driver=analyzer.driver, channels=channels, samplerate_hz=RATE_HZ, silence_s=10)
        with Capture.start(request, Path(folder)):
            time.sleep(seconds)
        lost = analyzer.lost()
    WallClock.note = note  # type: ignore[method-assign]
    times_ns, samples = np.array(rows).T
    late_ms = (times_ns - times_ns[0] - samples * (1e9 / RATE_HZ)) / 1e6
    windows = (times_ns - times_ns[0]) // WINDOW_NS
    best_ms = np.array([late_ms[windows == window].min() for window in np.unique(windows)]) - late_ms.min()
    worst = {
        length: round(float(np.lib.stride_tricks.sliding_window_view(best_ms, length).min(axis=1).max()), 2)
        for length in (1, 2, 4, SETTLED_WINDOWS, 2 * SETTLED_WINDOWS)
    }
    quantiles = np.quantile(late_ms - late_ms.min(), [0.5, 0.9, 0.99, 1]).round(2).tolist()
    return json.dumps(
        {"busy": busy, "blocks": len(rows), "late_ms": quantiles, "best_of_windows_ms": worst, "lost": lost}
    )


def main(arguments: Sequence[str]) -> None:
    """Do what the first lines of this file state."""
    if "--arrivals" in arguments:
        for busy in (0, 2 * (os.cpu_count() or 1)):
            print(arrivals(20, busy=busy), flush=True)
        return
    losses, clean, bounds_ms = scanned()
    for outcome in losses:
        if outcome.is_false:
            print(outcome)
    text = f"{summary(losses, clean, bounds_ms)}\n\n{scan_table(losses)}"
    print(text)
    if "--write" in arguments:
        write_table(PAGE, "silent losses", text)


if __name__ == "__main__":
    main(sys.argv[1:])
