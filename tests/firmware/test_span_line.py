"""A point on a line of its own: the same image with one point moved from the symbol bus to a pin."""

from __future__ import annotations

import subprocess
from importlib.resources import files
from pathlib import Path

import directbench
import images
import numpy as np
import pytest
from commandline import ROOT

from gpiorig.analysis.events.events import Events
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse

pytestmark = pytest.mark.slow  # builds an image

SPAN_LINE = "-DGPIORIG_SPAN_ISR_RADIO='GPIORIG_PIN_A(3)'"


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Events:
    """Events of a run in which the responder has `isr.radio` on PA3."""
    folder = tmp_path_factory.mktemp("span")
    image = images.build("iotlab-m3", f"DEFINES={SPAN_LINE}")
    bench = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
    head, responder = bench.split("[nodes.responder]\n")
    responder = f'firmware = "{image}"\n{responder}'
    responder = responder.replace('uart_tx = "P8_30"', 'uart_tx = "P8_30"\n"isr.radio" = "P8_21"')
    responder = responder.replace("clock_ppb = -7_000", 'clock_ppb = -7_000\npins = { "isr.radio" = "PA3" }')
    experiment = (ROOT / "experiments" / "pingpong.toml").read_text()
    bench = f"{head}[nodes.responder]\n{responder}"
    result = analyse(open_recording(directbench.record(folder / "bench", bench, experiment, packets=20)))
    assert {"timelined, every step known": 20} == result.timelines.counts()
    for node, seen, sent in checks.frame_counts(result.events, result.logs):
        assert sent == seen, node
    return result.events


def test_line_and_bus_tell_the_same(stage: Events) -> None:
    """Both nodes see one radio interrupt for each rise of the radio's line, shown by a pin there and by frames here."""
    for node in stage.node_names:
        rises = stage.instants("tap.irq.enter", node=node)
        enters, exits = stage.instants("isr.radio.enter", node=node), stage.instants("isr.radio.exit", node=node)

        assert len(rises) == len(enters) == len(exits) == 2 * 20
        assert (rises < enters).all()
        assert (enters < exits).all()


def test_a_line_costs_less_than_a_frame(stage: Events) -> None:
    """The handler is shorter with the line: two stores in place of two frames."""
    spans = {
        node: np.median(stage.instants("isr.radio.exit", node=node) - stage.instants("isr.radio.enter", node=node))
        for node in stage.node_names
    }

    assert spans["responder"] < spans["initiator"]


def test_line_is_low_after_reset(stage: Events) -> None:
    """The first edge of the line is a rise."""
    assert (
        stage.instants("isr.radio.enter", node="responder")[0] < stage.instants("isr.radio.exit", node="responder")[0]
    )


def test_build_takes_the_pin(tmp_path: Path) -> None:
    """A pin that is none of the port does not build."""
    make = ["make", "-s", "-C", ROOT / "firmware-gpio-probes", "BOARD=iotlab-m3", f"BUILD={tmp_path}"]
    done = subprocess.run([*make, "DEFINES=-DGPIORIG_SPAN_ISR_RADIO=PIN_X"], capture_output=True, check=False)

    assert 2 == done.returncode
    assert b"PIN_X" in done.stderr
