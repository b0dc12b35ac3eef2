"""Text tables of edges as waveforms.

Times are read as integers of the finest digit that the file has, so nothing is rounded; a file is read twice, since
that digit may be in its last row.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.edges.changes import Assembler, Changes, assembled, merged
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.text.table_groups import one_after_the_other
from gpiorig.capture.text.table_order import groups_of
from gpiorig.capture.text.table_parser import (
    BLOCK_BYTES,
    DROP_DIGITS,
    GROUP,
    KEY,
    MAX_DIGITS,
    Before,
    Layout,
    Slice,
    TableParser,
)
from gpiorig.capture.text.table_scan import SCAN_DIGITS, Scan, derived_hz
from gpiorig.capture.text.writer import nearest

WALL_CLOCK_S = 10**8  # times beyond are seconds since 1970: no capture takes three years
FINEST_DIGITS = 15  # fs; a table without a samplerate has no finer samples
INT64_MAX = 2**63 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    """How times of a table become samples: round((time * 10^(unit + digits) - base) * scale).

    Attributes
    ----------
    rate
        Samples per second.
    digits
        After the point of the times; more are dropped.
    base, scale
        See above.
    second
        Integer second since 1970 that sample 0 is; None without a wall clock.
    origin
        What the rate is.
    """

    rate: Fraction
    digits: int
    base: int
    scale: Fraction
    second: int | None
    origin: RateOrigin

    def sample(self, time_ns: int) -> int:
        """The sample of a time that was read to the ns."""
        return nearest((Fraction(time_ns, 10**9) * self.rate) - self.base * self.scale)


def waveform(
    path: Path,
    layout: Layout,
    contents: Scan,
    *,
    samplerate_hz: Fraction | None,
    channels: tuple[str, ...],
    source: str,
    ends: Mapping[str, int] | None = None,
) -> Waveform:
    """Return a table as a waveform.

    Parameters
    ----------
    path
        The file.
    layout
        Where things are in it.
    contents
        What the first reading found.
    samplerate_hz
        Put times on the nearest sample of this rate; None for the rate that the times show.
    channels
        Which channels, of `layout.channels` or of the keys.
    source
        As of Waveform.
    ends
        Time, in ns, from which on the rows of a channel are omitted.
    """
    assumed = [
        *layout.remarks,
        *([contents.closing] if contents.closing else []),
        *([] if contents.rows else ["it has no rows"]),
    ]
    scale = _scale(path, layout, contents, samplerate_hz, assumed)
    if len(contents.runs) > 1 and KEY not in layout.roles and (group := groups_of(path, layout)) is not None:
        assumed.append(
            f"its times begin again wherever column {group + 1} changes, and all are put on one time line: if each has "
            f"its own, add group={group + 1} to --columns"
        )
    remarks = list(assumed)

    def read() -> Iterator[Block]:
        remarks[:] = assumed
        if contents.rows:
            yield from _blocks(path, layout, contents, scale, channels, ends or {}, remarks)

    if len(contents.runs) > 1:
        source += f"; {len(contents.runs)} slices, put in the order of time"
    return Waveform(
        samplerate_hz=scale.rate,
        channels=channels,
        read=read,
        virtual=layout.virtual,
        epoch=layout.epoch if scale.second is None else iso(scale.second),
        source=source,
        remarks=remarks,
        rate_origin=scale.origin,
        open_ended=layout.open_ended and not contents.ends_unknown,
        groups=contents.groups,
    )


def _scale(path: Path, layout: Layout, contents: Scan, samplerate_hz: Fraction | None, remarks: list[str]) -> _Scale:
    """The samples of a table."""
    if layout.samplerate_hz:
        by_count = Fraction(1, layout.per_sample)
        return _Scale(
            rate=layout.samplerate_hz,
            digits=0,
            base=layout.offset,
            scale=by_count,
            second=None,
            origin=RateOrigin.FILE if samplerate_hz is None else RateOrigin.OPTION,
        )
    wall = abs(contents.first_ns) >= WALL_CLOCK_S * 10**9
    second = contents.first_ns // 10**9 if wall else None
    finest, rate = contents.digits + layout.unit, samplerate_hz
    if rate is None and finest > SCAN_DIGITS and not wall and GROUP not in layout.roles:
        rate = derived_hz(path, layout, contents)
    origin = RateOrigin.TIMES if rate is None else RateOrigin.DERIVED
    if samplerate_hz is not None:
        origin = RateOrigin.FILE if samplerate_hz == layout.written_hz else RateOrigin.OPTION
    if origin is RateOrigin.DERIVED:
        remarks.append("its samplerate is derived: the lowest usual one on whose samples all times fall")
    digits = min(contents.digits, (MAX_DIGITS if rate else FINEST_DIGITS) - layout.unit)
    resolution = Fraction(10) ** (layout.unit + digits)
    if rate is None and finest > SCAN_DIGITS:
        dropped = ", and digits beyond are dropped" if digits < contents.digits else ""
        remarks.append(
            f"its times are on the samples of no usual rate, so that a sample is {float(1 / resolution):g} s{dropped}; "
            "give the rate of the capture with --samplerate"
        )
    rate = rate or resolution
    scale = rate / resolution
    if max(scale.numerator, scale.denominator) > INT64_MAX:
        raise FormatError(
            f"its times cannot be put on samples of {float(rate):g} Hz", where=path, remedy="give a --samplerate in Hz"
        )
    return _Scale(
        rate=rate,
        digits=digits,
        base=(second or 0) * int(resolution),
        scale=scale,
        second=second,
        origin=origin,
    )


def _blocks(
    path: Path,
    layout: Layout,
    contents: Scan,
    scale: _Scale,
    channels: tuple[str, ...],
    ends: Mapping[str, int],
    remarks: list[str],
) -> Iterator[Block]:
    names = contents.keys or layout.channels
    bits = [channels.index(name) if name in channels else -1 for name in names]
    roles = layout.roles
    if not contents.keys:
        roles = tuple(bits[role] if role >= 0 else role for role in roles)
    parsers: list[TableParser] = []

    def slices(start: int, end: int) -> Iterator[Slice]:
        parser = TableParser(
            path,
            replace(layout, roles=roles),
            scanning=DROP_DIGITS if scale.digits < contents.digits else 0,
            digits=scale.digits,
            block_bytes=max(BLOCK_BYTES // len(contents.runs), 1 << 14),
        )
        parser.know(contents.keys, bits)
        state = parser.state
        state.base_high, state.base_low = scale.base >> 64, scale.base & (2**64 - 1)
        state.numerator, state.denominator = scale.scale.numerator, scale.scale.denominator
        parsers.append(parser)
        return parser.slices(start, end)

    runs = [slices(start, end) for start, end in itertools.pairwise((*contents.runs, contents.end))]
    used = (1 << len(channels)) - 1
    if contents.groups:
        changes = one_after_the_other(runs[0], used)
    else:
        changes = merged([(rows for rows, *_ in run) for run in runs])
    levels = 0
    if layout.before is not Before.LOW:
        opposite = layout.before is Before.OPPOSITE
        firsts = zip(contents.first_levels, bits, strict=True)
        levels = sum((level ^ opposite) << bit for level, bit in firsts if bit >= 0)
    if layout.before is Before.OPPOSITE:  # begins before its first row, which is an edge
        changes = itertools.chain([_instant(min(0, scale.sample(contents.first_ns) - 1))], changes)
    if ends:
        limits = [(1 << bit, scale.sample(ends[name])) for name, bit in zip(names, bits, strict=True) if name in ends]
        changes = (_until(rows, limits) for rows in changes)
    try:
        yield from assembled(changes, Assembler(used=used, levels=levels), remarks=remarks)
    except FormatError as error:
        if error.where:
            raise
        raise FormatError(error.what, where=path, remedy="was it changed while it was read?") from error
    off = sum(parser.state.off_grid for parser in parsers)
    if off and scale.origin is not RateOrigin.DERIVED:
        remarks.append(f"{off} times are more than their last digit off the samples of {float(scale.rate):.12g} Hz")
    if contents.groups > 1:
        remarks.append(
            f"{contents.groups} groups follow each other with a gap of one sample, in which nothing is lost: the file "
            "does not contain what is between"
        )


def _instant(sample: int) -> Changes:
    """One instant, at which nothing changes."""
    nothing = np.zeros(1, dtype=np.uint64)
    return Changes(np.array([sample]), nothing, nothing, nothing)


def _until(changes: Changes, limits: list[tuple[int, int]]) -> Changes:
    """Changes without those of channels that have ended; their instants stay."""
    masks = changes.masks.copy()
    for mask, sample in limits:
        masks[(changes.masks == mask) & (changes.times >= sample)] = 0
    return replace(changes, masks=masks)


def iso(second: int) -> str:
    """Return an integer second since 1970 as ISO 8601, in UTC."""
    try:
        return datetime.datetime.fromtimestamp(second, datetime.UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise FormatError(
            f"a time of {second} s since 1970 is not a date", remedy="name its unit with --columns"
        ) from error
