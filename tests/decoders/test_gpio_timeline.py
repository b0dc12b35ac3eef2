"""The sigrok decoder `gpio_timeline` under the real sigrok-cli: stored texts, the report's numbers, damaged input."""

from __future__ import annotations

import os
import random
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from commandline import ROOT, Demo, gpiorig
from network import Network
from numpy.typing import NDArray
from riotrecording import unpacked
from symbolbus import encode
from timelinefeed import assert_equal, thinned
from tripcases import trips

from gpiorig.analysis.events.events import from_edges as events_of
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import timelines
from gpiorig.analysis.packets.path import MILESTONES
from gpiorig.capture.formats.sr import write_sr
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.export import decoder_stacks
from gpiorig.rig.recordings import opened
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

STORED = Path(__file__).parents[1] / "data" / "gpio_timeline"
RATE_HZ = 24_000_000
STEP = 4  # samples per symbol
WIRING = (
    "wiring=a/strobe@0/d0@1/d1@2/tap.irq@3/tap.frame_timestamp@4/header@1000"
    "+b/strobe@5/d0@6/d1@7/tap.irq@8/tap.frame_timestamp@9/header@1000"
)
CHANNELS = ":".join(f"ch{i}={i}" for i in range(10))
RECORD = np.dtype([("sample", "<u8"), ("packet", "<u4"), ("id", "<u2"), ("kind", "u1"), ("value", "u1")])


@dataclass
class TwoNodes:
    """Levels of the lines of two nodes, being drawn: strobe, two data lines, interrupt and frame mark of each."""

    changes: list[tuple[int, int, int]] = field(default_factory=list)  # sample, mask, value; -1: toggle
    end: int = 0

    def event(self, at: int, node: int, name: str, id_: int | None = None, *, lose: int = 0) -> None:
        """A frame on a symbol bus, without its last symbols if some are to be lost."""
        symbols = encode(BY_NAME[name].code, id_, 2)
        for place, symbol in enumerate(symbols[: len(symbols) - lose]):
            self.changes.append((at + place * STEP, 1 << (5 * node), -1))
            self.changes.append((at + place * STEP, 6 << (5 * node), symbol << (5 * node + 1)))
        self.end = max(self.end, at + 200)

    def line(self, start: int, end: int, node: int, channel: int) -> None:
        """A line that is high for a while: 3 the interrupt, 4 the frame mark."""
        bit = 1 << (5 * node + channel)
        self.changes += [(start, bit, bit), (end, bit, 0)]
        self.end = max(self.end, end + 200)

    def levels(self) -> NDArray[np.uint16]:
        """All samples."""
        levels, level, at = np.zeros(self.end, np.uint16), 0, 0
        for sample, mask, value in sorted(self.changes, key=lambda change: change[0]):
            levels[at:sample] = level
            level = level ^ mask if value == -1 else level & ~mask | value
            at = sample
        levels[at:] = level
        return levels


def leg(draw: TwoNodes, at: int, sender: int, id_: int) -> int:
    """One direction of a packet, from app.tx to app.rx, on as few milestones as show every kind of step."""
    receiver = 1 - sender
    draw.event(at, sender, "app.tx.enter", id_)
    draw.event(at + 240, sender, "udp.tx.enter", id_)
    draw.event(at + 480, sender, "driver.exec.enter", id_)
    draw.event(at + 720, sender, "driver.exec.exit", id_)
    draw.line(at + 2400, at + 4800, receiver, 4)
    draw.line(at + 4800, at + 5400, receiver, 3)
    draw.event(at + 5000, receiver, "isr.radio.enter")
    draw.event(at + 5200, receiver, "driver.isr.enter")
    draw.event(at + 5400, receiver, "driver.rx_read.enter")
    draw.event(at + 5800, receiver, "driver.rx_read.exit", id_)
    draw.event(at + 6000, receiver, "app.rx.enter", id_)
    draw.event(at + 6400, receiver, "driver.isr.exit")
    return at + 6600


def scene() -> TwoNodes:
    """A round trip, a packet without an answer, an interrupt of nothing, and a damaged frame."""
    draw = TwoNodes()
    leg(draw, leg(draw, 1000, 0, 12), 1, 12)
    draw.line(15_000, 15_300, 1, 3)
    draw.event(16_000, 1, "driver.isr.enter")
    draw.event(16_300, 1, "driver.isr.exit")
    draw.event(17_000, 0, "udp.tx.exit", 12, lose=2)
    leg(draw, 18_000, 0, 13)
    draw.end = 60_000
    return draw


def sigrok(raw: Path, out: str, *, options: str = ":lost_after_ms=1", wiring: str = WIRING) -> tuple[bytes, str]:
    """What the decoder prints, and the errors."""
    done = subprocess.run(
        [
            *("sigrok-cli", "-I", f"binary:numchannels=16:samplerate={RATE_HZ}", "-i", str(raw)),
            *("-P", f"gpio_timeline:{CHANNELS}:{wiring}{options}", *out.split()),
        ],
        env={**os.environ, "SIGROKDECODE_DIR": str(ROOT / "decoders")},
        capture_output=True,
        check=False,
    )
    return done.stdout, done.stderr.decode()


@pytest.fixture(scope="module")
def raw(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Samples of the scene."""
    path = tmp_path_factory.mktemp("scene") / "scene.bin"
    path.write_bytes(scene().levels().astype("<u2").tobytes())
    return path


@pytest.mark.parametrize(
    ("name", "out"),
    [
        ("timeline", "-A gpio_timeline --protocol-decoder-samplenum"),
        ("statistics", "-M gpio_timeline"),
    ],
)
def test_stored_texts(raw: Path, name: str, out: str) -> None:
    """All annotations of a small capture, and its statistics, as stored."""
    output, errors = sigrok(raw, out)
    assert "" == errors
    assert (STORED / f"{name}.output").read_text() == output.decode()


def test_binary_records(raw: Path) -> None:
    """Records hold the milestones of every packet, and what became of it."""
    output, _ = sigrok(raw, "-B gpio_timeline=milestones")
    records = np.frombuffer(output, RECORD)
    ends = records[records["kind"] == 1]
    assert [(0, 12, 0), (1, 13, 2)] == [(r["packet"], r["id"], r["value"]) for r in ends]
    first = records[(records["kind"] == 0) & (records["packet"] == 0)]
    names = [MILESTONES[column].name for column in first["value"]]
    assert ["request.app.tx", "request.udp.tx", "request.driver.exec"] == names[:3]
    assert "reply.app.rx" == names[-1]
    header = RATE_HZ // 1_000_000  # wiring: 1000 ns
    assert 1000 + 2400 - header == first["sample"][names.index("request.air.start")]
    assert (ends["sample"][0], 1000) == (first["sample"][-1], first["sample"][0])


def test_a_missing_milestone_is_said_where_others_have_it(raw: Path) -> None:
    """With `absent` a packet is judged by the milestones of all; a wrong name in it is an error."""
    output, errors = sigrok(raw, "-A gpio_timeline=packets", options=":absent=sock.tx+sock.rx")
    assert "" == errors
    assert "missing: request.ipv6.tx, request.sixlowpan.tx" in output.decode()
    assert "no milestone" in sigrok(raw, "-A gpio_timeline", options=":absent=nothing")[1]


@pytest.mark.parametrize(
    ("wiring", "error"),
    [
        ("wiring=a/strobe@0/d0@1+b/strobe@5/d0@31", "channel ch31 of node"),
        ("wiring=a/strobe@0/d0@1", "names no two nodes"),
        ("wiring=a/strobe@0/d1@1+b/strobe@5/d0@6", "1, 2, 4 or 8 data lines"),
        ("wiring=a/strobe@0/d0@x+b", "is not NAME@NUMBER"),
        ("wiring=a/tap.foo@0+b", "lines are strobe, d0 to d7"),
        ("wiring=a/strobe@0/d0@1/gap@40+b", "shorter than two samples"),
    ],
)
def test_a_wrong_wiring_is_refused(raw: Path, wiring: str, error: str) -> None:
    """The error names the part of the text that is wrong."""
    output, errors = sigrok(raw, "-A gpio_timeline", wiring=wiring)
    assert b"" == output
    assert error in errors


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_no_waveform_is_an_error(tmp_path: Path, seed: int) -> None:
    """Noise, or a scene whose bits are flipped, is decoded without an exception up to its end."""
    rng = random.Random(seed)
    levels = scene().levels()
    if seed:
        for _ in range(10**seed):
            levels[rng.randrange(len(levels))] ^= 1 << rng.randrange(10)
    else:
        levels = np.frombuffer(rng.randbytes(40_000), np.uint16).copy()
    (tmp_path / "raw.bin").write_bytes(levels.astype("<u2").tobytes())
    output, errors = sigrok(tmp_path / "raw.bin", "-M gpio_timeline")
    assert "" == errors
    assert "Unattributed events: " in output.decode()


def assert_like_the_report(run: Path, tmp_path: Path, *, with_reasons: bool = True) -> Counter[str]:
    """Assert that the decoder shows every packet and event as the report does; returns the statuses.

    Of acknowledgements that software reads as frames, without an id, the decoder gives other reasons than the report.
    """
    recording = Recording.open(run)
    result = analyse(open_recording(recording))
    lines, start = result.timelines, recording.edges().start
    write_sr(tmp_path / "run.sr", recording.edges())
    stack = decoder_stacks.timeline(
        benches.loads(recording.info.bench), lines.initiator, lines.responder, absent=lines.absent, lost_after_ms=10_000
    )
    assert f"{stack.words()}\n".replace(":lost_after_ms=10000", "") == gpiorig("decode", "--wiring", run).stdout
    done = subprocess.run(
        [
            *("sigrok-cli", "-i", tmp_path / "run.sr", "-P", stack.words()),
            *("-A", "gpio_timeline=packets:steps:warnings", "--protocol-decoder-samplenum"),
        ],
        env={**os.environ, "SIGROKDECODE_DIR": str(ROOT / "decoders")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "" == done.stderr
    annotations = [
        (int(first) + start, int(last) + start, text)
        for first, last, text in re.findall(r"^(\d+)-(\d+) gpio_timeline-1: (.*)$", done.stdout, re.MULTILINE)
    ]
    _assert_packets(lines, annotations)
    expected = [
        (int(first), int(last), f"{step.name} ({step.node})")
        for row in lines.complete
        for step, last, first in zip(
            result.routes[0].steps.steps, lines.samples[row, 1:], lines.samples[row, :-1], strict=True
        )
    ]
    steps = [
        (first, last, text.rpartition(": ")[0])
        for first, last, text in annotations
        if re.search(r"\(.*\): [\d.]+ us", text)
    ]
    assert sorted(expected) == sorted(steps)
    reasons = Counter(
        match.group(1) for _, _, text in annotations if (match := re.fullmatch(r"Unattributed: .*? of .*?: (.*)", text))
    )
    assert not with_reasons or all(n <= reasons[why] for why, n in result.hops.unattributed.counts().items())
    return Counter(lines.counts())


def _assert_packets(lines: timelines.Timelines, annotations: list[tuple[int, int, str]]) -> None:
    expected = [
        (int(samples[0]), int(samples[-1]), int(id_), int(rtt))
        for samples, id_, rtt in zip(lines.samples, lines.ids, lines.rtt, strict=True)
        if rtt >= 0
    ]
    packets = []
    for first, last, text in annotations:
        if match := re.match(r"Packet (\d+): RTT ([\d.]+) us, (\d+) samples", text):
            packets.append((first, last, int(match[1]), int(match[3])))
            assert f"{int(match[3]) * 1e6 / float(lines.samplerate_hz):.3f}" == match[2]
    assert expected == packets
    lost = [
        f"Packet {lines.ids[row]}: lost, {lines.detail(row)}" for row in np.flatnonzero(lines.status == timelines.LOST)
    ]
    assert lost == [text for _, _, text in annotations if ": lost, " in text]


@pytest.mark.slow
def test_the_same_round_trips_as_the_report(demo: Demo, tmp_path: Path) -> None:
    """On the demo, packet for packet and step for step, to the sample."""
    assert {"timelined, every step known": 60} == assert_like_the_report(demo.folder, tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_followed_event_by_event(demo: Demo, seed: int) -> None:
    """With events lost and doubled, following them gives the times of the analysis, which sees them all."""
    recording = Recording.open(demo.folder)
    bench = benches.loads(recording.info.bench)
    events = thinned(events_of(recording.edges(), opened.wiring(bench)), np.random.default_rng(seed))
    round_trips = trips(events, header_ns=201_000)
    assert_equal(events, round_trips.hops, round_trips.timelines, damaged=True)


@pytest.mark.slow  # runs a virtual bench
def test_the_same_losses_as_the_report(tmp_path: Path) -> None:
    """On lossy air."""
    bench = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
    (tmp_path / "bench.toml").write_text(bench.replace("delay_ps = 10_000", "delay_ps = 10_000\nloss_ppm = 350_000"))
    words = ("-o", tmp_path / "run", "--packets", "20", "--json")
    experiment = ROOT / "experiments" / "pingpong.toml"
    assert 0 == gpiorig("run", tmp_path / "bench.toml", experiment, *words).status
    statuses = assert_like_the_report(tmp_path / "run", tmp_path)
    assert {timelines.STATUS[timelines.COMPLETE], timelines.STATUS[timelines.LOST]} == statuses.keys()


@pytest.mark.slow
def test_the_same_backoffs_as_the_report(tmp_path: Path) -> None:
    """Of RIOT's submac: a step each way."""
    unpacked(tmp_path)
    assert {"timelined, every step known": 40} == assert_like_the_report(
        tmp_path / "recording", tmp_path, with_reasons=False
    )


@pytest.mark.parametrize("early", [False, True], ids=["below the frame", "above it"])
def test_the_first_backoff_of_an_attempt_is_followed(early: bool) -> None:
    """The channel is busy twice; and of a MAC that backs off before it loads the frame none is a milestone."""
    network, at = Network("ab"), 0
    for id_ in range(1, 4):
        if early:
            network.log += [(at + 10 * n, "a", f"mac.backoff.{end}", id_) for n, end in enumerate(("enter", "exit"), 1)]
        backoff = None if early else 5000
        busy = network.frame(at, "a", id_, {}, outcome="busy", mac_backoff=backoff)
        again = network.frame(busy.end + 100, "a", id_, {}, by="retry", outcome="busy", mac_backoff=backoff)
        request = network.frame(again.end + 100, "a", id_, {"b": "deliver"}, by="retry", mac_backoff=backoff)
        reply = network.frame(request.end + 9 * 24_000, "b", id_, {"a": "deliver"}, mac_backoff=backoff)
        at = reply.end + 24_000
    events = network.events()
    round_trips = trips(events, header_ns=network.headers(), ends=("a", "b"))
    names = [milestone.name for milestone in round_trips.timelines.milestones]
    assert early != ("request.mac.backoff" in names)
    assert_equal(events, round_trips.hops, round_trips.timelines)
