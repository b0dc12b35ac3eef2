"""The radio drivers of the reference firmware on the virtual bench: without CSMA, busy, pre-loaded, broadcast."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import directbench
import modebench
import numpy as np
import pytest
from numpy.typing import NDArray

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.rig.experiments.experiment import Experiment, NodeRole, Settings
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse

COMMAND_NS = 10_000
pytestmark = pytest.mark.slow

PACKETS = 24
PAYLOAD = 32
OCTET_US = 32  # 250 kb/s
# Boards of sender and receiver, for each radio that sends.
PAIRS = {
    "at86rf231": ("iotlab-m3", "iotlab-m3"),
    "spirit1": ("nucleo-l476rg", "nucleo-l476rg"),
    "cc2420": ("telosb", "iotlab-m3"),
}
radios = pytest.mark.parametrize("radio", PAIRS)


@dataclass(frozen=True)
class Run:
    """A recording, decoded."""

    found: Analysis
    text: dict[str, str]

    def us(self, event: str, node: str = "sender") -> NDArray[np.float64]:
        """When an event came, in microseconds of the analyzer."""
        return np.asarray(self.found.events.instants(event, node=node) * 1e6 / float(self.found.events.samplerate_hz))

    def marks(self) -> NDArray[np.float64]:
        """When the receiver's frame time stamp line rose for each packet that its application got."""
        rises = self.us("tap.frame_timestamp.enter", "receiver")
        return np.asarray(rises[np.searchsorted(rises, self.us("app.rx.enter", "receiver")) - 1])


Recorder = Callable[..., Run]


@pytest.fixture
def record(tmp_path: Path) -> Recorder:
    """Runs an experiment from `sender` to `receiver`; nothing may be lost or damaged in it."""

    def run(*named: str, kernel: str = "events", packets: int = PACKETS, **settings: str | int) -> Run:
        nodes = dict(zip(("sender", "receiver", "other"), named, strict=False))
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        roles = f'initiator = "sender"\nresponder = "receiver"\nkernel = "{kernel}"\npackets = {packets}\n'
        given = {"interval_us": 30_000, "payload": PAYLOAD} | settings
        lines = [f"{key} = {json.dumps(value)}" for key, value in given.items()]
        experiment = "\n".join(['name = "radio"', roles, "[settings]", *lines, ""])
        recording = directbench.record(folder, modebench.bench_text(nodes), experiment)
        analysis = analyse(open_recording(recording))
        assert [] == checks.failed_checks(analysis, recording)
        for log in analysis.logs.values():
            assert (0, 0) == (log.done["errors"], log.done["lost"]), log.node
        assert packets == analysis.logs["sender"].done["sent"] == analysis.logs["receiver"].done["received"]
        return Run(analysis, {node: bytes(recording.serial(node).data).decode() for node in nodes})

    return run


@radios
@pytest.mark.parametrize("csma", [False, True])
def test_busy_sends_without_an_interrupt(record: Recorder, radio: str, csma: bool) -> None:
    """The send call ends after the frame, as the receiver's pins show it; no interrupt of the radio comes in it."""
    run = record(*PAIRS[radio], app="sender", csma=csma, finish="busy")
    enters, exits = run.us("driver.exec.enter"), run.us("driver.exec.exit")
    assert PACKETS == len(enters)
    assert np.all(exits > run.marks() + PAYLOAD * OCTET_US)
    interrupts = run.us("isr.radio.enter")
    assert np.array_equal(np.searchsorted(interrupts, enters), np.searchsorted(interrupts, exits))
    assert np.array_equal(run.us("driver.confirm").searchsorted(exits), np.arange(PACKETS))  # confirmed afterwards


@radios
def test_without_csma_a_frame_leaves_at_once(record: Recorder, radio: str) -> None:
    """From the command to the mark on the receiver's pin it always takes as long; with CSMA longer, by a CCA at least.

    A CCA is 128 us (IEEE 802.15.4-2006, 6.9.9), that of the SPIRIT1 driver 256 us. What is left of a spread without
    CSMA comes from the command's way to the chip and the analyzer's samples: less than a byte.
    """
    delays = {}
    for csma in (False, True):
        run = record(*PAIRS[radio], app="sender", csma=csma)
        delays[csma] = run.marks() - run.us("driver.exec.enter")
        assert np.all(run.us("driver.exec.exit") < run.marks())  # the end is signalled by an interrupt
    assert np.ptp(delays[False]) < OCTET_US
    assert np.min(delays[True]) - np.max(delays[False]) > 128 - OCTET_US


@pytest.mark.parametrize(
    ("radio", "kernel"),
    [("at86rf231", "events"), ("at86rf231", "threads"), ("spirit1", "events"), ("cc2420", "threads")],
)
def test_fired_by_the_alarm_a_packet_leaves_in_time(record: Recorder, radio: str, kernel: str) -> None:
    """Next to a processing task, the alarm's interrupt sends on time; a woken application does not."""
    gap_us, spread = 20_000, {}
    task = {"worker_a_on_us": 2_000, "worker_a_period_us": 7_300, "worker_a_priority": 4}
    for fire in ("sleep", "timer"):
        train = {"app": "train", "train": 4, "gap_us": gap_us, "interval_us": 4 * gap_us, "fire": fire, "csma": False}
        run = record(*PAIRS[radio], kernel=kernel, **train, **task)
        due_us = np.array([int(due) for due in re.findall(r" due_us=(\d+)", run.text["sender"])])
        assert PACKETS == len(due_us)
        late = run.marks() - due_us
        slope = np.polynomial.Polynomial.fit(due_us, late, 1)  # the node's clock runs faster or slower
        spread[fire] = np.std(late - slope(due_us))
    assert spread["timer"] < spread["sleep"] / 4


def test_a_broadcast_reaches_all(record: Recorder) -> None:
    """From a CC2420 to two AT86RF231, once each: without acknowledgements and repetitions."""
    run = record("telosb", "iotlab-m3", "iotlab-m3", app="broadcast")
    for node in ("receiver", "other"):
        assert PACKETS == run.found.logs[node].done["received"]
        assert PACKETS == len(run.us("radio.rx_complete", node))
    assert PACKETS == len(run.us("radio.tx_start"))


def test_a_broadcast_of_a_spirit1(record: Recorder) -> None:
    """Its packets go to the broadcast address and ask for no acknowledgement: sent as soon as they are out."""
    run = record("nucleo-l476rg", "nucleo-l476rg", "nucleo-l476rg", app="broadcast")
    assert PACKETS == run.found.logs["other"].done["received"]
    assert PACKETS == len(run.us("radio.tx_complete"))


# From the end of the SFD on the air to the rise of the receiver's line: PHR and tIRQ, AT86RF231; the CC2420's delay.
AFTER_SFD_US = {"iotlab-m3": 32 + 9, "telosb": 3, "nucleo-l476rg": 0}
# How much later than its stamp app.rx.enter is on the pins (cost of a probe, README of firmware-gpio-probes), and
# received_us later than the line, where an interrupt's routine takes it.
LATE_US = {"iotlab-m3": 6, "telosb": 40, "nucleo-l476rg": 6}


@pytest.mark.parametrize("receiver", AFTER_SFD_US)
def test_the_stamp_of_a_frame_is_that_of_its_sfd(record: Recorder, receiver: str) -> None:
    """received_us, carried over to the analyzer's time by the stamp before app.rx.enter, meets the pin's edge."""
    run = record(receiver, receiver, app="sender", csma=False)
    pairs = re.findall(r" radio_us=(\d+) rx_us=(\d+)", run.text["receiver"])
    since_us = np.array([int(rx) - int(radio) for radio, rx in pairs])
    late_us = run.us("app.rx.enter", "receiver") - since_us - (run.marks() - AFTER_SFD_US[receiver])
    assert np.ptp(late_us) < 4
    assert -1 < np.min(late_us)
    assert np.max(late_us) < LATE_US[receiver]


@pytest.mark.parametrize("board", ["iotlab-m3", "telosb"])
def test_a_radio_that_is_off_hears_nothing(tmp_path: Path, board: str) -> None:
    """While the radio of a TDMA node is off, its frame time stamp pin does not rise, whatever others send."""
    nodes = {"sender": board, "receiver": board, "other": "iotlab-m3"}
    disturber = NodeRole(app="broadcast", mac="csma", interval_us=7_000, start=True)
    experiment = Experiment(
        name="off",
        initiator="sender",
        responder="receiver",
        duration_s=4,
        settings=Settings(app="sender", mac="tdma", rdc=20, sync_us=400_000, interval_us=100_000, timeout_us=90_000),
        nodes={"receiver": NodeRole(gateway=True), "other": disturber},
    )
    events = modebench.record(tmp_path, nodes, experiment).found.events
    offs = events.instants("radio.set_idle", node="sender")
    ons = events.instants("radio.set_rx", node="sender")
    ons = ons[np.searchsorted(ons, offs[offs < ons[-1]], side="right")]
    # The event comes before the command over SPI, at which the radio turns off: a frame may still begin in between.
    offs = offs[: len(ons)] + events.samples_in(COMMAND_NS)

    def between(moments: NDArray[np.int64]) -> int:
        """How many came while the radio was off."""
        return int(np.sum(np.searchsorted(moments, ons) - np.searchsorted(moments, offs)))

    assert between(events.instants("driver.exec.enter", node="other")) > len(offs) > 10
    assert 0 == between(events.instants("tap.frame_timestamp.enter", node="sender"))


@pytest.mark.parametrize(
    ("radio", "exponent", "least_us", "most_us"),
    [("at86rf231", 0, 0, 20), ("at86rf231", 1, 300, 340), ("cc2420", 5, 8 * 320, 31 * 320)],
)
def test_the_first_backoff_has_the_exponent_that_is_set(
    record: Recorder, radio: str, exponent: int, least_us: int, most_us: int
) -> None:
    """0 to 2^exponent - 1 periods of 320 us (IEEE 802.15.4-2006, 7.5.1.4); a CC2420 loads its frame meanwhile."""
    run = record(*PAIRS[radio], backoff_exponent=exponent, interval_us=100_000, timeout_us=90_000)
    waits_us = run.marks() - run.us("app.tx.enter")[:PACKETS]
    assert least_us <= np.ptp(waits_us) <= most_us
