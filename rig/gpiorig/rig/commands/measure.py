"""`gpiorig measure`: delays between the edges of any channels of any capture."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gpiorig.rig import inputs

if TYPE_CHECKING:
    from fractions import Fraction

    from gpiorig.analysis.analyzers import Instruments
    from gpiorig.capture.waveform import Waveform
    from gpiorig.rig.measuring import Measurement, Spec

EPILOG = """\
examples:
  gpiorig measure run1 --from initiator.tap.irq:rise --to responder.tap.irq:rise --max-gap 10ms
  gpiorig measure run1 --from tap.irq:rise --to strobe:edge --per node
  gpiorig measure capture.sr --period D0:rise --json
  gpiorig measure capture.vcd --width irq:high --clock-ppm 50
  gpiorig measure export/ --skew "Channel 0" "Channel 1"
  gpiorig measure gpio.csv --from INT1:rise --to INT2:rise --per node -o delays.csv --figure delays.png

From each edge to the first edge of the other kind after it, unless another `from` comes first. Edges without a
partner are counted; a pair never reaches over lost samples. CH without a kind: rise (--width: high, --skew: edge).
The uncertainty is that of the longest delay, expanded (k = 2): docs/uncertainty.md says what it consists of."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a measurement."""
    parser.add_argument("file", type=Path, metavar="RUN|FILE", help="a recording, or a capture of any known format")
    parser.add_argument("--from", dest="begin", metavar="CH[:rise|fall|edge]", help="where a delay begins")
    parser.add_argument("--to", dest="end", metavar="CH[:rise|fall|edge]", help="where it ends")
    parser.add_argument("--period", metavar="CH[:rise|fall|edge]", help="from one such edge to the next")
    parser.add_argument("--width", metavar="CH[:high|low]", help="how long the channel is so")
    parser.add_argument(
        "--skew", nargs=2, metavar=("A", "B"), help="how much later B shows the edges that A and B both have"
    )
    parser.add_argument("--max-gap", metavar="TIME", help="longest delay that is a pair, such as 20ms")
    parser.add_argument(
        "--per", choices=["node"], help="for each node with channels NODE.CH; then CH is the line alone"
    )
    parser.add_argument("--clock-ppm", type=float, metavar="PPM", help="limit of the analyzer's clock error")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="every delay: .csv, .parquet, .arrow")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="their distribution: .png, .svg, .pdf")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    inputs.add_arguments(parser)


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write what was asked for."""
    from gpiorig.rig import durations, measuring
    from gpiorig.rig.progress import watched

    spec = _spec(options)
    longest_s = None if options.max_gap is None else durations.seconds(options.max_gap)
    waveform, instruments, virtual = _open(options)
    named = {"": spec}
    if options.per:
        named = {node: spec.on(node) for node in measuring.nodes(spec, waveform.channels)}
    edges = measuring.load(watched(waveform, "reading"), list(named.values()))
    found = {name: measuring.run(edges, each, instruments, longest_s=longest_s) for name, each in named.items()}
    if options.output:
        _write_delays(options.output, found, edges.samplerate_hz)
    if options.figure:
        _draw(options.figure, found, edges.samplerate_hz, virtual=virtual)
    _print(options, found, edges.samplerate_hz, virtual=virtual)
    return 0


def _spec(options: argparse.Namespace) -> Spec:
    from gpiorig.rig import measuring
    from gpiorig.rig.errors import RigError

    ways = [options.begin or options.end, options.period, options.width, options.skew]
    if sum(bool(way) for way in ways) != 1 or bool(options.begin) != bool(options.end):
        raise RigError("give one measurement: --from and --to, --period, --width or --skew; --help has examples.")
    if options.period:
        return measuring.period(options.period)
    if options.width:
        return measuring.width(options.width)
    return measuring.skew(*options.skew) if options.skew else measuring.between(options.begin, options.end)


def _open(options: argparse.Namespace) -> tuple[Waveform, Instruments, bool]:
    """The capture, what it was made with, and whether it is virtual."""
    import dataclasses

    from gpiorig.analysis import analyzers
    from gpiorig.analysis.analyzers import Instruments
    from gpiorig.capture.recording import DESCRIPTION, Recording
    from gpiorig.capture.waveform import Waveform
    from gpiorig.rig import instruments
    from gpiorig.rig.errors import RigError

    if options.file.is_dir() and options.format is None and (options.file / DESCRIPTION).exists():
        recording = Recording.open(options.file)
        waveform, known, virtual = recording.waveform(), instruments.of_recording(recording), recording.info.virtual
    else:
        name, content = inputs.open_file(options.file, options)
        if not isinstance(content, Waveform):
            raise RigError(f"{options.file}: {name} has no edges to measure; gpiorig latency pairs lines of logs.")
        waveform = content
        known, virtual = Instruments(analyzers.by_driver("", samplerate_hz=waveform.samplerate_hz)), False
    if options.clock_ppm is not None:
        known = dataclasses.replace(known, reference=dataclasses.replace(known.reference, clock_ppm=options.clock_ppm))
    return waveform, known, virtual


def _write_delays(path: Path, found: dict[str, Measurement], rate: Fraction) -> None:
    import numpy as np
    import pyarrow as pa

    from gpiorig.analysis import columns, tables

    starts = np.concatenate([each.pairs.starts for each in found.values()])
    delays = np.concatenate([each.pairs.delays for each in found.values()])
    names = [name or each.pairs.name for name, each in found.items() for _ in range(len(each.pairs.delays))]
    period_ns = float(1_000_000_000 / rate)
    content = {
        "measured": pa.array(names, pa.string()),
        "start_sample": starts,
        "delay_samples": delays,
        "delay_ns": delays * period_ns,
    }
    tables.write(columns.table(content, rate), path)


def _draw(path: Path, found: dict[str, Measurement], rate: Fraction, *, virtual: bool) -> None:
    import numpy as np

    from gpiorig.analysis import style
    from gpiorig.rig.errors import RigError

    drawn = {name or each.pairs.name: each for name, each in found.items() if each.summary.n}
    if not drawn:
        raise RigError(f"--figure {path}: there is no delay to draw.")
    with style.paper():
        figure = style.new_figure(virtual=virtual)
        ax = figure.subplots()
        for name, each in drawn.items():
            us = np.sort(each.pairs.delays) * float(1_000_000 / rate)
            share = np.arange(1, len(us) + 1) / len(us)
            ax.step(np.append(us[:1], us), np.append([0.0], share), where="post", label=f"{name} (n = {len(us)})")
        ax.set_xlabel("delay in µs")
        ax.set_ylabel("share at or below")
        ax.set_ylim(0, 1.02)
        ax.legend(loc="lower right")
        figure.savefig(path, dpi=200)


def _print(options: argparse.Namespace, found: dict[str, Measurement], rate: Fraction, *, virtual: bool) -> None:
    if options.json:
        head: dict[str, Any] = {"samplerate_hz": float(rate), "virtual": virtual}
        if options.per:
            print(json.dumps(head | {"nodes": {name: each.as_json() for name, each in found.items()}}, allow_nan=False))
        else:
            print(json.dumps(head | found[""].as_json(), allow_nan=False))
        return
    for name, each in found.items():
        print("\n".join(_text(each, node=name)))
    if virtual:
        from gpiorig.rig.provenance import VIRTUAL

        print(VIRTUAL)


def _text(each: Measurement, *, node: str) -> list[str]:
    from gpiorig.analysis.quantity import digits_for, time_text

    pairs, s = each.pairs, each.summary
    head = f"{node}: {pairs.name}" if node else pairs.name
    begins, ends = each.edges
    left = f"{pairs.unpaired_from} of {begins} `from` and {pairs.unpaired_to} of {ends} `to` edges unpaired"
    reasons = [f"{pairs.too_long} pairs too long"] * bool(pairs.too_long)
    reasons += [f"{pairs.across_gaps} pairs across lost samples"] * bool(pairs.across_gaps)
    left += f" ({', '.join(reasons)})" if reasons else ""
    if not s.n:
        return [f"{head}: no pair; {left}"]
    digits = digits_for(s.median_ns, spread_ns=s.peak_to_peak_ns, resolution_ns=each.uncertainty.expanded_ns)
    values = {
        "min": s.min_ns,
        "p5": s.p5_ns,
        "median": s.median_ns,
        "mean": s.mean_ns,
        "p95": s.p95_ns,
        "p99": s.p99_ns,
    }
    values |= {"max": s.max_ns, "std": s.std_ns, "peak-to-peak": s.peak_to_peak_ns}
    return [
        f"{head}: {s.n} delays, each ± {time_text(each.uncertainty.expanded_ns)} (k = 2)",
        "  " + ", ".join(f"{name} {time_text(value, digits=digits)}" for name, value in values.items()),
        f"  {left}",
    ]
