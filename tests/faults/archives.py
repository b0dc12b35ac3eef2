"""Cases of zip files: .sr and .sal."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from gpiorig.capture.edges.read_options import ReadOptions

from . import seeds
from .case import Case, Verdict, info, reading

FLAGS, PACKED, SIZE, OFFSET, NAME = 8, 20, 24, 42, 46  # in an entry of the directory (APPNOTE 6.3.10, 4.3.12)
RECOVER = ReadOptions(recover=True)
LAST = b"logic-1-10"


def directory(content: bytes) -> int:
    """Where the directory begins."""
    return int(struct.unpack_from("<I", content, content.rfind(b"PK\5\6") + 16)[0])


def entry(content: bytes, member: bytes) -> int:
    """Where the directory's entry of a member begins."""
    return content.find(member, directory(content)) - NAME


def put(member: bytes, field: int, what: bytes) -> Callable[[bytes], bytes]:
    """Overwrite a field of a member's entry."""

    def change(content: bytes) -> bytes:
        at = entry(content, member) + field
        return content[:at] + what + content[at + len(what) :]

    return change


def flipped(bit: int) -> Callable[[bytes], bytes]:
    """One bit of the directory and what follows it."""

    def change(content: bytes) -> bytes:
        at = directory(content) + bit // 8
        return content[:at] + bytes([content[at] ^ 1 << bit % 8]) + content[at + 1 :]

    return change


def bits() -> list[Case]:
    """Each bit of the directory and the end record."""
    seed = seeds.seed("sr")
    return [
        reading(seed, f"bit {bit} of the directory{', --recover' * (options is RECOVER)}", flipped(bit), **how)
        for options, verdict, step in ((ReadOptions(), Verdict.CHECKED, 1), (RECOVER, Verdict.RECOVERED, 8))
        for how in [{"options": options, "verdict": verdict}]
        for bit in range(0, 8 * (len(seed.content) - directory(seed.content)), step)
    ]


def names() -> list[Case]:
    """Members that do not fit their names."""
    good = seeds.sr()
    cases = [
        info("sr", f"the last chunk is called {name.decode()}", put(LAST, NAME, name)(good), name.decode())
        for name in (b"logic-1-05", b"logic-1-00", b"xogic-1-10", b"logic-2-10")
    ]
    for number in (10**18, 1_048_000):
        chunks = {f"logic-1-{number}": b"\1" * 1000}
        cases.append(info("sr", f"the one chunk is number {number}", seeds.sr(members=chunks)))
        cases.append(
            info("sr", f"the same, --recover ({number})", seeds.sr(members=chunks), options=["--recover"], memory=True)
            if number > 1 << 40
            else info(
                "sr",
                f"the same, --recover ({number})",
                seeds.sr(members=chunks),
                "gaps",
                options=["--recover"],
                verdict=Verdict.MARK,
                memory=True,
            )
        )
    digits = {f"logic-1-{'9' * 5000}": b"\1" * 1000}
    cases.append(info("sr", "a chunk's number has 5000 digits", seeds.sr(members=digits)))
    return cases


def sizes() -> list[Case]:
    """Directory entries that lie about sizes."""
    seed, cases = seeds.seed("sr"), []
    for field, word in ((SIZE, "size"), (PACKED, "packed size")):
        at = entry(seed.content, b"logic-1-5") + field
        (right,) = struct.unpack_from("<I", seed.content, at)
        for value in (right - 16, right + 16, 0, (1 << 32) - 1):
            change = put(b"logic-1-5", field, struct.pack("<I", value))
            name = f"{word} of chunk 5 is {value}"
            cases.append(reading(seed, name, change, verdict=Verdict.CHECKED))
            cases.append(reading(seed, f"{name}, --recover", change, verdict=Verdict.RECOVERED, options=RECOVER))
    beyond = put(b"metadata", PACKED, struct.pack("<I", 0xFF0001AB))
    cases.append(info("sr", "packed size of metadata is 4 GB", beyond(seed.content), memory=True))
    return cases


def bombs() -> list[Case]:
    """Small files that would fill memory or time."""
    zeros = lambda: seeds.sr(metadata=bytes(1 << 27))  # noqa: E731
    locator = b"PK\6\7" + struct.pack("<IQI", 0, (1 << 64) - 1, 1)
    end = seeds.sr().rfind(b"PK\5\6")
    full = seeds.sr()[: end + 10] + b"\xff\xff\xff\xff" + b"\xff" * 8 + seeds.sr()[end + 22 - 2 :]
    return [
        info("sr", "metadata of 128 MB of zeros", zeros, memory=True),
        info("sr", "a ZIP64 locator at 2^64-1", seeds.sr()[:end] + locator + full[end:], memory=True),
        *(
            info("sr", f"{word} is 2^32-1", put(member, field, b"\xff" * 4)(seeds.sr()), memory=True)
            for member, field, word in (
                (b"metadata", OFFSET, "offset of metadata"),
                (b"metadata", PACKED, "packed size of metadata"),
                (b"logic-1-3", OFFSET, "offset of a chunk"),
            )
        ),
    ]


def headers() -> list[Case]:
    """Metadata that cannot be."""
    rates = ("-1 MHz", "nan", "1e30", "9" * 400, "9" * 5000, "0." + "0" * 400 + "1")
    return [
        *(
            info("sr", f"samplerate {rate[:20]}, {len(rate)} characters", seeds.sr(metadata=text), "samplerate")
            for rate in rates
            for text in [seeds.sr_metadata(samplerate=rate)]
        ),
        info("sr", "20 probes in a byte", seeds.sr(metadata=seeds.sr_metadata(probes=20))),
        info("sr", "70 probes in a byte", seeds.sr(metadata=seeds.sr_metadata(probes=70))),
        info("sr", "unitsize 0", seeds.sr(metadata=seeds.sr_metadata(unitsize=0))),
        info("sr", "unitsize 2^32+1", seeds.sr(metadata=seeds.sr_metadata(unitsize=(1 << 32) + 1))),
        info("sr", "no section in metadata", seeds.sr(metadata="samplerate=1")),
        info("sr", "metadata is not text", seeds.sr(metadata=b"\xff\xfe\0\0")),
        info("sr", "cut by 200 bytes", seeds.sr()[:-200]),
        info("sr", "the first half", seeds.sr()[: len(seeds.sr()) // 2]),
    ]


def sessions() -> list[Case]:
    """Sessions of Logic 2."""
    good = seeds.sal()
    name = entry(good, b"digital-0.bin")
    flagged = bytearray(good)
    flagged[name + FLAGS : name + FLAGS + 2] = b"\0\x08"
    flagged[name + NAME] = 0xA3
    rates = (0, -1, 1e-300, 1e300, "fast", None, 10**400, [1])
    return [
        *(info("sal", f"rate {str(rate)[:20]}", seeds.sal(rate=rate)) for rate in rates),
        info("sal", "a name that is not UTF-8, and a flag that says so", bytes(flagged)),
        info("sal", "cut by 100 bytes", good[:-100]),
        info("sal", "deep JSON", re.sub(rb"PK.*", b"", good, flags=re.S) or b"PK\3\4" + b"[" * 50_000),
    ]


def cases() -> list[Case]:
    """All of them."""
    return [*bits(), *names(), *sizes(), *bombs(), *headers(), *sessions()]
