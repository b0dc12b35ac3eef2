"""The sigrok decoders of the radios and `ieee802154` under the real sigrok-cli, and the fast path against them."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from commandline import ROOT, gpiorig
from numpy.typing import NDArray
from radio_captures import RADIOS, Radio, decoded, frames, run, sigrok, spi_lines
from spi_traffic import CHANNELS, Bus, random_lines

from gpiorig.analysis.decoderhost.library import Library
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.radio import radio_frames, spi_frames
from gpiorig.capture.buses import spi
from gpiorig.capture.edges.edges import Edges
from gpiorig.capture.edges.waveform import Block
from gpiorig.capture.formats.sr import read_sr, write_sr
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

RECORD = struct.Struct("<QQBBBbH")
HAS_FCS, CRC_KNOWN, CRC_OK, LQI_KNOWN, RSSI_KNOWN = 1, 2, 4, 8, 16
LIBRARY = Library((ROOT / "decoders",))
CHIPS = tuple(name for name in LIBRARY.ids() if LIBRARY.load(name).is_radio)
RATE_HZ = Fraction(24_000_000)
LINES = spi.SpiLines(clk=0, mosi=1, miso=2, select=3)
Row = tuple[int, int, bool, bool, int, int, int, bytes]


def records(stream: bytes) -> list[Row]:
    """The binary output of a radio's decoder (decoders/ieee802154/spiradio.py)."""
    rows, at = [], 0
    while at < len(stream):
        start, end, sent, flags, lqi, rssi_dbm, count = RECORD.unpack_from(stream, at)
        at += RECORD.size + count
        crc = int(bool(flags & CRC_OK)) if flags & CRC_KNOWN else -1
        quality = lqi if flags & LQI_KNOWN else -1, rssi_dbm if flags & RSSI_KNOWN else radio_frames.UNKNOWN_RSSI
        rows.append((start, end, bool(sent), bool(flags & HAS_FCS), crc, *quality, stream[at - count : at]))
    return rows


def rows_of(frames: spi_frames.RadioFrames) -> list[Row]:
    arrays = (frames.start, frames.end, frames.sent, frames.has_fcs, frames.crc, frames.lqi, frames.rssi_dbm)
    columns = zip(*(array.tolist() for array in arrays), strict=True)
    return [(*row, frames.frame(i)) for i, row in enumerate(columns)]


def by_sigrok(capture: Path, chip: str, lines: str, *, stacked: bool) -> list[Row]:
    stack = f"spi:{lines},{chip}" if stacked else f"{chip}:{lines}"
    done = sigrok(capture, "-P", stack, "-B", f"{chip}=frames")
    return records(done.stdout)


def written(path: Path, samples: NDArray[np.uint8]) -> Edges:
    """Samples as a capture, in a file and in memory."""
    changed = np.flatnonzero(np.diff(samples, prepend=~samples[:1]))
    block = changed.astype(np.int64), samples[changed].astype(np.uint64)
    edges = Edges.from_blocks([block], samplerate_hz=RATE_HZ, channels=CHANNELS, end=samples.size)
    path.unlink(missing_ok=True)
    write_sr(path, edges)
    return edges


def by_us(edges: Edges, chip: str, lines: spi.SpiLines = LINES) -> spi_frames.RadioFrames:
    transfers = [spi.decode(edges, lines)]
    return spi_frames.frames(transfers, decoder=LIBRARY.load(chip), samplerate_hz=RATE_HZ, lines=lines)


@pytest.mark.slow
@pytest.mark.parametrize("radio", RADIOS, ids=lambda radio: radio.chip)
def test_stored_text(radio: Radio) -> None:
    """Registers, fields, commands, states, FIFOs and frames of a recorded start and two round trips."""
    assert radio.text.read_text() == decoded(radio)


@pytest.mark.slow
@pytest.mark.parametrize("radio", RADIOS, ids=lambda radio: radio.chip)
def test_fast_path_on_recordings(radio: Radio) -> None:
    """The decoder stacked on `spi`, the same on its own channels, and the fast path give the same frames."""
    edges = read_sr(radio.capture)
    frames = by_us(edges, radio.decoder, spi.lines_of(edges.channels, "initiator"))
    lines = spi_lines("initiator")
    for stacked in (True, False):
        assert rows_of(frames) == by_sigrok(radio.capture, radio.decoder, lines, stacked=stacked)
    assert [True, False, True, False] == [bool(way) for way in frames.sent[np.diff(frames.offsets) > 5]]


def draw_at86rf2xx(draw: random.Random) -> list[tuple[int, int]]:
    """An access of any kind: frames complete and cut, by the frame buffer and by SRAM; registers that matter or not."""
    sent_bytes = [draw.randrange(256) for _ in range(draw.choice((1, 2, 12, 12, 20, 20, 130)))]
    sent_bytes[0] = draw.choice(
        (0x20, 0x60, 0x40, 0x40, 0x00, 0x80 | draw.randrange(64), 0xC2, 0xC4, 0x9C, sent_bytes[0])
    )
    if sent_bytes[0] == 0xC2 and len(sent_bytes) > 1:
        sent_bytes[1] = draw.choice((0x02, 0x08))
    if sent_bytes[0] in (0x20, 0x60) and len(sent_bytes) > 1:
        sent_bytes[1] = draw.choice((len(sent_bytes) - 2, 5, 0, 0x8A)) & 0xFF
    if sent_bytes[0] == 0x40 and len(sent_bytes) > 1:
        sent_bytes[1] = draw.choice((0, 0, 1, 5, 120, 200))
        sent_bytes[2:3] = [draw.choice((10, 4, 255))]
    back = [*sent_bytes[:1], *sent_bytes[1:]] if sent_bytes[0] == 0x20 else [draw.choice((0, 2, 3)) for _ in sent_bytes]
    return list(zip(sent_bytes, back, strict=True))


def draw_cc2420(draw: random.Random) -> list[tuple[int, int]]:
    """Strobes, registers and FIFO accesses, some after each other in one access."""
    out: list[int] = []
    for _ in range(draw.randrange(1, 3)):
        kind = draw.choice((0x7F, 0x7F, 0x3E, 0x3E, draw.randrange(16), 0x11, 0x51, draw.randrange(256)))
        data = [draw.choice((12, 5, 0, 130, 32, 0x20, draw.randrange(256))) for _ in range(draw.randrange(14))]
        out += [kind, *data]
    return [(value, draw.choice((value, 12, 0, draw.randrange(256)))) for value in out]


def draw_spirit1(draw: random.Random) -> list[tuple[int, int]]:
    """Commands, registers and FIFO accesses."""
    out: list[int] = []
    for _ in range(draw.randrange(1, 3)):
        header = draw.choice((0x00, 0x01, 0x80, 0x80, draw.randrange(256)))
        second = draw.choice((0x60, 0x60, 0x72, 0x70) if header & 0x80 else (0xFF, 0xFF, 0x30))
        data = [] if header & 0x80 else [draw.randrange(256) for _ in range(draw.choice((0, 1, 9, 40)))]
        out += [header, second, *data]
    return [(value, draw.randrange(256)) for value in out[: draw.choice((1, 2, 3, 99))]]


def draw_mrf24j40m(draw: random.Random) -> list[tuple[int, int]]:
    """Frames written and read in one access or from their middle on, the registers that complete them, and others."""
    kind = draw.choice("wwrrrtfo*")
    if kind in "wr":
        length = draw.choice((1, 5, 5, 12, 125, 127, 130))
        start = draw.choice((0, 0, 0, 0, 1, 3))
        address = start + (0x300 if kind == "r" else 0)
        data = [length, *(draw.randrange(256) for _ in range(draw.choice((length - 2, length + 2, length + 2, 3))))]
        data = data if kind == "r" else [0, *data]
        first = [0x80 | address >> 3, (address << 5 | (0x10 if kind == "w" else 0)) & 0xFF]
        return [(value, draw.randrange(256)) for value in first] + [(value, value) for value in data[start:]]
    sent = {"t": [0x37, draw.choice((0x01, 0x05))], "f": [0x1B, 0x01], "o": [0x73, draw.choice((0, 4))]}
    out = sent.get(kind) or [draw.randrange(256) for _ in range(draw.choice((1, 2, 3, 9)))]
    return [(value, draw.randrange(256)) for value in out]


def draw_any(draw: random.Random) -> list[tuple[int, int]]:
    """Of a radio of which the test knows nothing: random bytes."""
    return [(draw.randrange(256), draw.randrange(256)) for _ in range(draw.choice((1, 2, 9, 40)))]


DRAWS: dict[str, Callable[[random.Random], list[tuple[int, int]]]] = {
    "at86rf2xx": draw_at86rf2xx,
    "cc2420": draw_cc2420,
    "mrf24j40m": draw_mrf24j40m,
    "spirit1": draw_spirit1,
}


@pytest.mark.slow
@pytest.mark.parametrize("chip", CHIPS)
def test_fast_path_on_random_and_damaged_traffic(tmp_path: Path, chip: str) -> None:
    """The same frames on any traffic, and never an exception, with and without glitches, and on random lines."""
    draw = random.Random(chip)
    bus = Bus(draw)
    for _ in range(160):
        bus.transfer(DRAWS.get(chip, draw_any)(draw))
    capture, seen = tmp_path / "random.sr", 0
    for samples in (bus.samples(), bus.damaged(glitches=120), random_lines(draw, 20_000)):
        edges = written(capture, samples)
        frames = by_us(edges, chip)
        for stacked in (True, False):
            expected = by_sigrok(capture, chip, "clk=clk:mosi=mosi:miso=miso:cs=select", stacked=stacked)
            assert expected == rows_of(frames), stacked
        output = sigrok(
            capture, "-P", f"spi:clk=clk:mosi=mosi:miso=miso:cs=select,{chip},ieee802154", "-A", "ieee802154"
        )
        assert b"Trace" not in output.stderr
        seen += len(frames)
    assert chip not in DRAWS or seen > 20


def test_a_gap_ends_what_was_under_way() -> None:
    """A frame half read from a CC2420 before a gap does not continue after it; the next one is complete."""
    bus = Bus(random.Random(6))
    half = bus.transfer([(0x7F, 0), (0, 5), (0, 1), (0, 2)])
    rest = bus.transfer([(0x7F, 0), (0, 5), (0, 1), (0, 2), (0, 3), (0, 4), (0, 0x80)])
    samples = bus.samples()
    changed = np.flatnonzero(np.diff(samples, prepend=~samples[:1]))
    rows = changed.astype(np.int64), samples[changed].astype(np.uint64)
    gap = np.array([[half[1] + 1, half[1] + 2]])
    between = np.searchsorted(rows[0], gap[0, 1])
    rows = np.insert(rows[0], between, gap[0, 1]), np.insert(rows[1], between, rows[1][between - 1])
    for gaps, starts in ((gap, [rest[0]]), (gap[:0], [half[0]])):
        pieces = [spi.SpiDecoder(LINES).feed(Block(*rows, samples.size, gaps), is_last=True)]
        frames = spi_frames.frames(pieces, decoder=LIBRARY.load("cc2420"), samplerate_hz=RATE_HZ, lines=LINES)
        assert starts == frames.start.tolist()


def test_lines_that_lack(tmp_path: Path) -> None:
    """Without chip select, without MOSI, without MISO, with other words: a warning or less, never an exception."""
    bus = Bus(random.Random(3))
    bus.transfer([(0x60, 0), (9, 0), *((value, 0) for value in range(7))])
    capture = tmp_path / "lacks.sr"
    written(capture, bus.samples())
    for lines, expected in (
        ("spi:clk=clk:mosi=mosi:cs=select,at86rf2xx", b"TX 7 octets"),
        ("spi:clk=clk:mosi=mosi,at86rf2xx", b"needs CS#"),
        ("spi:clk=clk:miso=miso:cs=select,at86rf2xx", b"needs MOSI"),
        ("spi:clk=clk:mosi=mosi:cs=select:wordsize=16,at86rf2xx", b"word size of 8"),
        ("at86rf2xx:clk=clk:mosi=mosi", b"CS# are needed"),
    ):
        done = sigrok(capture, "-P", lines, "-A", "at86rf2xx=frames:warnings")
        assert expected in done.stdout, lines


def test_pins_and_slp_tr(tmp_path: Path) -> None:
    """On its own channels the AT86RF2xx decoder shows pins, and a frame from SRAM is sent by the rise of SLP_TR."""
    bus = Bus(random.Random(4))
    bus.transfer([(0x40, 0), (0, 0), (7, 0), (0x02, 0), (0x00, 0), (0x2A, 0), (0x11, 0), (0x22, 0)])
    samples = bus.samples()
    pin = np.zeros(samples.size + 100, dtype=np.uint8)
    pin[samples.size + 10 : samples.size + 40] = 16
    samples = np.concatenate([samples, np.full(100, samples[-1], np.uint8)]) | pin
    raw = tmp_path / "pins.bin"
    raw.write_bytes(samples.tobytes())
    done = sigrok(
        raw,
        *("-I", "binary:numchannels=5:samplerate=1000000"),
        *("-P", "at86rf2xx:clk=0:mosi=1:miso=2:cs=3:slp_tr=4", "-A", "at86rf2xx=frames:pins"),
    )
    assert ["at86rf2xx-1: TX 5 octets: Ack #42", "at86rf2xx-1: SLP_TR"] == done.stdout.decode().splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("radio", RADIOS, ids=lambda radio: radio.chip)
def test_pcap_for_wireshark(tmp_path: Path, radio: Radio) -> None:
    """In tshark the pcap of `ieee802154` has the sequence numbers and the times of the frames."""
    edges = read_sr(radio.capture)
    frames = by_us(edges, radio.decoder, spi.lines_of(edges.channels, "initiator"))
    stack = f"spi:{spi_lines('initiator')},{radio.decoder},ieee802154"
    pcap = tmp_path / "frames.pcap"
    pcap.write_bytes(sigrok(radio.capture, "-P", stack, "-B", "ieee802154=pcap").stdout)
    fields = ("frame.time_epoch", "wpan.seq_no", "_ws.malformed")
    command = ["tshark", "-r", str(pcap), "-T", "fields", *(word for field in fields for word in ("-e", field))]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [f"{sequence}" for sequence in frames.sequence] == [line.split("\t")[1] for line in lines]
    assert not any(line.split("\t")[2] for line in lines)
    times_ns = [int(Fraction(line.split("\t")[0]) * 10**9) for line in lines]
    assert [start * 10**9 // int(edges.samplerate_hz) for start in frames.start.tolist()] == times_ns


@pytest.mark.slow
@pytest.mark.parametrize("chip", CHIPS)
def test_a_thousand_in_one_process(tmp_path: Path, chip: str) -> None:
    """No reference is stolen: a thousand stacks in one sigrok-cli, and it ends well (as many `spi` make it abort)."""
    bus = Bus(random.Random(8))
    bus.transfer([(0x60, 0), (5, 0), (2, 0), (0, 0), (1, 0)])
    capture = tmp_path / "short.sr"
    written(capture, bus.samples())
    stack = f"{chip}:clk=clk:mosi=mosi:miso=miso:cs=select,ieee802154"
    done = sigrok(capture, *(word for _ in range(1000) for word in ("-P", stack)), "-A", chip)
    assert (0, b"") == (done.returncode, done.stderr)
    assert done.stdout.count(b"\n") >= 1000


@pytest.mark.slow
@pytest.mark.parametrize("radio", RADIOS, ids=lambda radio: radio.chip)
def test_frames_are_those_that_were_sent(tmp_path: Path, radio: Radio) -> None:
    """On a virtual bench every frame that the log lists as loaded or read is decoded, with its id, in its place.

    What one node's radio is given is what the other's gives; the ids at the end of the frames are those of the events
    around the transfers.
    """
    recording = run(radio, tmp_path / "run")
    seen = {node: frames(recording, radio, node) for node in radio.nodes}
    events = analyse(open_recording(recording)).events
    for node, sent_frames in seen.items():
        data = np.flatnonzero(np.diff(sent_frames.offsets) > 5)  # not the acknowledgements that a CC2420 hands on
        for sent, name in ((True, "driver.load.exit"), (False, "driver.rx_read.exit")):
            ours = [i for i in data if sent_frames.sent[i] == sent]
            here = (events.codes == BY_NAME[name].code) & (events.nodes == events.node_names.index(node))
            ids = [int.from_bytes(body(sent_frames, i)[-2:], "big") for i in ours]
            assert events.ids[here].tolist() == ids and ids
            spans = events.samples[here] - sent_frames.end[ours]
            assert np.all(spans < RATE_HZ / 1000), "the event follows the transfer within a millisecond"
    listed = gpiorig("radio", recording.folder, "--json").numbers["frames"]
    assert sum(map(len, seen.values())) == len(listed)
    if len(seen) == 2:
        for one, other in (("initiator", "responder"), ("responder", "initiator")):
            given = [body(seen[one], i) for i in range(len(seen[one])) if seen[one].sent[i]]
            got = [body(seen[other], i) for i in range(len(seen[other])) if not seen[other].sent[i]]
            assert given == got


LISTED = "clk={0}spi_clk,mosi={0}spi_mosi,miso={0}spi_miso,select={0}tap.select".format("initiator.")


def test_command() -> None:
    """`gpiorig radio` prints the frames of a capture, and its transfers, whose bytes hold those of the frames."""
    radio = RADIOS[1]
    edges = read_sr(radio.capture)
    expected = by_us(edges, radio.decoder, spi.lines_of(edges.channels, "initiator"))
    done = gpiorig("radio", radio.capture, "--chip", radio.decoder, "--lines", LISTED, "--json")
    rows = done.numbers["frames"]
    assert rows_of(expected) == [
        (
            *(row["start"], row["end"], row["sent"], row["has_fcs"]),
            *(-1 if row[key] is None else int(row[key]) for key in ("crc_ok", "lqi")),
            radio_frames.UNKNOWN_RSSI if row["rssi_dbm"] is None else row["rssi_dbm"],
            bytes.fromhex(row["octets"]),
        )
        for row in rows
    ]
    text = gpiorig("radio", radio.capture, "--chip", radio.decoder, "--lines", LISTED).stdout.splitlines()
    assert len(expected) == len(text) and expected.frame(0).hex() in text[0]
    transfers = gpiorig("radio", radio.capture, "--transfers", "--lines", LISTED, "--json").numbers["transfers"]
    loads = [row for row in transfers if row["mosi"].startswith("3e")]
    assert [row["start"] for row in rows if row["sent"]] == [row["start"] for row in loads]
    assert all(sent["octets"] in load["mosi"] for sent, load in zip((r for r in rows if r["sent"]), loads, strict=True))


def test_a_radio_is_its_decoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A decoder of a radio that nothing of gpiorig names, in a folder of sigrok's, gives the frames of its bus."""
    shutil.copytree(ROOT / "decoders" / "cc2420", tmp_path / "mine")
    source = tmp_path / "mine" / "pd.py"
    source.write_text(source.read_text().replace("id = 'cc2420'", "id = 'mine'"))
    monkeypatch.setenv("SIGROKDECODE_DIR", str(tmp_path))
    ours, mine = (gpiorig("radio", RADIOS[1].capture, "--chip", chip, "--lines", LISTED) for chip in ("cc2420", "mine"))
    assert (0, ours.stdout) == (mine.status, mine.stdout) and ours.stdout


@pytest.mark.parametrize(
    "words",
    [
        *((), ("--lines", "clk=x"), ("--lines", "clk=initiator.spi_clk")),
        *(("--lines", LISTED, "--chip", "cc1101"), ("--lines", LISTED, "--chip", "spi")),
    ],
)
def test_command_refuses(words: tuple[str, ...]) -> None:
    """Lines that lack or are unknown, an unknown chip: one error that states what to write, exit status 2."""
    done = gpiorig("radio", RADIOS[1].capture, *words)
    assert 2 == done.status and done.stderr.startswith("gpiorig radio: error: ") and 1 == done.stderr.count("\n")


def body(frames: spi_frames.RadioFrames, index: int) -> bytes:
    """A frame without FCS."""
    whole = frames.frame(index)
    return whole[: -radio_frames.FCS_BYTES] if frames.has_fcs[index] else whole
