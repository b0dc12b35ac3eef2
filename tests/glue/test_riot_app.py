"""RIOT's example application on the PC: the serial protocol, line by line, and two nodes over a stub of GNRC."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import get_type_hints

import pytest
import riotglue
from riotapp import APP, STUB, Node, build

from gpiorig.rig.experiments.node_settings import NodeSettings

# Where 1 is not in the range of a setting.
VALUES = {"app": "train", "channel": "15", "interval_us": "1000", "timeout_us": "1000", "payload": "16", "print": "24"}
SETTINGS = riotglue.FIRMWARE / "settings.toml"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Over a peer that answers."""
    return build(tmp_path_factory.mktemp("app") / "app", STUB / "peer.c")


@pytest.fixture
def node(program: Path) -> Iterator[Node]:
    node = Node(program)
    assert ["boot board=pc firmware=riot", "ready"] == [node.line(), node.line()]
    yield node
    node.close()


@pytest.fixture(scope="module")
def program_udp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Over UDP, as it runs on a board."""
    return build(tmp_path_factory.mktemp("udp") / "app", APP / "link_udp.c", STUB / "gnrc.c")


@pytest.fixture
def two(program_udp: Path, tmp_path: Path) -> Iterator[tuple[Node, Node]]:
    """Two nodes on one air."""
    nodes = Node(program_udp, folder=tmp_path), Node(program_udp, folder=tmp_path)
    for node in nodes:
        assert ["boot board=pc firmware=riot", "ready"] == [node.line(), node.line()]
    yield nodes
    for node in nodes:
        node.close()


@pytest.mark.slow
def test_identify_names_board_table_and_probes(node: Node) -> None:
    expected = "ok identify board=pc firmware=riot uid=abababababababab address=1 table=1234abcd probes=normal"
    assert expected == node.ask("identify")


@pytest.mark.parametrize(
    ("command", "answer"),
    [
        ("set channel 15", "ok set channel=15"),
        ("set app broadcast", "ok set app=broadcast"),
        ("set payload 0x40", "ok set payload=0x40"),
        ("set channel 27", "error set: out of range"),
        ("set app dance", "error set: out of range"),
        ("set payload -1", "error set: out of range"),
        ("set payload", "error set: give a key and a value, as in: set channel 26"),
        ("start 0", "error start: give a number of packets, as in: start 100, or none"),
        ("defaults", "ok defaults"),
        ("stop", "ok stop"),
    ],
)
def test_a_command_has_one_answer(node: Node, command: str, answer: str) -> None:
    assert answer == node.ask(command)
    assert node.ask("report").startswith("ok report sent=0 received=0 lost=0 ")


def settings_of_riot() -> list[str]:
    """The keys that settings.toml gives to RIOT."""
    settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    return [key for key, setting in settings.items() if "riot" in setting.get("firmwares", ["riot"])]


def test_an_unknown_key_lists_those_of_the_firmware(node: Node) -> None:
    assert settings_of_riot() == node.ask("set volume 11").removeprefix("error set: keys are ").split()


def test_an_experiment_can_set_every_key(node: Node) -> None:
    """With what the runner sends for it: a Boolean is 0 or 1, and a node is its address."""
    types = get_type_hints(NodeSettings)
    for key in settings_of_riot():
        assert key in types or key in ("address", "duration_s"), f"no experiment has {key}"
        value = VALUES.get(key, "1")
        assert f"ok set {key}={value}" == node.ask(f"set {key} {value}")


@pytest.mark.slow
def test_two_nodes_exchange_packets(two: tuple[Node, Node]) -> None:
    """With RIOT's limits: two addresses an interface, an EUI-64 of whatever identifier; both change their address."""
    for number, node in enumerate(two, start=1):
        assert "ok defaults" == node.ask("defaults")
        assert f"ok set address={number + 6}" == node.ask(f"set address {number + 6}")
    *packets, done = run(two[0], "peer 8", "interval_us 20000", "timeout_us 1000000", packets=3)

    assert ["ok"] * 3 == [line.rpartition("status=")[2] for line in packets]
    assert done.startswith("done sent=3 received=3 lost=0 ")


@pytest.mark.slow
def test_an_address_that_is_another_nodes_is_not_answered(two: tuple[Node, Node]) -> None:
    for number, node in enumerate(two, start=1):
        assert node.ask(f"set address {number}").startswith("ok set")
    *packets, done = run(two[0], "peer 3", "interval_us 20000", "timeout_us 20000", packets=1)

    assert done.startswith("done sent=1 received=0 lost=1 ")
    assert 1 == len(packets)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "modules", "answers"),
    [
        ("backoff 0", ["AT86RF2XX"], ["radio backoff 0 to 0", "ok set backoff=0"]),
        ("backoff_exponent 1", ["AT86RF2XX"], ["radio backoff 1 to 5", "ok set backoff_exponent=1"]),
        ("backoff 0", [], ["error set: the radio did not take it"]),
        ("backoff_exponent 1", [], ["error set: the radio did not take it"]),
    ],
)
def test_the_radio_gets_the_exponents_of_the_backoff(
    setting: str, modules: list[str], answers: list[str], tmp_path: Path
) -> None:
    """The driver of the AT86RF2xx takes them by a function, not as options; a setting that nothing takes is refused."""
    node = Node(build(tmp_path / "app", APP / "link_udp.c", STUB / "gnrc.c", modules=modules), folder=tmp_path)
    node.until("ready")
    lines = [node.ask(f"set {setting}"), *(node.line() for _ in answers[1:])]
    node.close()

    assert answers == lines


@pytest.mark.slow
def test_a_node_that_answers_takes_no_packets_without_an_answer(two: tuple[Node, Node]) -> None:
    """Nodes that broadcast next to a ping-pong are interferers; its account is that of requests."""
    for number, node in enumerate(two, start=1):
        assert node.ask(f"set address {number}").startswith("ok set")
    assert run(two[0], "app broadcast", "interval_us 50000", packets=4)[-1].startswith("done sent=4 ")
    assert "received=0 " in two[1].ask("report")
    assert run(two[0], "app pingpong", "peer 2", packets=1)[-1].startswith("done sent=1 received=1 ")
    assert two[1].line().startswith("packet seq=1 ")
    assert "received=1 " in two[1].ask("report")


@pytest.mark.slow
def test_no_node_takes_what_an_interferer_sends(two: tuple[Node, Node]) -> None:
    """It sends at its interval, so that its console answers; the others drop its frames."""
    for number, node in enumerate(two, start=1):
        assert node.ask(f"set address {number}").startswith("ok set")
    assert run(two[0], "app interferer", "interval_us 50000", packets=4)[-1].startswith("done sent=4 ")
    assert "received=0 " in two[1].ask("report")
    assert "ok set app=broadcast" == two[1].ask("set app broadcast")
    assert run(two[0], "app broadcast", "interval_us 50000", packets=4)[-1].startswith("done sent=4 ")
    assert [f"packet seq={number}" for number in range(1, 5)] == [
        two[1].line().partition(" rx_us")[0] for _ in range(4)
    ]


def test_a_stopped_node_sends_no_event(node: Node) -> None:
    """RIOT's timer continues; the count of frames that `report` tells is that which the analyzer saw to the end."""
    node.ask("tick")
    assert "ok stop" == node.ask("stop")
    at_stop = node.ask("report")
    node.ask("tick")
    assert at_stop == node.ask("report")
    assert "ok set channel=15" == node.ask("set channel 15")
    node.ask("tick")
    assert frames_of(at_stop) + 2 == frames_of(node.ask("report"))


def frames_of(report: str) -> int:
    return int(report.split("probes=")[1].split()[0])


def run(node: Node, *settings: str, packets: int) -> list[str]:
    """Its lines after `start`, without the event log."""
    for setting in settings:
        assert node.ask(f"set {setting}").startswith("ok set")
    assert f"ok start packets={packets}" == node.ask(f"start {packets}")
    return [line for line in node.until("done") if not line.startswith("log ")]


def test_ping_pong(node: Node) -> None:
    """A line for each round trip, then the sum."""
    *packets, done = run(node, "interval_us 1000", packets=3)

    assert 3 == len(packets)
    for number, line in enumerate(packets, start=1):
        assert re.fullmatch(rf"packet seq={number} tx_us=\d+ rx_us=\d+ status=ok", line)
    assert re.fullmatch(r"done sent=3 received=3 lost=0 probes=\d+", done)


def test_a_peer_that_is_deaf(node: Node) -> None:
    *packets, done = run(node, "interval_us 1000", "timeout_us 1000", "peer 9", packets=2)

    assert all(re.fullmatch(r"packet seq=\d tx_us=\d+ status=lost reason=timeout", line) for line in packets)
    assert done.startswith("done sent=2 received=0 lost=2 ")


def test_print_test(node: Node) -> None:
    """A line of that many characters for each packet."""
    lines = run(node, "interval_us 1000", "app print", "print 24", packets=2)

    assert 2 == lines.count("." * 24)


@pytest.mark.parametrize(("app", "lines"), [("broadcast", 4), ("train", 0), ("interferer", 0), ("sleeper", 4)])
def test_packets_without_an_answer(node: Node, app: str, lines: int) -> None:
    """Trains and the interferer do not stop to write a line."""
    *packets, done = run(node, "interval_us 1000", f"app {app}", "train 2", packets=4)

    assert lines == len(packets)
    assert done.startswith("done sent=4 received=0 lost=0 ")


def test_stop_ends_a_run_that_has_no_end(node: Node) -> None:
    node.ask("set interval_us 1000")
    assert "ok start packets=4294967295" == node.ask("start")
    assert node.ask("stop") != ""
    assert node.until("done")


def test_a_request_is_answered(node: Node) -> None:
    """And after `stop` it is not; `defaults` lets the node answer again."""
    node.ask("request 7")
    assert re.fullmatch(r"packet seq=7 rx_us=\d+ tx_us=\d+ status=ok", node.line())
    assert "ok stop" == node.ask("stop")
    node.ask("request 8")
    assert node.ask("report").startswith("ok report ")
    assert "ok defaults" == node.ask("defaults")
    node.ask("request 9")
    assert re.fullmatch(r"packet seq=9 rx_us=\d+ tx_us=\d+ status=ok", node.line())


def test_selftest_names_what_is_missing(node: Node) -> None:
    """The stack is missing: of all that it expects, only the application's own events come."""
    assert node.ask("selftest").startswith("packet seq=1 ")
    *missing, verdict = [line for line in node.until("error selftest") if line.startswith(("missing", "error"))]

    assert f"error selftest missing={len(missing)}" == verdict
    assert "missing driver.tx.enter" in missing
    assert not any(line.startswith("missing app.") for line in missing)


def test_log_has_the_same_events(node: Node) -> None:
    """Two round trips leave the four ends of their spans each, with the packet's number."""
    node.ask("set interval_us 1000")
    node.ask("start 2")
    log = [line for line in node.until("done") if line.startswith("log ")]
    records = [record for line in log for record in line.split()[2:]]

    assert all(line.startswith("log lost=00000000 ") for line in log)
    assert ["0001"] * 4 + ["0002"] * 4 == [record[4:8] for record in records]
