"""How the study of packets grows with their number: a table, and docs/figures/growth.png.

`python tests/speed/growth.py` takes 10 k, 100 k, 1 M and 10 M packets of forty events, or those that are given, each in
a process of its own: `bench_analysis.py study`, from events to tables and all statistics.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from synthetic_events import EVENTS_PER_PACKET

STUDY = Path(__file__).with_name("bench_analysis.py")
PICTURE = Path(__file__).resolve().parents[2] / "docs" / "figures" / "growth.png"
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
SERIES = (("s", "wall, s", "o-"), ("cpu_s", "processor, s", "s--"), ("gib", "peak memory, GiB", "^-"))


def study(packets: int) -> dict[str, float]:
    """Seconds, those of the processor and GiB, of all stages."""
    done = subprocess.run([sys.executable, STUDY, "study", str(packets)], stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def draw(measured: dict[int, dict[str, float]], path: Path) -> None:
    """Draw each number over the packets; straight lines of slope 1 are growth in proportion."""
    figure = Figure(figsize=(8, 3.6), layout="constrained")
    FigureCanvasAgg(figure)
    times, memory = figure.subplots(1, 2)
    sizes = list(measured)
    for name, label, style in SERIES:
        axes = memory if name == "gib" else times
        axes.plot(sizes, [row[name] for row in measured.values()], style, label=label)
    for axes in (times, memory):
        axes.set(xscale="log", yscale="log", xlabel=f"packets of {EVENTS_PER_PACKET} events")
        axes.grid(which="both", alpha=0.3)
        axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Print the table as it comes, then draw it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packets", type=int, nargs="*", default=SIZES)
    parser.add_argument("-o", "--output", type=Path, default=PICTURE)
    options = parser.parse_args()
    columns = ("packets", "wall, s", "processor, s", "GiB", "µs of a processor each", "KiB each")
    print(f"| {' | '.join(columns)} |\n|{' -: |' * len(columns)}")
    measured = {}
    for packets in options.packets:
        row = measured[packets] = study(packets)
        each_us, each_kib = row["cpu_s"] / packets * 1e6, row["gib"] / packets * (1 << 20)
        print(
            f"| {packets} | {row['s']:.1f} | {row['cpu_s']:.1f} | {row['gib']:.2f} | {each_us:.0f} | {each_kib:.1f} |",
            flush=True,
        )
    draw(measured, options.output)


if __name__ == "__main__":
    main()
