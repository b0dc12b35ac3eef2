"""The dissection of IEEE 802.15.4 frames in decoders/ieee802154/mac.py, against tshark and on frames made by hand."""

from __future__ import annotations

import importlib.util
import random
import struct
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from commandline import ROOT

from gpiorig.analysis.radio import radio_frames

LINKTYPE_NOFCS = 230  # tcpdump.org/linktypes.html: LINKTYPE_IEEE802_15_4_NOFCS
TSHARK_FIELDS = (
    *("wpan.frame_type", "wpan.version", "wpan.seq_no", "wpan.dst_pan", "wpan.dst16", "wpan.dst64"),
    *("wpan.src_pan", "wpan.src16", "wpan.src64", "wpan.aux_sec.frame_counter"),
)


def load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mac", ROOT / "decoders/ieee802154/mac.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


mac = load()


def texts(octets: bytes, *, has_fcs: bool = False) -> list[str]:
    """The longest text of each field."""
    return [field.texts[0] for field in mac.Frame(octets, has_fcs).fields]


def draw_frame(draw: random.Random) -> bytes:
    """A frame with a lawful frame control field and more octets than any header has."""
    version, modes = draw.randrange(3), (draw.choice((0, 2, 3)), draw.choice((0, 2, 3)))
    compressed = draw.randrange(2) if version == 2 or all(modes) else 0
    suppressed = draw.randrange(2) if version == 2 else 0
    secured = draw.randrange(2) if version else 0
    control = 1 | secured << 3 | draw.randrange(2) << 5 | compressed << 6 | suppressed << 8
    control |= modes[0] << 10 | version << 12 | modes[1] << 14
    return struct.pack("<H", control) + bytes(draw.randrange(256) for _ in range(60))


def by_tshark(folder: Path, frames: list[bytes]) -> list[list[str]]:
    pcap = folder / "frames.pcap"
    stream = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, LINKTYPE_NOFCS)
    for frame in frames:
        stream += struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame
    pcap.write_bytes(stream)
    command = ["tshark", "-r", str(pcap), "-T", "fields", *(word for name in TSHARK_FIELDS for word in ("-e", name))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.rstrip("\n").split("\n")]


@pytest.mark.slow
def test_header_is_that_of_tshark(tmp_path: Path) -> None:
    """Type, version, sequence number, PANs, addresses and frame counter of 500 random headers."""
    draw = random.Random(1)
    frames = [draw_frame(draw) for _ in range(500)]
    for octets, line in zip(frames, by_tshark(tmp_path, frames), strict=True):
        frame = mac.Frame(octets)
        fields = {field.texts[0].rsplit(" ", 1)[0]: field.texts[0].rsplit(" ", 1)[1] for field in frame.fields[1:]}
        kind, version, sequence, dst_pan, dst16, dst64, src_pan, src16, src64, counter = line
        assert (int(kind, 16), int(version)) == (frame.type, frame.version)
        assert sequence == ("" if frame.sequence is None else f"{frame.sequence}")
        assert dst_pan == fields.get("Destination PAN", ""), octets.hex()
        assert src_pan == fields.get("Source PAN", "") or frame.version != 2  # tshark fills it in where it is omitted
        assert (dst16 or dst64.replace(":", "")) == (frame.destination or "")
        assert (src16 or src64.replace(":", "")) == (frame.source or "")
        assert counter in ("", fields.get("Frame counter", ""))
        assert radio_frames.sequence_number(octets) == (-1 if frame.sequence is None else frame.sequence)


def test_every_length_and_any_octets_are_dissected() -> None:
    """No frame is too short or too strange, with or without FCS; fields lie inside the frame."""
    draw = random.Random(2)
    for _ in range(4000):
        octets = bytes(draw.randrange(256) for _ in range(draw.choice((0, 1, 2, 3, 5, 9, 20, 40, 127))))
        has_fcs = draw.random() < 0.5
        frame = mac.Frame(octets, has_fcs)
        assert frame.summary()
        assert all(0 <= field.first <= field.last <= len(octets) for field in frame.fields)
        assert all('"' not in text and "\\" not in text for field in frame.fields for text in field.texts)
        body = octets[:-2] if has_fcs and len(octets) >= 2 else octets
        assert radio_frames.sequence_number(body) == (-1 if frame.sequence is None else frame.sequence)


def test_fcs() -> None:
    """Right and wrong; the check value of CRC-16/KERMIT, the same polynomial and order, is 0x2189."""
    assert 0x2189 == mac.fcs_of(b"123456789")  # reveng.sourceforge.io/crc-catalogue: CRC-16/KERMIT
    octets = bytes.fromhex("02 00 56")
    octets += mac.fcs_of(octets).to_bytes(2, "little")
    assert mac.Frame(octets, True).crc_ok
    assert "Ack #86" == mac.Frame(octets, True).summary()
    wrong = octets[:-1] + bytes((octets[-1] ^ 1,))
    assert mac.Frame(wrong, True).crc_ok is False
    assert "Ack #86 FCS wrong" == mac.Frame(wrong, True).summary()


@pytest.mark.parametrize(
    ("octets", "expected"),
    [
        # Beacon of 2003: superframe 15, 15, final slot 15, coordinator, association; no GTS, no pending addresses.
        (
            "00 80 2a 34 12 00 00 ff cf 00 00",
            ["Superframe: beacon order 15, superframe order 15, final CAP slot 15, PAN coordinator, "
             "association permitted", "GTS: 0 descriptors", "Pending addresses: 0 short, 0 extended"],
        ),
        # Command of 2003: data request.
        ("63 88 01 34 12 00 00 05 00 04", ["Data request"]),
        # Enhanced beacon of a TSCH network: payload IE MLME with synchronization, then a payload.
        (
            "40 aa 05 34 12 ff ff 01 00 00 3f 08 88 06 1a 07 00 00 00 00 00 00 f8",
            ["Header termination 1", "MLME IEs: 8 octets", "TSCH synchronization: ASN 7, join metric 0",
             "Payload termination"],
        ),
        # Enhanced acknowledgement with time correction -5 us.
        ("02 22 33 02 0f fb 0f", ["Time correction: -5 us"]),
        # Secured data of 2006: ENC-MIC-32, key index 1.
        (
            "49 98 07 34 12 02 00 01 00 0d 09 00 00 00 01 aa bb cc dd ee ff",
            ["Security control 0x0d: ENC-MIC-32, key mode 1", "Frame counter 9", "Key index 1", "MIC of 4 octets",
             "Encrypted payload: 2 octets"],
        ),
        # 6LoWPAN, first fragment.
        ("41 88 01 34 12 02 00 01 00 c1 2c 00 05 7e", ["6LoWPAN: first fragment, tag 5, size 300: 5 octets"]),
        # Cut inside the source address.
        ("41 88 01 34 12 02 00 01", ["Frame too short"]),
    ],
)  # fmt: skip
def test_frames_made_by_hand(octets: str, expected: list[str]) -> None:
    """What comes after the addresses, by the tables of the standard."""
    assert expected == texts(bytes.fromhex(octets))[-len(expected) :]


def test_packet_id() -> None:
    """The last two octets of a data frame's payload; none of other frames and of encrypted ones."""
    assert 0x0102 == mac.Frame(bytes.fromhex("41 88 01 34 12 02 00 01 00 7e 01 02")).packet_id()
    assert mac.Frame(bytes.fromhex("63 88 01 34 12 00 00 05 00 04")).packet_id() is None
