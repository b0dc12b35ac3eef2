"""A SPIRIT1's packets as those of a YetiMote: FEC, preamble and CRC, seen on the virtual bench."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import numpy as np
import pytest
from commandline import ROOT
from modebench import Mode, record
from numpy.typing import NDArray

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.rig import strict_toml as tomls
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks

pytestmark = pytest.mark.slow

BOARD = "nucleo-l476rg"
BIT_US = 1e6 / 250_244  # spirit1_registers.h
HEAD_BITS = 8 + 2 * 8 + 3  # length, addresses, flags
FRAME = 40 + 6 + 9  # payload, headers of UDP and IPv6 compressed, header of the MAC


def run(folder: Path, profile: str) -> Mode:
    """Eight seconds of the single hop under TDMA."""
    base = tomls.load(ROOT / "experiments/tdma-single-hop.toml", Experiment, what="experiment file")
    settings = msgspec.structs.replace(base.settings, radio_profile=profile)
    experiment = msgspec.structs.replace(base, duration_s=8, settings=settings)
    mode = record(folder, {"initiator": BOARD, "responder": BOARD}, experiment)
    assert [] == checks.failed_checks(mode.found, mode.recording)
    return mode


def times_us(mode: Mode, node: str, name: str) -> NDArray[np.float64]:
    """When an event came."""
    events = mode.found.events
    here = (events.nodes == events.node_names.index(node)) & (events.codes == BY_NAME[name].code)
    return events.samples[here] / float(events.samplerate_hz) * 1e6


@pytest.mark.parametrize(
    ("profile", "bits", "header_ns"),
    [("default", 8 * (FRAME + 2), 383_625), ("yetimote", 2 * 8 * (FRAME + 1), 255_750)],
)
def test_a_packet_takes_the_time_of_its_profile(tmp_path: Path, profile: str, bits: int, header_ns: int) -> None:
    """From the sync word to the packet's end on the receiver's line; the node's own time of it is that of the line.

    The analysis takes the preamble of the profile for the way from the first bit to the line.
    """
    mode = run(tmp_path, profile)
    begins, ends = (times_us(mode, "responder", f"tap.frame_timestamp.{side}") for side in ("enter", "exit"))
    deliveries = times_us(mode, "responder", "app.rx.enter")
    assert len(deliveries) > 20
    begun = begins[np.searchsorted(begins, deliveries) - 1]
    lengths = ends[np.searchsorted(ends, begun)] - begun
    assert lengths == pytest.approx((HEAD_BITS + bits) * BIT_US, abs=0.2)

    text = mode.recording.serial("responder").data.decode(errors="replace")
    logged = np.array(re.findall(r"radio_us=(\d+) rx_us=(\d+)", text), dtype=np.int64)
    assert len(logged) == len(deliveries)
    assert logged[:, 1] - logged[:, 0] == pytest.approx(deliveries - begun, abs=5)

    opened = open_recording(mode.recording)
    assert dict.fromkeys(mode.found.logs, header_ns) == dict(opened.header_ns)
    assert {header_ns} == {node.mark_ns for node in opened.instruments.nodes.values()}
