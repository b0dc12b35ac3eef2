"""`gpiorig capture`, as a user runs it."""

from __future__ import annotations

import datetime
import json
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path

import pytest
from commandline import ROOT, Finished, gpiorig, gpiorig_running
from patience import PATIENCE_S, wait_until

from gpiorig.capture.edges.losses import Loss, describe
from gpiorig.capture.recording.recording import Recording
from gpiorig.capture.recording.segment_writer import SegmentWriter

sys.path.insert(0, str(ROOT / "capture" / "tests"))

from fake_beaglelogic import FakeBeagleLogic

DEMO = "demo:logic_channels=16:analog_channels=0"


def test_an_exact_number_of_samples(tmp_path: Path) -> None:
    """The real demo driver; the recording states how far below its limit it ran."""
    words = ["-d", DEMO, "-c", "D0=clock,D9", "--samplerate", "2MHz", "--samples", "500000", "-o", tmp_path / "run"]
    done = gpiorig("capture", *words, "--json")
    numbers = done.numbers
    info = Recording.open(tmp_path / "run").info

    assert (0, "") == (done.status, done.stderr)
    assert ("complete", 500_000, 0.25) == (numbers["state"], numbers["samples"], numbers["duration_s"])
    assert {"reader_busy", "writer_busy", "pipe_fullest", "queue_fullest"} <= set(info.capture)
    assert ("clock", "D9") == (info.channels[0], info.channels[9])
    assert 500_000 == gpiorig("info", tmp_path / "run", "--json").numbers["samples"]


def has_samples(folder: Path, size_bytes: int = 100_000) -> bool:
    """Whether a running capture has written that much."""
    return sum(path.stat().st_size for path in (folder / "edges").glob("*.seg")) > size_bytes


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_the_usual_end(tmp_path: Path, number: signal.Signals) -> None:
    """Ctrl-C, or a terminal that is closed, reaches the entire group of processes; the capture still ends in order."""
    words = ("capture", "-d", DEMO, "--samplerate", "1MHz", "--json", "-o", tmp_path / "run")
    with gpiorig_running(*words) as capture:
        wait_until(lambda: has_samples(tmp_path / "run"))
        os.killpg(capture.pid, number)
        output, complained = capture.communicate(timeout=PATIENCE_S)

    assert (0, "") == (capture.returncode, complained), output
    assert "complete" == json.loads(output)["state"]


@pytest.mark.slow
def test_nohup_is_respected(tmp_path: Path) -> None:
    """A capture that was started with SIGINT and SIGHUP ignored continues when they come; SIGTERM ends it in order."""
    words = ("capture", "-d", DEMO, "--samplerate", "1MHz", "--json", "-o", tmp_path / "run")
    with gpiorig_running(*words, ignore=True) as capture:
        wait_until(lambda: has_samples(tmp_path / "run"))
        os.killpg(capture.pid, signal.SIGINT)
        os.killpg(capture.pid, signal.SIGHUP)
        wait_until(lambda: has_samples(tmp_path / "run", 2_000_000))
        assert capture.poll() is None
        capture.terminate()
        output, complained = capture.communicate(timeout=PATIENCE_S)

    assert (0, "") == (capture.returncode, complained)
    assert "complete" == json.loads(output)["state"]


@pytest.mark.slow
def test_an_analyzer_that_dies_is_told_by_the_exit_status(tmp_path: Path) -> None:
    """What came is kept, and the recording is incomplete."""
    with FakeBeagleLogic(lambda unit: [bytes(200_000)], die=True) as server:
        words = ["-d", server.driver, "--samplerate", "1MHz", "--samples", "150000", "-o", tmp_path / "run"]
        done = gpiorig("capture", *words)
    recording = Recording.open(tmp_path / "run")

    assert 1 == done.status
    assert "closed the connection after 100000 samples" in done.stdout
    assert "incomplete" == recording.state
    assert [[100_000, 150_000]] == recording.edges().gaps.tolist()


def captured(folder: Path, *words: str | Path) -> Finished:
    """`gpiorig capture` of the demo, 8 channels at 1 MHz."""
    new = ["-d", "demo:logic_channels=8:analog_channels=0", "--samplerate", "1MHz"]
    return gpiorig("capture", *([] if "--resume" in words else new), "-o", folder, "--json", *words)


@pytest.mark.slow
def test_a_recording_without_channels_is_begun_again(tmp_path: Path) -> None:
    """One that a `kill -9` left before it knew its channels; with -c, with the channels that it was to have."""
    folder = tmp_path / "run"
    captured(folder, "--samples", "1000")
    shutil.rmtree(folder / "edges")
    (folder / "edges").mkdir()
    text = (folder / "recording.toml").read_text()
    text = re.sub(r"channels = \[.*?\]", "channels = []", text, count=1, flags=re.DOTALL)
    (folder / "recording.toml").write_text(text.replace('state = "complete"', 'state = "capturing"'))
    done = captured(folder, "--resume", "-c", "D1=clock,D5", "--samples", "50000")
    info = Recording.open(folder).info

    assert (0, "complete", 50_000, []) == (
        done.status, done.numbers["state"], done.numbers["samples"], done.numbers["losses"]
    )  # fmt: skip
    assert ("", "clock", "", "", "", "D5", "", "") == info.channels


@pytest.mark.slow
def test_what_the_files_do_not_count_is_counted_once(tmp_path: Path) -> None:
    """Of a lost block in the middle and a lost end, both without a gap in the files, the first shifts what follows.

    The samples of the resumed capture are at the host's time all the same: the pause is shorter by as many.
    """
    folder = tmp_path / "run"
    captured(folder, "--samples", "20000")
    recording = Recording.open(folder)
    block = Loss(start=5_000, end=6_000, samples=400_000, uncertainty=0, found_by="the host's clock")
    end = Loss(start=20_000, end=20_000, samples=300_000, uncertainty=0, found_by="the disk was full")
    recording.finish(problems=["lost"], losses=(block, end))
    assert 720_000 == Recording.open(folder).edges().end
    at = round((time.time() - datetime.datetime.fromisoformat(recording.info.epoch.wall).timestamp()) * 1e6)
    captured(folder, "--resume", "--samples", str(at + 2_000_000))
    resumed = Recording.open(folder)
    (_, gap) = resumed.edges().gaps.tolist()

    assert [block, resumed.info.losses[1]] == list(resumed.info.losses)
    assert 420_000 == gap[0]
    assert at <= gap[1] < at + 1_500_000


@pytest.mark.slow
def test_a_recording_that_ends_in_a_gap_is_resumed(tmp_path: Path) -> None:
    """The gap at its end and the pause are two losses, and one gap for whoever reads it."""
    folder = tmp_path / "run"
    captured(folder, "--samples", "20000")
    recording = Recording.open(folder)
    writer = SegmentWriter.resume(recording.edges_folder)
    writer.gap(20_000, 30_000)
    writer.close(in_order=False)
    loss = Loss(start=20_000, end=30_000, samples=10_000, uncertainty=0, found_by="sigrok-cli died", in_files=True)
    recording.finish(problems=["sigrok-cli died"], losses=(loss,))
    at = round((time.time() - datetime.datetime.fromisoformat(recording.info.epoch.wall).timestamp()) * 1e6)
    done = captured(folder, "--resume", "--samples", str(at + 2_000_000))
    resumed = Recording.open(folder)
    edges = resumed.edges()

    assert 1 == done.status
    assert "before it was resumed: sigrok-cli died" in resumed.info.reason
    assert [20_000, 30_000] == [loss.start for loss in resumed.info.losses]
    ((start, end),) = edges.gaps.tolist()
    assert (20_000, resumed.info.losses[1].end) == (start, end)
    assert start < at < end + 1_000_000
    assert end in edges.samples

    captured(folder, "--resume", "--samples", str(resumed.info.capture["samples"] + 3_000_000))
    again = Recording.open(folder).info
    sentences = [describe(loss, samplerate_hz=1e6) for loss in again.losses]
    assert 3 == len(sentences)
    assert [1, 1, 1] == [again.reason.count(sentence) for sentence in sentences]
    assert 1 == again.reason.count("before it was resumed: sigrok-cli died;")


def test_a_resumed_capture_that_does_not_start_leaves_the_recording_as_it_was(tmp_path: Path) -> None:
    """A complete recording is complete still."""
    folder = tmp_path / "run"
    captured(folder, "--samples", "20000")
    path = folder / "recording.toml"
    before = path.read_text()

    assert "an option is refused" in captured(folder, "--resume", "--config", "nosuch=1").stderr
    assert before == path.read_text()
    path.write_text(path.read_text().replace("demo:logic_channels=8", "demo:logic_channels=9"))
    before = path.read_text()
    done = captured(folder, "--resume", "--samples", "40000")

    assert 2 == done.status
    assert "it is of 8 channels, and demo:logic_channels=9:analog_channels=0 has 9 now" in done.stderr
    assert before == path.read_text()
    assert 20_000 == Recording.open(folder).edges().end


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--samplerate", "1MHz"], "which analyzer"),
        (["-d", "nosuch", "--samplerate", "1MHz"], "no such driver"),
        (["-d", DEMO, "--samplerate", "1MHz", "-c", "Q1"], "there is no channel Q1; it has D0"),
        (["-d", DEMO, "--samplerate", "1MHz", "--duration", "10x"], "is not a time"),
        (["-d", DEMO, "--samplerate", "1MHz", "--heartbeat", "D0"], "write CHANNEL=PERIOD"),
        (["-d", DEMO, "--samplerate", "1MHz", "--config", "nosuch=1"], "an option is refused"),
    ],
)
def test_wrong_use(words: list[str], expected: str, tmp_path: Path) -> None:
    """One line, and nothing is left in the way of the next attempt."""
    done = gpiorig("capture", *words, "-o", tmp_path / "run")

    assert 2 == done.status
    assert expected in done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_killed_recording_stays_incomplete(tmp_path: Path) -> None:
    """A time that is over is refused, and changes nothing; what continues it does not make it complete."""
    folder = tmp_path / "run"
    words = ("capture", "-d", DEMO, "--samplerate", "1MHz", "--duration", "30s", "-o", folder)
    with gpiorig_running(*words) as capture:
        wait_until(lambda: has_samples(folder) and Recording.open(folder).segments().watermark > 0)
        os.killpg(capture.pid, signal.SIGKILL)
    before = (folder / "recording.toml").read_text()
    stored = Recording.open(folder).segments().watermark
    refused = gpiorig("capture", "--resume", "-o", folder, "--samples", str(stored // 2))
    unchanged = Recording.open(folder)
    assert ("interrupted", before) == (unchanged.state, (folder / "recording.toml").read_text())
    longer_s = int(re.findall(r"--duration of more than (\d+) s", refused.stderr)[0])
    done = gpiorig("capture", "--resume", "-o", folder, "--duration", f"{longer_s}s", "--json")
    info = Recording.open(folder).info

    assert 2 == refused.status
    assert (1, "incomplete") == (done.status, info.state)
    assert longer_s == done.numbers["duration_s"]
    assert info.reason.startswith("before it was resumed: the program that recorded it ended without a word")
    assert info.losses[0].start == stored
    assert info.bounds[0].start >= info.losses[0].end
