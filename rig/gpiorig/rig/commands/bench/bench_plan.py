"""`gpiorig bench plan`: which analyzers a bench takes, what it resolves, its file and its drawing."""

from __future__ import annotations

import argparse
import shlex
from fractions import Fraction
from pathlib import Path

from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.capture.atomic_file import replacing
from gpiorig.rig import plain_json
from gpiorig.rig.arguments import overwriting
from gpiorig.rig.commands.bench import bench_plan_text
from gpiorig.rig.errors import BenchError, RigError
from gpiorig.rig.planning import drawing, probe_effect, recipe, request, summary
from gpiorig.rig.planning import plan as plans
from gpiorig.rig.planning.plan import Plan
from gpiorig.rig.planning.request import Request


def run(options: argparse.Namespace) -> int:
    """Plan, write the files, print; 1 if no analyzer does it."""
    asked = request_of(options)
    plan = plans.of(asked, analyzer=options.analyzer)
    files = _files(plan, options)
    for file in files:
        if file == options.output or file.is_file():
            overwriting.check_file(file, force=options.force)
    for file, text in files.items():
        with replacing(file) as new:
            new.write_text(text, encoding="utf-8")
    if options.json:
        print(plain_json.text(summary.of(plan, command(options))))
    else:
        print("\n".join([*bench_plan_text.lines(plan, options.analyzer), *(f"{file}: written" for file in files)]))
    return int(plan.choice is None)


def request_of(options: argparse.Namespace) -> Request:
    """The request of these options."""
    nodes = request.nodes_of(options.nodes)
    boards = request.descriptions(nodes)
    lines = request.lines_of(options.lines, boards)
    if options.width == 0 and (bare := [name for name in nodes if not lines[name]]):
        raise BenchError(
            f"{', '.join(bare)}: no bus and no line, so nothing to capture; give --lines, or no --width 0."
        )
    return Request(
        nodes=nodes,
        boards=boards,
        lines=lines,
        width=options.width,
        resolution_ns=_ns(options.resolution),
        delay_ns=_ns(options.delay) or 0.0,
        duration_s=Fraction(options.duration),
        interval_s=Fraction(options.interval),
        groups=probe_effect.groups_of(options.events) if options.events is not None else None,
        samplerate_hz=options.samplerate,
        has_sync=options.sync,
        one_shot=options.one_shot,
    )


def command(options: argparse.Namespace) -> str:
    """The options that make the bench file again; what concerns other outputs is left out."""
    words = [*options.nodes]
    for name in ("lines", "events"):
        if (listed := getattr(options, name)) is not None:
            words += [f"--{name}", ",".join(listed)]
    words += ["--width", str(options.width)] if options.width is not None else []
    if resolution_ns := _ns(options.resolution):
        words += ["--resolution", f"{resolution_ns:.15g}ns", "--delay", f"{_ns(options.delay):.15g}ns"]
    if options.samplerate:
        mhz, odd = divmod(options.samplerate, 1_000_000)
        words += ["--samplerate", f"{options.samplerate}Hz" if odd else f"{mhz}MHz"]
    words += [option for option, given in (("--sync", options.sync), ("--one-shot", options.one_shot)) if given]
    words += ["--analyzer", options.analyzer] if options.analyzer else []
    return shlex.join(words)


def _ns(seconds: Fraction | None) -> float | None:
    return None if seconds is None else float(seconds * NS_PER_S)


def _files(plan: Plan, options: argparse.Namespace) -> dict[Path, str]:
    """The files that are asked for; none without a bench."""
    if plan.choice is None or plan.choice.bench is None:
        return {}
    files = {}
    if options.output:
        files[options.output] = recipe.text(plan.request, plan.choice, command(options))
    if options.drawing:
        if options.drawing.suffix != ".svg":
            raise RigError(f"--drawing {options.drawing}: the drawing is SVG; give a name that ends in .svg.")
        pages = drawing.pages(plan.choice.bench, recipe.images(plan.request, plan.choice.bench))
        for name, page in pages.items():
            place = options.drawing.with_stem(f"{options.drawing.stem}-{name}") if len(pages) > 1 else options.drawing
            files[place] = page
    return files
