"""Targets of the fuzzer past the checksums: the input is the content of a file, in a valid envelope."""

from __future__ import annotations

import json
import struct
import zipfile
import zlib
from io import BytesIO

from faults import seeds

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.segment_format import BODY, MAGIC, PAYLOAD_BYTES
from gpiorig.capture.recording.segment_reader import read_segments
from gpiorig.capture.serial import record

from . import invariants
from .invariants import hold
from .readers import Target, fresh, our_errors

SPLIT = b"\n--\n"


def sr_members(data: bytes) -> None:
    """A .sr file with this text as metadata, then names and contents of its members."""
    metadata, *members = data.split(SPLIT)
    path = fresh("sr_members") / "x.sr"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("version", "2")
        archive.writestr("metadata", metadata)
        for member in members[:40]:
            name, _, content = member.partition(b"\n")
            text = name.decode("latin-1")[:200].partition("\0")[0]
            if text and text not in archive.namelist():
                archive.writestr(text, content)
    for recover in (False, True):
        with our_errors():
            edges = invariants.read("sr", path, ReadOptions(recover=recover))
            hold(recover or edges is None or not len(edges.gaps), "without --recover there are no gaps")


def sal_members(data: bytes) -> None:
    """A .sal file with this text as meta.json, then its first channel."""
    meta, _, blob = data.partition(SPLIT)
    path = fresh("sal_members") / "x.sal"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("meta.json", meta)
        archive.writestr("digital-0.bin", blob)
    with our_errors():
        invariants.read("sal", path, ReadOptions())


def segment_blocks(data: bytes) -> None:
    """A segment file of blocks with right checksums: 18 bytes of header each, then the payload that it wants."""
    written, at, number = b"", 0, 0
    while at + 18 <= len(data) and number < 50:
        kind, step, count, watermark, _ = struct.unpack_from("<BBIqI", data, at)
        at, count = at + 18, count % 64 if step & 1 else count
        number += step & 2 or 1
        payload = data[at : at + PAYLOAD_BYTES.get(kind, 0) * min(count, 1000)]
        at += len(payload)
        body = BODY.pack(MAGIC, kind, number, count, watermark, zlib.crc32(payload))
        written += body + struct.pack("<I", zlib.crc32(body)) + payload
    folder = fresh("segment_blocks")
    (folder / "000001.seg").write_bytes(written)
    with our_errors():
        content = read_segments(folder)
        try:
            content.edges(samplerate_hz=seeds.RATE_HZ, channels=seeds.CHANNELS)
        except CaptureError as error:
            hold(not content.closed or "no levels are known" in str(error), f"a closed capture that is none: {error}")


def serial_entries(data: bytes) -> None:
    """A serial record whose entries have right checksums: 8 bytes of head each, then their bytes."""
    written, at, number = record.MAGIC, 0, 0
    while at + 8 <= len(data):
        stamp, kind, length, flags = struct.unpack_from("<iBHB", data, at)
        content = data[at + 8 : at + 8 + length % 200]
        at, number = at + 8 + len(content), number + 1
        stamp_ns = stamp << 32 if flags & 1 else stamp
        fields = record.FIELDS.pack(stamp_ns, seeds.STAMP_NS + stamp, len(content), number, kind % 6)
        written += fields + struct.pack("<I", zlib.crc32(content, zlib.crc32(fields))) + content
    path = fresh("serial_entries") / "node.rec"
    path.write_bytes(written)
    with our_errors():
        reads = record.read_record(path, clock="host")
        hold(len(reads.data) == (int(reads.ends[-1]) if len(reads.ends) else 0), "the reads make up the bytes")
        reads.lines()


def targets() -> list[Target]:
    """All of them."""
    with zipfile.ZipFile(BytesIO(seeds.sr())) as archive:
        members = [b"logic-1-%d\n" % n + archive.read(f"logic-1-{n}")[:50] for n in range(1, 4)]
    with zipfile.ZipFile(BytesIO(seeds.sal())) as archive:
        meta, blob = archive.read("meta.json"), archive.read("digital-0.bin")
    rows = b"".join(struct.pack("<q", n) for n in (0, 5, 9)) + b"".join(struct.pack("<Q", n) for n in (1, 2, 3))
    blocks = struct.pack("<BBIqI", 1, 1, 3, 20, 0) + rows + struct.pack("<BBIqI", 2, 1, 1, 30, 0)
    blocks += struct.pack("<qq", 20, 30) + struct.pack("<BBIqI", 4, 1, 0, 30, 0)
    entries = b"".join(struct.pack("<iBHB", n, n % 5, 9, 0) + b"line %d ok\n"[:9] for n in range(9))
    return [
        Target("sr_members", (SPLIT.join([seeds.sr_metadata().encode(), *members]),), sr_members),
        Target("sal_members", (meta + SPLIT + blob, json.dumps({}).encode() + SPLIT + blob), sal_members),
        Target("segment_blocks", (blocks,), segment_blocks),
        Target("serial_entries", (entries,), serial_entries),
    ]
