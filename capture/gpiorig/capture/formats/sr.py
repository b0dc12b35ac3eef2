"""sigrok session files (.sr): reading into edges, and writing edges for sigrok-cli and PulseView.

A .sr is a zip of `version`, `metadata` and the samples, cut into `logic-1-1`, `logic-1-2`, ... sigrok-cli accepts
damaged ones in silence (it exits with status 0); this reader does not.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.archive.chunks import Chunk, ChunkedStream
from gpiorig.capture.archive.members import MemberDeflater
from gpiorig.capture.archive.sr_session import MAX_CHUNKS, METADATA, NOTE, VERSION, read_info
from gpiorig.capture.archive.zip_archive import DEFLATED, STORED, ArchiveWriter
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import VIRTUAL_MARK, RateOrigin, Waveform, stated, waveform_of
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.printable import one_line

CHUNK_BYTES = 4 << 20  # what libsigrok reads at once
TOOLKIT = "0.5.2"  # libsigrok whose format is written
SUMMARY = "sigrok session file"
SUFFIXES = (".sr",)
ZIP_MAGIC = b"PK\x03\x04"
MAX_THREADS = 4  # the reader of the edges does not keep up with more
# What a second thread is worth: 10 s of 16 channels at 24 MS/s take 1.6 ms with 200 edges/s, 27 ms with 20 000, and two
# threads 0.5 ms more for their start (tests/speed/bench_sr.py).
THREADED_S = 8e-3
CHUNK_S = 8e-6
BYTE_S = 50e-9  # of what a deflated chunk has beyond the least
LEAST_DEFLATED = 1030  # a match of 258 bytes has two bits or more (RFC 1951, section 3.2)


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is a .sr file."""
    return head.startswith(ZIP_MAGIC) and path.suffix != ".sal"


def read(path: Path, options: ReadOptions, *, threads: int | None = None, start: int = 0) -> Waveform:
    """Read a .sr file as a waveform.

    Its blocks raise FormatError where a chunk is damaged, with the samples that are lost; with `options.recover` these
    are gaps, and remarks name what is not certain.

    Parameters
    ----------
    path
        The file.
    options
        `samplerate_hz` takes precedence over what the file states.
    threads
        Threads that inflate, at most; None: as many as there are processors, up to four. Where there is little to read
        one is quicker, and there is only one.
    start
        Begin a little before this sample, with the levels there.

    Raises
    ------
    FormatError
        It is cut short, no sigrok session, or contains no samplerate.
    """
    info = read_info(path, recover=options.recover, as_sigrok=options.as_sigrok)
    rate = options.samplerate_hz or info.samplerate_hz
    origin = RateOrigin.OPTION if options.samplerate_hz else RateOrigin.FILE if rate else RateOrigin.NONE
    if not rate and not options.as_sigrok:
        raise FormatError("has no samplerate", where=path, remedy="give it, for instance --samplerate 24MHz")
    if threads is None:
        threads = min(MAX_THREADS, len(os.sched_getaffinity(0)))
    stream = ChunkedStream(
        path=path,
        chunks=info.chunks,
        unitsize=info.unitsize,
        used=info.used,
        recover=options.recover,
        threads=threads if _reading_s(info.chunks) >= THREADED_S else 1,
    )
    source = f"sigrok session {path.name}"
    return Waveform(
        samplerate_hz=rate or Fraction(1),
        channels=info.channels,
        read=lambda: stream.blocks(start),
        source=source,
        remarks=list(info.remarks),
        virtual=stated(info.note),
        rate_origin=origin,
    )


def _reading_s(chunks: Sequence[Chunk]) -> float:
    """About how long one thread reads."""
    members = [chunk.member for chunk in chunks if chunk.member]
    beyond = sum(member.compressed - member.size // LEAST_DEFLATED for member in members)
    return CHUNK_S * len(members) + BYTE_S * beyond


def format_samplerate(samplerate_hz: Fraction) -> str:
    """Return a samplerate in Hz as sigrok writes it; sigrok takes integers of Hz only."""
    if samplerate_hz.denominator != 1:
        raise FormatError(f"{samplerate_hz} Hz cannot be written to a .sr file", remedy="give an integer number of Hz")
    for prefix, factor in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if samplerate_hz % factor == 0:
            return f"{samplerate_hz // factor} {prefix}Hz"
    return f"{samplerate_hz} Hz"


def read_sr(path: Path, *, samplerate_hz: Fraction | None = None) -> Edges:
    """Read all edges of a .sr file into memory; as `read`."""
    return read(path, ReadOptions(samplerate_hz=samplerate_hz)).edges()


def write(path: Path, content: Waveform, *, start: int | None = None, end: int | None = None) -> str:
    """Write a waveform, or a window of it, as a .sr file, in memory that does not grow with its length.

    Parameters
    ----------
    path
        The file; replaced in one step when it is complete.
    content
        Without lost samples in the window, since a .sr file cannot express that some are missing.
    start, end
        The window, in samples: sample 0 of the file is `start`. None: as far as the waveform goes.

    Returns
    -------
    str
        What was rounded: nothing, but the file begins at 0.

    Raises
    ------
    CaptureError
        There are no channels, samples of the window are lost, it is empty, or of more chunks than a reader takes.
    """
    if not any(content.channels):
        raise CaptureError("there are no channels to write", where=path, remedy="export a capture that has some")
    one_line(content.channels, path)
    unitsize = (len(content.channels) + 7) // 8
    deflater = MemberDeflater(unitsize=unitsize)
    metadata = _metadata(content, unitsize).encode()
    written_start = written_end = 0
    with replacing(path) as new, new.open("wb") as file:
        archive = ArchiveWriter(file)
        for name, text in ((VERSION, b"2"), (METADATA, metadata)):
            archive.add(name, text, method=STORED, crc=zlib.crc32(text), size=len(text))
        windows = _windows(content, start, end, CHUNK_BYTES // unitsize, path)
        for number, (samples, levels, chunk_start, chunk_end) in enumerate(windows, start=1):
            data, crc = deflater.deflate(samples, levels, chunk_start, chunk_end)
            size = (chunk_end - chunk_start) * unitsize
            archive.add(f"logic-1-{number}", data, method=DEFLATED, crc=crc, size=size)
            written_start, written_end = chunk_start if number == 1 else written_start, chunk_end
        if written_start == written_end:
            raise CaptureError("there are no samples to write", where=path, remedy="choose another window")
        archive.close()
    return f"nothing is rounded; sample 0 of the file is sample {written_start} of the capture"


def write_sr(path: Path, edges: Edges, *, virtual: bool | None = None) -> None:
    """Write edges that are in memory; as `write`."""
    write(path, waveform_of(edges, virtual=virtual))


def _metadata(content: Waveform, unitsize: int) -> str:
    names = [f"probe{bit}={name}" for bit, name in enumerate(content.channels, start=1) if name]
    lines = [
        "[global]",
        f"sigrok version={TOOLKIT}",
        *[f"{NOTE}={VIRTUAL_MARK}"] * bool(content.virtual),  # sigrok skips keys that it does not know
        "",
        "[device 1]",
        "capturefile=logic-1",
        f"total probes={len(content.channels)}",
        f"samplerate={format_samplerate(content.samplerate_hz)}",
        "total analog=0",
        *names,
        f"unitsize={unitsize}",
        "",
    ]
    return "\n".join(lines)


def _windows(
    content: Waveform, start: int | None, end: int | None, step: int, path: Path
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint64], int, int]]:
    """Yield (samples, levels, start, end) of each chunk; the first edge gives the levels at its start."""
    at, begin = start, start
    samples, levels = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
    known_end = 0
    for block in content.read():
        samples, levels = np.append(samples, block.samples), np.append(levels, block.levels)
        if not samples.size:
            continue
        at = int(samples[0]) if at is None else max(at, int(samples[0]))
        known_end = block.end if end is None else min(block.end, end)
        begin = at if begin is None else begin
        if known_end - begin > MAX_CHUNKS * step:
            raise _too_long(known_end - begin, content.samplerate_hz, step, path)
        for gap_start, gap_end in block.gaps.tolist():
            if gap_end > at and (end is None or gap_start < end):
                problem = f"samples {gap_start} to {gap_end} are not known, which a .sr file cannot express"
                remedy = f"export a window before the gap, --to {gap_start}sa, or after it, --from {gap_end}sa"
                raise CaptureError(problem, where=path, remedy=remedy)
        while at + step <= known_end:
            yield *_rows(samples, levels, at, at + step), at, at + step
            at += step
        keep = max(int(np.searchsorted(samples, at, side="right")) - 1, 0)
        samples, levels = samples[keep:], levels[keep:]
        if known_end == end:
            break
    if at is not None and at < known_end:
        yield *_rows(samples, levels, at, known_end), at, known_end


def _too_long(samples: int, samplerate_hz: Fraction, step: int, path: Path) -> CaptureError:
    size_tib = float(Fraction(samples * CHUNK_BYTES, step << 40))
    problem = f"at least {samples} samples at {float(samplerate_hz):.12g} Hz would be {size_tib:.0f} TiB in a .sr file"
    return CaptureError(problem, where=path, remedy="export a window, or read the source at a lower rate: --samplerate")


def _rows(
    samples: NDArray[np.int64], levels: NDArray[np.uint64], start: int, end: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    start_row = int(np.searchsorted(samples, start, side="right")) - 1
    end_row = int(np.searchsorted(samples, end))
    return samples[start_row:end_row], levels[start_row:end_row]
