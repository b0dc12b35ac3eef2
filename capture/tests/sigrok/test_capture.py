"""The real sigrok-cli against a fake analyzer on TCP."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from capture_reference import reference_edges
from captures import RATE_HZ, has_ended, noise, start
from fake_beaglelogic import CHANNELS, FakeBeagleLogic
from patience import PATIENCE_S, wait_until

from gpiorig.capture.errors import AnalyzerError
from gpiorig.capture.recording.segment_reader import Segments, read_segments
from gpiorig.capture.sigrok import analyzer, diagnosis
from gpiorig.capture.sigrok.capture import Capture, Request, find_sigrok, versions


def pieces(data: bytes, size: int) -> Iterator[bytes]:
    return (data[at : at + size] for at in range(0, len(data), size))


def rows(segments: Segments) -> list[tuple[int, int]]:
    edges = segments.edges(samplerate_hz=Fraction(RATE_HZ), channels=CHANNELS)
    return list(zip(edges.samples.tolist(), edges.levels.tolist(), strict=True))


@pytest.mark.slow
def test_a_capture_is_sample_exact(tmp_path: Path) -> None:
    """The segment files hold what the analyzer sends in blocks of odd sizes."""
    data = noise(3_000_000)
    with FakeBeagleLogic(lambda unit: pieces(data, 99_991)) as server:
        capture = start(server, tmp_path)
        capture.wait_quiet(3_000_000, deadline_s=PATIENCE_S)
        result = capture.stop()
    segments = read_segments(tmp_path)

    assert (3_000_000, len(data)) == (result.samples, result.size_bytes)
    assert result.in_order
    assert reference_edges(data, unitsize=2) == rows(segments)
    assert (3_000_000, True, "") == (segments.watermark, segments.closed, segments.torn)


def test_channels_that_are_not_captured_make_no_edges(tmp_path: Path) -> None:
    """sigrok-cli sends all channels whatever -C names; a bit keeps its place."""
    data = noise(10_000)
    with FakeBeagleLogic(lambda unit: [data]) as server:
        capture = start(server, tmp_path, channels=["P8_46=strobe", "P8_20"])
        capture.wait_quiet(10_000, deadline_s=PATIENCE_S)
        capture.stop()

    assert reference_edges(data, unitsize=2, used=0b10_0000_0000_0010) == rows(read_segments(tmp_path))
    assert ("", "strobe", *[""] * 11, "P8_20") == capture.channels


def test_without_a_high_channel_samples_have_one_byte(tmp_path: Path) -> None:
    """The driver then asks the analyzer for one byte per sample, and reports that."""
    data = noise(10_000)[::2]
    with FakeBeagleLogic(lambda unit: [data] if unit == 1 else []) as server:
        capture = start(server, tmp_path, channels=CHANNELS[:8])
        capture.wait_quiet(10_000, deadline_s=PATIENCE_S)
        capture.stop()

    assert reference_edges(data, unitsize=1) == rows(read_segments(tmp_path))


def test_stopping_is_orderly(tmp_path: Path) -> None:
    """`q` alone ends sigrok-cli: it stops the analyzer, drains, and reports that."""
    with FakeBeagleLogic(lambda unit: [bytes(1000)]) as server:
        capture = start(server, tmp_path)
        capture.wait_quiet(500, deadline_s=PATIENCE_S)

        assert capture.stop().in_order
    assert "close" in [line for _, line in server.commands]


def test_a_sample_limit_ends_the_capture(tmp_path: Path) -> None:
    """With a limit the analyzer ends alone, exactly there."""
    data = noise(50_000)
    with FakeBeagleLogic(lambda unit: [data]) as server:
        capture = start(server, tmp_path, sample_limit=40_000)
        capture.wait_end(deadline_s=PATIENCE_S)
        result = capture.stop()

    assert (40_000, True) == (result.samples, result.in_order)


def test_silence_is_no_failure(tmp_path: Path) -> None:
    """A virtual analyzer sends nothing while virtual time does not pass."""
    with FakeBeagleLogic(lambda unit: [bytes(1000), 1.5, bytes(1000)]) as server:
        capture = start(server, tmp_path)
        capture.wait_quiet(1000, deadline_s=PATIENCE_S)

        assert 1000 == capture.stop().samples


def test_a_silent_real_analyzer_is_a_failure(tmp_path: Path) -> None:
    """A real one never pauses, so the caller can treat silence as a failure."""
    with FakeBeagleLogic(lambda unit: [bytes(1000)]) as server:
        capture = start(server, tmp_path, silence_s=2.0)
        remedies = "check the analyzer's connection; .* --pace real-time; .* --silence 40s"
        with pytest.raises(AnalyzerError, match=f"no sample for 2 s, after 500 samples; {remedies}"):
            capture.wait_quiet(501, deadline_s=PATIENCE_S)
        with pytest.raises(AnalyzerError, match="no sample"):
            capture.stop()


def test_edges_reach_the_disk_while_the_capture_runs(tmp_path: Path) -> None:
    """The folder can be read at any moment, and knows about quiet time."""
    with FakeBeagleLogic(lambda unit: [bytes(1000), b"\1\0" * 500, 0.6, bytes(200), 1.5]) as server:
        capture = start(server, tmp_path)
        capture.wait_quiet(1100, deadline_s=PATIENCE_S)
        wait_until(lambda: read_segments(tmp_path).watermark == 1100)
        segments = read_segments(tmp_path)
        capture.abort()

    assert [(0, 0), (500, 1), (1000, 0)] == rows(segments)
    assert (1100, False) == (segments.watermark, segments.closed)


@pytest.mark.slow
def test_an_analyzer_that_dies_is_an_error(tmp_path: Path) -> None:
    """sigrok-cli itself would spin forever; what was received is kept."""
    data = noise(100_000)
    with FakeBeagleLogic(lambda unit: [data], die=True) as server:
        capture = start(server, tmp_path)
        with pytest.raises(AnalyzerError, match="closed the connection after 100000 samples"):
            capture.wait_quiet(1_000_000, deadline_s=PATIENCE_S)
        with pytest.raises(AnalyzerError, match="closed the connection"):
            capture.stop()
    segments = read_segments(tmp_path)

    assert reference_edges(data, unitsize=2) == rows(segments)
    assert not segments.closed


@pytest.mark.slow
def test_an_analyzer_that_floods_after_the_end_is_killed(tmp_path: Path) -> None:
    """sigrok-cli reads on as long as samples come; the deadline holds."""

    def flood(unit: int) -> Iterator[bytes]:
        while True:
            yield bytes(1 << 16)

    with FakeBeagleLogic(flood, flood_after_close=True) as server:
        capture = start(server, tmp_path)
        capture.wait_quiet(1000, deadline_s=PATIENCE_S)
        result = capture.stop(deadline_s=0.5)

    assert result.samples == read_segments(tmp_path).watermark


def test_a_program_that_exits_without_stopping_leaves_no_process(tmp_path: Path) -> None:
    """sigrok-cli with its pipes closed would spin forever."""
    script = (
        "import sys; from pathlib import Path; from gpiorig.capture.sigrok.capture import Capture, Request\n"
        "request = Request(driver=sys.argv[1], channels=['P8_45'], samplerate_hz=1000)\n"
        "capture = Capture.start(request, Path(sys.argv[2]))\n"
        "print(capture._session.process.pid)\n"
        "raise SystemExit(3)\n"
    )
    with FakeBeagleLogic(lambda unit: [bytes(10)]) as server:
        command = [sys.executable, "-c", script, server.driver, str(tmp_path)]
        paths = os.pathsep.join(sys.path)
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, env=os.environ | {"PYTHONPATH": paths})

        assert (3, b"") == (done.returncode, done.stderr)
        wait_until(lambda: has_ended(int(done.stdout)))


def test_missing_samples_are_an_error(tmp_path: Path) -> None:
    """An aborted capture does not end in order."""
    with FakeBeagleLogic(lambda unit: [bytes(1000)]) as server:
        capture = start(server, tmp_path)
        capture.wait_quiet(500, deadline_s=PATIENCE_S)
        with pytest.raises(AnalyzerError, match=r"600 samples were expected, but after 0\.5 s there are 500"):
            capture.wait_quiet(600, deadline_s=0.5)
        capture.abort()
    assert not read_segments(tmp_path).closed


def test_a_refused_connection_names_the_address(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound, but not listening
        driver = f"beaglelogic:conn=tcp-raw/127.0.0.1/{closed.getsockname()[1]}"
        with pytest.raises(AnalyzerError, match=r"tcp-raw/127.*nothing answers at this address"):
            Capture.start(Request(driver=driver, channels=CHANNELS, samplerate_hz=RATE_HZ), tmp_path)


def test_an_analyzer_that_does_not_answer_is_an_error(tmp_path: Path) -> None:
    """So does one that serves another client."""
    with (
        FakeBeagleLogic(lambda unit: [], mute=True) as server,
        pytest.raises(AnalyzerError, match=r"no answer in 0\.5 s.*another program"),
    ):
        start(server, tmp_path, start_deadline_s=0.5)


def test_a_refused_samplerate_is_an_error(tmp_path: Path) -> None:
    with (
        FakeBeagleLogic(lambda unit: [], refuse_rate=True) as server,
        pytest.raises(AnalyzerError, match="the samplerate is refused"),
    ):
        start(server, tmp_path)


def test_an_unknown_channel_lists_the_known_ones(tmp_path: Path) -> None:
    with (
        FakeBeagleLogic(lambda unit: []) as server,
        pytest.raises(AnalyzerError, match=r"there is no channel P9_1; it has P8_45 .* P8_20"),
    ):
        start(server, tmp_path, channels=["P8_45", "P9_1"])


def test_an_unknown_driver_is_an_error() -> None:
    with pytest.raises(AnalyzerError, match="no such driver"):
        analyzer.scan("nosuch")


def test_analyzers_of_one_driver_have_connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several are listed each with its own (sigrok-cli 0.7.2, show.c, print_dev_line); which is meant is asked."""
    program = tmp_path / "sigrok-cli"
    lines = [f"fx2lafw:conn=1.{address} - Saleae Logic with 8 channels: D0 D1 D2 D3 D4 D5 D6 D7" for address in (5, 6)]
    program.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("SYSFS_PATH", str(tmp_path))

    assert ["fx2lafw:conn=1.5", "fx2lafw:conn=1.6"] == [one.driver for one in analyzer.scan_all("fx2lafw")]
    with pytest.raises(AnalyzerError, match="2 analyzers were found"):
        analyzer.scan("fx2lafw")


def test_missing_sigrok_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(AnalyzerError, match="apt install sigrok-cli"):
        find_sigrok()


def test_versions_name_the_program_and_its_library() -> None:
    programs = versions()

    assert {"sigrok-cli", "libsigrok"} <= set(programs)
    assert all(text[0].isdigit() for text in programs.values())


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("sr: ols: Can't match samplerate 24000000, using 25000000.", "another rate: .*25000000"),
        ("sr: fx2lafw: Unable to claim USB interface: LIBUSB_ERROR_BUSY.", "in use by another program"),
        ("sr: usb: Failed to open device: LIBUSB_ERROR_ACCESS.", "udev rules"),
        ("Nobody ever saw this message", "it failed .*Nobody ever saw"),
        ("", "it failed .*nothing"),
    ],
)
def test_what_sigrok_says_is_explained(message: str, expected: str) -> None:
    with pytest.raises(AnalyzerError, match=expected):
        raise diagnosis.diagnose(message, where="fx2lafw", what="it failed")
