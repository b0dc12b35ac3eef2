"""The communication of seeds/001: its synchronisation task and its flooding packets, on the virtual bench."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from commandline import ROOT
from modebench import Mode, record
from numpy.typing import NDArray

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig import strict_toml as tomls
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.results import checks

pytestmark = pytest.mark.slow

BOARD = "nucleo-l476rg"
MAC, SYNC = 1, 9  # enum actor_id, kernel.h
OUT_OF_RANGE = (("initiator", "responder"), ("responder", "initiator"))
FLOODS = 0xE000  # flood.c


def run(folder: Path, name: str, *, seconds: int, **settings: Any) -> Mode:
    """Record an experiment with the SPIRIT1's packets of a YetiMote and without static routes."""
    base = tomls.load(ROOT / "experiments" / f"{name}.toml", Experiment, what="experiment file")
    nodes = {
        node: msgspec.structs.replace(role, next_hop=None, layer_priority=None) for node, role in base.nodes.items()
    }
    settings = {"radio_profile": "yetimote", **settings}
    experiment = msgspec.structs.replace(
        base, duration_s=seconds, nodes=nodes, settings=msgspec.structs.replace(base.settings, **settings)
    )
    boards = {"initiator": BOARD, "responder": BOARD, **dict.fromkeys(nodes, BOARD)}
    mode = record(folder, boards, experiment, apart=OUT_OF_RANGE if "relay" in nodes else ())
    assert [] == checks.failed_checks(mode.found, mode.recording)
    return mode


def times_us(mode: Mode, node: str, name: str, number: int) -> NDArray[np.float64]:
    """When an event with an id came."""
    events = mode.found.events
    here = (events.nodes == events.node_names.index(node)) & (events.codes == BY_NAME[name].code)
    return events.samples[here & (events.ids == number)] / float(events.samplerate_hz) * 1e6


def counted(mode: Mode, node: str, key: str) -> int:
    """A number of the last answer that has it."""
    text = mode.recording.serial(node).data.decode(errors="replace")
    return int(re.findall(rf" {key}=(\d+)", text)[-1])


@pytest.mark.parametrize("sync_task", [True, False])
def test_the_most_urgent_task_takes_synchronisation_packets(tmp_path: Path, sync_task: bool) -> None:
    """It runs once for each packet, in the middle of the MAC's task, for less than 100 us (seeds/001, 3.3)."""
    mode = run(tmp_path, "tdma-single-hop", seconds=12, sync_task=sync_task, sync_us=1_000_000)
    begins, ends = (times_us(mode, "initiator", f"task.run.{side}", SYNC) for side in ("enter", "exit"))
    assert 0 == counted(mode, "initiator", "desynced")
    assert len(mode.log("responder").sequences) > 30
    if not sync_task:
        assert 0 == len(begins)
        return
    assert 8 <= len(begins) <= counted(mode, "initiator", "syncs")
    assert (ends - begins < 100).all()
    mac_begins, mac_ends = (times_us(mode, "initiator", f"task.run.{side}", MAC) for side in ("enter", "exit"))
    last = np.searchsorted(mac_begins, begins) - 1
    mac_ends = mac_ends[mac_ends > mac_begins[0]]
    assert (ends < mac_ends[last]).all()


def test_floods_find_the_way_over_the_relay(tmp_path: Path) -> None:
    """Without static routes no packet arrives; with floods all that are sent once the routes are known do.

    Each node sends its own floods, and those of the others once.
    """
    blind = run(tmp_path / "blind", "tdma-multi-hop", seconds=8)
    assert 0 == len(blind.log("responder").sequences)
    assert blind.log("initiator").lost.all()

    mode = run(tmp_path / "floods", "tdma-multi-hop", seconds=16, flood_us=2_000_000)
    sent, received = mode.log("initiator"), mode.log("responder").sequences
    assert len(received) > 20
    assert "no_route" == sent.outcomes[0]
    late = sent.sequences[sent.sequences >= received[0]]
    assert np.isin(late, received).mean() > 0.9
    events = mode.found.events
    names = events.node_names
    for node in names:
        here = (events.nodes == names.index(node)) & (events.codes == BY_NAME["mac.tx.enter"].code)
        floods = events.ids[here & (events.ids >> 12 == FLOODS >> 12)]
        origins = set((floods >> 8 & 0xF).tolist())
        assert {1, 2, 3} == origins, node
        assert len(set(floods.tolist())) == len(floods), node
