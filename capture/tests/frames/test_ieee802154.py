"""The MAC header and the FCS, against the standard's example and Wireshark's dissector."""

from __future__ import annotations

import itertools
import random
import struct
import subprocess
from pathlib import Path

import pytest

from gpiorig.capture.frames import ieee802154

FIELDS = ("frame_type", "version", "seq_no", "dst16", "dst64", "src16", "src64", "dst_pan", "src_pan")
FLAGS = ("ack_request", "pending", "security", "ie_present")
MODES = (ieee802154.NONE, ieee802154.SHORT, ieee802154.LONG)


def random_frames(count: int) -> list[bytes]:
    """Frames of every type, version and addressing that the standard allows, with a random payload."""
    generator = random.Random(4)
    frames = []
    while len(frames) < count:
        kind, version = generator.choice([0, 1, 2, 3, 5]), generator.randrange(3)
        destination, source = generator.choice(MODES), generator.choice(MODES)
        if kind == ieee802154.MULTIPURPOSE:  # long frame control: its version must be 0
            control = kind | 1 << 3 | destination << 4 | source << 6 | (generator.getrandbits(8) & ~0x30) << 8
        else:
            compressed = generator.getrandbits(1) and (version == 2 or bool(destination and source))
            control = kind | generator.getrandbits(2) << 4 | compressed << 6 | destination << 10
            control |= version << 12 | source << 14 | (generator.getrandbits(1) << 8 if version == 2 else 0)
        frames.append(struct.pack("<H", control) + generator.randbytes(generator.randrange(22, 40)))
    return frames


@pytest.mark.slow
def test_headers_are_what_wireshark_says(tmp_path: Path) -> None:
    """Type, version, sequence number, addresses, PANs and flags of 1000 random frames, as tshark shows them."""
    frames = random_frames(1000)
    path = tmp_path / "random.pcap"
    with path.open("wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 230))
        for number, frame in enumerate(frames):
            file.write(struct.pack("<IIII", number, 0, len(frame), len(frame)) + frame)
    wanted = [word for name in (*FIELDS, *FLAGS) for word in ("-e", f"wpan.{name}")]
    shown = subprocess.run(
        ["tshark", "-r", path, "-T", "fields", *wanted], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(frames) == len(shown)
    for frame, line in zip(frames, shown, strict=True):
        header = ieee802154.parse(frame)
        assert header is not None
        assert _as_shown(header) == line.split("\t"), frame.hex()


def _as_shown(header: ieee802154.MacHeader) -> list[str]:
    """A header as tshark prints its fields."""

    def number(value: int | None) -> str:
        return "" if value is None else f"0x{value:04x}"

    def addresses(text: str) -> list[str]:
        return [text if text.startswith("0x") else "", text if ":" in text else ""]

    multipurpose = header.kind == "multipurpose"
    return [
        f"0x{ieee802154.KINDS.index(header.kind):04x}",
        "" if multipurpose else str(header.version),
        "" if header.sequence is None else str(header.sequence),
        *addresses(header.destination),
        *addresses(header.source),
        number(header.destination_pan),
        number(header.source_pan),
        *(str(int(flag)) for flag in (header.ack_request, header.pending, header.security, header.ies)),
    ]


def test_fcs_of_the_standards_example() -> None:
    """The acknowledgement of IEEE Std 802.15.4-2006, 7.2.1.9: bits 0100 0000 0000 0000 0101 0110."""
    assert bytes([0b11100100, 0b01111001]) == ieee802154.fcs16(bytes([0b00000010, 0, 0b01101010]))


def test_cut_headers_are_malformed() -> None:
    """Every prefix that ends within the header is malformed; none raises."""
    frame = bytes.fromhex("418842cdabffff3412") + bytes(4)
    header = ieee802154.parse(frame)
    assert header is not None
    assert ("data", 66, "0xffff", 0xABCD) == (header.kind, header.sequence, header.destination, header.destination_pan)
    for size in range(len(frame)):
        assert (size < header.length) == (ieee802154.parse(frame[:size]) is None)


def address(mode: int, seed: int) -> tuple[bytes, str]:
    """An address of a mode, as it is sent and as it is shown."""
    sent = {
        ieee802154.NONE: b"",
        ieee802154.SHORT: bytes([seed, 0x1A]),
        ieee802154.LONG: bytes(range(seed, seed + 8)),
    }[mode]
    digits = sent[::-1].hex(":")
    return sent, f"0x{digits.replace(':', '')}" if mode == ieee802154.SHORT else digits


# IEEE Std 802.15.4-2015, table 7-2: destination and source mode, PAN ID compression -> destination PAN, source PAN
PANS_2015 = {
    ("none", "none", 0): (0, 0),
    ("none", "none", 1): (1, 0),
    ("some", "none", 0): (1, 0),
    ("some", "none", 1): (0, 0),
    ("none", "some", 0): (0, 1),
    ("none", "some", 1): (0, 0),
    ("long", "long", 0): (1, 0),
    ("long", "long", 1): (0, 0),
    ("some", "some", 0): (1, 1),
    ("some", "some", 1): (1, 0),
}
# IEEE Std 802.15.4-2006, 7.2.1.1.5: the PAN of the source is omitted where both addresses are there and of one PAN
PANS_2006 = {
    ("none", "none", 0): (0, 0),
    ("none", "none", 1): (0, 0),
    ("some", "none", 0): (1, 0),
    ("some", "none", 1): (1, 0),
    ("none", "some", 0): (0, 1),
    ("none", "some", 1): (0, 1),
    ("some", "some", 0): (1, 1),
    ("some", "some", 1): (1, 0),
}


@pytest.mark.parametrize("version", range(3))
def test_headers_of_every_addressing(version: int) -> None:
    """Made by the tables of the standards: addresses, PANs, the sequence number, flags, and the length."""
    for destination, source, compressed, flags in itertools.product(MODES, MODES, range(2), range(32)):
        names = ["none" if mode == ieee802154.NONE else "some" for mode in (destination, source)]
        if version == 2 and destination == source == ieee802154.LONG:
            names = ["long", "long"]
        has_destination_pan, has_source_pan = (PANS_2015 if version == 2 else PANS_2006)[(*names, compressed)]
        security, pending, acknowledged, suppressed, ies = (flags >> bit & 1 for bit in range(5))
        control = 1 | security << 3 | pending << 4 | acknowledged << 5 | compressed << 6 | suppressed << 8 | ies << 9
        control |= destination << 10 | version << 12 | source << 14
        numbered = version < 2 or not suppressed
        (to, to_text), (by, by_text) = address(destination, 16), address(source, 64)
        head = struct.pack("<H", control) + b"\x2a" * numbered
        head += b"\x34\x12" * has_destination_pan + to + b"\x78\x56" * has_source_pan + by

        assert ieee802154.parse(head + b"payload") == ieee802154.MacHeader(
            kind="data",
            version=version,
            sequence=0x2A if numbered else None,
            source=by_text,
            destination=to_text,
            source_pan=0x5678 if has_source_pan else None,
            destination_pan=0x1234 if has_destination_pan else None,
            ack_request=bool(acknowledged),
            pending=bool(pending),
            security=bool(security),
            ies=version == 2 and bool(ies),
            length=len(head),
        )
        assert ieee802154.parse(head[:-1]) is None or len(head) == 2
