"""`gpiorig measure`: delays between the edges of any channels of any capture."""

from __future__ import annotations

import argparse

import numpy as np

from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.analysis.number_text import count_text, number_text, resolved_text, time_text
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.recording.recording import DESCRIPTION
from gpiorig.capture.text.node_lines import NodeLines
from gpiorig.rig import plain_json
from gpiorig.rig.commands.files.measure import spec_of
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import comparisons, delay_files, delay_results
from gpiorig.rig.measure.measured import Measured, NodeMeasurements, measure
from gpiorig.rig.measure.measurement import Measurement, MeasurementNumbers
from gpiorig.rig.recordings import inputs, standing
from gpiorig.rig.recordings.opened import open_recording

FILE_ONLY = ("samplerate", "unitsize", "channels", "columns", "recover")


RESULTS = {"measure": (MeasurementNumbers, NodeMeasurements)}


def run(options: argparse.Namespace) -> int:
    """Measure, print, and write what was asked for."""
    waveform, opened = _open(options)
    measured = measure(
        waveform,
        opened,
        spec_of(options),
        per_node=bool(options.per),
        longest_s=options.max_gap,
        nominal_s=options.nominal,
        clock_ppm=options.clock_ppm,
        clock_source="given with --clock-ppm",
        counted=not options.output and not options.figure,
    )
    measurements, rate_hz = measured.measurements, measured.samplerate_hz
    if options.output:
        delay_files.write(options.output, measured.table, measured.count)
    if options.figure:
        drawn = {
            name or measurement.pairs.name: measurement.single.delays for name, measurement in measurements.items()
        }
        delay_files.draw(options.figure, drawn, us=float(1_000_000 / rate_hz), virtual=bool(waveform.virtual))
    source = standing.announced(options.file, waveform, as_json=options.json)
    head = {"samplerate_hz": float(rate_hz), "virtual": waveform.virtual, **source.as_json()}
    if options.json:
        print(plain_json.text(measured.numbers(**head)))
    else:
        _print(options, measured)
    return 0


def _open(options: argparse.Namespace) -> tuple[Waveform, Instruments | None]:
    """The capture, and what it was made with, which of a file is not known."""
    if options.file.is_dir() and options.format is None and (options.file / DESCRIPTION).exists():
        if given := [name for name in FILE_ONLY if getattr(options, name)]:
            raise RigError(f"--{given[0]}: {options.file} is a recording, which states this itself; omit it.")
        opened = open_recording(options.file)
        return opened.recording.waveform(), opened.instruments
    name, content = inputs.open_file(options.file, options)
    if not isinstance(content, Waveform):
        pairs = "pairs lines of logs" if isinstance(content, NodeLines) else "measures frames"
        raise RigError(f"{options.file}: {name} has no edges to measure; `gpiorig latency` {pairs}.")
    return content, None


def _print(options: argparse.Namespace, measured: Measured) -> None:
    measurements, base = measured.measurements, measured.base
    for name, measurement in measurements.items():
        print("\n".join([*_text(measurement, node=name), *[f"  {measurement.hint}"] * bool(measurement.hint)]))
        if options.nominal is not None:
            deviation = measurement.deviation
            numbers = None if deviation is None else plain_json.plain(comparisons.DeviationNumbers.of(deviation))
            print(f"  {comparisons.deviation_text(numbers, clock='the clock of the analyzer')}")
    longest_ns = max((abs(m.summary.max_ns) for m in measurements.values() if m.summary.n), default=0.0)
    print("\n".join([*base.sentences(), base.clock_text(longest_ns)]))


def _text(measurement: Measurement, *, node: str) -> list[str]:
    pairs, s = measurement.pairs, measurement.summary
    head = f"{node}: {pairs.name}" if node else pairs.name
    begins, ends = measurement.edges
    left = (
        f"{number_text(pairs.unpaired_start)} of {number_text(begins)} start and "
        f"{number_text(pairs.unpaired_end)} of {number_text(ends)} end edges unpaired"
    )
    reasons = [f"{count_text(pairs.too_long, 'pair')} too long"] * bool(pairs.too_long)
    reasons += [f"{count_text(pairs.across_gaps, 'pair')} across gaps"] * bool(pairs.across_gaps)
    left += f" ({', '.join(reasons)})" if reasons else ""
    if not s.n:
        return [f"{head}: no pair; {left}"]
    values_ns = np.array([getattr(s, f"{name}_ns") for name in delay_results.STATISTICS])
    texts = [
        f"{name} {resolved_text(float(value_ns), expanded_ns)}"
        for name, value_ns, expanded_ns in zip(
            delay_results.STATISTICS, values_ns, measurement.uncertainty.expanded_of(values_ns), strict=True
        )
    ]
    texts += [f"std {time_text(s.std_ns)}", f"peak-to-peak {time_text(s.peak_to_peak_ns)}"]
    median, longest = (time_text(ns) for ns in (measurement.median_expanded_ns, measurement.longest_expanded_ns))
    uncertainty = f"each ± {median}" if median == longest else f"the median ± {median}, the longest ± {longest}"
    return [f"{head}: {count_text(s.n, 'delay')}, {uncertainty} (k = 2)", f"  {', '.join(texts)}", f"  {left}"]
