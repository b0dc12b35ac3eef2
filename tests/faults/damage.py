"""Random damage, the same for the same seed."""

from __future__ import annotations

import random
import struct

from gpiorig.capture.edges.read_options import ReadOptions

from . import seeds
from .case import Case, Verdict, reading

TRIES = 150  # of each seed
CHECKED = ("sr", "sal")  # formats whose checksums tell every damage
WORDS = (b"nan", b"1e30", b"99999999999999999999", b",", b";", b"\t", b"\n", b"\0", b"\xff", b"", b"-1", b"0")
NUMBERS = (0, 1 << 31, (1 << 32) - 1, 1 << 63)


def damaged(content: bytes, number: int) -> bytes:
    """Hit one to eight times: bits, cuts, slices taken out, put in, copied elsewhere, absurd numbers and words."""
    generator, changed = random.Random(number), bytearray(content)
    for _ in range(generator.randint(1, 8) if number % 3 else 1):
        if not changed:
            break
        edge = generator.random() < 0.5  # heads and directories are where structure is
        at = generator.randrange(len(changed))
        if edge:
            at = generator.choice((at % 512, len(changed) - 1 - at % 512)) % len(changed)
        length = generator.randint(1, 512)
        match generator.randrange(8):
            case 0:
                changed[at] ^= 1 << generator.randrange(8)
            case 1:
                changed[at] = generator.randrange(256)
            case 2 if generator.random() < 0.3:
                del changed[at:]
            case 3:
                del changed[at : at + length]
            case 4:
                changed[at:at] = generator.randbytes(length % 64)
            case 5:
                size = generator.choice((2, 4, 8))
                changed[at : at + size] = struct.pack("<Q", generator.choice(NUMBERS))[:size]
            case 6:
                changed[at:at] = changed[generator.randrange(len(changed)) :][:length]
            case _:
                changed[at : at + generator.randint(0, 9)] = generator.choice(WORDS)
    return bytes(changed)


def cases() -> list[Case]:
    """Each seed, hit at random."""
    return [
        reading(
            seed,
            f"{seed.name}, random damage {number}",
            lambda content, number=number: damaged(content, number),
            verdict=Verdict.CHECKED if seed.format in CHECKED else Verdict.ORDERLY,
        )
        for seed in seeds.seeds()
        for number in range(TRIES)
    ] + [
        reading(
            seeds.seed("sr"),
            f"x.sr, random damage {number}, --recover",
            lambda content, number=number: damaged(content, number),
            verdict=Verdict.RECOVERED,
            options=ReadOptions(recover=True),
        )
        for number in range(TRIES)
    ]
