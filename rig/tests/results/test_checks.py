"""Findings on a capture that cannot be right."""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from network import Network

from gpiorig.analysis.evaluation.analysis import analyse
from gpiorig.analysis.events.events import DamagedFrames, Events
from gpiorig.analysis.logs import node_log
from gpiorig.rig.results import checks


def seen(frames):
    """A recording of one node with the given number of frames, none of them an event."""
    none = np.zeros(0, dtype=np.int64)
    return Events(
        samples=none,
        nodes=none.astype(np.uint16),
        codes=none.astype(np.uint8),
        ids=none.astype(np.int32),
        node_names=("responder",),
        samplerate_hz=Fraction(24_000_000),
        damaged=DamagedFrames(none, none.astype(np.uint16), none.astype(np.int32)),
        frames_seen=np.array([frames], dtype=np.int64),
        gaps=none.reshape(-1, 2),
        start=0,
        end=24_000_000,
    )


@pytest.mark.parametrize(
    ("frames", "probes", "failed"), [(0, "normal", True), (12, "normal", False), (0, "off", False)]
)
def test_a_node_that_the_pins_do_not_show_is_said(frames, probes, failed):
    """The firmware counted frames and not one was seen: a clip is off. Firmware without probes sends none."""
    logs = {
        "responder": dataclasses.replace(
            node_log.parse("done sent=0 received=0 lost=0 probes=8134\n", node="responder"), boots=1
        )
    }
    recording = SimpleNamespace(
        verify=list, info=SimpleNamespace(parameters={"probes": probes}, channels=["responder.strobe"])
    )
    problems = checks.signal_checks(seen(frames), logs, recording)
    assert failed == any(
        "Node responder sent 8134 frames on its symbol bus, none was seen" in problem for problem in problems
    )


@pytest.mark.parametrize(("experiment", "failed"), [("ping-pong", 1), ("", 0)])
def test_equal_ids_fail_where_an_experiment_numbers_them(experiment, failed):
    """Of another application it is not known whether it numbers its packets: that is a remark, not a failed check."""
    network = Network("ab")
    for n in range(1, 5):
        network.frame(n * 2_400_000, "a", 7, {"b": "deliver"})
    analysis = analyse(network.events(), {}, header_ns=network.headers())
    info = SimpleNamespace(parameters={}, bounds=(), experiment=experiment, channels=("a.strobe", "b.strobe"))
    problems = checks.failed_checks(analysis, SimpleNamespace(verify=list, info=info))

    assert failed == len(problems)
    assert all(problem.startswith("All 4 packets of node a have the id 7") for problem in problems)


@pytest.mark.parametrize(("channels", "silent"), [(("a.strobe", "b.strobe"), ["b"]), (("a.strobe",), [])])
def test_a_node_is_silent_if_its_bus_is_recorded(channels, silent):
    """One that is without probes, and so without a bus in the bench file, is not."""
    network = Network("ab")
    network.frame(2_400_000, "a", 1, {})
    analysis = analyse(network.events(), {}, header_ns=network.headers())
    info = SimpleNamespace(parameters={}, bounds=(), experiment="", channels=channels)
    problems = checks.failed_checks(analysis, SimpleNamespace(verify=list, info=info))

    assert [f"Node {node} is silent" for node in silent] == [problem.partition(":")[0] for problem in problems]


BUSES = ("a.strobe", "b.strobe")


@pytest.mark.parametrize(
    ("experiment", "channels", "line", "failed"),
    [
        ("ping-pong", BUSES, "", ["no packets"]),
        ("", BUSES, "", []),
        ("ping-pong", (), "", []),
        ("ping-pong", BUSES, "done sent=0 received=0 lost=0 probes=3\n", []),
    ],
)
def test_no_packet_fails_where_packets_should_be_seen(experiment, channels, line, failed):
    """An experiment sends some, unless its nodes report none; they are seen where a symbol bus is wired."""
    network = Network("ab")
    network.frame(2_400_000, "a", 1, {"b": "deliver"})
    analysis = analyse(network.events(), {"a": node_log.parse(line, node="a")}, header_ns=network.headers())
    without = dataclasses.replace(analysis, hops=None, no_packets="no packets", accounts=())
    info = SimpleNamespace(parameters={}, bounds=(), experiment=experiment, channels=channels)

    assert failed == checks.failed_checks(without, SimpleNamespace(verify=list, info=info))


@pytest.mark.parametrize(("sent", "pairs"), [(True, 0), (False, None)])
def test_packets_without_a_send_call_make_no_round_trips(sent, pairs):
    """Of an experiment its round trips are empty; of another application packets are counted by route."""
    network = Network("ab")
    network.frame(2_400_000, "a", 1, {"b": "drop"}, by="relay")
    analysis = analyse(network.events(), {}, header_ns=network.headers(), ends=("a", "b"), sent=sent)

    assert pairs == (None if analysis.round_trips is None else len(analysis.round_trips))
    assert "a > b" in [route.name for route in analysis.routes]
