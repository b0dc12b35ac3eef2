"""`gpiorig doctor`: what this machine lacks, with a remedy for each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpiorig.rig import names, plain_json
from gpiorig.rig.bench import benches
from gpiorig.rig.commands.bench.bench_work import findings_of
from gpiorig.rig.host import bundle, requirements
from gpiorig.rig.host.requirements import Requirement
from gpiorig.rig.plain_json import Result


class Looked(Result, frozen=True, kw_only=True):
    """What is there of what gpiorig uses."""

    requirements: tuple[Requirement, ...]


RESULTS = {"doctor": (Looked,)}


def run(options: argparse.Namespace) -> int:
    """Print what is there and what is missing; 1 if something needed is missing."""
    items = list(requirements.all_of_them())
    missing = any(item.needed and item.present is None for item in items)
    lines = [*map(_line, items)]
    if options.bundle is not None:
        _bundle(options, lines)
    if options.json:
        print(plain_json.text(Looked(requirements=tuple(items))))
        return int(missing)
    for text in lines:
        print(text)
    print("something that is needed is missing." if missing else "nothing that is needed is missing.")
    return int(missing)


def _bundle(options: argparse.Namespace, lines: list[str]) -> None:
    """Show what goes into the archive, ask, and write it."""
    file = None if options.bench is None else names.bench(options.bench)
    archive = bundle.collected(
        "\n".join([*lines, *_of_bench(file), ""]),
        bench=file,
        experiment=None if options.experiment is None else names.experiment(options.experiment),
        recording=options.recording,
        with_data=options.with_data,
    )
    print("\n".join([f"{options.bundle}:", *archive.listing()]), file=sys.stderr)
    if not options.yes:
        print(f"write {options.bundle}? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes"):
            print("not written", file=sys.stderr)
            return
    archive.write(options.bundle)


def _of_bench(file: Path | None) -> list[str]:
    """What `gpiorig bench check --live` finds of a bench, of a virtual one that of its file; a line each."""
    if file is None:
        return []
    bench = benches.load(file)
    return [f"  {finding}" for finding in findings_of(bench, file, live=bench.virtual is None)]


def _line(item: Requirement) -> str:
    if item.present is not None:
        return f"  ok: {item.name} ({item.purpose}): {item.present}"
    return f"  {'MISSING' if item.needed else 'not here'}: {item.name} ({item.purpose}): {item.remedy}"
