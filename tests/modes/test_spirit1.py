"""Two Nucleo-L476RG with SPIRIT1 shields play ping-pong on the virtual bench, all the way through sigrok-cli."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from commandline import ROOT, gpiorig
from modebench import assert_frames_complete
from numpy.typing import NDArray

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import boards
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

PACKETS = 250
SAMPLE_NS = 1e9 / 24e6
LINK_NS = 10  # spirit1_bench.toml


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """The analysed recording of 250 round trips."""
    folder = tmp_path_factory.mktemp("spirit1") / "run"
    bench, experiment = Path(__file__).parents[1] / "data" / "spirit1_bench.toml", ROOT / "experiments/pingpong.toml"
    done = gpiorig("run", bench, experiment, "-o", folder, "--packets", str(PACKETS), "--no-report")
    assert (0, "") == (done.status, done.stderr)
    return analyse(open_recording(Recording.open(folder)))


@pytest.mark.slow
def test_no_packet_and_no_frame_is_lost(result: Analysis) -> None:
    """Every request has its reply and its timeline, and every frame of the symbol buses arrives complete."""
    assert PACKETS == len(result.timelines.rtt)
    assert_frames_complete(result)


@pytest.mark.slow
@pytest.mark.parametrize(("sender", "receiver"), [("initiator", "responder"), ("responder", "initiator")])
def test_frame_timestamp_leads_back_to_the_first_bit(result: Analysis, sender: str, receiver: str) -> None:
    """A transmission begins where the board file's constant puts it, seen from the receiver's sync word line.

    GPIO1 of the sender's radio is high while it sends, packets and acknowledgements alike. Each of the two edges is
    known to a sample; the receiver sees the sync word at the next edge of its crystal of 50 MHz, and the crystal of the
    sender, 40 ppm at most off, has sent it.
    """
    events = result.events

    def samples(event: str, node: str) -> NDArray[np.int64]:
        here = (events.codes == BY_NAME[event].code) & (events.nodes == events.node_names.index(node))
        return events.samples[here]

    starts, marks = samples("tap.tx_active.enter", sender), samples("tap.frame_timestamp.enter", receiver)
    marks = marks[marks > starts[0]]  # GPIO0 shows the power-on reset until the driver has set it
    assert 2 * PACKETS == len(starts) == len(marks)
    expected_ns = boards.load("nucleo-l476rg").radio.frame_timestamp_ns + LINK_NS
    assert np.max(np.abs((marks - starts) * SAMPLE_NS - expected_ns)) <= SAMPLE_NS + 20 + 40e-6 * expected_ns
