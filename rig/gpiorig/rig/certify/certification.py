"""Certifying a bench: its boards and those of its virtual twin show their rows and exchange packets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.rig import progress
from gpiorig.rig.bench import certificate_file
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.certify import causes, comparison, fit, line_rows, radio_rows
from gpiorig.rig.certify import twin as twins
from gpiorig.rig.certify.causes import Cause
from gpiorig.rig.certify.comparison import Comparison, Values
from gpiorig.rig.certify.fit import Fit
from gpiorig.rig.certify.row_values import Missing, Value
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import images
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.run import bench_capture
from gpiorig.rig.run.captures import Options
from gpiorig.rig.run.record import direct, record
from gpiorig.rig.verify import certificate, time_base

ROWS, RADIO, TRAIN = "rows", "radio", "train"  # recordings in the folder; those of the twin end in -twin
TWIN_S = 6.0  # of the twin: rounds of a TelosB take 2 s; other boards repeat each row exactly
ROUND_S = 0.5  # of one board, for a fit; a Cortex-M's round takes 0.4 s
EXPERIMENT_TEXT = """\
# The packets of `gpiorig bench certify`: no backoff, so that only radio and firmware take time.
name = "certify"
initiator = "{}"
responder = "{}"
packets = {}

[settings]
interval_us = 20_000
timeout_us = 15_000
payload = 32
backoff = false
seed = 1
"""
TRAIN_TEXT = """\
# Packets that the radio holds before the interrupt of an alarm fires them by SLP_TR.
name = "certify-train"
initiator = "{}"
responder = "{}"
packets = {}

[settings]
app = "train"
fire = "timer"
train = 10
gap_us = 12_000
interval_us = 200_000
csma = false
"""

Flash = Callable[[Bench, Mapping[str, Path]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is done.

    Attributes
    ----------
    duration_s
        How long the lines are recorded, in the bench's time.
    packets
        Of the radio; 0: none.
    lines
        Whether the rows of the lines are recorded.
    flash
        Puts images onto boards; None: they hold them, or a virtual bench loads them.
    quiet
        No progress.
    """

    duration_s: Fraction
    packets: int
    lines: bool
    flash: Flash | None
    quiet: bool


@dataclass(slots=True)
class Outcome:
    """What came out: the rows, the fit of each board's model, and what differs by name."""

    rows: list[Comparison] = field(default_factory=list)
    fits: dict[str, Fit] = field(default_factory=dict)
    causes: list[Cause] = field(default_factory=list)


def certify(bench: Bench, bench_file: Path, folder: Path, plan: Plan) -> Outcome:
    """Record a bench and its twin into a folder, and compare them.

    Raises
    ------
    RigError, CaptureError
        The virtual bench is not installed, a board cannot be flashed, a capture cannot start.
    """
    recorder = twins.recorder()
    twin, twin_file = twins.write(bench, folder)
    outcome = Outcome()
    if plan.lines:
        firmware = line_rows.firmware(bench)
        captured = _recorded(bench, bench_file, folder / ROWS, firmware, plan)
        edges = line_rows.recorded(captured.recording, bench)
        model = recorder.edges(twin, firmware=_all(twin, firmware), duration_s=min(float(plan.duration_s), TWIN_S))
        outcome.rows += _analyzer_rows(bench, captured.results, bench_file)
        for name in bench.nodes:
            measured = line_rows.values(edges, bench, name)
            outcome.rows += comparison.compare(name, measured, line_rows.values(model, twin, name))
            if name in firmware:
                _fit(outcome, twin, name, measured, firmware[name], recorder, quiet=plan.quiet)
    if plan.packets:
        outcome.rows += _radio(bench, bench_file, twin, twin_file, folder, plan)
    boards = {name: node.board_name for name, node in bench.nodes.items()}
    outcome.causes = causes.named(
        outcome.rows,
        outcome.fits,
        models={name: {key: tried.model for key, tried in recorder.settings(boards[name]).items()} for name in boards},
        places={name: bench.place(node.lines["strobe"])[0] for name, node in bench.nodes.items() if node.has_bus},
    )
    return outcome


def _recorded(
    bench: Bench, bench_file: Path, folder: Path, firmware: Mapping[str, Path], plan: Plan
) -> bench_capture.Captured:
    """The lines of the bench while its boards show their rows."""
    if plan.flash is not None:
        plan.flash(bench, firmware)
    return bench_capture.capture(
        bench,
        bench_file,
        folder,
        firmware=dict(firmware) if bench.virtual is not None else None,
        options=Options(duration_s=plan.duration_s),
        quiet=plan.quiet,
    )


def _all(twin: Bench, firmware: Mapping[str, Path]) -> dict[str, Path]:
    """An image for each node of the twin: boards without rows run the reference firmware."""
    return {
        name: firmware[name] if name in firmware else images.reference_image(node.described_board, width=node.width)
        for name, node in twin.nodes.items()
    }


def _fit(
    outcome: Outcome,
    twin: Bench,
    name: str,
    measured: Values,
    firmware: Path,
    recorder: twins.Recorder,
    *,
    quiet: bool,
) -> None:
    """Fit the model of a node where a row of its processor differs."""
    settings = recorder.settings(twin.nodes[name].board_name)
    rows = [row for row in outcome.rows if row.about == name and is_of_processor(row)]
    if not settings or not any(row.verdict == "differs" for row in rows):
        return
    fitted = {row.row: row.measured for row in rows if row.measured is not None}

    def model(changes: Mapping[str, int]) -> Values:
        bench = twins.alone(twin, name, timing=changes)
        edges = recorder.edges(bench, firmware={name: firmware}, duration_s=ROUND_S)
        return line_rows.values(edges, bench, name)

    values = {key: tried.values for key, tried in settings.items()}
    with progress.bar(f"fitting {name}", total=len(values), unit="settings", hidden=quiet) as bar:
        outcome.fits[name] = fit.fit(fitted, model, values, tick=bar.update)


def is_of_processor(row: Comparison) -> bool:
    """Whether a row says something of instructions and interrupts, which the timing model is about."""
    return row.unit == "cycles" or row.row.startswith("interrupt.")


def _analyzer_rows(bench: Bench, results: Mapping[str, CaptureResult], bench_file: Path) -> list[Comparison]:
    """The rate of each analyzer by the host's clock, and the skew of channels that `bench verify` has found."""
    rows = []
    exact = Value(value=0.0, uncertainty=0.0, repeats=0, spread=0.0)
    for name, result in results.items():
        base = time_base.measure(result, nominal_hz=bench.analyzers[name].samplerate_hz)
        measured: Value | Missing = Missing(
            reason="too short to compare with the host's clock, or virtual time is not its"
        )
        if base.offset_ppm is not None and base.uncertainty_ppm is not None:
            measured = Value(value=base.offset_ppm, uncertainty=base.uncertainty_ppm, repeats=base.seconds, spread=0.0)
        text = "the analyzer's rate by the host's clock"
        rows.append(comparison.row(name, "analyzer.rate", text=text, unit="ppm", measured=measured, model=exact))
    verified = certificate.load(certificate_file.place(bench_file))
    for node, burst in (verified.calibrations if verified else {}).items():
        for line, skew_ns in burst.skew_ns.items():
            rate_hz = bench.analyzers[bench.place(bench.nodes[node].lines[line])[0]].samplerate_hz
            skew = Value(value=skew_ns, uncertainty=1e9 / rate_hz, repeats=1, spread=0.0)
            text = f"{line} after the strobe, as bench verify found it"
            rows.append(comparison.row(node, f"skew.{line}", text=text, unit="ns", measured=skew, model=exact))
    return rows


def _radio(bench: Bench, bench_file: Path, twin: Bench, twin_file: Path, folder: Path, plan: Plan) -> list[Comparison]:
    """The rows of the radio, with the reference firmware."""
    named = radio_rows.nodes(bench)
    if len(named) < 2:
        missing = Missing(
            reason=f"two nodes with {radio_rows.NEED} among their lines are needed; there are {len(named)}"
        )
        return [comparison.row(bench.name, "radio", text="packets", unit="us", measured=missing, model=missing)]
    both = ((bench, bench_file), (twin, twin_file))
    rows = _packets(both, EXPERIMENT_TEXT.format(*named[:2], plan.packets), folder / RADIO, plan.flash)
    if radio_rows.SLEEP in bench.nodes[named[0]].lines:
        fired = _packets(both, TRAIN_TEXT.format(*named[:2], plan.packets), folder / TRAIN, None)
        rows += [row for row in fired if row.row.startswith(radio_rows.START)]
    return rows


def _packets(
    both: tuple[tuple[Bench, Path], tuple[Bench, Path]], text: str, folder: Path, flash: Flash | None
) -> list[Comparison]:
    """The rows of the packets of an experiment, on the bench and on its twin."""
    file = folder.with_suffix(".toml")
    file.write_text(text, encoding="utf-8")
    (bench, bench_file), (twin, twin_file) = both
    on_bench = _exchanged(bench, bench_file, file, folder, record, flash)
    on_twin = _exchanged(twin, twin_file, file, folder.with_name(f"{folder.name}-twin"), direct(twin).run, None)
    rows = []
    for pair in on_twin:
        rows += comparison.compare(pair, on_bench.get(pair, {}), on_twin[pair])
    return rows


def _exchanged(
    bench: Bench, bench_file: Path, file: Path, folder: Path, run: Callable[..., Recording], flash: Flash | None
) -> dict[str, dict[str, Value | Missing]]:
    """The rows of the radio on a bench, or on its twin."""
    experiment: Experiment = experiments.load(file, bench)
    firmware = images.images(bench, experiment, bench_file=bench_file)
    if flash is not None:
        flash(bench, firmware)
    recording = run(bench, experiment, bench_file=bench_file, output=folder, firmware=firmware)
    rate_hz = min(analyzer.samplerate_hz for analyzer in bench.analyzers.values())
    return radio_rows.values(recording.edges(), bench, samplerate_hz=rate_hz)
