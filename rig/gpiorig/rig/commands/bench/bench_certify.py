"""`gpiorig bench certify`: a bench beside its virtual twin, row by row."""

from __future__ import annotations

import argparse
import time
from importlib.metadata import version
from pathlib import Path

from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.recording import new_folder
from gpiorig.rig import plain_json
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.certify import certification, fragment, page
from gpiorig.rig.certify.certification import Outcome, Plan
from gpiorig.rig.certify.certified import Certified
from gpiorig.rig.commands.bench.flash_work import flash_different
from gpiorig.rig.errors import RigError
from gpiorig.rig.run import origin

WRITTEN, PAGE, FRAGMENT, BENCH = "certify.json", "certify.html", "virtual.toml", "bench.toml"


def run(bench: Bench, file: Path, options: argparse.Namespace) -> int:
    """Certify, write the files, print the rows that differ; 1 if one does."""
    folder: Path = options.output
    new_folder.check(folder)
    if options.no_flash and bench.virtual is None and options.part is None:
        raise RigError(
            "--no-flash: the boards hold one image, and the parts need two: add --part lines, or --part radio."
        )
    folder.mkdir(parents=True)
    (folder / BENCH).write_bytes(file.read_bytes())
    flashes = bench.virtual is None and not options.no_flash
    plan = Plan(
        duration_s=options.duration,
        packets=options.packets if options.part != "lines" else 0,
        lines=options.part != "radio",
        flash=(lambda bench, firmware: flash_different(bench, firmware, what=str(file))) if flashes else None,
        quiet=options.json,
    )
    began_s = time.monotonic()
    outcome = certification.certify(bench, file, folder, plan)
    certified = _written(bench, folder, outcome, minutes=(time.monotonic() - began_s) / 60)
    if options.json:
        print(plain_json.text(certified))
    else:
        print("\n".join(page.lines(outcome.rows, outcome.causes, virtual=certified.virtual)))
        print(f"{certified.minutes:.1f} minutes; page {certified.page}, model {certified.fragment}")
        print(f"to send in: {certified.archive}")
    return int(any(row.verdict == "differs" for row in outcome.rows))


def _written(bench: Bench, folder: Path, outcome: Outcome, *, minutes: float) -> Certified:
    """Write results, page, fragment and archive; returns the results."""
    archive = folder.with_name(f"{folder.name}.zip")
    certified = Certified(
        bench=bench.name,
        virtual=bench.states_virtual,
        gpiorig=version("gpiorig"),
        programs=origin.programs(),
        minutes=minutes,
        rows=tuple(outcome.rows),
        causes=tuple(outcome.causes),
        fits=outcome.fits,
        archive=str(archive),
        page=str(folder / PAGE),
        fragment=str(folder / FRAGMENT),
    )
    with replacing(folder / WRITTEN) as new:
        new.write_text(plain_json.text(certified) + "\n", encoding="utf-8")
    with replacing(folder / FRAGMENT) as new:
        new.write_text(fragment.text(outcome.causes, outcome.fits, bench=bench.name), encoding="utf-8")
    page.write(folder / PAGE, bench.name, outcome.rows, outcome.causes, virtual=certified.virtual)
    page.archive(folder, archive)
    return certified
