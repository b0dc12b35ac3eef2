"""The sigrok decoder `gpio_probe` under the real sigrok-cli, against an independent encoder and stored texts."""

from __future__ import annotations

import os
import random
import struct
import subprocess
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from symbolbus import encode

from gpiorig.analysis.events import events
from gpiorig.analysis.events.wiring import Bus, NodeLines
from gpiorig.capture.edges.edges import Edges

ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parents[1] / "data" / "gpio_probe"
RATE_HZ = 24_000_000
GAP = 7  # samples: 280 ns at 24 MHz, rounded up
HAS_ID, DAMAGED, SPAN_LINE = 1, 2, 4


@dataclass
class Line:
    """Samples of a bus being built: bit 0 strobe, then the data lines, then one span line."""

    width: int
    step: int = 4
    samples: list[int] = field(default_factory=list)
    strobe: int = 0
    data: int = 0
    span: int = 0

    def hold(self, n: int) -> None:
        self.samples += [self.strobe | self.data << 1 | self.span << (1 + self.width)] * n

    def send(self, symbols: list[int], *, quiet: int = 20) -> int:
        """Send a burst, then be quiet; returns the sample of its first strobe edge."""
        start = len(self.samples)
        for symbol in symbols:
            self.strobe, self.data = 1 - self.strobe, symbol
            self.hold(self.step)
        self.hold(quiet - self.step)
        return start


Record = tuple[int, int, int, int, int]


def sigrok(
    raw: Path, width: int, out: str, *, channels: int = 10, options: str = ""
) -> subprocess.CompletedProcess[bytes]:
    wires = ":".join(["strobe=0", *(f"d{i}={i + 1}" for i in range(width)), f"span0={width + 1}"])
    return subprocess.run(
        [
            *("sigrok-cli", "-I", f"binary:numchannels={channels}:samplerate={RATE_HZ}", "-i", str(raw)),
            *("-P", f"gpio_probe:{wires}:width={width}{options}", *out.split()),
        ],
        env={**os.environ, "SIGROKDECODE_DIR": str(ROOT / "decoders")},
        capture_output=True,
        check=True,
    )


def write(tmp_path: Path, samples: list[int]) -> Path:
    raw = tmp_path / "raw.bin"
    raw.write_bytes(struct.pack(f"<{len(samples)}H", *samples))
    return raw


def records(tmp_path: Path, samples: list[int], width: int, *, options: str = "") -> list[Record]:
    done = sigrok(write(tmp_path, samples), width, "-B gpio_probe=events", options=options)
    assert done.stderr == b""
    return sorted(struct.iter_unpack("<QBBHI", done.stdout))


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize(("code", "id_"), [(1, None), (14, 12), (15, 65535), (65, 0), (60, None)])
def test_one_frame(tmp_path: Path, width: int, code: int, id_: int | None) -> None:
    """A frame is one event at its first strobe edge, on every width, with and without an id."""
    line = Line(width)
    line.hold(7)
    start = line.send(encode(code, id_, width))
    expected = [(start, 3, code, id_ or 0, 0 if id_ is None else HAS_ID)]
    assert expected == records(tmp_path, line.samples, width, options=":node=3")


@pytest.mark.parametrize("width", [1, 2, 4, 8])
def test_damage_is_seen_and_the_next_gap_resynchronises(tmp_path: Path, width: int) -> None:
    """A lost or doubled symbol, a wrong symbol, an unknown code: damaged, counted, and the next frame is read."""
    good = encode(14, 12, width)
    flipped = [*good[:-1], good[-1] ^ 1]
    line = Line(width)
    line.hold(3)
    expected = []
    for bad in (
        good[:-1],
        good[1:],
        [*good[:1], *good],
        good + good,
        flipped,
        encode(127, None, width),
        good[:1],
    ):
        expected.append((line.send(bad), 0, 0, len(bad), DAMAGED))
        expected.append((line.send(good), 0, 14, 12, HAS_ID))
    assert expected == records(tmp_path, line.samples, width)


def test_every_single_wrong_symbol_is_damage(tmp_path: Path) -> None:
    """On one to four lines one wrong symbol never makes another valid frame."""
    for width in (1, 2, 4):
        line = Line(width)
        line.hold(2)
        good = encode(14, 0x1234, width)
        for i in range(len(good)):
            for wrong in range(1, 1 << width):
                line.send([*good[:i], good[i] ^ wrong, *good[i + 1 :]])
        assert {DAMAGED} == {flags for *_, flags in records(tmp_path, line.samples, width)}


@pytest.mark.parametrize(("quiet", "events"), [(GAP, 2), (GAP - 1, 0)])
def test_frame_gap(tmp_path: Path, quiet: int, events: int) -> None:
    """Two frames a gap apart are two events; one sample less and they are one damaged burst."""
    line = Line(2)
    line.hold(2)
    line.send(encode(14, 1, 2), quiet=quiet)
    line.send(encode(15, 1, 2))
    assert events == sum(not flags & DAMAGED for *_, flags in records(tmp_path, line.samples, 2))


def test_skew_of_one_sample(tmp_path: Path) -> None:
    """Data lines that change one sample after the strobe are still read right."""
    line = Line(2, step=3)
    line.hold(5)
    start = line.send(encode(14, 0xBEEF, 2))
    late = [(now & 1) | (before & ~1) for before, now in zip([0, *line.samples], line.samples, strict=False)]
    assert [(start, 0, 14, 0xBEEF, HAS_ID)] == records(tmp_path, late, 2)


def test_the_last_frame_needs_no_gap(tmp_path: Path) -> None:
    """The end of the capture counts as a gap, even one sample after the last strobe edge."""
    line = Line(2)
    line.hold(4)
    start = line.send(encode(14, 7, 2), quiet=1)
    whole = len(line.samples) - 3
    assert [(start, 0, 14, 7, HAS_ID)] == records(tmp_path, line.samples[:whole], 2)


def test_span_line(tmp_path: Path) -> None:
    """A span line gives the enter at its rise and the exit at its fall, also inside a frame."""
    line = Line(2)
    line.hold(4)
    line.span = 1
    line.hold(1)
    start = line.send(encode(14, 7, 2))
    line.span = 0
    line.hold(5)
    expected = [(4, 0, 128, 0, SPAN_LINE), (start, 0, 14, 7, HAS_ID), (start + 72, 0, 129, 0, SPAN_LINE)]
    assert expected == records(tmp_path, line.samples, 2)
    named = records(tmp_path, line.samples, 2, options=":span0_point=tap.sfd")
    assert [132, 14, 133] == [code for _, _, code, _, _ in named]


def packet() -> list[int]:
    """Nested events of a send call with a tap, a lost exit and a damaged frame."""
    line = Line(2)
    line.hold(4)
    for code, id_ in ((6, 12), (14, 12), (22, 12), (18, 12), (46, 7), (23, 12), (60, None)):
        line.send(encode(code, id_, 2), quiet=30)
    line.span = 1
    line.hold(40)
    line.send(encode(15, 12, 2)[:-1])
    line.send(encode(15, 12, 2))
    line.span = 0
    line.hold(9)
    line.send(encode(7, 12, 2))
    return line.samples


def test_stored_annotations(tmp_path: Path) -> None:
    """All annotations of a small capture, as stored; regenerate by hand only when a change is meant."""
    done = sigrok(write(tmp_path, packet()), 2, "-A gpio_probe --protocol-decoder-samplenum")
    assert done.stderr == b""
    assert (STORED / "packet.output").read_text() == done.stdout.decode()


def test_no_samplerate(tmp_path: Path) -> None:
    """Without a samplerate the frame gap is unknown, so nothing is decoded."""
    done = subprocess.run(
        [
            *("sigrok-cli", "-I", "binary:numchannels=10", "-i", str(write(tmp_path, packet()))),
            *("-P", "gpio_probe:strobe=0:d0=1:d1=2", "-A", "gpio_probe"),
        ],
        env={**os.environ, "SIGROKDECODE_DIR": str(ROOT / "decoders")},
        capture_output=True,
        check=False,
    )
    assert b"SamplerateError" in done.stderr
    assert done.stdout == b""


def noise(rng: random.Random, width: int) -> list[int]:
    """Frames, damaged frames, bursts of random symbols and glitches, with random spacing."""
    line = Line(width)
    line.hold(rng.randint(0, 30))
    for _ in range(300):
        symbols = encode(rng.choice([1, 14, 15, 60, 67, 127]), rng.choice([None, rng.getrandbits(16)]), width)
        match rng.randrange(6):
            case 0:
                symbols.pop(rng.randrange(len(symbols)))
            case 1:
                symbols[rng.randrange(len(symbols))] = rng.getrandbits(width)
            case 2:
                symbols = [rng.getrandbits(width) for _ in range(rng.randint(1, 30))]
        line.step = rng.randint(1, 9)
        line.send(symbols, quiet=max(line.step, rng.randint(1, 40)))
        line.span ^= rng.random() < 0.3
    line.hold(20)
    glitched = list(line.samples)
    for _ in range(40):
        glitched[rng.randrange(1, len(glitched) - 20)] ^= 1 << rng.randrange(1 + width)
    return glitched


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@pytest.mark.parametrize(("seed", "settle_ns"), [(1, 0), (2, 0), (3, 62), (4, 125)])
def test_equal_to_the_native_fast_path(tmp_path: Path, width: int, seed: int, settle_ns: int) -> None:
    """`gpiorig.capture.buses.symbol_bus` and the sigrok decoder agree on random and damaged input."""
    samples = noise(random.Random(seed * 10 + width), width)
    read = records(tmp_path, samples, width, options=f":settle_ns={settle_ns}")
    from_sigrok = [(s, c, i if f & HAS_ID else -1) for s, _, c, i, f in read if not f & DAMAGED]
    damaged = [s for s, *_, f in read if f & DAMAGED]
    got = events.from_edges(_edges(samples, width), [_lines(width, settle_ns=settle_ns)])
    rows = zip(got.samples.tolist(), got.codes.tolist(), got.ids.tolist(), strict=True)
    assert sorted(from_sigrok) == sorted(rows)
    assert damaged == got.damaged.samples.tolist()
    assert len(damaged) > 20


def _lines(width: int, *, settle_ns: int = 0) -> NodeLines:
    data = tuple(str(i + 1) for i in range(width))
    bus = Bus(strobe="0", data=data, frame_gap_ns=280, settle_ns=settle_ns)
    return NodeLines(name="node", bus=bus, lines={"tap.irq": str(width + 1)})


def _edges(samples: list[int], width: int) -> Edges:
    levels = np.array(samples, dtype=np.uint64)
    at = np.concatenate([[0], np.flatnonzero(np.diff(levels)) + 1])
    return Edges(
        samples=at.astype(np.int64),
        levels=levels[at],
        samplerate_hz=Fraction(RATE_HZ),
        channels=tuple(str(i) for i in range(width + 2)),
        start=0,
        end=len(samples),
        gaps=np.zeros((0, 2), dtype=np.int64),
    )
