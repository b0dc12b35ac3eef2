"""Benches that are dealt out: channels, analyzers, sync lines, clocks and links; and bench files in their place."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpiorig.rig import resources
from gpiorig.rig.bench import benches
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.studies.points import given_bench, study, templates
from gpiorig.studies.points.points import Conditions, points
from gpiorig.studies.points.study_file import BenchAsked
from gpiorig.vbench.description import section

NAMES = ("initiator", "responder", *(f"n{number}" for number in range(1, 20)))
LINES = ("bus", "tap.frame_timestamp")
REAL = """
name = "real"
[analyzers.la]
driver = "fx2lafw"
samplerate_hz = 24_000_000
[nodes.initiator]
board = "iotlab-m3"
serial = "/dev/ttyUSB0"
[nodes.initiator.lines]
strobe = "D0"
d0 = "D1"
d1 = "D2"
[nodes.responder]
board = "telosb"
serial = "/dev/ttyUSB1"
[nodes.responder.lines]
strobe = "D3"
d0 = "D4"
d1 = "D5"
d2 = "D6"
d3 = "D7"
"""
STUDY = """
document = "d"
figure = "f"
title = "t"
[bench]
template = "iotlab-m3"
nodes = ["initiator", "responder"]
lines = ["bus"]
[experiment]
packets = 10
[repeat]
n = 2
phases = { "bench.virtual.nodes.n*.starts_us" = 1000 }
"""


def bench_of(**asked: object) -> Bench:
    """A bench from a template."""
    return templates.bench(BenchAsked(**({"template": "iotlab-m3", "lines": LINES} | asked)), what="study s")  # type: ignore[arg-type]


@pytest.mark.parametrize(("count", "analyzers"), [(2, 1), (3, 1), (6, 2), (21, 6)])
def test_each_line_has_a_channel_of_its_own(count: int, analyzers: int) -> None:
    """All lines of a node are on one analyzer; several analyzers have a sync line; clocks and phases differ."""
    bench = bench_of(nodes=NAMES[:count], lines=LINES if count < 21 else ("bus",))
    places = [bench.place(channel) for node in bench.nodes.values() for channel in node.lines.values()]
    places += [(name, analyzer.sync) for name, analyzer in bench.analyzers.items() if analyzer.sync]

    assert analyzers == len(bench.analyzers)
    assert len(places) == len(set(places)) == (4 if count < 21 else 3) * count + (analyzers if analyzers > 1 else 0)
    for node in bench.nodes.values():
        assert 1 == len({bench.place(channel)[0] for channel in node.lines.values()})
    virtual = section.of(bench)
    clocks = [node.clock_ppb for node in virtual.nodes.values()]
    assert count == len(set(clocks)) and all(-20_000 <= clock <= 20_000 for clock in clocks)
    assert analyzers == len({analyzer.phase_ps for analyzer in virtual.analyzers.values()})


def test_two_nodes_have_the_clocks_of_the_demo() -> None:
    """So that a study of two nodes can be compared with the demo."""
    demo = section.of(benches.load(resources.benches()["demo"]))
    bench = section.of(bench_of(lines=("bus", "tap.irq", "uart_tx")))

    assert (demo.nodes, demo.analyzers, demo.links) == (bench.nodes, bench.analyzers, bench.links)


def test_a_line_is_one_of_neighbours() -> None:
    """Others receive each other below any radio's sensitivity."""
    virtual = section.of(bench_of(nodes=("initiator", "relay", "responder"), topology="line"))

    assert {("initiator", "responder"), ("responder", "initiator")} == {
        (link.sender, link.receiver) for link in virtual.links if link.rssi_dbm == -120
    }
    assert 6 == len(virtual.links)


def test_boards_may_be_mixed_and_keys_of_the_virtual_bench_given() -> None:
    """A TelosB has four data lines."""
    bench = bench_of(boards={"responder": "telosb"}, lines=("bus",), virtual={"serial": {"latency_timer_ms": 1}})

    assert ["strobe", "d0", "d1", "d2", "d3"] == list(bench.nodes["responder"].lines)
    assert 1 == section.of(bench).serial.latency_timer_ms
    assert "virtual 1 iotlab-m3, 1 telosb" == bench.name


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"nodes": ("a", "a")}, "study s: bench.nodes has `a` twice; give each node a name of its own."),
        ({"boards": {"x": "telosb"}}, "study s: bench.boards: no node `x`; the study has initiator, responder."),
        ({"lines": ("bus", "tap.tx_active")}, "the virtual iotlab-m3 has no pin for tap.tx_active; it has d0, d1, "),
        (
            {"nodes": NAMES},
            "study s: the nodes have 85 channels with the sync line; 64 fit into a recording. Ask for few",
        ),
        ({"virtual": {"sed": 1}}, "study s: bench: unknown key `sed` in `virtual`; did you mean `seed`?"),
    ],
)
def test_what_cannot_be_dealt_out(asked: dict[str, object], message: str) -> None:
    """One line with the study and the remedy."""
    with pytest.raises(BenchError) as error:
        bench_of(**asked)

    assert message in str(error.value)


def test_a_given_bench_lacks_all_at_once(tmp_path: Path) -> None:
    """Nodes, boards and lines that the study asks for are listed in one error."""
    (tmp_path / "s.toml").write_text(
        STUDY.replace('"responder"]', '"responder", "n1"]').replace('["bus"]', '["bus", "tap.irq"]')
    )
    real = benches.loads(REAL)

    with pytest.raises(BenchError) as error:
        points(study.load(tmp_path / "s.toml"), Conditions(bench=real, bench_file=tmp_path / "real.toml"), [0])

    assert (
        f"study s: bench {tmp_path}/real.toml lacks line tap.irq of node initiator; iotlab-m3 as node responder, which "
        "is a telosb; node n1 (iotlab-m3). Add them to the bench, or run without --bench on the virtual one."
    ) == str(error.value)


def test_a_study_runs_on_boards(tmp_path: Path) -> None:
    """Keys of the virtual bench are omitted, the nodes that the study does not ask for, too."""
    text = REAL.replace("telosb", "iotlab-m3").replace('d2 = "D6"\nd3 = "D7"\n', "")
    extra = text[text.index("[nodes.responder]") :].replace("responder", "n1").replace("ttyUSB1", "ttyUSB2")
    for old, new in (("D3", "D8"), ("D4", "D9"), ("D5", "D10")):
        extra = extra.replace(old, new)
    (tmp_path / "s.toml").write_text(STUDY.replace("n*.", "*."))
    real = benches.loads(text + extra)

    every = points(study.load(tmp_path / "s.toml"), Conditions(bench=real, bench_file=tmp_path / "real.toml"), range(2))

    assert [None, None] == [point.bench.virtual for point in every]
    assert ["initiator", "responder"] == list(every[0].bench.nodes)
    assert "/dev/ttyUSB1" == every[0].bench.nodes["responder"].serial
    assert 2 == len({point.digest for point in every})


def test_nodes_that_are_not_asked_for_leave_the_virtual_bench() -> None:
    """With their clocks, links, faults and levels."""
    bench = bench_of(
        nodes=("initiator", "responder", "n1"),
        virtual={
            "faults": [{"kind": "brown_out", "node": "n1", "at_us": 1, "off_us": 1}],
            "interferers": [
                {"pattern": "periodic", "centre_khz": 2_480_000, "level_dbm": -60, "burst_us": 10, "every_us": 100,
                 "levels_dbm": {"n1": -50, "responder": -55}}
            ],
        },
    )  # fmt: skip

    virtual = given_bench.tree(bench, Path("b.toml"), ["initiator", "responder"])["virtual"]

    assert ["initiator", "responder"] == list(virtual["nodes"])
    assert (2, [], {"responder": -55}) == (
        len(virtual["links"]),
        virtual["faults"],
        virtual["interferers"][0]["levels_dbm"],
    )
