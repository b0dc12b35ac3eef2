"""`gpiorig firmware cost`: what the probes themselves cost."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.analysis.figures import probe_effect as probe_effect_plate
from gpiorig.analysis.figures import style
from gpiorig.analysis.number_text import signed_text
from gpiorig.analysis.probe_effect import effect as probe_effect
from gpiorig.analysis.probe_effect.delays import PINS
from gpiorig.analysis.probe_effect.effect import VARIANTS, Effect, Meter
from gpiorig.analysis.tables import stages
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import names, plain_json, text_table
from gpiorig.rig.bench import benches
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.plain_json import Number, Result
from gpiorig.rig.probes import runs, variant_images
from gpiorig.rig.recordings.provenance import VIRTUAL
from gpiorig.rig.verbosity import note

UNKNOWN = "\N{EN DASH}"


class DelayCost(Result, frozen=True, kw_only=True):
    """The median of a delay without probes, with empty, normal and doubled ones, and the cost of the probes in it."""

    delay: str
    node: str
    source: str
    events: int
    packets: int
    off_ns: Number
    empty_ns: Number
    normal_ns: Number
    doubled_ns: Number
    zero_ns: Number
    cost_ns: Number
    cost_low_ns: Number
    cost_high_ns: Number
    true_cost_ns: Number
    error_ns: Number
    error_share: Number
    within: bool | None


class ProbeNumbers(Result, frozen=True, kw_only=True):
    """What the probes cost; `event_ns` is the cost of an event by node, `without_lines` why a variant has none."""

    parameters: dict[str, Any]
    paired: bool
    event_ns: dict[str, Number]
    delays: list[DelayCost]
    without_lines: dict[str, str]


RESULTS = {"firmware-cost": (ProbeNumbers,)}


def run(options: argparse.Namespace) -> int:
    """Record what is not there, compare, write."""
    bench_file = names.bench(options.bench)
    bench = benches.load(bench_file)
    experiment = experiments.load(names.experiment(options.experiment), bench, packets=options.packets)
    images = variant_images.read(options.image, bench)
    missing = [variant for variant in runs.missing(bench, options.output) if not images or variant in images]
    if bench.virtual is None and options.only is None and missing:
        note(
            f"not recorded yet: {', '.join(missing)}. Flash the image with these probes (make BOARD=... PROBES=...), "
            f"then give --only {missing[0]}; and so on."
        )
    for variant in [options.only] if options.only else missing if bench.virtual else []:
        changed = msgspec.structs.replace(experiment, probes=variant)
        given = images.get(variant)
        runs.record_variant(bench, changed, bench_file=bench_file, output=options.output, images=given)
    if options.only and runs.missing(bench, options.output):
        print(f"recorded {options.only}; still to record: {', '.join(runs.missing(bench, options.output))}")
        return 0
    meter, parameters, unread = runs.evaluate(options.output)
    virtual = bool(Recording.open(options.output / "normal").info.virtual)
    _write(meter, options.output, virtual=virtual)
    numbers = plain_json.plain(_numbers(meter, parameters, unread))
    with replacing(options.output / "probe-effect.json") as new:
        new.write_text(json.dumps(numbers, indent=1, allow_nan=False) + "\n")
    print(json.dumps(numbers, allow_nan=False) if options.json else _text(meter, virtual=virtual))
    for variant, reason in unread.items():
        note(f"{variant}: compared by timestamps and events alone: {reason}")
    return 0


def _write(meter: Meter, folder: Path, *, virtual: bool) -> None:
    for suffix in (".parquet", ".csv"):
        stages.write(probe_effect.table(meter), folder / f"probe-effect{suffix}")
    figure = probe_effect_plate.steps(meter, virtual=virtual)
    for suffix in (".svg", ".png"):
        style.save(figure, folder / f"probe-effect{suffix}")


def _numbers(meter: Meter, parameters: dict[str, Any], unread: dict[str, str]) -> ProbeNumbers:
    return ProbeNumbers(
        parameters=parameters,
        paired=meter.paired,
        event_ns=dict(meter.event_ns),
        delays=msgspec.convert(probe_effect.table(meter).to_pylist(), list[DelayCost]),
        without_lines=unread,
    )


def _text(meter: Meter, *, virtual: bool) -> str:
    head = ["median in µs", "events", *VARIANTS, "zero", "cost", "interval", "true", "error", ""]
    lines = text_table.lines(head, [_row(effect) for effect in meter.effects], right=range(1, len(head)))
    costs = ", ".join(f"{node} {_us(cost)} µs" for node, cost in meter.event_ns.items())
    lines.append(f"one event with an id, from the calibration burst: {costs}")
    lines.append(
        "zero = 2 normal - doubled; cost = doubled - normal; true = normal - off; "
        + ("packet by packet, medians of the differences." if meter.paired else "of the medians.")
    )
    if virtual:
        lines.append(VIRTUAL)
    return "\n".join(lines)


def _row(effect: Effect) -> list[str]:
    verdict = {None: "", True: "in", False: "out"}[effect.within]
    share = "" if math.isnan(effect.error_share) else f" ({signed_text(100 * effect.error_share, '.1f')} %)"
    return [
        f"{effect.name}{' (pins)' if effect.source == PINS else ''}",
        str(effect.events) if effect.events >= 0 else UNKNOWN,
        *(_us(effect.medians_ns.get(variant, math.nan)) for variant in VARIANTS),
        _us(effect.zero_ns),
        _us(effect.cost_ns),
        f"{_us(effect.low_ns)}..{_us(effect.high_ns)}",
        _us(effect.true_cost_ns),
        _us(effect.error_ns) + share,
        verdict,
    ]


def _us(ns: float) -> str:
    return UNKNOWN if math.isnan(ns) else f"{ns / 1e3:.2f}"
