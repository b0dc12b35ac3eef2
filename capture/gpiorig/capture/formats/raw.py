"""Raw samples, as `sigrok-cli -O binary` writes them: no header, so the samplerate and the width have to be said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import ReadOptions
from gpiorig.capture.samples import EdgeExtractor
from gpiorig.capture.waveform import Block, Waveform

SUMMARY = "raw samples (sigrok-cli -O binary)"
SUFFIXES = (".bin", ".raw")
LATE = 8
PIECE_BYTES = 4 << 20


def recognises(path: Path, head: bytes) -> bool:
    """Whether the name says so; the content cannot."""
    return bool(head) and path.suffix.lower() in SUFFIXES


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read raw samples as a waveform."""
    if options.samplerate_hz is None:
        raise FormatError("says no samplerate", where=path, remedy="give it, for instance --samplerate 24MHz")
    unitsize = options.unitsize or max((len(options.channels) + 7) // 8, 1)
    if not 1 <= unitsize <= 8:
        raise FormatError(f"samples of {unitsize} bytes are not supported", where=path, remedy="1 to 8 bytes are")
    channels = options.channels or tuple(f"D{bit}" for bit in range(8 * unitsize))
    if len(channels) > 8 * unitsize:
        raise FormatError(
            f"{len(channels)} channels do not fit into samples of {unitsize} bytes",
            where=path,
            remedy="give a larger --unitsize",
        )
    size = path.stat().st_size
    if size % unitsize:
        raise FormatError(
            f"{size} bytes are no whole number of samples of {unitsize} bytes",
            where=path,
            remedy="give the right --unitsize; or the file was cut short",
        )
    used = sum(1 << bit for bit, name in enumerate(channels) if name)

    def read_blocks() -> Iterator[Block]:
        extractor = EdgeExtractor(unitsize=unitsize, used=used)
        with path.open("rb") as file:
            while data := file.read(PIECE_BYTES):
                samples, levels = extractor.feed(data)
                yield Block(samples, levels, extractor.samples_seen)

    source = f"raw samples {path.name}, {unitsize} bytes each"
    return Waveform(samplerate_hz=options.samplerate_hz, channels=tuple(channels), read=read_blocks, source=source)
