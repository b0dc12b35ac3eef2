"""`gpiorig merge`: recordings of several analyzers as one."""

from __future__ import annotations

import argparse
import dataclasses
import re
from pathlib import Path

import msgspec

from gpiorig.analysis.number_text import signed_text
from gpiorig.capture.recording.notes import AlignmentNote
from gpiorig.capture.recording.recording import Recording, SyncDelay
from gpiorig.rig import plain_json
from gpiorig.rig.errors import RigError
from gpiorig.rig.plain_json import Result
from gpiorig.rig.recordings import merge, standing

_DELAY = re.compile(r"(\d+(?:\.\d+)?)(?:(?:\+-|±)(\d+(?:\.\d+)?))?")


class Merged(Result, frozen=True, kw_only=True):
    """A recording of several analyzers, and how each is aligned with the first."""

    recording: str
    virtual: bool | None
    state: str | None
    remarks: tuple[str, ...]
    alignments: tuple[AlignmentNote, ...]


RESULTS = {"merge": (Merged,)}


def run(options: argparse.Namespace) -> int:
    """Merge, and print how well the parts fit."""
    parts = _delayed([Recording.open(folder) for folder in options.recordings], options.sync_delay)
    receivers = dict(_named(text, parts) for text in options.frames) if options.frames else None
    merged = merge.merge_folders(parts, options.output, sync=options.sync, receivers=receivers)
    status = int(not standing.of(merged).is_complete)
    if options.json:
        result = Merged(
            recording=str(merged.folder),
            virtual=merged.info.virtual,
            **standing.of(merged).as_json(),
            alignments=merged.info.alignments,
        )
        print(plain_json.text(result))
        return status
    common = "frames" if receivers else "sync pulses"
    print(f"{merged.folder}: {', '.join(name for name in merged.info.channels if name)}")
    for note in merged.info.alignments:
        print(
            f"  {note.analyzer}: {signed_text(note.rate_ppb / 1e3, '.3f')} ppm against the reference, "
            f"{note.pulses} {common}, residuals {note.residual_std_ns:.1f} ns (std), "
            f"{note.residual_max_ns:.1f} ns (largest); "
            f"an interval across the two is uncertain by {note.uncertainty_ns:.1f} ns (1 sigma)"
            + (
                f"; sync line {note.delay_ns:g} ± {note.delay_limit_ns:g} ns later"
                if note.delay_ns or note.delay_limit_ns
                else ""
            )
        )
    standing.announced(merged.folder)
    return status


def _named(text: str, parts: list[Recording]) -> tuple[Path, str]:
    """The recording and the line of a receiver that an option names."""
    folder, equals, channel = text.rpartition("=")
    folders = {str(part.folder): part.folder for part in parts}
    if not equals or folder not in folders:
        raise RigError(f"--frames {text}: write RUN=CHANNEL, with RUN one of {', '.join(folders)}.")
    return folders[folder], channel


def _delayed(parts: list[Recording], delays: list[str]) -> list[Recording]:
    """The recordings with the delays of the sync line that were given for some of them."""
    folders = {str(part.folder): at for at, part in enumerate(parts)}
    for text in delays:
        folder, _, amount = text.rpartition("=")
        match = _DELAY.fullmatch(amount)
        if match is None or folder not in folders:
            raise RigError(
                f"--sync-delay {text}: write RUN=NS or RUN=NS+-LIMIT, with RUN one of {', '.join(folders)}, as in "
                f"{next(iter(folders))}=250+-5."
            )
        at = folders[folder]
        delay = SyncDelay(float(match[1]), float(match[2] or 0))
        parts[at] = dataclasses.replace(parts[at], info=msgspec.structs.replace(parts[at].info, sync_delay=delay))
    return parts
