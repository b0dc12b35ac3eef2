"""`gpiorig bench`: list benches, plan one, find what is connected, check or verify a bench, or serve a virtual one."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import msgspec

from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.sigrok.analyzer import Analyzer
from gpiorig.capture.usb.tree import UsbDevice
from gpiorig.rig import names, plain_json, resources
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.certify.certified import Certified
from gpiorig.rig.distributions import VBENCH
from gpiorig.rig.errors import BenchError
from gpiorig.rig.host import scan
from gpiorig.rig.host.identify import Answer
from gpiorig.rig.host.ports import Port
from gpiorig.rig.plain_json import Result
from gpiorig.rig.planning.result import PlannedBench
from gpiorig.rig.run import bench_findings as findings
from gpiorig.rig.run import host_findings
from gpiorig.rig.verify.certificate import Certificate


class Listed(Result, frozen=True, kw_only=True):
    """A file that comes with gpiorig."""

    file: str
    description: str


class Names(Result, frozen=True, kw_only=True):
    """Benches and experiments by their names."""

    benches: dict[str, Listed]
    experiments: dict[str, Listed]


class Scanned(Result, frozen=True, kw_only=True):
    """What is connected, what answered at each port, what could not be asked, and a bench file for it."""

    analyzers: tuple[Analyzer, ...]
    ports: tuple[tuple[Port, Answer], ...]
    adapters: tuple[UsbDevice, ...]
    troubles: tuple[str, ...]
    bench: str


class CheckedBench(Bench, frozen=True, kw_only=True):
    """A bench with what was found of it; `live`: also of what is connected."""

    findings: tuple[Finding, ...]
    live: bool


RESULTS = {
    "bench-list": (Names,),
    "bench-plan": (PlannedBench,),
    "bench-scan": (Scanned,),
    "bench-check": (CheckedBench,),
    "bench-verify": (Certificate,),
    "bench-certify": (Certified,),
}


def run(options: argparse.Namespace) -> int:
    """List, plan, scan, check, verify, certify or serve."""
    if options.verb == "list":
        return _list(as_json=options.json)
    if options.verb == "plan":
        from gpiorig.rig.commands.bench import bench_plan  # analyses, which takes long to import

        return bench_plan.run(options)
    if options.verb == "scan":
        return _scan(options)
    if options.verb == "virtual":
        serve: Callable[[argparse.Namespace], int] = VBENCH.load("serve", needed_by="gpiorig bench virtual")
        return serve(options)
    file = names.bench(options.bench)
    bench = benches.load(file)
    if options.verb == "verify":
        from gpiorig.rig.commands.bench import bench_verify as verify

        return verify.run(bench, file, options)
    if options.verb == "certify":
        from gpiorig.rig.commands.bench import bench_certify as certify

        return certify.run(bench, file, options)
    return _check(bench, file, options)


def findings_of(bench: Bench, file: Path, *, live: bool) -> list[Finding]:
    """What is found of a bench file, and `live` of this machine, the analyzers and the ports."""
    of_file = findings.of_file(bench, file)
    return [*of_file, *host_findings.of_bench(bench), *findings.live(bench)] if live else of_file


def _scan(options: argparse.Namespace) -> int:
    """Print or write a bench file for what is connected; 1 if no analyzer or no board answered."""
    from gpiorig.rig.planning import suggestion  # analyses, which takes long to import

    connected = scan.scan(drivers=options.analyzer, devices=options.port)
    text = suggestion.text(connected)
    boards = [answer.board for _, answer in connected.ports if answer.board]
    if options.json:
        print(plain_json.text(Scanned.of(connected, bench=text)))
    elif not options.output:
        print(text, end="")
    if options.output:
        with replacing(options.output) as new:
            new.write_text(text, encoding="utf-8")
        if not options.json:
            print(f"{options.output}: analyzers: {len(connected.analyzers)}, boards: {len(boards)}; edit and check it")
    return int(not (connected.analyzers and boards))


def _check(bench: Bench, file: Path, options: argparse.Namespace) -> int:
    """Print what was checked and the findings; 1 if something is wrong."""
    if options.live and bench.virtual is not None:
        raise BenchError(f"{file}: --live is for boards; the analyzers and ports of a virtual bench come up with it.")
    results = findings_of(bench, file, live=options.live)
    status = int(any(finding.verdict == "wrong" for finding in results))
    if options.json:
        checked = CheckedBench(**msgspec.structs.asdict(bench), findings=tuple(results), live=options.live)
        print(plain_json.text(checked))
        return status
    print(f"{file}: {bench.name}: {'virtual ' * bench.states_virtual}bench; the file is consistent")
    for name, node in bench.nodes.items():
        lines = ", ".join(f"{line} on {channel}" for line, channel in node.lines.items())
        print(f"  {name} ({node.board_name}): {lines}")
    if results:
        print("looked at:")
    for finding in results:
        print(f"  {finding}")
    if bench.virtual is None:
        print(
            f"not looked at: {'' if options.live else 'whether analyzers and ports are there (--live), and '}the wiring"
        )
    return status


def _list(*, as_json: bool) -> int:
    kinds = {"benches": resources.benches(), "experiments": resources.experiments()}
    if as_json:
        entries = {
            kind: {name: Listed(file=str(file), description=names.summary(file)) for name, file in files.items()}
            for kind, files in kinds.items()
        }
        print(plain_json.text(Names(**entries)))
        return 0
    width = max(len(name) for files in kinds.values() for name in files)
    for kind, files in kinds.items():
        print(f"{kind}:")
        for name, file in files.items():
            print(f"  {name:{width}}  {names.summary(file)}")
    print("gpiorig run BENCH EXPERIMENT -o DIR takes them by these names.")
    return 0
