"""Verdicts on leads, boards and identities, from edges and answers that are made up here."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pytest
from wiringproof import FRAME_GAP, Samples, shown

from gpiorig.analysis.events.table import TABLE_CRC32
from gpiorig.capture.sigrok.result import CaptureResult
from gpiorig.capture.sigrok.stream import Headroom
from gpiorig.capture.sigrok.wall_clock import ClockCheck
from gpiorig.rig.bench import benches, certificate_file
from gpiorig.rig.errors import BenchError
from gpiorig.rig.verify import certificate, identity, proof, time_base, wiring
from gpiorig.rig.verify.certificate import Certificate
from gpiorig.rig.verify.identity import QUESTIONS, Identity

NONE = np.empty(0, dtype=np.int64)
NODE = 'board = "iotlab-m3"\nserial = "/dev/tty{name}"\nlines = {{ strobe = "{s}", d0 = "{d}", d1 = "{e}" }}\n'
BENCH = (
    'name = "x"\nanalyzers.la = { driver = "fx2lafw", samplerate_hz = 24_000_000 }\n'
    f"[nodes.a]\n{NODE.format(name='A', s='D0', d='D1', e='D2')}"
    f"[nodes.b]\n{NODE.format(name='B', s='D4', d='D5', e='D6')}"
)


def verdicts(**leads: str | None) -> dict[str, str]:
    """What is wrong, by line, where each channel (`a_d0`) is on the line of a board (`b.d1`), or on nothing."""
    bench = benches.loads(BENCH)
    truth: dict[str, str | None] = {f"{node}.{line}": f"{node}.{line}" for node in "ab" for line in shown(2)}
    truth |= {channel.replace("_", "."): line for channel, line in leads.items()}
    windows: dict[str, dict[str, Samples]] = {}
    for node in "ab":
        lines = {f"{node}.{line}": edges for line, edges in shown(2).items()}
        windows[node] = {channel: lines.get(line or "", NONE) for channel, line in truth.items()}
    proofs = {node: proof.find(windows[node], frame_gap=FRAME_GAP) for node in "ab"}
    seen = wiring.Seen(windows, frozenset(), {}, proofs, frozenset("ab"))
    findings = [finding for node in "ab" for finding in wiring.findings(bench, node, seen)]
    return {finding.about: finding.what for finding in findings if finding.verdict == "wrong"}


def test_right_leads() -> None:
    """Nothing is wrong."""
    assert {} == verdicts()


def test_leads_of_one_node_swapped() -> None:
    """Both lines are named, with what their channels carry."""
    wrong = verdicts(a_d0="a.d1", a_d1="a.d0")

    assert {"nodes.a.lines.d0", "nodes.a.lines.d1"} == set(wrong)
    assert "channel D1, pin PB5 carries d1: leads are swapped" == wrong["nodes.a.lines.d0"]


def test_leads_of_two_nodes_swapped() -> None:
    """The channel is named with the other node's line."""
    wrong = verdicts(a_d0="b.d0", b_d0="a.d0")

    assert {"nodes.a.lines.d0", "nodes.b.lines.d0"} == set(wrong)
    assert "carries d0 of b" in wrong["nodes.a.lines.d0"]


def test_all_leads_of_two_nodes_swapped() -> None:
    """Leads or ports: the pins cannot show which, so both are named."""
    leads = {f"{node}_{line}": f"{other}.{line}" for node, other in ("ab", "ba") for line in shown(2)}
    wrong = verdicts(**leads)

    assert "exchange `serial` of the two nodes, or their leads" in wrong["nodes.a"]


def test_dead_lead_and_dead_board() -> None:
    """A dead lead is one line; a board whose leads are all off is named as such."""
    assert "stays low during the proof" in verdicts(b_d1=None)["nodes.b.lines.d1"]
    wrong = verdicts(a_strobe=None, a_d0=None, a_d1=None)
    assert "none of its lines shows its proof" in wrong["nodes.a"]


@pytest.mark.parametrize(
    ("before", "verdict", "words"),
    [
        ({}, "right", "uid 01"),
        ({"a": "01"}, "right", "uid 01"),
        ({"a": "02"}, "unknown", "another board than"),
        ({"b": "01"}, "wrong", "this board was b"),
    ],
)
def test_identity_against_the_certificate_before(before: dict[str, str], verdict: str, words: str) -> None:
    """A new board is a remark, one that was another node's an error."""
    known = {name: Identity(port="/dev/ttyA", uid=uid) for name, uid in before.items()}
    now = {"a": Identity(port="/dev/ttyA", uid="01", board="iotlab-m3", table=TABLE_CRC32, answers=QUESTIONS)}
    (finding,) = identity.findings(benches.loads(BENCH), now, known)

    assert (verdict, True) == (finding.verdict, words in finding.what)


def test_a_wrong_board_a_wrong_table_and_damaged_answers() -> None:
    """Each is a finding of its own; the same board on two ports, too."""
    same = Identity(port="/dev/ttyA", uid="01", board="telosb", table="00", answers=QUESTIONS - 1)
    verdicts = identity.findings(benches.loads(BENCH), {"a": same, "b": same}, {})

    abouts = {finding.about for finding in verdicts if finding.verdict == "wrong"}
    assert {"nodes.a.board", "nodes.a.firmware", "nodes.a.serial", "nodes.b.identity"} <= abouts


def test_adapter_in_sysfs(tmp_path: Path) -> None:
    """USB path and serial number, as Linux shows an FT2232H (layout of a real one)."""
    usb = tmp_path / "devices/pci0000:00/0000:00:14.0/usb1/1-2/1-2.3"
    port = usb / "1-2.3:1.1/ttyUSB1"
    port.mkdir(parents=True)
    (usb / "idVendor").write_text("0403\n")
    (usb / "serial").write_text("FT1ABCD\n")
    tty = tmp_path / "class/tty/ttyUSB1"
    tty.mkdir(parents=True)
    (tty / "device").symlink_to(port)

    assert "usb:1-2.3 FT1ABCD" == identity.adapter("/dev/ttyUSB1", sys=tmp_path)
    assert "" == identity.adapter("/dev/pts/3", sys=tmp_path)


@pytest.mark.parametrize(("ppm", "verdict"), [(30.0, "right"), (-5e5, "wrong"), (None, "unknown")])
def test_time_base(ppm: float | None, verdict: str) -> None:
    """A rate off by a factor is wrong, one by some ppm is not; a short capture does not state it."""
    check = ClockCheck(windows=10, rate_ppm=ppm, rate_uncertainty_ppm=ppm and 50.0, losses=())
    headroom = Headroom(reader_busy=0.0, writer_busy=0.0, pipe_fullest=0.0, queue_fullest=0.0)
    result = CaptureResult(
        samples=1, size_bytes=1, wall_s=1.0, edges=1, in_order=True, stderr="", headroom=headroom, clocks=(check,)
    )
    (finding,) = time_base.findings("la", time_base.measure(result, nominal_hz=24_000_000), is_virtual=False)

    assert verdict == finding.verdict


def test_certificate(tmp_path: Path) -> None:
    """It is valid for its bench file until it expires, and what is none is an error."""
    bench = tmp_path / "bench.toml"
    bench.write_text(BENCH)
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    issued = Certificate(
        bench="x",
        bench_sha256=certificate.bench_sha256(bench),
        issued=now,
        valid_until=now + certificate.VALID,
        virtual=False,
        gpiorig="0",
        findings=(),
        identities={},
        calibrations={},
        time_bases={},
    )
    place = certificate_file.place(bench)

    assert "was not verified" in certificate.objection(bench, now=now)
    certificate.write(place, issued)
    assert issued == certificate.load(place)
    assert "" == certificate.objection(bench, now=now)
    assert "expired" in certificate.objection(bench, now=now + datetime.timedelta(days=8))
    bench.write_text(BENCH + "\n")
    assert "another bench file" in certificate.objection(bench, now=now)
    place.write_text("{}")
    with pytest.raises(BenchError, match="not a certificate"):
        certificate.load(place)
