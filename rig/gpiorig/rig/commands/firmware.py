"""`gpiorig firmware`: whether the probes of an image, or of a recording, are all there."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gpiorig.rig.probes.check import Verdict
    from gpiorig.rig.probes.hook_files import HookFile

EPILOG = """\
examples:
  gpiorig firmware check bin/iotlab-m3/app.elf --os riot
                                              is every hook in the image? names what is lost
  gpiorig firmware check iotlab-m3 --os reference
                                              of a reference image that comes with gpiorig, by name
  gpiorig firmware list                       which these are
  gpiorig firmware check app.elf --os riot --os-version 2026.07 --json
  gpiorig firmware selftest run1 --os reference
                                              does every ping-pong of a recording show every event?
  gpiorig firmware table --os riot --radio at86rf231 > gpiorig_expected.h
                                              the same expectation as a C table, for gpiorig_selftest_end()

check wants an image linked with -Wl,--emit-relocs, better compiled with -g (docs/guide/firmware-check.md)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of all verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="check|selftest|table|list")
    check = verbs.add_parser("check", help="are all hooks in an image?", description="Check the hooks of an image.")
    check.add_argument("elf", type=Path, metavar="ELF", help="image, or name of one that comes with gpiorig")
    check.add_argument("--probes", default="normal", choices=("normal", "empty", "doubled"), help="variant it must be")
    selftest = verbs.add_parser(
        "selftest",
        help="are all events in a recording?",
        description="Count the events of every ping-pong of a recording in which nothing was lost.",
    )
    selftest.add_argument("recording", type=Path, metavar="RUN", help="recording folder")
    table = verbs.add_parser(
        "table", help="the events of a ping-pong as C", description="Print the events of one ping-pong as C tables."
    )
    table.add_argument("--radio", default="", help="the node's radio, as in its board file")
    known = verbs.add_parser(
        "list", help="the images that come with gpiorig", description="List the images of the reference firmware."
    )
    for verb in (check, selftest, table):
        verb.add_argument(
            "--os", required=True, dest="system", metavar="OS", help="riot, contiki-ng, freertos, reference"
        )
        verb.add_argument("--os-version", metavar="V", help="needed where there are several hook files of the OS")
        verb.add_argument(
            "--hooks", type=Path, metavar="FILE.toml", help="hook file in place of the one of OS and version"
        )
    for verb in (check, selftest, known):
        verb.add_argument("--json", action="store_true", help="print what was found as one JSON object")
    for verb in (check, selftest, table, known):
        verb.epilog, verb.formatter_class = EPILOG, argparse.RawDescriptionHelpFormatter


def run(options: argparse.Namespace) -> int:
    """Check, test, print the table, or list the images."""
    from gpiorig.rig.probes import hook_files as table

    if options.verb == "list":
        return _list(as_json=options.json)
    expected = table.load(options.hooks) if options.hooks else table.find(options.system, options.os_version)
    verbs = {"check": _check, "selftest": _selftest, "table": _table}
    return verbs[options.verb](expected, options)


def _check(expected: HookFile, options: argparse.Namespace) -> int:
    from gpiorig.rig import names
    from gpiorig.rig.probes.check import check
    from gpiorig.rig.probes.image import Image

    elf = names.image(options.elf)
    verdict = check(Image(elf), expected, variant=options.probes)
    if options.json:
        print(json.dumps(_numbers(verdict, expected, elf)))
    else:
        _print(verdict, expected, elf)
    return _fail(verdict.failures, elf)


def _print(verdict: Verdict, expected: HookFile, elf: Path) -> None:
    states = [finding.state for finding in verdict.findings]
    counts = ", ".join(f"{states.count(state)} {state}" for state in dict.fromkeys(states))
    print(f"{elf}: {expected.os} {expected.version}: {len(states)} hooks{': ' if states else ''}{counts}")
    for finding in verdict.findings:
        sites = f"{len(finding.wrapped):4} wrapped {len(finding.unwrapped):4} unwrapped" if finding.wrapped else ""
        print(f"  {finding.state:8}  {finding.hook.symbol:40} {finding.hook.kind:8} {sites}".rstrip())
    for note in verdict.notes:
        print(f"note: {note}")


def _numbers(verdict: Verdict, expected: HookFile, elf: Path) -> dict[str, Any]:
    return {
        "image": str(elf),
        "os": expected.os,
        "version": expected.version,
        "good": not verdict.failures,
        "problems": verdict.problems,
        "notes": verdict.notes,
        "hooks": [
            {
                "symbol": finding.hook.symbol,
                "kind": finding.hook.kind,
                "state": finding.state,
                "wrapped": [str(site) for site in finding.wrapped],
                "unwrapped": finding.unwrapped,
                "problems": finding.problems,
            }
            for finding in verdict.findings
        ],
    }


def _selftest(expected: HookFile, options: argparse.Namespace) -> int:
    from gpiorig.capture.recording.recording import Recording
    from gpiorig.rig.probes import selftest

    result = selftest.test(Recording.open(options.recording), expected.selftest)
    if options.json:
        print(json.dumps(result.numbers()))
    else:
        print(result.summary())
    return _fail(result.failures, options.recording)


def _table(expected: HookFile, options: argparse.Namespace) -> int:
    from gpiorig.rig.probes.selftest import c_tables

    print(c_tables(expected, radio=options.radio), end="")
    return 0


def _list(*, as_json: bool) -> int:
    from gpiorig.rig import resources
    from gpiorig.rig.experiments import images as firmware

    known = resources.manifest()
    images = {
        name: {**known.get(name, {}), "file": str(file), "sha256": firmware.sha256(file)}
        for name, file in resources.images().items()
    }
    if as_json:
        print(json.dumps(images))
        return 0
    width = max(map(len, images), default=0)
    for name, entry in images.items():
        print(f"{name:{width}}  sha256 {entry['sha256']}")
    print(f"in {resources.image_folder()}")
    return 0


def _fail(failures: tuple[str, ...], what: Path) -> int:
    for failure in failures:
        print(f"check failed: {what}: {failure}", file=sys.stderr)
    return 1 if failures else 0
