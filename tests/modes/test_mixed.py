"""A TelosB and an IoT-LAB M3 on one channel: two processors, two radios, two widths of the symbol bus, one capture."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import directbench
import numpy as np
import pytest
from commandline import ROOT, gpiorig
from modebench import assert_frames_complete
from timelinefeed import assert_followed

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.packets import timelines
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse

pytestmark = pytest.mark.slow  # runs virtual benches

PACKETS = 60
MIXED = (files("gpiorig.vbench") / "benches" / "mixed.toml").read_text()
EXPERIMENT = (ROOT / "experiments" / "mixed.toml").read_text()


def through_sigrok(folder: Path, bench: str, experiment: str) -> Recording:
    """The recording of `gpiorig run`: the one of a TelosB that goes through sigrok-cli and ptys."""
    (folder / "bench.toml").write_text(bench)
    (folder / "experiment.toml").write_text(experiment)
    options = ("-o", folder / "run", "--packets", str(PACKETS), "--no-report")
    done = gpiorig("run", folder / "bench.toml", folder / "experiment.toml", *options)
    assert (0, "") == (done.status, done.stderr)
    return Recording.open(folder / "run")


def analysed(recording: Recording) -> Analysis:
    """The analysis of a run in which no frame of a symbol bus was damaged or missed, and every packet accounted for."""
    result = analyse(open_recording(recording))
    assert_frames_complete(result)
    assert_followed(result)  # the decoder gpio_timeline agrees
    return result


@pytest.fixture(scope="module", params=["telosb", "m3"])
def result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    """A flawless run, either of the two being the initiator."""
    folder = tmp_path_factory.mktemp("mixed")
    if request.param == "telosb":
        return analysed(through_sigrok(folder, MIXED, EXPERIMENT))
    experiment = EXPERIMENT.replace('"telosb"', '"X"').replace('"m3"', '"telosb"').replace('"X"', '"m3"')
    return analysed(directbench.record(folder, MIXED, experiment, packets=PACKETS))


def test_every_packet_is_timelined(result: Analysis) -> None:
    assert {"timelined, every step known": PACKETS} == result.timelines.counts()
    assert timelines.steps_add_up(result.timelines, result.routes[0].steps)


def test_the_first_bit_on_the_air_is_where_the_sender_puts_it(result: Analysis) -> None:
    """Whichever radio received it.

    The AT86RF231 waits n backoffs of 320 us, CCA and 16 us after the SPI access, so that its waits differ by multiples
    of 320 us. The CC2420's own SFD rises 160 us after the first bit that it sends.
    """
    rate = float(result.timelines.samplerate_hz)
    direction = "reply" if result.timelines.responder == "m3" else "request"
    start = result.timelines.column(f"{direction}.air.start")
    waits = start - result.timelines.column(f"{direction}.driver.exec.exit")
    off = (waits - waits.min()) / rate * 1e6 % 320
    assert np.all(np.minimum(off, 320 - off) < 0.2)

    other = "request" if direction == "reply" else "reply"
    start = result.timelines.column(f"{other}.air.start")
    rises = result.events.instants("tap.frame_timestamp.enter", node="telosb")
    own = rises[np.searchsorted(rises, start)]
    assert np.all(np.abs((own - start) / rate * 1e6 - 160) < 0.2)


def test_losses_have_their_reasons(tmp_path: Path) -> None:
    """With half of the frames lost the TelosB's driver retries; what it gives up is lost for a reason."""
    bench = MIXED.replace("delay_ps = 10_000", "delay_ps = 10_000\nloss_ppm = 500_000")
    result = analysed(directbench.record(tmp_path, bench, EXPERIMENT, packets=PACKETS))
    assert 0 < PACKETS - int(result.timelines.timelined.sum()) < PACKETS
    assert 0 == result.account.unaccounted
    assert {"no_ack", "timeout"} >= result.account.lost.keys()


def test_two_telosb(tmp_path: Path) -> None:
    """Their frames, acknowledgements and log lines, all of it between two modelled CC2420."""
    head, rest = MIXED.split("[nodes.m3]")
    virtual = rest[rest.index("[virtual]") :]
    lines = ["strobe", "d0", "d1", "d2", "d3", "uart_tx"]
    channels = ["P8_27", "P8_29", "P8_28", "P8_30", "P8_21", "P8_20"]
    wiring = "".join(f'{line} = "{channel}"\n' for line, channel in zip(lines, channels, strict=True))
    bench = f'{head}[nodes.m3]\nboard = "telosb"\n[nodes.m3.lines]\n{wiring}\n{virtual}'
    result = analysed(directbench.record(tmp_path, bench, EXPERIMENT, packets=PACKETS))
    assert PACKETS == int(result.timelines.timelined.sum())
