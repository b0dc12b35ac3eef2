"""Captures of modelled USB analyzers against the truth of their bus: the tables of docs/evidence/usb.md.

PYTHONPATH=tests/support:tools .venv/bin/python tests/studies/usb_captures.py faults
PYTHONPATH=tests/support:tools .venv/bin/python tests/studies/usb_captures.py captures [SECONDS]
PYTHONPATH=tests/support:tools .venv/bin/python tests/studies/usb_captures.py replugged
"""

from __future__ import annotations

import os
import re
import resource
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import evidence
from commandline import ROOT
from modelledusb import captured, plugged
from replugged import replugged
from usbcases import CASES
from usbtruth import Comparison
from virtualbench import build_tick

PAGE = ROOT / "docs/evidence/usb.md"
SECONDS = 480.0
PPM = 37
LONG = {
    "24 MS/s, 8 channels": ("fx2", "24MHz", 24e6),
    "12 MS/s, 16 channels": ("fx2-16", "12MHz", 12e6),
}
WORDS = 190  # characters of a cell


def main() -> None:
    """Write one of the tables."""
    what, *rest = sys.argv[1:]
    if what == "faults":
        evidence.write_table(PAGE, "usb-faults", fault_table())
    elif what == "replugged":
        evidence.write_table(PAGE, "usb-replugged", replugged_table())
    else:
        text = capture_table(float(rest[0]) if rest else SECONDS)
        if not rest:
            evidence.write_table(PAGE, "usb-captures", text)


def fault_table() -> str:
    """A row for each case."""
    head = ["fault", "message", "status", "gap", "truth", "edges wrong"]
    return printed(head, [fault_row(name) for name in CASES])


def fault_row(name: str) -> list[object]:
    """What a capture states about a fault, and the truth."""
    with tempfile.TemporaryDirectory() as folder:
        result = CASES[name].captured(Path(folder) / "run")
        gaps = result.recording.edges().gaps.tolist() if result.recording else []
    reason = result.recording.info.reason if result.recording else result.done.stderr
    text = re.sub(r" \(sigrok-cli reports.*?\)(?=;)", "", reason.strip()).rpartition("gpiorig capture: error: ")[2]
    text = text.partition("\n")[0]  # the line after it names the log
    against = result.against_truth
    return [
        name,
        cell(re.split(r"; \d+ ± \d+ samples", text)[0]).replace("|", "\\|"),
        result.done.status,
        cell(", ".join(f"{begin}: {end - begin}" for begin, end in gaps)),
        cell(", ".join([*(f"{first}: {count}" for first, count in result.lost), *pauses(against)])),
        f"{against.wrong} of {against.edges}" if against else "-",
    ]


def pauses(against: Comparison | None) -> list[str]:
    """How long the device really was away between two starts."""
    intervals = against.intervals if against else []
    return [
        f"{before.end}: {after.begin - before.end - after.shift:.0f}"
        for before, after in pairwise(intervals)
        if before.run != after.run
    ]


def cell(text: str) -> str:
    """A text that fits into a cell."""
    return (text if len(text) <= WORDS else f"{text[:WORDS].rsplit(' ', 1)[0]} …") or "-"


def replugged_table() -> str:
    """One of two boards is unplugged for half a second."""
    before = load()
    with tempfile.TemporaryDirectory() as folder:
        result = replugged(Path(folder), build_tick(Path(folder)))
        (note,) = result.recording.info.alignments
    head = ["status", "gap, s", "edges before and after it", "farthest edge, samples", "alignment, ns", "load"]
    edges = " and ".join(map(str, result.edges))
    row = [
        result.done.status,
        f"{result.gap_s:.3f}",
        edges,
        f"{result.farthest:.2f}",
        f"{note.uncertainty_ns:.1f}",
        before,
    ]
    return printed(head, [row])


def capture_table(seconds: float) -> str:
    """A row for each long capture, one after the other."""
    head = ["capture", "samples", "edges", "edges wrong", "state", "processor s", "load before", "load after"]
    return printed(head, [long_row(name, seconds) for name in LONG])


def long_row(name: str, seconds: float) -> list[object]:
    """A capture of that length by a fresh board, every edge of it."""
    model, rate, rate_hz = LONG[name]
    before, began_s = load(), processor_s()
    with tempfile.TemporaryDirectory() as folder, plugged(f"device model={model} port=3 ppm={PPM}") as bus:
        result = captured(bus, Path(folder) / "run", driver="fx2lafw", rate=rate, duration=f"{seconds:g}s")
    took_s = processor_s() - began_s
    against = result.against_truth or Comparison()
    assert result.recording is not None, result.done.stderr
    print(result.done.stdout, result.done.stderr, result.recording.info.capture, flush=True)
    samples = sum(interval.end - interval.begin for interval in against.intervals)
    print(f"{name}: {samples / rate_hz:.3f} s, finished at {time.strftime('%H:%M:%S')}", flush=True)
    return [name, samples, against.edges, against.wrong, result.recording.info.state, f"{took_s:.1f}", before, load()]


def printed(head: list[object] | list[str], rows: list[list[object]]) -> str:
    """The table, and the same on the terminal."""
    lines = [head, ["--"] * len(head), *rows]
    text = "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines) + "\n"
    print(text, flush=True)
    return text


def load() -> str:
    """Tasks that want a processor, on average of a minute, and how many processors there are."""
    return f"{os.getloadavg()[0]:.1f} of {os.cpu_count()}"


def processor_s() -> float:
    """Processor time of this process and of those that it has waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


if __name__ == "__main__":
    main()
