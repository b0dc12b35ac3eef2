"""Round trips beside a node that sends packets with the same ids: whose packet it is decides, not its number."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from directbench import record

from gpiorig.analysis.timelines import COMPLETE
from gpiorig.rig import pipeline
from gpiorig.rig.experiment import Experiment, NodeRole, Settings

pytestmark = pytest.mark.slow
BENCH = (files("gpiorig.rig") / "interference_bench.toml").read_text()


@pytest.mark.parametrize("interval_us", [200_137, 100_137, 37_013])
def test_broadcasts_with_equal_ids_do_not_break_round_trips(tmp_path: Path, interval_us: int) -> None:
    """Both count from 1 on. Every packet is whole, its steps add up, and each log is that of its recording."""
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
    result = pipeline.analyse(recording)
    lines = result.timelines
    assert 60 == np.count_nonzero(lines.status == COMPLETE), lines.counts()
    assert (result.steps.samples >= 0).all()
    # What the pins say of each round trip is what the initiator's timer says, to the granularity of its stamps.
    log = result.logs["initiator"]
    own_us = dict(zip(log.sequences.tolist(), (log.received_us - log.sent_us).tolist(), strict=True))
    pins_us = lines.rtt * 1e6 / float(lines.samplerate_hz)
    assert np.abs(pins_us - [own_us[id_] for id_ in lines.ids.tolist()]).max() < 5
    audit = pipeline.report_data(result, recording).study.audit
    assert () == audit.foreign
    assert {60} == {each.matched for each in audit.matchings if each.node in ("initiator", "responder")}
    assert "no packet with this id was under way" not in result.packets.unattributed.counts()
