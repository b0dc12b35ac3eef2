"""`gpiorig firmware`: whether the probes of an image, or of a recording, are all there."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from msgspec import UNSET, UnsetType, structs

from gpiorig.analysis.quantities.names import IMAGE_PARTS
from gpiorig.rig import names, plain_json, resources
from gpiorig.rig.experiments import image_memory
from gpiorig.rig.experiments import images as firmware
from gpiorig.rig.plain_json import Result
from gpiorig.rig.probes import hook_files as table
from gpiorig.rig.probes import selftest
from gpiorig.rig.probes.check import Verdict, check
from gpiorig.rig.probes.hook_files import HookFile
from gpiorig.rig.probes.image import Image
from gpiorig.rig.probes.selftest import SelfTestNumbers, c_tables
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.described import Given


class CheckedHook(Result, frozen=True, kw_only=True):
    """A hook in an image: the sites that reach the probe, and those that pass it by."""

    symbol: str
    kind: str
    state: str
    wrapped: tuple[str, ...]
    unwrapped: tuple[str, ...]
    problems: tuple[str, ...]


class CheckedImage(Result, frozen=True, kw_only=True):
    """An image, whose hooks are compared with a hook file."""

    image: str
    os: str
    version: str
    good: bool
    problems: tuple[str, ...]
    notes: tuple[str, ...]
    hooks: tuple[CheckedHook, ...]


class ImageEntry(Result, frozen=True, kw_only=True):
    """An image that comes with gpiorig; of an installed package also what it was built from."""

    board: str | UnsetType = UNSET
    kernel: str | UnsetType = UNSET
    probes: str | UnsetType = UNSET
    file: str
    sha256: str
    sha256_with_debug_information: str | UnsetType = UNSET
    compiler: str | UnsetType = UNSET
    flags: str | UnsetType = UNSET


class MemoryNumbers(Result, frozen=True, kw_only=True):
    """Bytes in a memory; `parts` is empty for an image without source files, `rest` is what is in no part."""

    total: int
    parts: dict[str, int]
    rest: int


class ImageMemoryNumbers(Result, frozen=True, kw_only=True):
    """Bytes of an image in flash memory and in RAM; `heap` is what it leaves to a heap, which `ram` does not have."""

    image: str
    rom: MemoryNumbers
    ram: MemoryNumbers
    heap: int


RESULTS = {
    "firmware-memory": (ImageMemoryNumbers,),
    "firmware-check": (CheckedImage,),
    "firmware-selftest": (SelfTestNumbers,),
    "firmware-list": (dict[str, ImageEntry],),
}


def run(options: argparse.Namespace) -> int:
    """Check, test, print the table, list the images, or measure what the probes cost."""
    if options.verb == "list":
        return _list(as_json=options.json)
    if options.verb == "memory":
        return _memory(names.image(options.elf), as_json=options.json)
    if options.verb == "cost":
        from gpiorig.rig.commands.bench import firmware_cost  # analyses and draws, which takes long to import

        return firmware_cost.run(options)
    expected = table.load(options.hooks) if options.hooks else table.find(options.system, options.os_version)
    verbs = {"check": _check, "selftest": _selftest, "table": _table}
    return verbs[options.verb](expected, options)


def _check(expected: HookFile, options: argparse.Namespace) -> int:
    elf = names.image(options.elf)
    verdict = check(Image(elf), expected, variant=options.probes)
    if options.json:
        print(plain_json.text(_numbers(verdict, expected, elf)))
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


def _numbers(verdict: Verdict, expected: HookFile, elf: Path) -> CheckedImage:
    return CheckedImage(
        image=str(elf),
        os=expected.os,
        version=expected.version,
        good=not verdict.failures,
        problems=verdict.problems,
        notes=verdict.notes,
        hooks=tuple(
            CheckedHook(
                symbol=finding.hook.symbol,
                kind=finding.hook.kind,
                state=finding.state,
                wrapped=tuple(map(str, finding.wrapped)),
                unwrapped=finding.unwrapped,
                problems=finding.problems,
            )
            for finding in verdict.findings
        ),
    )


def _memory(elf: Path, *, as_json: bool) -> int:
    bytes_of = image_memory.of(elf)
    rom, ram = (
        MemoryNumbers(total=memory.total, parts=dict(memory.parts), rest=memory.total - sum(memory.parts.values()))
        for memory in (bytes_of.flash, bytes_of.ram)
    )
    if as_json:
        print(plain_json.text(ImageMemoryNumbers(image=str(elf), rom=rom, ram=ram, heap=bytes_of.heap_bytes)))
        return 0
    rows = {"image": (rom.total, ram.total)}
    if rom.parts:
        rows |= {part: (rom.parts.get(part, 0), ram.parts.get(part, 0)) for part in IMAGE_PARTS if part in rom.parts}
        rows["no part"] = rom.rest, ram.rest
    print(f"{elf}: bytes\n{'':10} {'ROM':>8} {'RAM':>8}")
    for name, (in_rom, in_ram) in rows.items():
        print(f"{name:10} {in_rom:8} {in_ram:8}")
    if bytes_of.heap_bytes:
        print(f"{'heap':10} {'':8} {bytes_of.heap_bytes:8}")
    if not rom.parts:
        print("It does not name its source files: compile it with -g for its parts.")
    return 0


def _selftest(expected: HookFile, options: argparse.Namespace) -> int:
    result = selftest.test(Given.of(options).open(options.recording), expected.selftest)
    source = standing.announced(options.recording, as_json=options.json)
    if options.json:
        print(plain_json.text(structs.replace(result.numbers(), **source.as_json())))
    else:
        print(result.summary())
    return _fail(result.failures, options.recording)


def _table(expected: HookFile, options: argparse.Namespace) -> int:
    print(c_tables(expected, radio=options.radio), end="")
    return 0


def _list(*, as_json: bool) -> int:
    manifest = resources.manifest()
    images = {
        name: ImageEntry(**{**manifest.get(name, {}), "file": str(file), "sha256": firmware.sha256(file)})
        for name, file in resources.images().items()
    }
    if as_json:
        print(plain_json.text(images))
        return 0
    width = max(map(len, images), default=0)
    for name, entry in images.items():
        print(f"{name:{width}}  sha256 {entry.sha256}")
    print(f"in {resources.image_folder()}")
    return 0


def _fail(failures: tuple[str, ...], what: Path) -> int:
    for failure in failures:
        print(f"check failed: {what}: {failure}", file=sys.stderr)
    return 1 if failures else 0
