"""`gpiorig doctor`: what this machine lacks, with a remedy for each."""

from __future__ import annotations

import argparse
import sys

from gpiorig.rig import names, plain_json
from gpiorig.rig.arguments.overwriting import check_file
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.commands.bench import findings_of, line
from gpiorig.rig.errors import RigError
from gpiorig.rig.host import bundle, requirements
from gpiorig.rig.host.requirements import Requirement
from gpiorig.rig.plain_json import Result


class Looked(Result, frozen=True, kw_only=True):
    """What is there of what gpiorig uses, and what is found of a bench."""

    requirements: tuple[Requirement, ...]
    findings: tuple[Finding, ...]


RESULTS = {"doctor": (Looked,)}


def run(options: argparse.Namespace) -> int:
    """Print what is there and what is missing; 1 if something needed is missing."""
    if options.bundle is None and (options.recording or options.experiment or options.with_data or options.yes):
        raise RigError("--recording, --experiment, --with-data and --yes are of the archive; give --bundle FILE.")
    if options.bundle is not None:
        check_file(options.bundle, force=options.force)
        if not (options.yes or sys.stdin.isatty()):
            raise RigError("--bundle asks before it writes, but standard input is not a terminal; give --yes.")
    items = list(requirements.all_of_them())
    findings: list[Finding] = []
    if options.bench is not None:
        file = names.bench(options.bench)
        bench = benches.load(file)
        findings = findings_of(bench, file, live=bench.virtual is None)
    missing = any(item.needed and item.present is None for item in items)
    lines = [*map(_line, items), *map(line, findings)]
    if options.bundle is not None:
        _bundle(options, "\n".join([*lines, ""]))
    status = int(missing or any(finding.verdict == "wrong" for finding in findings))
    if options.json:
        print(plain_json.text(Looked(requirements=tuple(items), findings=tuple(findings))))
        return status
    for text in lines:
        print(text)
    print("something that is needed is missing." if status else "nothing that is needed is missing.")
    return status


def _bundle(options: argparse.Namespace, listing: str) -> None:
    """Show what goes into the archive, ask, and write it."""
    archive = bundle.collected(
        listing,
        bench=None if options.bench is None else names.bench(options.bench),
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


def _line(item: Requirement) -> str:
    if item.present is not None:
        return f"  ok: {item.name} ({item.purpose}): {item.present}"
    return f"  {'MISSING' if item.needed else 'not here'}: {item.name} ({item.purpose}): {item.remedy}"
