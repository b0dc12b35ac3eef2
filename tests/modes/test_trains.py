"""Trains of the reference firmware: when a packet is handed down, when it leaves, and what its line states."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from modebench import record
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.logs.node_log import NodeLog
from gpiorig.rig.experiments.experiment import Experiment, Settings
from gpiorig.rig.results import checks

PACKETS, GAP_US = 20, 15_000
pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Train:
    """The sender's log, and its events on the pins."""

    log: NodeLog
    events: Events

    def timestamps_late_us(self) -> NDArray[np.float64]:
        """How much later than radio.tx_start each departure is in the log, both taken from the packet's send call."""
        sent, starts = (self.events.instants(point, node="sender") for point in ("app.tx.enter", "radio.tx_start"))
        starts = starts[:: len(starts) // PACKETS]
        pins_us = (starts - sent) / float(self.events.samplerate_hz) * 1e6
        return np.asarray(self.log.departed_us - self.log.sent_us - pins_us)


def run(folder: Path, board: str = "iotlab-m3", kernel: Any = "events", **settings: Any) -> Train:
    """Packets to a receiver; all arrive, and no event is lost or damaged."""
    given = {"app": "train", "train": 5, "gap_us": GAP_US, "interval_us": 120_000, "payload": 20, "csma": False}
    experiment = Experiment(
        name="train",
        initiator="sender",
        responder="receiver",
        packets=PACKETS,
        kernel=kernel,
        settings=Settings(**given | settings),
    )
    mode = record(folder, {"sender": board, "receiver": board}, experiment)
    assert [] == checks.failed_checks(mode.found, mode.recording)
    assert PACKETS == mode.log("receiver").done["received"]
    return Train(mode.log("sender"), mode.found.events)


@pytest.mark.parametrize("ahead_us", [0, 100, 1_000, 40_000])
def test_a_packet_is_handed_down_a_given_time_before_it_is_due(tmp_path: Path, ahead_us: int) -> None:
    """And leaves when it is due, if the time is enough for the stack and the way into the radio."""
    log = run(tmp_path, fire="timer", predispatch_us=ahead_us).log
    assert ahead_us == pytest.approx(log.due_us - log.sent_us, abs=1_500 if ahead_us > GAP_US else 50)
    late_us = log.departed_us - log.due_us
    if ahead_us < 1_000:
        assert (late_us > 200 - ahead_us).all()  # the stack, and the way into the radio
    else:
        assert (late_us < 10).all()


def test_all_are_handed_down_ahead_unless_it_is_set(tmp_path: Path) -> None:
    """As many as the queue holds, the first ones at once."""
    log = run(tmp_path, fire="timer").log
    assert (log.sent_us[:8] - log.sent_us[0] < 3_000).all()
    assert (log.departed_us - log.due_us < 10).all()


@pytest.mark.parametrize(
    ("board", "fire", "late_us"),
    [
        ("iotlab-m3", "sleep", 5),
        ("iotlab-m3", "timer", 5),
        ("nucleo-l476rg", "timer", 5),
        ("telosb", "sleep", 75),
    ],
)
def test_the_line_states_the_departure_on_the_pins(tmp_path: Path, board: str, fire: str, late_us: float) -> None:
    """The timestamp is read just after radio.tx_start; its steps are 1 us, on a TelosB of its DCO."""
    train = run(tmp_path, board, "threads", fire=fire, predispatch_us=3_000)
    assert PACKETS == np.count_nonzero(train.log.departed_us >= 0)
    measured_us = train.timestamps_late_us()
    assert 0 < measured_us.min() and measured_us.max() < late_us
    assert np.ptp(measured_us) < (8 if board == "telosb" else 3)


def test_a_datagram_in_fragments_leaves_with_its_first(tmp_path: Path) -> None:
    """The timestamp is that of the first of its frames."""
    train = run(tmp_path, fire="sleep", payload=200)
    assert 2 * PACKETS == len(train.events.instants("radio.tx_start", node="sender"))
    assert np.abs(train.timestamps_late_us()).max() < 5


def test_where_the_chip_decides_the_departure_is_not_stated(tmp_path: Path) -> None:
    """The AT86RF231 draws the backoff itself: the line has the due instant only."""
    log = run(tmp_path, fire="sleep", csma=True).log
    assert (log.departed_us == -1).all() and (log.due_us > 0).all()
