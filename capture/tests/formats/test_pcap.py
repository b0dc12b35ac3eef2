"""Packet captures: every way in which sniffers write 802.15.4 frames, and pcapng as Wireshark's tools have it."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

import pytest

from gpiorig.capture import formats
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats import pcap
from gpiorig.capture.frames import ieee802154, pcap_records
from gpiorig.capture.frames.frame import Frame
from gpiorig.capture.frames.frames import Frames, Skipped

MPDU = bytes.fromhex("6188 2a cdab 0200 0100") + b"\0 payload"
PSDU = MPDU + ieee802154.fcs16(MPDU)
STAMP_US = 1_700_000_000_123_456
ZEP_2 = b"EX" + struct.pack(">BBBHBBII", 2, 1, 26, 0x0103, 1, 200, 2_208_988_805, 1 << 31) + bytes(14)


def zep(psdu: bytes = PSDU, *, head: bytes = ZEP_2) -> bytes:
    """A ZEP packet."""
    return head + bytes([len(psdu)]) + psdu


def ipv4(payload: bytes, *, port: int = 17754, protocol: int = 17) -> bytes:
    """A UDP datagram in an IPv4 packet."""
    address = bytes([127, 0, 0, 1])
    head = struct.pack(">BBHHHBBH", 0x45, 0, 28 + len(payload), 0, 0, 64, protocol, 0) + 2 * address
    return head + struct.pack(">HHHH", 4660, port, 8 + len(payload), 0) + payload


def ipv6(payload: bytes) -> bytes:
    """A UDP datagram in an IPv6 packet with a hop-by-hop header."""
    head = struct.pack(">IHBB", 6 << 28, 16 + len(payload), 0, 64) + bytes(32) + b"\x11\0\1\4\0\0\0\0"
    return head + struct.pack(">HHHH", 17754, 4660, 8 + len(payload), 0) + payload


def pcap_file(path: Path, packets: list[bytes], *, linktype: int, order: str = "<", nanoseconds: bool = False) -> Path:
    """A pcap file whose packets are a tick apart."""
    magic, ticks = (0xA1B23C4D, 10**9) if nanoseconds else (0xA1B2C3D4, 10**6)
    content = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, linktype)
    for number, packet in enumerate(packets):
        seconds, part = divmod(STAMP_US * ticks // 10**6 + number, ticks)
        content += struct.pack(f"{order}IIII", seconds, part, len(packet), len(packet)) + packet
    path.write_bytes(content)
    return path


def block(kind: int, body: bytes, order: str) -> bytes:
    """A pcapng block."""
    body += bytes(-len(body) % 4)
    return struct.pack(f"{order}II", kind, len(body) + 12) + body + struct.pack(f"{order}I", len(body) + 12)


def option(code: int, value: bytes, order: str) -> bytes:
    """A pcapng option."""
    return struct.pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order: str, interfaces: list[tuple[str, int, int]], packets: list[tuple[int, int, bytes]]) -> bytes:
    """A section: interfaces (name, if_tsresol, if_tsoffset), packets (interface, ticks, frame without FCS)."""
    content = block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order)
    for name, resolution, offset_s in interfaces:
        options = option(2, name.encode(), order) + option(9, bytes([resolution]), order)
        options += option(14, struct.pack(f"{order}q", offset_s), order) + bytes(4)
        content += block(1, struct.pack(f"{order}HHI", 230, 0, 0) + options, order)
    for interface, ticks, frame in packets:
        head = struct.pack(f"{order}IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), len(frame))
        comment = option(1, f"packet at {ticks}".encode(), order) + bytes(4)
        content += block(6, head + frame + bytes(-len(frame) % 4) + comment, order)
    return content


def everything(path: Path) -> list[Frame | Skipped]:
    """All that is in a file."""
    return list(pcap.read(path).read())


def only(path: Path) -> Frame:
    """The one frame of a file."""
    (frame,) = everything(path)
    assert isinstance(frame, Frame)
    return frame


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_pcap_in_both_byte_orders_and_resolutions(tmp_path: Path, order: str, nanoseconds: bool) -> None:
    """Timestamps are exact ticks, the FCS is parted off and checked."""
    path = pcap_file(tmp_path / "a.pcap", [PSDU, PSDU[:-1] + b"!"], linktype=195, order=order, nanoseconds=nanoseconds)
    assert "pcap" == formats.recognise(path)
    good, bad = pcap.read(path).frames()
    ticks_per_s = 10**9 if nanoseconds else 10**6
    assert (STAMP_US * ticks_per_s // 10**6, ticks_per_s) == (good.ticks, good.ticks_per_s)
    assert good.ticks + 1 == bad.ticks
    assert (MPDU, PSDU[-2:], True) == (good.mpdu, good.fcs, good.fcs_ok)
    assert (MPDU, False) == (bad.mpdu, bad.fcs_ok)


UDP_PACKETS = [
    pytest.param(1, bytes(12) + b"\x08\x00" + ipv4(zep()), id="ethernet"),
    pytest.param(1, bytes(12) + bytes.fromhex("81000007 0800") + ipv4(zep()), id="vlan"),
    pytest.param(1, bytes(12) + b"\x86\xdd" + ipv6(zep()), id="ethernet, IPv6"),
    pytest.param(113, bytes(14) + b"\x08\x00" + ipv4(zep()), id="Linux cooked"),
    pytest.param(276, b"\x08\x00" + bytes(18) + ipv4(zep()), id="Linux cooked 2"),
    pytest.param(101, ipv4(zep()), id="raw IP"),
    pytest.param(0, b"\x02\0\0\0" + ipv4(zep()), id="loopback"),
]


@pytest.mark.parametrize(("linktype", "packet"), UDP_PACKETS)
def test_zep_inside_udp(tmp_path: Path, linktype: int, packet: bytes) -> None:
    """Channel, device, LQI and the sniffer's own time."""
    frame = only(pcap_file(tmp_path / "zep.pcap", [packet], linktype=linktype))
    assert (MPDU, True, 26, "zep-0103", 200) == (frame.mpdu, frame.fcs_ok, frame.channel, frame.node, frame.lqi)
    assert 5_500_000_000 == frame.start_ns


@pytest.mark.slow
@pytest.mark.parametrize(("linktype", "packet"), UDP_PACKETS)
def test_zep_as_tshark_shows_it(tmp_path: Path, linktype: int, packet: bytes) -> None:
    path = pcap_file(tmp_path / "zep.pcap", [packet], linktype=linktype)
    assert "26,259,42,1" == tshark(path, "zep.channel_id", "zep.device_id", "wpan.seq_no", "wpan.fcs_ok")


def test_fragments_and_other_protocols_hold_no_frame(tmp_path: Path) -> None:
    """Of IPv4 a fragment, be it one before more or one at an offset; of IPv6 one that is not UDP."""
    whole = ipv4(zep())
    packets = [whole[:6] + flags + whole[8:] for flags in (b"\x20\0", b"\0\x01", b"\x40\0")]
    packets.append(ipv6(zep()).replace(b"\x11\0\1\4", b"\x06\0\1\4"))
    longer = ipv6(zep())
    packets.append(longer[:40] + bytes([17, 1]) + bytes(14) + longer[48:])  # a hop-by-hop header of 16 bytes
    items = everything(pcap_file(tmp_path / "a.pcap", packets, linktype=101))
    whys = [item.why if isinstance(item, Skipped) else item.mpdu for item in items]
    assert ["a fragment of an IP packet"] * 2 + [MPDU, "of another protocol", MPDU] == whys


def test_a_zep_frame_without_quality_and_with_an_fcs_has_none(tmp_path: Path) -> None:
    """An LQI of 0 is one where RSSI and correlation stand in for the FCS."""
    status = MPDU + bytes([0xD0, 0x80])
    heads = [ZEP_2[:7] + bytes([has_fcs, 0]) + ZEP_2[9:] for has_fcs in (1, 0)]
    packets = [ipv4(zep(PSDU, head=heads[0])), ipv4(zep(status, head=heads[1]))]
    frames = list(pcap.read(pcap_file(tmp_path / "a.pcap", packets, linktype=101)).frames())
    assert [None, 0] == [frame.lqi for frame in frames]


def test_frames_of_any_fields_are_written_and_read_back(tmp_path: Path) -> None:
    """Each field there or not, FCS of 0, 2 and 4 bytes, frames that were cut, and clocks that pcapng can state."""
    generator = random.Random(3)
    frames: list[Frame | Skipped] = []
    for number in range(60):
        pick = generator.choice
        mpdu = generator.randbytes(generator.randrange(1, 20))
        fcs = ieee802154.fcs(mpdu, pick([0, 2, 4]))
        cut = 0 if fcs else pick([0, 1, 7])
        frames.append(
            Frame(
                ticks=generator.randrange(1 << 60),
                ticks_per_s=pick([1, 10, 10**8, 10**9, 2, 1 << 15, 1 << 30]),
                mpdu=mpdu,
                fcs=fcs,
                fcs_ok=True if fcs else pick([None, False]),
                cut_bytes=cut,
                node=pick(["", "a"]),
                sent=pick([None, True, False]),
                channel=(channel := pick([None, 11])),
                page=0 if channel is None else pick([0, 5]),
                lqi=pick([None, 0, 255]),
                rss_dbm=pick([None, -47.5]),
                start_ns=pick([None, number]),
                end_ns=pick([None, number + 5]),
                comment=pick(["", "one\ntwo"]),
            )
        )
    path = tmp_path / "a.pcapng"
    lost, strange = Skipped(3, "lost by the sniffer"), Skipped(5, "damaged")
    text = pcap.write(path, Frames(read=lambda: iter([*frames[:9], lost, strange, *frames[9:]])))
    assert [*frames[:9], lost, *frames[9:]] == everything(path)
    assert text.startswith("60 frames, ")
    assert text.endswith("5 records that are not frames were omitted")


def test_what_an_interface_lost_and_its_fcs(tmp_path: Path) -> None:
    """Statistics count from the start, packets what was lost before them; an FCS length is in bits, or bytes."""
    order = "<"
    content = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1), order)
    for length in (16, 2):
        content += block(1, struct.pack("<HHI", 195, 0, 0) + option(13, bytes([length]), order), order)
    for interface, frame, lost in ((0, PSDU, 0), (1, PSDU, 4)):
        head = struct.pack("<IIIII", interface, 0, 0, len(frame), len(frame)) + frame + bytes(-len(frame) % 4)
        content += block(6, head + option(4, struct.pack("<Q", lost), order), order)
    for dropped in (4, 7, 7):
        statistics = struct.pack("<III", 1, 0, 0) + option(4, bytes(8), order)
        content += block(5, statistics + option(5, struct.pack("<Q", dropped), order), order)
    content += block(3, struct.pack("<I", 4) + bytes(4), order)
    path = tmp_path / "a.pcapng"
    path.write_bytes(content)
    items = everything(path)
    frames = [item for item in items if isinstance(item, Frame)]
    skipped = [item for item in items if isinstance(item, Skipped)]
    assert [(MPDU, PSDU[-2:], True)] * 2 == [(frame.mpdu, frame.fcs, frame.fcs_ok) for frame in frames]
    assert [4, 3, 1] == [item.count for item in skipped]
    assert "without a timestamp" == skipped[-1].why


def test_the_largest_record_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One byte more is damage, in pcap and in pcapng; so is a block shorter than its head."""
    monkeypatch.setattr(pcap_records, "MAX_RECORD", len(PSDU))
    for size, fits in ((len(PSDU), True), (len(PSDU) + 1, False)):
        old = pcap_file(tmp_path / "a.pcap", [bytes(size)], linktype=230)
        new = air(tmp_path / "a.pcapng", [STAMP_US], bytes(size))
        for path in (old, new):
            if fits:
                assert size == len(only(path).mpdu)
            else:
                with pytest.raises(FormatError, match=f"of {size} bytes"):
                    everything(path)
    path = tmp_path / "b.pcapng"
    head = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1), "<")
    monkeypatch.setattr(pcap_records, "MAX_BLOCK", len(head))
    path.write_bytes(head + block(99, b"", "<") + block(99, bytes(len(head) - 12), "<"))
    assert [] == everything(path)
    for size in (8, 14, len(head) + 4):
        path.write_bytes(head + struct.pack("<II", 99, size) + bytes(60))
        with pytest.raises(FormatError, match=f"a block of {size} bytes"):
            everything(path)
    monkeypatch.undo()
    monkeypatch.setattr(pcap_records, "MAX_TICKS_PER_S", 10**6)
    path.write_bytes(section("<", [("a", 6, 0)], []))
    assert [] == everything(path)
    path.write_bytes(section("<", [("a", 7, 0)], []))
    with pytest.raises(FormatError, match="ticks per second"):
        everything(path)


def test_the_earliest_and_the_latest_frame_of_a_summary(tmp_path: Path) -> None:
    """Clocks of different units are compared exactly; a binary clock is shown in ns, one of seconds without a point."""
    frames = [
        Frame(ticks=at, ticks_per_s=rate, mpdu=MPDU) for at, rate in ((3 << 14, 1 << 15), (9, 1), (95, 10), (1, 1))
    ]
    summary = Frames(read=lambda: iter(frames)).summary()
    assert ("1970-01-01T00:00:01+00:00", "1970-01-01T00:00:09.5+00:00") == (summary["first"], summary["last"])
    assert 8.5 == summary["duration_s"]
    first = Frames(read=lambda: iter(frames[:1])).summary()
    assert "1970-01-01T00:00:01.500000000+00:00" == first["first"]
    assert (None, 0.0) == ((empty := Frames(read=lambda: iter(())).summary())["first"], empty["duration_s"])


@pytest.mark.parametrize(("part", "at_ns"), [(0, 5_000_000_000), (1, 5_000_000_000), (1 << 31, 5_500_000_000)])
def test_the_time_of_a_zep_packet(tmp_path: Path, part: int, at_ns: int) -> None:
    """NTP's seconds since 1900 and their fractions of 32 bits, to the nearest ns since 1970."""
    head = ZEP_2[:13] + struct.pack(">I", part) + bytes(14)
    frame = only(pcap_file(tmp_path / "zep.pcap", [ipv4(zep(head=head))], linktype=101))
    assert (MPDU, at_ns) == (frame.mpdu, frame.start_ns)


def test_zep_1_and_what_is_no_frame(tmp_path: Path) -> None:
    """Version 1, RSSI and correlation instead of an FCS; acknowledgements and other protocols are counted, with why."""
    first = b"EX" + struct.pack(">BBHBB", 1, 15, 7, 0, 99) + bytes(7)
    status = MPDU + bytes([0xD0, 0x80 | 107])
    packets = [
        ipv4(zep(status, head=first)),
        ipv4(b"EX\x02\x02" + bytes(4)),
        ipv4(b"dns", port=53),
        ipv4(b"", protocol=6),
        ipv4(zep()[:20]),
    ]
    frame, *others = everything(pcap_file(tmp_path / "mixed.pcap", packets, linktype=101))
    assert isinstance(frame, Frame)
    assert (MPDU, b"", True, 15, 99) == (frame.mpdu, frame.fcs, frame.fcs_ok, frame.channel, frame.lqi)
    reasons = [item.why for item in others if isinstance(item, Skipped)]
    assert ["a ZEP acknowledgement", "of another protocol", "of another protocol", "damaged"] == reasons


def test_other_link_types(tmp_path: Path) -> None:
    """Without FCS, with the preamble of the PHY, and a type that holds no such frames."""
    assert (MPDU, None) == ((frame := only(pcap_file(tmp_path / "a", [MPDU], linktype=230))).mpdu, frame.fcs_ok)
    phy = bytes([0, 0, 0, 0, 0xA7, len(PSDU)]) + PSDU
    assert (MPDU, True) == ((frame := only(pcap_file(tmp_path / "b", [phy], linktype=215))).mpdu, frame.fcs_ok)
    assert [Skipped(1, "of link type 147")] == everything(pcap_file(tmp_path / "c", [MPDU], linktype=147))


@pytest.mark.parametrize("order", "<>")
def test_pcapng_sections_interfaces_and_clocks(tmp_path: Path, order: str) -> None:
    """Each interface has its own clock and offset; a second section of the other byte order follows."""
    other = "<" if order == ">" else ">"
    path = tmp_path / "a.pcapng"
    path.write_bytes(
        section(order, [("one", 9, 0), ("two", 0x80 | 20, 1_000)], [(1, 5, MPDU), (0, (3 << 32) + 1, MPDU)])
        + section(other, [("three", 6, -1)], [(0, 2_000_000, MPDU)])
    )
    two, one, three = pcap.read(path).frames()
    assert ("two", (1_000 << 20) + 5, 1 << 20) == (two.node, two.ticks, two.ticks_per_s)
    assert ("one", (3 << 32) + 1, 10**9) == (one.node, one.ticks, one.ticks_per_s)
    assert ("three", 1_000_000, 10**6) == (three.node, three.ticks, three.ticks_per_s)
    assert "packet at 5" == two.comment


def test_more_interfaces_than_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their number is limited: each is kept until the end."""
    monkeypatch.setattr(pcap_records, "MAX_INTERFACES", 5)
    path = tmp_path / "x.pcapng"
    head, interface = (
        pcap._block(pcap.SECTION, struct.pack("<IHHq", pcap.BYTE_ORDER, 1, 0, -1)),
        pcap._interface("n", 9),
    )
    path.write_bytes(head + 5 * interface)
    assert [] == [*pcap.read(path).read()]
    path.write_bytes(head + 6 * interface)
    with pytest.raises(FormatError, match="more than 5 interfaces"):
        [*pcap.read(path).read()]


def test_files_of_wiresharks_tools(tmp_path: Path) -> None:
    """Files that editcap, mergecap and tshark write are read like the files they were made from."""
    plain = pcap_file(tmp_path / "a.pcap", [PSDU, MPDU], linktype=195)
    bare = pcap_file(tmp_path / "b.pcap", [MPDU], linktype=230, nanoseconds=True)
    subprocess.run(["mergecap", "-a", "-w", tmp_path / "c.pcapng", plain, bare], check=True)
    subprocess.run(["editcap", "-F", "nsecpcap", plain, tmp_path / "d.pcap"], check=True)
    subprocess.run(["tshark", "-r", tmp_path / "c.pcapng", "-w", tmp_path / "e.pcapng"], check=True)
    expected = [(frame.mpdu, frame.fcs_ok) for path in (plain, bare) for frame in pcap.read(path).frames()]
    for name in ("c.pcapng", "e.pcapng"):
        assert expected == [(frame.mpdu, frame.fcs_ok) for frame in pcap.read(tmp_path / name).frames()]
    first, _ = pcap.read(tmp_path / "d.pcap").frames()
    assert (STAMP_US * 1000, 10**9) == (first.ticks, first.ticks_per_s)


@pytest.mark.parametrize("kind", ["pcap", "pcapng"])
def test_files_that_were_cut_short(tmp_path: Path, kind: str) -> None:
    """Cut anywhere, the frames before the cut are there and what is lost is counted; a cut header is an error."""
    path = tmp_path / "whole"
    if kind == "pcap":
        pcap_file(path, [PSDU] * 3, linktype=195)
    else:
        path.write_bytes(section("<", [("one", 9, 0)], [(0, number, MPDU) for number in range(3)]))
    content = path.read_bytes()
    frames = [item for item in everything(path) if isinstance(item, Frame)]
    for size in range(24, len(content)):
        path.write_bytes(content[:size])
        got = everything(path)
        before = [item for item in got if isinstance(item, Frame)]
        assert frames[: len(before)] == before
        assert got[len(before) :] in ([], [Skipped(1, "cut short at the end of the file")])
    path.write_bytes(content[:10] if kind == "pcap" else b"\n\r\r\r")
    with pytest.raises(FormatError):
        everything(path)


@pytest.mark.parametrize("seed", range(40))
def test_damaged_files_give_frames_or_one_error(tmp_path: Path, seed: int) -> None:
    """Whatever bytes are changed, nothing but a `FormatError` comes out."""
    generator = random.Random(seed)
    tap = tmp_path / "tap.pcapng"
    pcap.write(tap, Frames(read=lambda: iter([full_frame(number) for number in range(4)])))
    ethernet = bytes(12) + b"\x08\x00" + ipv4(zep())
    for path in (tap, pcap_file(tmp_path / "zep.pcap", [ethernet] * 4, linktype=1)):
        content = bytearray(path.read_bytes())
        for _ in range(generator.randrange(1, 8)):
            content[generator.randrange(len(content))] = generator.getrandbits(8)
        path.write_bytes(content)
        try:
            pcap.read(path).summary()
        except FormatError as error:
            assert str(path) in str(error)


def full_frame(number: int) -> Frame:
    """A frame of which everything is known."""
    return Frame(
        ticks=STAMP_US * 1000 + number,
        ticks_per_s=10**9,
        mpdu=MPDU,
        fcs=PSDU[-2:],
        fcs_ok=True,
        node=("initiator", "responder")[number % 2],
        sent=bool(number % 2),
        channel=26,
        lqi=255,
        rss_dbm=-47.5,
        start_ns=1_000_000_007 + number,
        end_ns=1_002_000_007 + number,
        comment=f"packet {number}",
    )


def tshark(path: Path, *fields: str) -> str:
    """Fields as tshark shows them, joined by commas."""
    words = [word for name in fields for word in ("-e", name)]
    command = ["tshark", "-r", path, "-T", "fields", "-E", "separator=,", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_what_is_written_is_read_back_and_shown_by_wireshark(tmp_path: Path) -> None:
    """All fields come back equal; tshark shows timestamps, TAP fields, interfaces and comments, and no complaint."""
    path = tmp_path / "out.pcapng"
    frames = [full_frame(number) for number in range(3)]
    cut = Frame(ticks=5 << 20, ticks_per_s=1 << 20, mpdu=MPDU[:12], cut_bytes=6, fcs_ok=False)
    text = pcap.write(path, Frames(read=lambda: iter([*frames, Skipped(2, "lost by the sniffer"), cut])))
    assert text.startswith("4 frames, 3 interfaces; timestamps are unchanged; 2 frames of initiator last ")
    assert [*frames, Skipped(2, "lost by the sniffer"), cut] == everything(path)
    shown = tshark(
        path,
        "frame.interface_name",
        "frame.time_epoch",
        "wpan-tap.sof_ts",
        "wpan-tap.eof_ts",
        "wpan-tap.ch_num",
        "wpan-tap.lqi",
        "wpan-tap.rss",
        "wpan.fcs_ok",
        "wpan.seq_no",
        "frame.comment",
        "_ws.expert",
    ).splitlines()
    expected = "initiator,1700000000.123456000,1000000007,1002000007,26,255,-47.5,1,42,packet 0"
    assert f"{expected},Expert Info (Comment/Comment): packet 0" == shown[0]
    assert "responder,1700000000.123456001" == ",".join(shown[1].split(",")[:2])


def test_times_of_other_clocks_are_rounded_to_the_nearest_ns(tmp_path: Path) -> None:
    """Samples of 24 MHz come back exactly from the rounded timestamps, and the writer reports the rounding."""
    samples = random.Random(1).sample(range(10**15), 200)
    path = tmp_path / "samples.pcapng"
    frames = [Frame(ticks=sample, ticks_per_s=24_000_000, mpdu=MPDU) for sample in samples]
    assert "times to the nearest ns" in pcap.write(path, Frames(read=lambda: iter(frames)))
    assert samples == [(24 * frame.ticks + 500) // 1000 for frame in pcap.read(path).frames()]


def test_summary_counts_by_kind_and_node(tmp_path: Path) -> None:
    """Kinds, nodes, sources, bad FCS, what was skipped, and the time from the first to the last frame."""
    ack = bytes([2, 0, 42])
    path = pcap_file(tmp_path / "a.pcap", [PSDU, ack + ieee802154.fcs16(ack), b"", PSDU[:-1] + b"?"], linktype=195)
    summary = pcap.read(path).summary()
    assert {"data": 2, "malformed": 1, "ack": 1} == summary["kinds"]
    assert {"": {"frames": 4, "kinds": {"data": 2, "ack": 1, "malformed": 1}}} == summary["nodes"]
    assert {"0x0001": 2} == summary["sources"]
    assert (1, 3e-6) == (summary["bad_fcs"], summary["duration_s"])
    assert "2023-11-14T22:13:20.123456+00:00" == summary["first"]


def air(path: Path, stamps_us: list[int], frame: bytes = MPDU * 3, *, name: str = "") -> Path:
    """A pcapng of frames without FCS at these times since 1970."""
    path.write_bytes(section("<", [(name, 6, 0)], [(0, stamp_us, frame) for stamp_us in stamps_us]))
    return path


def test_stamps_that_cannot_be_the_times_of_the_frames(tmp_path: Path) -> None:
    """Ten frames of 60 bytes at each us: 68 bytes of 32 us each, 80 times."""
    stamps = [1_600_000_000_000_000 + number // 10 for number in range(80)]
    summary = pcap.read(air(tmp_path / "a.pcapng", stamps, bytes(60))).summary()
    text = pcap.write(tmp_path / "b.pcapng", pcap.read(tmp_path / "a.pcapng"))

    expected = [
        "80 frames last 0.17 s on the air at least, their timestamps span 0.000007 s: "
        "these are not the times of the frames",
        "frames with the timestamp of the one before: 72, of which 72 are duplicates, byte for byte",
    ]
    assert expected == summary["remarks"]
    assert (0, 72, 72) == (summary["back_steps"], summary["equal_stamps"], summary["duplicates"])
    assert "1 interfaces; timestamps are unchanged; 80 frames last 0.17 s" in text


@pytest.mark.parametrize(("start_s", "year"), [(2000, 1970), (31_000_000, 1970), (10**10, 2286)])
def test_a_clock_that_was_not_set(tmp_path: Path, start_s: int, year: int) -> None:
    path = air(tmp_path / "a.pcapng", [(start_s + number) * 10**6 for number in range(9)])
    expected = [f"begins in {year}: the clock was not set, or its unit is another"]
    assert expected == pcap.read(path).summary()["remarks"]


def test_stamps_that_go_back(tmp_path: Path) -> None:
    stamps = [STAMP_US + 10_000 * number for number in (0, 3, 1, 2, 2, 5)]
    summary = pcap.read(air(tmp_path / "a.pcapng", stamps)).summary()
    assert (1, 1, 1) == (summary["back_steps"], summary["equal_stamps"], summary["duplicates"])
    assert "frames timestamped earlier than the one before: 1" in summary["remarks"]


def test_nothing_is_said_of_a_good_capture(tmp_path: Path) -> None:
    """Frames and, 192 us later, their acknowledgements, timestamped at their ends; two nodes receive all."""
    stamps, at_us = [], STAMP_US
    for _ in range(200):
        at_us += (6 + len(MPDU) + 2) * 32
        stamps.append(at_us)
        at_us += 192
    packets = [(node, stamp_us, MPDU) for stamp_us in stamps for node in (0, 1)]
    path = tmp_path / "a.pcapng"
    path.write_bytes(section("<", [("left", 6, 0), ("right", 6, 0)], packets))
    assert [] == pcap.read(path).summary()["remarks"]
    assert "times are exact" in pcap.write(tmp_path / "b.pcapng", pcap.read(path))


def test_lengths_and_offsets_that_cannot_be_are_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.pcapng"
    path.write_bytes(section("<", [("a", 6, 2**63 - 1)], [(0, STAMP_US, MPDU)]))
    with pytest.raises(FormatError, match=r"a\.pcapng, offset 28: is damaged: .* 9223372036854775807 s late"):
        everything(path)
    path.write_bytes(section("<", [("a", 127, 0)], [(0, STAMP_US, MPDU)]))
    with pytest.raises(FormatError, match=r"is damaged: .*a clock of 1e\+127 ticks per second"):
        everything(path)
    data = bytearray(air(path, [STAMP_US]).read_bytes())
    struct.pack_into("<I", data, data.index(MPDU) - 4, 2**32 - 1)
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"is damaged: .*a packet of 4294967295 bytes"):
        everything(path)
    old = bytearray(pcap_file(tmp_path / "a.pcap", [PSDU], linktype=195).read_bytes())
    struct.pack_into("<I", old, 24 + 12, 2**32 - 1)
    (tmp_path / "a.pcap").write_bytes(old)
    with pytest.raises(FormatError, match=r"a\.pcap, offset 24: is damaged: a record of 4294967295 bytes"):
        everything(tmp_path / "a.pcap")


def test_a_stamp_that_pcapng_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pcapng"
    path.write_bytes(section("<", [("a", 0, 10**11)], [(0, 2**63, MPDU)]))
    frames = [Frame(ticks=frame.ticks, ticks_per_s=3, mpdu=frame.mpdu) for frame in pcap.read(path).frames()]
    with pytest.raises(FormatError, match=r"b\.pcapng: a frame .* has no timestamp in a pcapng file"):
        pcap.write(tmp_path / "b.pcapng", Frames(read=lambda: iter(frames)))
