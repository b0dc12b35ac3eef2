"""The table of `make sensitivity`: how much a round trip on the virtual bench depends on its timing model."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from commandline import ROOT, gpiorig

from gpiorig.analysis.packets.timelines import COMPLETE
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse

BENCH = ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
EXPERIMENT = ROOT / "experiments" / "pingpong.toml"
PACKETS = 200
SAMPLES_PER_US = 24  # samplerate of the bench

# (what, settings of [virtual.timing]). The model: 2 wait states by the firmware at 72 MHz, 2 cycles per access to APB2
# (GPIO, SPI, USART) and 4 to APB1 (timers), refill 2, load 1, access 0, exception entry 12.
MODEL = ("the model", "")
CHANGES = (
    *((f"flash wait states {n}", f"flash_wait_states = {n}") for n in (0, 1, 3, 4)),
    *((f"APB waits {n}", f"apb1_wait_cycles = {n}\napb2_wait_cycles = {n}") for n in (0, 4, 8)),
    *((f"refill {n}", f"refill = {n}") for n in (1, 3)),
    ("load +1", "load = 2"),
    ("access +1", "access = 1"),
    *((f"exception entry {n}", f"exception_entry = {n}") for n in (10, 16)),
    ("all fast", "flash_wait_states = 0\napb1_wait_cycles = 0\napb2_wait_cycles = 0\nrefill = 1\nexception_entry = 10"),
    (
        "all slow",
        "flash_wait_states = 4\napb1_wait_cycles = 8\napb2_wait_cycles = 8\nrefill = 3\nload = 2\naccess = 1\n"
        "exception_entry = 16",
    ),
)
# Intervals of a request, by milestones (docs/guide/packets.md): the TX path ends at the radio's send command.
STRETCHES = (
    ("TX path", "request.app.tx", "request.driver.exec.exit"),
    ("RX path", "request.irq", "request.app.rx"),
)


@dataclass(frozen=True, slots=True)
class Times:
    """Medians in µs."""

    rtt: float
    stretches: tuple[float, ...]


def measure(settings: str, *, backoff: bool) -> Times:
    """Record the ping-pong with a changed model."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench, experiment = folder / "bench.toml", folder / "experiment.toml"
        bench.write_text(f"{BENCH.read_text()}\n[virtual.timing]\n{settings}\n")
        experiment.write_text(EXPERIMENT.read_text().replace("backoff = true", f"backoff = {str(backoff).lower()}"))
        words = ("-o", folder / "run", "--packets", str(PACKETS), "--no-report")
        done = gpiorig("run", bench, experiment, *words)
        assert done.status == 0, done.stderr
        recording = Recording.open(folder / "run")
        result = analyse(open_recording(recording))
        problems = checks.failed_checks(result, recording)
    lines = result.timelines
    usable = lines.status == COMPLETE
    if problems or np.count_nonzero(usable) != PACKETS:
        sys.exit(f"{settings}, backoff {backoff}: {lines.counts()} {problems}")
    spans = (lines.column(end) - lines.column(start) for _, start, end in STRETCHES)
    medians = (float(np.median(span)) / SAMPLES_PER_US for span in spans)
    return Times(rtt=float(np.median(lines.rtt)) / SAMPLES_PER_US, stretches=tuple(medians))


def main() -> None:
    """Print the table, in Markdown."""
    headings = ("RTT", *(name for name, _, _ in STRETCHES), "RTT with backoff")
    print(f"| changed | {' | '.join(headings)} |\n|---|{'---:|' * len(headings)}")
    base: list[float] = []
    for what, settings in (MODEL, *CHANGES):
        calm, random = measure(settings, backoff=False), measure(settings, backoff=True)
        times = [calm.rtt, *calm.stretches, random.rtt]
        base = base or times
        changes = (f"{100 * (time / model - 1):+.1f} %" for time, model in zip(times, base, strict=True))
        cells = changes if settings else (f"{time:.1f} µs" for time in times)
        print(f"| {what} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
