"""Benches other than the demo's: lossy air, and a bench file as a bench of boards has it."""

from __future__ import annotations

import datetime
import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import directbench
import pytest
from commandline import ROOT, gpiorig
from patience import PATIENCE_S
from timelinefeed import assert_followed

from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.recording.sums import sha256
from gpiorig.rig.bench import certificate_file
from gpiorig.rig.experiments import images
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.verify import certificate
from gpiorig.rig.verify.certificate import Certificate

BENCH = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
EXPERIMENT = ROOT / "experiments" / "pingpong.toml"


@pytest.fixture
def bench_file(tmp_path: Path) -> Path:
    """The demo's bench as a file of its own."""
    path = tmp_path / "bench.toml"
    path.write_text(BENCH)
    return path


@pytest.mark.slow
def test_losses_are_counted(tmp_path: Path) -> None:
    """A third of all frames lost: every packet is a timeline or lost with a reason, and no event is lost or damaged."""
    bench = BENCH.replace("delay_ps = 10_000", "delay_ps = 10_000\nloss_ppm = 350_000")
    recording = directbench.record(tmp_path, bench, EXPERIMENT.read_text(), packets=80)
    done = gpiorig("report", recording.folder, "--json")
    assert (0, "") == (done.status, done.stderr)

    result = analyse(open_recording(recording))
    account = result.account

    assert 80 == account.total == done.numbers["packets_sent"]
    assert account.total == account.arrived + sum(account.lost.values()) + sum(account.not_arrived.values())
    assert account.lost
    assert account.lost.keys() <= {"timeout", "no_ack", "busy"}
    assert account.arrived == int(result.timelines.timelined.sum())
    assert_followed(result)  # the decoder gpio_timeline agrees
    assert 0 == len(result.events.damaged)
    for node, seen, sent in checks.frame_counts(result.events, result.logs):
        assert sent == seen, node


def _expired(bench_file: Path) -> Certificate:
    """A certificate that was valid once."""
    then = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    return Certificate(
        bench="demo",
        bench_sha256=certificate.bench_sha256(bench_file),
        issued=then,
        valid_until=then + certificate.VALID,
        virtual=False,
        gpiorig="0.1.0",
        findings=(),
        identities={},
        calibrations={},
        time_bases={},
    )


@pytest.mark.slow
def test_bench_of_boards(tmp_path: Path, bench_file: Path) -> None:
    """A bench file with drivers and ports, as for boards: only what the boards answer states that they are virtual."""
    command = [sys.executable, "-m", "gpiorig.rig.cli", "bench", "virtual", "--pace", "real-time", "--json"]
    command.append(str(bench_file))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        ends = json.loads(served.stdout.readline())
        boards = tmp_path / "boards.toml"
        text = BENCH.split("# Clock errors")[0].replace(
            "[analyzers.la]", f'[analyzers.la]\ndriver = "{ends["analyzers"]["la"]}"'
        )
        for node, end in ends["serial"].items():
            text = text.replace(f"[nodes.{node}]", f'[nodes.{node}]\nserial = "{end["path"]}"')
        boards.write_text(text)

        written = certificate_file.place(boards)
        certificate.write(written, _expired(boards))
        words = ("--packets", "10", "--json", "--note", "window open")
        done = gpiorig("run", boards, EXPERIMENT, "-o", tmp_path / "run", *words)

        assert served.stdin is not None
        served.stdin.close()
        assert 0 == served.wait(PATIENCE_S)
    assert 10 == done.numbers["packets_timelined"]
    info = Recording.open(tmp_path / "run").info
    assert ("host", True, {}) == (info.serial_clock, info.virtual, info.firmware)
    # Virtual time is not real time: on a slow host the run notices that the analyzer did not keep up with the clock.
    if info.state == "incomplete":
        assert re.search(r"the analyzer sent \d+\.\d+ s of samples in", done.stderr)
    assert (0 if info.state == "complete" else 1) == done.status
    assert info.origin
    assert ("window open", sha256(written)) == (info.origin.note, info.origin.certificate_sha256)
    assert "window open" in (tmp_path / "run/report/report.html").read_text()
    assert 0 == gpiorig("report", "--reproduce", tmp_path / "run").status


@pytest.mark.slow
def test_without_taps_nothing_is_blamed(tmp_path: Path) -> None:
    """Without the frame time stamps, radio wait and air cannot be distinguished, and the report contains a warning."""
    bench = "".join(line for line in BENCH.splitlines(keepends=True) if not line.startswith('"tap.frame_timestamp"'))
    recording = directbench.record(tmp_path, bench, EXPERIMENT.read_text(), packets=40)

    done = gpiorig("report", recording.folder)

    assert (0, "") == (done.status, done.stderr)
    (where,) = [line for line in done.stdout.splitlines() if "most of the variance" in line]
    assert "most of the variance: radio wait or air, which no tap distinguishes, " in where


@pytest.mark.slow
def test_damage_fails_the_check(tmp_path: Path) -> None:
    """Other channels for the data lines make no difference; data lines swapped on the way there damage every frame."""
    moved = BENCH.replace('d0 = "P8_46"\nd1 = "P8_43"', 'd1 = "P8_46"\nd0 = "P8_43"')
    assert moved != BENCH

    swapped = BENCH.replace("clock_ppb = 12_000", 'clock_ppb = 12_000\npins = { d0 = "PB6", d1 = "PB5" }')
    right, wrong = (
        gpiorig("report", directbench.record(tmp_path / name, bench, EXPERIMENT.read_text(), packets=5).folder)
        for name, bench in (("right", moved), ("wrong", swapped))
    )

    assert (0, "") == (right.status, right.stderr)
    assert 1 == wrong.status
    damaged = r"\d+ of \d+ frames on the symbol bus of node initiator are damaged: look at .* `gpiorig bench verify`"
    assert re.search(damaged, wrong.stderr), wrong.stderr
    assert "5 packets are neither timelined nor lost" in wrong.stderr


def test_bench_check(bench_file: Path) -> None:
    """`gpiorig bench check` prints the wiring, and the bench as JSON."""
    as_text, as_json = gpiorig("bench", "check", bench_file), gpiorig("bench", "check", bench_file, "--json")

    assert (0, 0) == (as_text.status, as_json.status)
    assert "tap.irq on P8_29" in as_text.stdout
    assert "P8_29" == as_json.numbers["nodes"]["responder"]["lines"]["tap.irq"]
    assert {"right"} == {finding["verdict"] for finding in as_json.numbers["findings"]}


def test_bench_check_of_boards(tmp_path: Path) -> None:
    """What is wrong on a bench of boards is status 1, and unchecked parts are listed; --live is for boards."""
    boards = tmp_path / "boards.toml"
    boards.write_text(
        BENCH.split("# Clock errors")[0]
        .replace("[analyzers.la]", '[analyzers.la]\ndriver = "fx2lafw"')
        .replace("[nodes.initiator]", '[nodes.initiator]\nserial = "/dev/ttyUSB1"')
        .replace("[nodes.responder]", '[nodes.responder]\nserial = "/dev/ttyUSB3"')
    )
    done, live = gpiorig("bench", "check", boards), gpiorig("bench", "check", "demo", "--live")

    assert 1 == done.status
    assert "WRONG: analyzers.la: fx2lafw (libsigrok 0.5.2) has no channel P8_45" in done.stdout
    assert "not looked at: whether analyzers and ports are there (--live), and the wiring" in done.stdout
    assert "as it should be" not in done.stdout
    assert (2, "") == (live.status, live.stdout)
    assert "--live is for boards" in live.stderr


@pytest.mark.slow
def test_another_kernel_than_wanted_is_refused(tmp_path: Path, bench_file: Path) -> None:
    """The firmware that a node reports is compared with the experiment, as on a bench of boards."""
    image = images.reference_image("iotlab-m3")
    bench_file.write_text(BENCH.replace('board = "iotlab-m3"', f'board = "iotlab-m3"\nfirmware = "{image}"'))
    experiment = tmp_path / "experiment.toml"
    experiment.write_text('kernel = "threads"\n' + EXPERIMENT.read_text())

    done = gpiorig("run", bench_file, experiment, "-o", tmp_path / "run")

    assert 2 == done.status
    assert "runs firmware with kernel = events, the experiment wants threads" in done.stderr
    assert "KERNEL=threads" in done.stderr


@pytest.mark.slow
def test_a_run_without_round_trips_is_surveyed(tmp_path: Path) -> None:
    """Broadcasts have no timelines: what remains are the events, and what each node counted."""
    broadcast = (ROOT / "experiments" / "broadcast.toml").read_text()
    run = directbench.record(tmp_path, BENCH, broadcast, packets=5).folder
    done, again = gpiorig("report", run, "--json"), gpiorig("report", run)

    assert (0, "", 0) == (done.status, done.stderr, again.status)
    nodes = done.numbers["nodes"]
    assert (5, 5) == (nodes["initiator"]["sent"], nodes["responder"]["received"])
    assert all(node["frames"] == node["probes"] for node in nodes.values())
    assert "responder: sent 0, received 5" in again.stdout
    *_, whose, page = again.stdout.splitlines()
    assert whose.startswith("Virtual bench")
    assert f"report: {run / 'report' / 'report.html'}" == page
    assert (run / "events.parquet").is_file()
