"""Every mode of the reference firmware runs on each board that it supports, and no event is lost.

It runs for 20 s of virtual time, in which a timer of 16 bits overflows ten times at 32 kHz; in the deep suite for 60 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest
from _pytest.mark import ParameterSet
from commandline import ROOT
from depth import by_depth
from modebench import Mode, record

from gpiorig.rig import strict_toml as tomls
from gpiorig.rig.experiments.experiment import Experiment, NodeRole
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse

DURATION_S = by_depth(20, 60)
INTERVAL_US = 200_000  # between packets
TIMEOUT_US = 150_000  # more than the longest round trip takes, five fragments each way on a TelosB
# A packet takes less than half an interval, also where the next waits for the one before.
MIN_PACKETS = 10 * DURATION_S // 3

pytestmark = pytest.mark.slow

M3, TELOSB, SPIRIT1, L476 = "iotlab-m3", "telosb", "nucleo-l476rg", "nucleo-l476rg-at86rf231"
BOARDS = (M3, TELOSB, SPIRIT1, L476)
ROUND_TRIPS = ("pingpong", "macping", "print", "payload", "busy", "nocsma", "interference")
ONE_WAY = ("broadcast", "sender", "queue", "train-sleep", "train-timer", "train-pairs")

KERNELS = ("events", "threads")


def rows() -> Iterator[ParameterSet]:
    """Each mode on each board, on M3 with both kernels, elsewhere with each kernel in turn.

    Outside the deep suite: each mode on M3 and on one other board.
    """
    for number, mode in enumerate((*ROUND_TRIPS, *ONE_WAY)):
        for place, board in enumerate(BOARDS):
            other, kernel = KERNELS[(number + place) % 2], KERNELS[(number + place + 1) % 2]
            usual = place in (0, 1 + number % 3)
            yield pytest.param(mode, board, kernel, marks=() if usual else pytest.mark.deep)
            if board == M3:
                yield pytest.param(mode, board, other, marks=pytest.mark.deep)


def lasting(name: str, kernel: str, **settings: object) -> Experiment:
    """The experiment of a file for the duration, with few packets."""
    whole = tomls.load(ROOT / "experiments" / f"{name}.toml", Experiment, what="experiment file")
    given = {"interval_us": INTERVAL_US, "timeout_us": TIMEOUT_US, **settings}
    return msgspec.structs.replace(
        whole,
        packets=None,
        duration_s=DURATION_S,
        kernel=kernel,
        settings=msgspec.structs.replace(whole.settings, **given),
    )


def short(name: str, kernel: str, packets: int, **settings: object) -> Experiment:
    """The experiment of a file, with other settings and few packets."""
    whole = tomls.load(ROOT / "experiments" / f"{name}.toml", Experiment, what="experiment file")
    changed = msgspec.structs.replace(whole.settings, **settings)
    return msgspec.structs.replace(whole, packets=packets, kernel=kernel, settings=changed)


def run(folder: Path, experiment: Experiment, board: str) -> Mode:
    """Record it, and see that nothing is lost on the way from the firmware to the events."""
    others = dict.fromkeys(experiment.nodes, M3 if board == TELOSB else board)  # the analyzer has 14 channels
    mode = record(folder, {"initiator": board, "responder": board, **others}, experiment)
    assert [] == checks.failed_checks(mode.found, mode.recording)
    for node, log in mode.found.logs.items():
        assert log.done["probes"] == mode.found.events.frames(node), node
        assert (1, 0, (), ()) == (log.boots, log.done["uart_dropped"], log.errors, log.malformed), node
        assert experiment.kernel == log.identity["kernel"]
    return mode


@pytest.mark.parametrize(("name", "board", "kernel"), list(rows()))
def test_no_event_is_lost(tmp_path: Path, name: str, board: str, kernel: str) -> None:
    """As many frames as the firmware counted, none damaged, no log line lost; every packet is accounted for."""
    mode = run(tmp_path, lasting(name, kernel), board)
    sender, receiver = mode.log("initiator"), mode.log("responder")

    assert mode.virtual_s >= DURATION_S
    assert sender.done["sent"] == len(sender.sequences) >= MIN_PACKETS
    assert sender.sequences.tolist() == list(range(1, len(sender.sequences) + 1))
    assert sender.done["lost"] == np.count_nonzero(sender.lost)
    if name in ROUND_TRIPS:
        result = analyse(open_recording(mode.recording))
        assert [] == checks.failed_checks(result, mode.recording)
        assert sender.done["sent"] == sender.done["received"] + sender.done["lost"]
        assert name == "interference" or sender.done["lost"] == 0
        assert ("earlier fragments" in str(result.routes[0].steps.steps)) == (name == "payload")
        assert result.round_trips.retries == 0
    else:
        arrived = receiver.sequences[~receiver.lost].tolist()
        delivered = [number for number, lost in zip(sender.sequences, sender.lost, strict=True) if not lost]
        assert sorted(delivered) == arrived


def test_a_network_of_both_kernels(tmp_path: Path) -> None:
    """One node has another kernel than the rest: its image is that one, by its own word and by its events."""
    same = short("pingpong", "threads", 5, events_sched=True)
    mixed = msgspec.structs.replace(same, nodes={"responder": NodeRole(kernel="events")})
    mode = record(tmp_path, {"initiator": M3, "responder": M3}, mixed)

    assert [] == checks.failed_checks(mode.found, mode.recording)
    assert ["threads", "events"] == [mode.log(node).identity["kernel"] for node in ("initiator", "responder")]
    switches = [len(mode.found.events.instants("sched.switch", node=node)) for node in ("initiator", "responder")]
    assert switches[0] > 0 == switches[1]
    assert 5 == mode.log("initiator").done["received"]
    assert "events" == mode.recording.info.parameters["responder.kernel"]


@pytest.mark.parametrize("kernel", ["events", "threads"])
def test_a_full_queue_drops_packets_and_says_so(tmp_path: Path, kernel: str) -> None:
    """With 8 packets under way and room for 2, some are lost for that reason and counted; the others come in order."""
    mode = run(tmp_path, short("queue", kernel, 200, queue=2), M3)
    sender, receiver = mode.log("initiator"), mode.log("responder")

    assert {"ok", "queue"} == set(sender.outcomes)
    assert sender.done["dropped"] == sender.done["lost"] == sender.outcomes.count("queue")
    sent = sorted(number for number, lost in zip(sender.sequences, sender.lost, strict=True) if not lost)
    assert sent == receiver.sequences.tolist()


def test_what_no_frame_holds_is_refused(tmp_path: Path) -> None:
    """Over the bare MAC nothing cuts a payload of 116 bytes and its one byte of header to a frame of 116."""
    mode = run(tmp_path, short("macping", "events", 5, payload=116), M3)

    assert ("too_long",) * 5 == mode.log("initiator").outcomes
    assert 0 == mode.log("responder").done["received"]
