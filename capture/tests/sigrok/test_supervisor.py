"""The supervisor against failures: of sigrok-cli, of analyzers that are not at hand, of the disk, of ourselves."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from captures import has_ended, noise, start
from fake_beaglelogic import CHANNELS, FakeBeagleLogic
from fake_sigrok import install
from patience import PATIENCE_S, wait_until

from gpiorig.capture.edges.counts import count
from gpiorig.capture.errors import AnalyzerError, CaptureError
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.capture.recording.segment_format import MAGIC
from gpiorig.capture.recording.segment_reader import read_segments
from gpiorig.capture.sigrok import analyzer
from gpiorig.capture.sigrok.capture import Capture, Request, Resume
from gpiorig.capture.sigrok.conclusion import conclude
from gpiorig.capture.sigrok.result import CaptureResult, Restart

DEMO = "demo:logic_channels=16:analog_channels=0"
DEMO_HZ = 1_000_000


def start_demo(folder: Path, *, resume: Resume | None = None, **options: object) -> Capture:
    settings: dict[str, object] = {
        "channels": ["D0", "D15"],
        "samplerate_hz": DEMO_HZ,
        "silence_s": PATIENCE_S,
    } | options
    return Capture.start(Request(driver=DEMO, **settings), folder, resume=resume)  # type: ignore[arg-type]


def start_fx2(folder: Path, **options: object) -> Capture:
    settings: dict[str, object] = {"channels": ["D0"], "samplerate_hz": 24_000_000, "silence_s": PATIENCE_S} | options
    return Capture.start(Request(driver="fx2lafw", **settings), folder)  # type: ignore[arg-type]


def wait_for_end(capture: Capture) -> CaptureResult:
    wait_until(lambda: capture.has_ended)
    return capture.end()


def recording(folder: Path, samplerate_hz: int = DEMO_HZ) -> Recording:
    info = RecordingInfo(
        samplerate=f"{samplerate_hz}/1", channels=("D0",), epoch=Epoch(wall="2026-11-21T00:00:00+00:00"), virtual=False
    )
    return Recording.create(folder, info)


def test_a_second_driver(tmp_path: Path) -> None:
    """The demo driver: exactly the samples that were asked for, two bytes each when a high channel is on."""
    capture = start_demo(tmp_path, sample_limit=300_000)
    result = wait_for_end(capture)

    assert (300_000, True, ()) == (result.samples, result.in_order, result.problems)
    assert 0 < result.headroom.pipe_fullest <= 1
    assert ("D0", *[""] * 14, "D15") == capture.channels
    assert (300_000, True, False) == (
        read_segments(tmp_path).watermark,
        read_segments(tmp_path).closed,
        capture.resumed,
    )


def test_a_one_shot_capture_ends_by_itself(tmp_path: Path) -> None:
    result = wait_for_end(start_demo(tmp_path, sample_limit=300_000, one_shot=True))

    assert (300_000, ()) == (result.samples, result.problems)
    assert read_segments(tmp_path).closed


def test_a_killed_sigrok_leaves_a_gap_to_the_end(tmp_path: Path) -> None:
    """Samples that never came are a gap, up to the limit where the recording is merged with others."""
    capture = start_demo(tmp_path, sample_limit=2_000_000, fills=True)
    capture.wait_quiet(50_000, deadline_s=PATIENCE_S)
    os.kill(capture._session.process.pid, signal.SIGKILL)
    result = wait_for_end(capture)
    segments = read_segments(tmp_path)
    received = capture.stream.received

    assert [[received, 2_000_000]] == segments.gaps.tolist()
    assert (2_000_000, False) == (segments.watermark, segments.closed)
    assert result.losses[0].uncertainty > 0
    assert ["stopped unexpectedly with status -9" in problem for problem in result.problems] == [True]
    with pytest.raises(AnalyzerError, match="status -9"):
        capture.stop()


def test_a_capture_that_failed_is_resumed_to_its_limit(tmp_path: Path) -> None:
    """The gap ends when the failure was noticed, not at the planned end, so that there is something left to record."""
    began = datetime.now(UTC)
    capture = start_demo(tmp_path, sample_limit=3_000_000)
    capture.wait_quiet(50_000, deadline_s=PATIENCE_S)
    os.kill(capture._session.process.pid, signal.SIGKILL)
    failed = wait_for_end(capture)
    resumed = start_demo(tmp_path, sample_limit=3_000_000, resume=Resume(began))
    result = wait_for_end(resumed)

    assert failed.losses[0].samples == failed.samples - capture.stream.received
    assert failed.samples < 3_000_000
    assert (3_000_000, True) == (result.samples, result.in_order)
    assert resumed.resumed and resumed.stream.received > 0


@pytest.mark.slow
def test_a_killed_sigrok_is_started_again(tmp_path: Path) -> None:
    """The pause is a gap whose length the host's clock gives; samples continue after it."""
    run = recording(tmp_path / "run")
    begin_s = time.monotonic()
    capture = start_demo(run.edges_folder, sample_limit=5_000_000, restart=Restart())
    capture.wait_quiet(200_000, deadline_s=PATIENCE_S)
    os.kill(capture._session.process.pid, signal.SIGKILL)
    result = wait_for_end(capture)
    took_s = time.monotonic() - begin_s
    (loss,) = result.losses
    finished, _ = conclude(run, result)

    assert (5_000_000, True) == (result.samples, result.in_order)
    assert loss.samples == loss.end - loss.start == 5_000_000 - capture.stream.received
    assert 0 < loss.samples < took_s * DEMO_HZ
    assert 0 < loss.uncertainty < took_s * DEMO_HZ
    assert [[loss.start, loss.end]] == finished.edges().gaps.tolist()
    assert ("incomplete", (loss,)) == (finished.info.state, finished.info.losses)
    assert f"{loss.samples} ± " in finished.info.reason


@pytest.mark.slow
def test_an_analyzer_that_dies_and_does_not_come_back(tmp_path: Path) -> None:
    """Nothing listens any more."""
    with FakeBeagleLogic(lambda unit: [noise(100_000)], die=True, once=True) as server:
        capture = start(server, tmp_path, restart=Restart(patience_s=0.3, every_s=0.05))
        result = wait_for_end(capture)

    assert "did not come back in 0.3 s" in result.problems[0]
    assert 100_000 == capture.stream.received


@pytest.mark.slow
def test_an_analyzer_that_comes_back(tmp_path: Path) -> None:
    """A server that dies and is there again: its samples continue after a gap."""
    pauses: list[str] = []
    restart = Restart(every_s=0.05, on_pause=lambda error: pauses.append(error.what))
    with FakeBeagleLogic(lambda unit: [noise(100_000)], die=True) as server:
        capture = start(server, tmp_path, restart=restart, samplerate_hz=DEMO_HZ)
        wait_until(lambda: capture.stream.received >= 200_000)
        result = capture.end(deadline_s=0.2)
    (start_, end), *_ = read_segments(tmp_path).gaps.tolist()

    assert (100_000, "the analyzer closed the connection after 100000 samples") == (start_, pauses[0])
    assert end > start_
    assert (end - start_, True) == (result.losses[0].samples, result.losses[0].in_files)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (
            ["sr: fx2lafw: Unable to claim USB interface. Another program or driver has already claimed it."],
            "in use by another program",
        ),
        (
            ["sr: resource: Failed to open resource 'fx2lafw-saleae-logic.fw' (use loglevel 5/spew for details)."],
            "firmware is missing.*fx2lafw-saleae-logic.fw.*sigrok-firmware-fx2lafw",
        ),
        (["sr: fx2lafw: Failed to open device: LIBUSB_ERROR_ACCESS.", "Failed to open device."], "udev rules"),
        (["sr: fx2lafw: Unable to sample at 24000000Hz when collecting 16-bit samples."], "cannot sample at this rate"),
        (["sr: fx2lafw: Device has been disconnected."], "unplugged"),
        (["This device does not support continuous sampling."], "--samples"),
        (["unknown channel 'Q9'.", "Failed to set channels."], "a channel is refused"),
    ],
)
def test_a_start_that_fails_is_explained(
    messages: list[str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each with the message of the driver, as in libsigrok 0.5.2."""
    install(monkeypatch, tmp_path / "bin", samples=0, before=tuple(messages), status=1)
    (tmp_path / "edges").mkdir()
    with pytest.raises(AnalyzerError, match=expected):
        start_fx2(tmp_path / "edges").wait_quiet(1, deadline_s=PATIENCE_S)


def test_a_rate_that_is_changed_silently_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver is asked what it makes of the rate."""
    install(monkeypatch, tmp_path / "bin", driver_hz=25_000_000)
    with pytest.raises(AnalyzerError, match="would take another rate: 25000000 Hz instead of 24000000 Hz"):
        start_fx2(tmp_path)


def test_an_analyzer_that_gives_up_in_order_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """fx2lafw ends so when it has overflowed: with SR_DF_END and exit status 0, although it was not asked to."""
    install(monkeypatch, tmp_path / "bin", status=0)
    (tmp_path / "edges").mkdir()
    result = wait_for_end(start_fx2(tmp_path / "edges", sample_limit=5000))

    assert "the analyzer stopped unexpectedly after 1000 samples" in result.problems[0]
    assert [[1000, 5000]] == read_segments(tmp_path / "edges").gaps.tolist()


@pytest.mark.parametrize(
    "messages",
    ["sr: saleae-logic16: FIFO overflow, capture data may be truncated.", "sr: ols: Receive error"],
)
def test_messages_of_lost_samples_make_the_recording_incomplete(
    messages: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, however often the message comes."""
    install(monkeypatch, tmp_path / "bin", after=(messages, messages.replace("sr: ", "sr: [00:12.5] ")))
    run = recording(tmp_path / "run", 24_000_000)
    capture = start_fx2(run.edges_folder)
    wait_until(lambda: [2] == [count for _, count in capture._session.process.overruns.values()])
    finished, _ = conclude(run, capture.end())

    assert "incomplete" == finished.info.state
    assert f"2 times: {messages}" in finished.info.reason
    assert 1 == finished.info.reason.count(messages)
    assert "-l 4" in " ".join(capture._order.command())


def transfer(status: str, size_bytes: int) -> str:
    """A line of fx2lafw at log level 4."""
    return f"sr: [00:12.5] fx2lafw: receive_transfer(): status LIBUSB_{status} received {size_bytes} bytes."


COMPLETED = "SUCCESS / LIBUSB_TRANSFER_COMPLETED"


def test_a_lost_transfer_is_a_gap_at_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the samples of the transfers before it; as large as what it held, at most as a complete transfer."""
    sizes = (transfer(COMPLETED, 512), transfer("TRANSFER_ERROR", 100), transfer(COMPLETED, 488))
    install(monkeypatch, tmp_path / "bin", before=sizes)
    run = recording(tmp_path / "run", 24_000_000)
    capture = start_fx2(run.edges_folder)
    capture.wait_quiet(1000, deadline_s=PATIENCE_S)
    finished, _ = conclude(run, capture.end())
    (loss,) = finished.info.losses

    assert (512, 512, 512, 0, False) == (loss.start, loss.end, loss.samples, loss.uncertainty, loss.in_files)
    assert [[512, 1024]] == finished.edges().gaps.tolist()
    assert ("incomplete", 1512) == (finished.info.state, finished.edges().end)


def test_lost_transfers_whose_bytes_do_not_add_up_have_no_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More samples than the reported transfers held: the recording is incomplete, and nothing is put in anywhere."""
    install(monkeypatch, tmp_path / "bin", before=(transfer(COMPLETED, 9), transfer("TRANSFER_ERROR", 9)))
    run = recording(tmp_path / "run", 24_000_000)
    capture = start_fx2(run.edges_folder)
    capture.wait_quiet(1000, deadline_s=PATIENCE_S)
    finished, _ = conclude(run, capture.end())

    assert ("incomplete", ()) == (finished.info.state, finished.info.losses)
    assert "1 USB transfers were lost, their place is unknown: LIBUSB_TRANSFER_ERROR" in finished.info.reason


@pytest.mark.parametrize(
    ("messages", "reason"),
    [
        ([transfer("TRANSFER_NO_DEVICE", 0)], "it was unplugged"),
        (
            ["sr: fx2lafw: Failed to submit transfer: LIBUSB_ERROR_NO_MEM."],
            "no memory left for USB transfers; `echo 256 | sudo tee /sys/module/usbcore/parameters/usbfs_memory_mb`",
        ),
        (["sr: fx2lafw: resubmit_transfer: LIBUSB_ERROR_IO"], "a USB transfer was refused: LIBUSB_ERROR_IO"),
        (
            [transfer("TRANSFER_STALL", 0)] * 65,
            "the last 65 USB transfers ended with LIBUSB_TRANSFER_STALL; plug it in again",
        ),
        ([transfer("TRANSFER_ERROR", 0)] * 65, "LIBUSB_TRANSFER_ERROR; use another cable or port"),
        ([transfer("TRANSFER_TIMED_OUT", 0)] * 65, "its FIFO was full"),
        ([], "after 1000 samples; it may have overflowed"),
    ],
)
def test_an_orderly_end_has_its_reason(
    messages: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """fx2lafw ends with SR_DF_END and status 0 whatever went wrong (libsigrok 0.5.2, its protocol.c)."""
    install(monkeypatch, tmp_path / "bin", before=(transfer(COMPLETED, 1000),), after=tuple(messages), status=0)
    run = recording(tmp_path / "run", 24_000_000)
    result = wait_for_end(start_fx2(run.edges_folder, sample_limit=5000))

    assert (1, True) == (len(result.problems), reason in result.problems[0])
    assert [(1000, 5000)] == [(loss.start, loss.end) for loss in result.losses]


def test_a_full_disk_leaves_whole_blocks_and_a_gap(tmp_path: Path) -> None:
    """The files end at the last complete block; what came after it is a gap, and there was room to write that."""
    run = recording(tmp_path / "run")
    disk_bytes = 1_000_000
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    capture = start_demo(run.edges_folder, sample_limit=2_000_000, fills=True)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (disk_bytes, hard))
        result = wait_for_end(capture)
        finished, _ = conclude(run, result)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    edges = finished.edges()

    assert "cannot record" in finished.info.reason
    assert [result.samples] == edges.gaps[:, 1].tolist()
    assert result.samples <= 2_000_000
    assert 0 < edges.samples.size < disk_bytes  # a sample of this analyzer takes a byte
    assert "" == finished.segments().torn


@pytest.mark.parametrize("room", [True, False])
def test_a_disk_that_is_full_before_the_first_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: bool
) -> None:
    """Nothing is stored, and that is reported: all samples are lost, whether there is room to write the gap or not."""
    run = recording(tmp_path / "run")
    write = os.write

    def refuse(file: int, data: memoryview) -> int:
        if bytes(data[:4]) == MAGIC and (len(data) > 200 or not room):
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data)

    monkeypatch.setattr(os, "write", refuse)
    result = wait_for_end(start_demo(run.edges_folder, sample_limit=400_000, fills=True))
    finished, _ = conclude(run, result)
    monkeypatch.setattr(os, "write", write)
    (loss,) = finished.info.losses
    counted = count(Recording.open(run.folder).waveform())

    lost = result.samples
    assert 0 < lost <= 400_000
    assert ("incomplete", 0) == (finished.state, result.edges)
    assert "cannot record: [Errno 28] No space left on device" in finished.info.reason
    assert (0, lost, room) == (loss.start, loss.samples, loss.in_files)
    assert (1, lost) == (counted.gaps, counted.lost)
    assert 0 == finished.edges().samples.size


@pytest.mark.slow
def test_a_killed_recorder_leaves_a_recording_that_goes_on(tmp_path: Path) -> None:
    """SIGKILL: sigrok-cli ends too, the end of the recording is unknown, and another capture continues with it."""
    run = recording(tmp_path / "run")
    script = (
        "import sys, time; from pathlib import Path; from test_supervisor import start_demo\n"
        "capture = start_demo(Path(sys.argv[1]))\n"
        "print(capture._session.process.pid, flush=True); time.sleep(600)\n"
    )
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    recorder = subprocess.Popen(
        [sys.executable, "-c", script, str(run.edges_folder)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": paths},
    )
    assert recorder.stdout is not None
    sigrok = int(recorder.stdout.readline())
    wait_until(lambda: run.edges().end >= 100_000)
    state_while_running = run.state
    with pytest.raises(CaptureError, match="a capture is running"):
        start_demo(run.edges_folder, resume=Resume(datetime.now(UTC)))
    recorder.kill()
    recorder.communicate()
    wait_until(lambda: has_ended(sigrok))
    ended = run.edges().end
    (path,) = run.edges_folder.glob("*.seg")
    with path.open("ab") as file:  # as if it had been killed in the middle of a block
        file.write(path.read_bytes()[:20])

    assert ("capturing", "interrupted") == (state_while_running, run.state)
    assert any("cut short" in problem for problem in run.verify())

    began_s = int(time.time()) - 5
    capture = start_demo(run.edges_folder, resume=Resume(datetime.fromtimestamp(began_s, UTC)))
    capture.wait_quiet(capture.samples_received + 100_000, deadline_s=PATIENCE_S)
    finished, _ = conclude(run, capture.end())
    ((start_, end),) = finished.edges().gaps.tolist()

    assert ended == start_
    assert 5 * DEMO_HZ <= end <= (time.time() - began_s) * DEMO_HZ
    assert [] == [problem for problem in finished.verify() if "incomplete" not in problem]


def test_a_silent_stdin_keeps_the_capture_going(tmp_path: Path) -> None:
    """With its stdin at end of file sigrok-cli would end at once, or spin."""
    with FakeBeagleLogic(lambda unit: [bytes(1000), 0.3, bytes(1000)]) as server:
        capture = start(server, tmp_path, channels=CHANNELS)
        capture.wait_quiet(1000, deadline_s=PATIENCE_S)

        assert capture.stop().in_order


def test_rates_are_asked_of_the_real_driver() -> None:
    assert 24_000_000 == analyzer.taken_rate("demo", 24_000_000)
