"""Packets over several nodes of the virtual bench: what the pins show is what the nodes logged."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import numpy as np
import pytest
from commandline import ROOT, gpiorig
from modebench import Mode, record

from gpiorig.analysis.packets import accounting, delivery
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import strict_toml as tomls
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.results import checks

pytestmark = pytest.mark.slow

M3 = "iotlab-m3"
OUT_OF_RANGE = (("initiator", "responder"), ("responder", "initiator"))
LOSS = 0.2


def experiment(name: str, **changed: object) -> Experiment:
    whole = tomls.load(ROOT / "experiments" / f"{name}.toml", Experiment, what="experiment file")
    return msgspec.structs.replace(whole, **changed)


def checked(mode: Mode) -> Mode:
    assert [] == checks.failed_checks(mode.found, mode.recording)
    assert mode.found.hops is not None
    assert accounting.account(mode.found.hops).adds_up
    return mode


def test_multi_hop(tmp_path: Path) -> None:
    """Over a relay: every packet that was sent came over two hops, in as many samples as its steps have."""
    nodes = dict.fromkeys(("initiator", "relay", "responder"), M3)
    mode = checked(record(tmp_path, nodes, experiment("slots-multi-hop", duration_s=8), apart=OUT_OF_RANGE))
    hops = mode.found.hops
    assert hops is not None
    (route,) = mode.found.routes
    assert "initiator > relay > responder" == route.name
    assert 20 < len(route) == mode.log("responder").done["received"]
    assert mode.log("initiator").done["sent"] == len(route) + route.lost + route.partial
    assert mode.log("relay").done["forwarded"] == np.count_nonzero(hops.numbers == 2)
    calls = mode.found.events.instants("app.tx.enter", node="initiator")
    deliveries = mode.found.events.instants("app.rx.enter", node="responder")
    assert set(route.starts.tolist()) <= set(calls.tolist())
    assert set((route.starts + route.totals).tolist()) <= set(deliveries.tolist())
    # What a relay does takes time: none of its steps is empty, and all are named once.
    names = [step.name for step in route.steps.steps]
    assert len(names) == len(set(names))
    assert {"initiator", "relay", "responder", "initiator > relay", "relay > responder"} == {
        step.node for step in route.steps.steps
    }
    # Limits and comparisons take one-way delays like round trips: of the route that most packets took.
    folder, slowest_ns = mode.recording.folder, int(route.totals.max()) * 1e9 / 24e6
    report = gpiorig("report", folder, "--assert", f"delay.max < {slowest_ns + 1:.0f} ns", "--json")
    broken = gpiorig("report", folder, "--assert", f"delay.max < {slowest_ns - 1:.0f} ns")
    same = gpiorig("compare", folder, folder, "--any-change", "--json")
    assert (0, 1, 0) == (report.status, broken.status, same.status)
    assert report.numbers["assertions"][0]["found"]["delay"]["value_ns"] == pytest.approx(slowest_ns)
    assert "check failed" in broken.stderr and "delay.max" in broken.stderr
    assert [] == same.numbers["changed"]


def test_broadcast_over_a_lossy_channel(tmp_path: Path) -> None:
    """Three nodes, a fifth of all frames lost: who got which packet is what each of them logged."""
    nodes = dict.fromkeys(("initiator", "responder", "third"), M3)
    wanted = experiment("broadcast", packets=150)
    wanted = msgspec.structs.replace(wanted, settings=msgspec.structs.replace(wanted.settings, interval_us=10_000))
    mode = checked(record(tmp_path, nodes, wanted, loss_ppm=round(LOSS * 1e6)))
    hops = mode.found.hops
    assert hops is not None
    routes = {route.name: route for route in mode.found.routes}
    assert {"initiator > responder", "initiator > third"} == routes.keys()
    for node in ("responder", "third"):
        route = routes[f"initiator > {node}"]
        assert mode.log(node).sequences.tolist() == sorted(route.ids.tolist())
        assert 150 == len(route) + route.lost
        assert route.lost > 0
    status = hops.packets.status
    both = set(routes["initiator > responder"].ids.tolist()) & set(routes["initiator > third"].ids.tolist())
    assert len(both) == np.count_nonzero(status == delivery.DELIVERED)


def test_the_log_of_another_run_fails_the_check(tmp_path: Path) -> None:
    """`gpiorig report` names the node whose log and pins differ, and ends with status 1."""
    nodes = dict.fromkeys(("initiator", "responder"), M3)
    own, other = (
        checked(record(tmp_path / str(packets), nodes, experiment("broadcast", packets=packets))).recording.folder
        for packets in (12, 9)
    )
    right = gpiorig("report", own, "--json")
    recording = Recording.open(own)
    shutil.copy(other / "serial" / "responder.rec", own / "serial" / "responder.rec")
    recording.finish()  # its files are those of the description
    wrong = gpiorig("report", own)

    assert (0, "") == (right.status, right.stderr)
    assert (12, {"delivered": 12}) == (right.numbers["packets"]["sent"], right.numbers["packets"]["status"])
    (route,) = right.numbers["routes"]
    assert ("initiator > responder", 12, 0) == (route["route"], route["packets"], route["lost"])
    tables = {path.stem for path in own.glob("*.parquet")}
    assert {"events", "hops", "packets", "receptions", "transmissions", "unattributed"} <= tables
    assert 1 == wrong.status
    assert "Node responder reports 9 packets received; the pins show 12 deliveries." in wrong.stderr
