"""Round trips next to a node that sends packets with the same ids: whose packet it is decides, not its number."""

from __future__ import annotations

from importlib.resources import files
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from directbench import record

from gpiorig.analysis.packets.timelines import COMPLETE
from gpiorig.rig.experiments.experiment import Experiment, NodeRole, Settings
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import report
from gpiorig.rig.results.analyse import analyse

pytestmark = pytest.mark.slow
BENCH = (files("gpiorig.vbench") / "benches" / "interference.toml").read_text()


@pytest.mark.parametrize("interval_us", [200_137, 100_137, 37_013])
def test_broadcasts_with_equal_ids_do_not_break_round_trips(tmp_path: Path, interval_us: int) -> None:
    """Both count from 1 on. Every packet is complete, its steps add up, and each log is that of its recording."""
    experiment = Experiment(
        name="equal ids",
        initiator="initiator",
        responder="responder",
        packets=60,
        kernel="threads",
        settings=Settings(app="macping", interval_us=100_000, timeout_us=95_000),
        nodes={"noise": NodeRole(start=True, app="broadcast", interval_us=interval_us)},
    )
    recording = record(tmp_path, BENCH, experiment)
    result = analyse(open_recording(recording))
    lines = result.timelines
    assert 60 == np.count_nonzero(lines.status == COMPLETE), lines.counts()
    assert (result.routes[0].steps.samples >= 0).all()
    # Each round trip on the pins equals that of the initiator's timer, to the granularity of its stamps.
    log = result.logs["initiator"]
    own_us = dict(zip(log.sequences.tolist(), (log.received_us - log.sent_us).tolist(), strict=True))
    pins_us = lines.rtt * 1e6 / float(lines.samplerate_hz)
    assert np.abs(pins_us - [own_us[id_] for id_ in lines.ids.tolist()]).max() < 5
    audit = report.report_data(open_recording(recording), result).evaluation.audit
    assert () == audit.foreign
    assert {60} == {matching.matched for matching in audit.matchings if matching.node in ("initiator", "responder")}
    assert "no packet with this id was under way" not in result.hops.unattributed.counts()


CHANNELS = [f"P8_{pin}" for pin in (45, 46, 43, 44, 41, 42, 39, 40, 27, 29, 28, 30)]
SIX = ("initiator", "responder", "n1", "n2", "n3", "n4")


def six() -> str:
    """Six nodes within range of each other on two analyzers, three each."""
    text = ['name = "six"', "[virtual]", "seed = 3", "[virtual.sync]", "clock_ppb = 1000"]
    for analyzer, ppb in (("la", -3000), ("lb", 5000)):
        text += [f"[analyzers.{analyzer}]", "samplerate_hz = 24_000_000", 'sync = "P8_20"']
        text += [f"[virtual.analyzers.{analyzer}]", f"clock_ppb = {ppb}"]
    for place, node in enumerate(SIX):
        channels = CHANNELS[place % 3 * 4 :]
        lines = zip(("strobe", "d0", "d1", '"tap.frame_timestamp"'), channels, strict=False)
        text += [f"[nodes.{node}]", 'board = "iotlab-m3"', f"[nodes.{node}.lines]"]
        text += [f'{line} = "{("la", "lb")[place // 3]}:{channel}"' for line, channel in lines]
        text += [f"[virtual.nodes.{node}]", f"clock_ppb = {1000 + 3000 * place}"]
    for start, end in permutations(SIX, 2):
        text += ["[[virtual.links]]", f'from = "{start}"', f'to = "{end}"', "delay_ps = 10_000"]
    return "\n".join(text) + "\n"


@pytest.mark.parametrize("app", ["macping", "pingpong"])
def test_four_nodes_that_broadcast_do_not_break_round_trips(tmp_path: Path, app: str) -> None:
    """Twenty broadcasts a second, all with ids from 1 on: every packet is complete, every event has its owner."""
    noise = {
        f"n{i}": NodeRole(start=True, app="broadcast", interval_us=200_000 + 137 * i, payload=59) for i in range(1, 5)
    }
    experiment = Experiment(
        name="four",
        initiator="initiator",
        responder="responder",
        packets=60,
        kernel="threads",
        settings=Settings(app=app, interval_us=100_000, timeout_us=95_000, payload=59, queue=8),
        nodes=noise,
    )
    recording = record(tmp_path, six(), experiment)
    result = analyse(open_recording(recording))
    assert 60 == np.count_nonzero(result.timelines.status == COMPLETE), result.timelines.counts()
    ends = [result.events.node(node) for node in ("initiator", "responder")]
    assert not np.isin(result.events.nodes[result.hops.unattributed.positions], ends).any()
    assert () == report.report_data(open_recording(recording), result).evaluation.audit.foreign
