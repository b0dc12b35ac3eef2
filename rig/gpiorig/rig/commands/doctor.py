"""`gpiorig doctor`: what this machine lacks, with a remedy for each."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from gpiorig.rig import names
from gpiorig.rig.bench import bench as benches
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.commands.bench import findings_of, line
from gpiorig.rig.host import requirements
from gpiorig.rig.host.requirements import Requirement


def run(options: argparse.Namespace) -> int:
    """Print what is there and what is missing; 1 if something needed is missing."""
    items = list(requirements.all_of_them())
    findings: list[Finding] = []
    if options.bench is not None:
        file = names.bench(options.bench)
        bench = benches.load(file)
        findings = findings_of(bench, file, live=bench.virtual is None)
    missing = any(item.needed and item.present is None for item in items)
    status = int(missing or any(finding.verdict == "wrong" for finding in findings))
    if options.json:
        print(
            json.dumps({"requirements": [asdict(item) for item in items], "findings": [asdict(it) for it in findings]})
        )
        return status
    for item in items:
        print(_line(item))
    for finding in findings:
        print(line(finding))
    print("something that is needed is missing." if status else "nothing that is needed is missing.")
    return status


def _line(item: Requirement) -> str:
    if item.present is not None:
        return f"  ok: {item.name} ({item.purpose}): {item.present}"
    return f"  {'MISSING' if item.needed else 'not here'}: {item.name} ({item.purpose}): {item.remedy}"
