"""The reference firmware without pauses: over the air, and turned round in IPv6 or in the MAC."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from modebench import Mode, record

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig.experiments.experiment import Experiment, Settings
from gpiorig.rig.results import checks

PACKETS = 40
AIR_OCTETS = 6 + 9 + 7 + 2  # before and after the payload: SHR and PHR, MAC header, compressed headers and kind, FCS
pytestmark = pytest.mark.slow


def run(
    folder: Path, board: str = "iotlab-m3", kernel: Any = "events", packets: int = PACKETS, **settings: Any
) -> Mode:
    """Nothing is lost or damaged, and both logs are without single packets."""
    experiment = Experiment(
        name="saturate",
        initiator="initiator",
        responder="responder",
        packets=packets,
        kernel=kernel,
        settings=Settings(**{"app": "saturate"} | settings),
    )
    mode = record(folder, {"initiator": board, "responder": board}, experiment)
    assert [] == checks.failed_checks(mode.found, mode.recording)
    assert (packets, 0) == tuple(mode.log("initiator").done[key] for key in ("sent", "lost"))
    assert not any(len(log.sequences) for log in mode.found.logs.values())
    return mode


def rate(mode: Mode, node: str) -> float:
    """Packets per second that an application receives."""
    at = mode.found.events.instants("app.rx.enter", node=node)
    return float((len(at) - 1) / ((at[-1] - at[0]) / mode.found.events.samplerate_hz))


@pytest.mark.parametrize("window", [1, 4])
def test_the_next_leaves_as_soon_as_one_is_settled(tmp_path: Path, window: int) -> None:
    """The air is in use nearly all the time: what is between two frames is shorter than the shortest frame."""
    payload = 100
    mode = run(tmp_path, payload=payload, window=window, csma=False)
    assert PACKETS == mode.log("responder").done["received"]
    air_s = (AIR_OCTETS + payload) * 32e-6
    assert 0 < 1 / rate(mode, "responder") - air_s < 1.2e-3


@pytest.mark.parametrize(
    ("board", "kernel"), [("iotlab-m3", "events"), ("iotlab-m3", "threads"), ("telosb", "threads")]
)
@pytest.mark.parametrize("loopback", ["ipv6", "mac"])
def test_packets_to_the_node_itself_are_turned_round(tmp_path: Path, board: str, kernel: str, loopback: str) -> None:
    """Each comes back once, in order, through the layers above the turn, in fragments too, and never to the radio."""
    mode = run(tmp_path, board, kernel, payload=180, loopback=loopback, peer="initiator")
    events = mode.found.events
    assert PACKETS == mode.log("initiator").done["received"]
    got = (events.codes == BY_NAME["app.rx.enter"].code) & (events.nodes == events.node("initiator"))
    assert list(range(1, PACKETS + 1)) == events.ids[got].tolist()
    assert 0 == len(events.instants("driver.exec.enter", node="initiator"))
    through = {"ipv6": 0, "mac": 2 * PACKETS}[loopback]
    for point in ("mac.tx.enter", "mac.rx.enter", "sixlowpan.rx.enter"):
        assert through == len(events.instants(point, node="initiator")), point
    assert PACKETS == len(events.instants("udp.rx.enter", node="initiator"))
    assert 0 == mode.log("responder").done["received"]
    assert {} == mode.found.hops.unattributed.counts()
    (route,) = mode.found.routes
    assert ("initiator > initiator", PACKETS, 0) == (route.name, len(route), route.lost)


def test_the_reflector_is_slower_than_the_turn_in_ipv6(tmp_path: Path) -> None:
    """By what 6LoWPAN and the MAC take."""
    rates = [
        rate(run(tmp_path / loopback, payload=100, loopback=loopback, peer="initiator"), "initiator")
        for loopback in ("ipv6", "mac")
    ]
    assert rates[0] > 1.2 * rates[1] > 1_000


@pytest.mark.parametrize(
    ("settings", "node", "fragments"),
    [
        ({"csma": False}, "responder", 10),
        ({"loopback": "ipv6", "peer": "initiator"}, "initiator", 0),
        ({"loopback": "mac", "peer": "initiator", "queue": 16}, "initiator", 10),
    ],
)
def test_the_longest_payload(tmp_path: Path, settings: dict[str, Any], node: str, fragments: int) -> None:
    """1000 bytes go in ten frames, and arrive as one; short packets have their own buffers."""
    mode = run(tmp_path, kernel="threads", packets=12, payload=1_000, **settings)
    assert 12 == mode.log(node).done["received"]
    assert 12 * fragments == mode.log("initiator").done["fragments"]
    assert 0 == mode.log(node).done["incomplete"] == mode.log(node).done["exhausted"]


def test_more_long_packets_than_there_are_buffers_are_counted(tmp_path: Path) -> None:
    """A window of 12 finds 8 buffers; each of the other packets waits for one of them, and all arrive."""
    mode = run(tmp_path, packets=24, payload=1_000, window=12, queue=64, csma=False)
    assert 24 == mode.log("responder").done["received"]
    assert mode.log("initiator").done["exhausted"] > 0
