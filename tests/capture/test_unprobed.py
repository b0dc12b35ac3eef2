"""Nodes without a symbol bus: their images have no probes, or ones that nothing sees; taps and console are recorded."""

from __future__ import annotations

import re
from pathlib import Path

import directbench
import ownapplication
import pytest
from commandline import gpiorig

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments.experiment import Experiment
from gpiorig.rig.run import runner

pytestmark = pytest.mark.slow  # builds images, records

BUS = r"(?:strobe|d0|d1) = .*\n"
EXPERIMENT = Experiment(name="theirs", initiator="client", responder="server", duration_s=1)
NOT_RECORDED = "what the software does there, and which packets it reads, is not recorded. Recorded: "


def bench_text(*, without: str = BUS, nodes: int = 2) -> str:
    """The bench of the own application, which takes no command; the first nodes lack lines."""
    head, *tables = re.split(r"(?=\[nodes\.\w+\]\n)", ownapplication.bench_text(), flags=re.MULTILINE)
    tables = [re.sub(without, "", text) if place < nodes else text for place, text in enumerate(tables)]
    text = "".join([head, *tables])
    for name in ownapplication.ADDRESSES:
        image = f'\nconsole = "none"\nfirmware = "{ownapplication.image(name)}"'
        text = text.replace(f'[nodes.{name}]\nboard = "iotlab-m3"', f'[nodes.{name}]\nboard = "iotlab-m3"{image}')
    return text


def recorded(folder: Path, text: str) -> Path:
    return directbench.record(folder, text, EXPERIMENT).folder


def test_taps_without_a_bus(tmp_path: Path) -> None:
    """Nothing fails, nothing is lost: the page and the terminal name what is recorded; no packet is invented."""
    run = recorded(tmp_path, bench_text())
    done = gpiorig("report", run)
    assert (0, "") == (done.status, done.stderr)
    assert f"No symbol bus is wired at client and server: {NOT_RECORDED}tap.irq, tap.frame_time" in done.stdout
    assert "No node has a symbol bus among its lines, so the pins show no packets." in done.stdout
    assert gpiorig("report", run, "--json").numbers["events"] > 100
    refused = gpiorig("packets", run)
    assert (2, True) == (refused.status, "no node has a symbol bus among its lines" in refused.stderr)


def test_a_bench_without_lines(tmp_path: Path) -> None:
    """The analyzer records its first channel, so that the run has a time; the serial ports are recorded."""
    run = recorded(tmp_path, bench_text(without=r"\[nodes\.\w+\.lines\]\n(?:[\w.\"]+ = .*\n)*"))
    done = gpiorig("report", run)
    assert (0, "") == (done.status, done.stderr)
    assert NOT_RECORDED + "the serial port" in done.stdout
    assert ["P8_45"] == [name for name in Recording.open(run).info.channels if name]


def test_one_node_without_a_bus_loses_no_packets(tmp_path: Path) -> None:
    """What the other one sent may have been read there: it is not lost, and no log is compared with pins."""
    run = recorded(tmp_path, bench_text(nodes=1))
    done = gpiorig("report", run)
    assert (0, "") == (done.status, done.stderr)
    assert "read by no other node with a symbol bus" in done.stdout
    assert "lost" not in done.stdout
    assert f"No symbol bus is wired at client: {NOT_RECORDED}" in done.stdout


def test_probes_of_ours_need_their_bus() -> None:
    """An image of ours has probes; without them the experiment states so."""
    bench = benches.loads(re.sub(BUS, "", ownapplication.bench_text()))
    with pytest.raises(BenchError, match=r'client has no symbol bus .* write `probes = "off"` in the experiment'):
        runner.check_shown(bench, EXPERIMENT)
    runner.check_shown(bench, Experiment(name="x", initiator="client", responder="server", duration_s=1, probes="off"))
    runner.check_shown(benches.loads(bench_text()), EXPERIMENT)
