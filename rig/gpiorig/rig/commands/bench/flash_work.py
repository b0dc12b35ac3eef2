"""`gpiorig flash`: the images of a bench onto its boards."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from gpiorig.rig import names, plain_json
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import FlashError
from gpiorig.rig.experiments import experiment as experiments
from gpiorig.rig.experiments import images
from gpiorig.rig.flash import nodes
from gpiorig.rig.flash.nodes import Result


class Flashed(plain_json.Result, frozen=True, kw_only=True):
    """What became of each node; `gpiorig flash --dry-run` prints the commands by node."""

    nodes: tuple[Result, ...]


RESULTS = {"flash": (Flashed, dict[str, list[str]])}


def run(options: argparse.Namespace) -> int:
    """Flash, or print how; 1 if a node does not hold its image."""
    file = names.bench(options.bench)
    bench = benches.load(file)
    experiment = experiments.load(names.experiment(options.experiment), bench) if options.experiment else None
    firmware = images.images(bench, experiment, bench_file=file) | images.given(options.firmware, bench)
    wanted = nodes.chosen(bench, options.nodes, what=str(file))
    if options.dry_run:
        plans = {name: nodes.plan(bench, firmware, name, only_different=options.only_different) for name in wanted}
        print(
            plain_json.text(plans)
            if options.json
            else "\n".join(_described(name, plan) for name, plan in plans.items())
        )
        return 0
    results = []
    for result in nodes.flash(
        bench, firmware, wanted, only_different=options.only_different, attempts=options.attempts, progress=tell
    ):
        results.append(result)
        if not options.json:
            print(line(result), flush=True)
    if options.json:
        print(plain_json.text(Flashed(nodes=tuple(results))))
    return int(any(result.verdict == "failed" for result in results))


def flash_different(bench: Bench, firmware: Mapping[str, Path], *, what: str) -> None:
    """Flash the nodes that do not hold their image; raises `FlashError` if one cannot be flashed."""
    for result in nodes.flash(bench, firmware, nodes.chosen(bench, (), what=what), only_different=True, progress=tell):
        tell(result.node, result.what)
        if result.verdict == "failed":
            raise FlashError(f"{result.node}: {result.what}")


def tell(node: str, what: str) -> None:
    """Print what is done to a node now, where a person may look on."""
    print(f"{node}: {what}", file=sys.stderr, flush=True)


def line(result: Result) -> str:
    """A result in one line."""
    if result.verdict == "failed":
        return f"FAILED: {result.node} ({result.board}): {result.what}"
    return (
        f"ok: {result.node} ({result.board}): {result.what}, {result.size_bytes} bytes, "
        f"sha256 {(result.read_back_sha256 or '')[:16]}, {result.duration_s:.1f} s"
    )


def _described(name: str, plan: list[str]) -> str:
    return "\n".join([f"{name}:", *(f"  {step}" for step in plan)])
