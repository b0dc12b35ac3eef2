"""Raw samples, as `sigrok-cli -O binary` writes them: no header, so the samplerate and the width have to be given."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.binary_header import is_bare
from gpiorig.capture.edges.extractor import EdgeExtractor
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Block, RateOrigin, Waveform
from gpiorig.capture.errors import FormatError

SUMMARY = "raw samples (sigrok-cli -O binary)"
SUFFIXES = (".bin", ".raw")
LATE = 8
BLOCK_BYTES = 4 << 20
# sigrok-cli 0.7.2 writes this line before the samples when the rate becomes known late, as from a VCD file.
META = re.compile(rb"META samplerate: (\d{1,18})\n")
META_BYTES = 64


def recognises(path: Path, head: bytes) -> bool:
    """Whether the name ends so; the content only shows what has a header, and so is something else."""
    return META.match(head) is not None or (is_bare(head) and path.suffix.lower() in SUFFIXES)


def _fitting(size: int, channels: int) -> str:
    """The widths of samples that a size in bytes allows, the least first."""
    fitting = [width for width in range(max((channels + 7) // 8, 1), 9) if not size % width]
    more = f" (or {', '.join(map(str, fitting[1:]))})" if fitting[1:] else ""
    return (
        f"give --unitsize {fitting[0]}{more}; or the file was cut short"
        if fitting
        else "it was cut short: save it again"
    )


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read raw samples as a waveform."""
    with path.open("rb") as file:
        meta = META.match(file.read(META_BYTES))
    rate = options.samplerate_hz or (Fraction(int(meta[1])) if meta else None)
    begin = meta.end() if meta else 0
    if not rate:
        raise FormatError("contains no samplerate", where=path, remedy="give it, for instance --samplerate 24MHz")
    unitsize = max((len(options.channels) + 7) // 8, 1) if options.unitsize is None else options.unitsize
    if not 1 <= unitsize <= 8:
        raise FormatError(f"samples of {unitsize} bytes are not supported", where=path, remedy="1 to 8 bytes are")
    channels = options.channels or tuple(f"D{bit}" for bit in range(8 * unitsize))
    if len(channels) > 8 * unitsize:
        raise FormatError(
            f"{len(channels)} channels do not fit into samples of {unitsize} bytes",
            where=path,
            remedy=f"give --unitsize {(len(channels) + 7) // 8}, or fewer channels",
        )
    size = path.stat().st_size - begin
    if size % unitsize:
        raise FormatError(
            f"{size} bytes are not an integer number of samples of {unitsize} bytes",
            where=path,
            remedy=_fitting(size, len(options.channels)),
        )
    used = sum(1 << bit for bit, name in enumerate(channels) if name)

    def read_blocks() -> Iterator[Block]:
        extractor = EdgeExtractor(unitsize=unitsize, used=used)
        with path.open("rb") as file:
            file.seek(begin)
            while data := file.read(BLOCK_BYTES):
                samples, levels = extractor.feed(data)
                yield Block(samples, levels, extractor.samples_seen)

    source = f"raw samples {path.name}, {unitsize} bytes each"
    return Waveform(
        samplerate_hz=rate,
        channels=tuple(channels),
        read=read_blocks,
        source=source,
        rate_origin=RateOrigin.OPTION if options.samplerate_hz else RateOrigin.FILE,
    )
