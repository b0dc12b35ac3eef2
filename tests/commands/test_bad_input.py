"""Bad input ends in one clear error and status 2."""

from __future__ import annotations

import dataclasses
import os
import re
import shutil
import socket
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from commandline import Demo, Finished, gpiorig

from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results import checks
from gpiorig.rig.results.analyse import analyse

BENCH = (files("gpiorig.vbench") / "benches" / "demo.toml").read_text()
EXPERIMENT = Path(__file__).resolve().parents[2] / "experiments" / "pingpong.toml"

# Reset handler of a Cortex-M3 image that reads a word where the STM32F103RE has nothing: 0x4002_8000 is Ethernet on
# its bigger brothers (RM0008, table 3).
UNMAPPED_IMAGE = """
    .syntax unified
    .thumb
    .section .vectors, "a"
    .word 0x20001000
    .word reset + 1
    .text
    .thumb_func
reset:
    ldr r0, =0x40028000
    ldr r1, [r0]
    b .
"""


def assert_one_error(done: Finished, *parts: str) -> None:
    """Status 2, one line on stderr that contains these texts, no traceback."""
    assert 2 == done.status, done.stderr
    assert "Traceback" not in done.stderr
    assert re.match(r"gpiorig( \w+)?: error: ", done.stderr)
    for part in parts:
        assert part in done.stderr


def run(bench: Path, output: Path, *words: str, path: str | None = None) -> Finished:
    """`gpiorig run` of one packet."""
    return gpiorig("run", bench, EXPERIMENT, "-o", output, "--packets", "1", *words, path=path)


@pytest.fixture
def bench_file(tmp_path: Path) -> Path:
    """The demo's bench as a file of its own."""
    path = tmp_path / "bench.toml"
    path.write_text(BENCH)
    return path


def test_truncated_sr(tmp_path: Path, demo: Demo) -> None:
    """A .sr file that was cut short."""
    whole = tmp_path / "whole.sr"
    assert 0 == gpiorig("export", demo.folder, "-o", whole, "--packet", "3").status
    cut = tmp_path / "cut.sr"
    cut.write_bytes(whole.read_bytes()[:-200])

    assert_one_error(gpiorig("info", cut), "cut.sr")
    assert 0 == gpiorig("info", whole).status


def test_a_file_in_place_of_a_recording(tmp_path: Path) -> None:
    """A capture of another tool, where a recording is wanted: what it is, and what to do with it."""
    capture = tmp_path / "run.sr"
    capture.touch()

    for words in (
        ("report", capture),
        ("export", capture, "--pulseview", "--packet", "1"),
        ("merge", capture, capture, "-o", "x"),
    ):
        assert_one_error(gpiorig(*words), "run.sr: is a file, not the folder of a recording", "gpiorig import")


def test_recording_without_samplerate(tmp_path: Path, demo: Demo) -> None:
    """A recording whose description lacks the samplerate."""
    folder = tmp_path / "run"
    shutil.copytree(demo.folder, folder)
    description = folder / "recording.toml"
    lines = description.read_text().splitlines(keepends=True)
    description.write_text("".join(line for line in lines if not line.startswith("samplerate = ")))

    assert_one_error(gpiorig("report", folder), "recording.toml", "samplerate")


def test_no_recording(tmp_path: Path) -> None:
    """A folder that is not a recording."""
    assert_one_error(gpiorig("report", tmp_path), "recording.toml")


def test_unknown_key(tmp_path: Path) -> None:
    """A bench file with an unknown key."""
    path = tmp_path / "bench.toml"
    path.write_text(BENCH.replace("samplerate_hz", "sampelrate_hz"))

    assert_one_error(gpiorig("bench", "check", path), "bench.toml", "`sampelrate_hz`", "`samplerate_hz`")


@pytest.mark.slow
def test_port_in_use(tmp_path: Path, bench_file: Path) -> None:
    """The port of the virtual analyzer is taken."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        bench_file.write_text(BENCH.replace("[virtual.analyzers.la]", f"[virtual.analyzers.la]\nport = {port}"))

        assert_one_error(run(bench_file, tmp_path / "run"), f"port {port}", "in use")


@pytest.mark.slow
def test_sigrok_not_installed(tmp_path: Path, bench_file: Path) -> None:
    """There is no sigrok-cli on the path."""
    empty = tmp_path / "bin"
    empty.mkdir()

    assert_one_error(run(bench_file, tmp_path / "run", path=str(empty)), "sigrok-cli is not installed", "apt install")


@pytest.mark.slow
def test_image_for_another_processor(tmp_path: Path, bench_file: Path) -> None:
    """An ELF file for this computer's processor on an STM32."""
    bench_file.write_text(BENCH.replace('board = "iotlab-m3"', 'board = "iotlab-m3"\nfirmware = "/bin/true"', 1))

    assert_one_error(run(bench_file, tmp_path / "run"), "/bin/true", "Cortex-M3")


def test_missing_image(tmp_path: Path, bench_file: Path) -> None:
    """An image that is not there."""
    bench_file.write_text(BENCH.replace('board = "iotlab-m3"', 'board = "iotlab-m3"\nfirmware = "none.elf"', 1))

    assert_one_error(run(bench_file, tmp_path / "run"), "none.elf", "No such file")


@pytest.mark.slow
def test_unmapped_register(tmp_path: Path, bench_file: Path) -> None:
    """Firmware that reads an address at which the chip has nothing: address, PC and board are named."""
    source, image = tmp_path / "unmapped.s", tmp_path / "unmapped.elf"
    source.write_text(UNMAPPED_IMAGE)
    flags = ["-mcpu=cortex-m3", "-nostdlib", "-Wl,-Ttext=0x08000100", "-Wl,--section-start=.vectors=0x08000000"]
    subprocess.run(["arm-none-eabi-gcc", *flags, "-o", image, source], check=True)
    bench_file.write_text(BENCH.replace('board = "iotlab-m3"', f'board = "iotlab-m3"\nfirmware = "{image}"', 1))

    done = run(bench_file, tmp_path / "run")

    assert_one_error(done, "0x40028000", "0x08000102", "initiator")


@pytest.mark.slow
def test_output_holds_a_recording(demo: Demo) -> None:
    """A recording is never overwritten."""
    assert_one_error(gpiorig("demo", "-o", demo.folder), str(demo.folder), "holds a recording", "--force")


def test_export_replaces_nothing_else(tmp_path: Path, demo: Demo) -> None:
    """Only a file of a known format is written: not over a recording's description, not over a device."""
    device = tmp_path / "device.sr"
    device.symlink_to("/dev/null")
    before = (demo.folder / "recording.toml").read_bytes()

    assert_one_error(gpiorig("export", demo.folder, "-o", demo.folder / "recording.toml", "--force"), "ends in", ".sr")
    assert_one_error(gpiorig("export", demo.folder, "-o", device), "not a folder or a device")
    assert before == (demo.folder / "recording.toml").read_bytes()
    assert device.is_char_device()


def test_demo_deletes_nothing_of_others(tmp_path: Path, demo: Demo) -> None:
    """A folder with the user's own notes stays; nothing is deleted before all is checked."""
    folder = tmp_path / "run"
    shutil.copytree(demo.folder, folder)
    notes = folder / "notes.txt"
    notes.write_text("mine")

    assert_one_error(gpiorig("demo", "-o", folder, "--packets", "1"), "holds a recording; give --force to replace it")
    assert_one_error(gpiorig("demo", "-o", folder, "--force", "--packets", "1"), "notes.txt")
    notes.unlink()
    assert_one_error(gpiorig("demo", "-o", folder, "--force", "--packets", "0"), "--packets: 0 is out of range")
    assert (folder / "recording.toml").exists()


READING = [
    ["info", "RUN"],
    ["measure", "RUN", "--period", "initiator.strobe:rise"],
    ["export", "RUN", "-o", "OUT.sr"],
    ["decode", "RUN", "-P", "counter:data=initiator.strobe"],
    ["radio", "RUN"],
    ["clocks", "RUN"],
    ["export", "RUN", "--pulseview", "--packet", "3", "-o", "OUT.sr"],
    ["merge", "RUN", "DEMO", "-o", "OUT"],
    ["compare", "RUN", "DEMO"],
    ["report", "RUN"],
    ["serial", "RUN"],
]


def with_places(words: list[str], **places: Path) -> list[str]:
    """A command line with RUN, DEMO and OUT filled in."""
    return [next((word.replace(key, str(path)) for key, path in places.items() if key in word), word) for word in words]


@pytest.mark.parametrize("name", ["edges/000001.seg", "serial/initiator.rec"])
@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_a_complete_recording_that_was_cut_is_refused(tmp_path: Path, demo: Demo, words: list[str], name: str) -> None:
    """Whatever reads it, and whichever file it is."""
    folder = tmp_path / "run"
    shutil.copytree(demo.folder, folder, ignore=shutil.ignore_patterns("report", "*.parquet"))
    path = folder / name
    size = path.stat().st_size
    os.truncate(path, size // 2)

    done = gpiorig(*with_places(words, RUN=folder, DEMO=demo.folder, OUT=tmp_path / "out"))
    assert_one_error(done, str(path), f"has {size // 2} bytes instead of {size}")
    assert ["run"] == [left.name for left in tmp_path.iterdir()]


@pytest.mark.slow
def test_a_changed_file_fails_the_check(tmp_path: Path, demo: Demo) -> None:
    """One whose sha256 is another: status 1, and which file it is."""
    folder = tmp_path / "run"
    shutil.copytree(demo.folder, folder)
    description = folder / "recording.toml"
    recorded = Recording.open(folder).info.files["serial/initiator.rec"].sha256
    description.write_text(description.read_text().replace(recorded, "0" * 64))

    done = gpiorig("report", folder)

    assert 1 == done.status
    assert f"check failed: {folder}: serial/initiator.rec: the file was changed after recording" in done.stderr


def test_a_silent_node_or_equal_ids_fail_the_check(demo: Demo) -> None:
    """Round trips are seen at one end, whatever the other shows; the result reports the doubt."""
    recording = Recording.open(demo.folder)
    result = analyse(open_recording(recording))
    silent = dataclasses.replace(result.events, frames_seen=result.events.frames_seen * np.array([1, 0]))
    packets = dataclasses.replace(result.hops.packets, ids=np.full_like(result.hops.packets.ids, 7))
    equal = dataclasses.replace(result.hops, packets=packets)
    muted = dataclasses.replace(result, hops=dataclasses.replace(result.hops, events=silent))

    assert [] == checks.failed_checks(result, recording)
    doubts = checks.failed_checks(muted, recording)
    assert any(doubt.startswith("Node responder is silent") for doubt in doubts)
    doubts = checks.failed_checks(dataclasses.replace(result, hops=equal), recording)
    assert doubts[0].startswith("All 60 packets of node initiator have the id 7")


def test_missing_serial_record(tmp_path: Path, demo: Demo) -> None:
    """Without the initiator's log its packets cannot be accounted for."""
    folder = tmp_path / "run"
    shutil.copytree(demo.folder, folder)
    (folder / "serial" / "initiator.rec").unlink()

    assert_one_error(gpiorig("report", folder), "initiator.rec", "the file is missing")


def test_output_that_cannot_be_written(tmp_path: Path, demo: Demo) -> None:
    """A folder that does not exist."""
    missing = tmp_path / "none"
    for name in ("x.sr", "x.csv", "x.parquet", "x.pftrace"):
        done = gpiorig("export", demo.folder, "-o", missing / name)
        assert_one_error(
            done, f"{missing / name}: cannot be written: its folder is not there; make the folder {missing}"
        )


def test_an_output_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    """The error names the file that was asked for, not the one next to it that is written first."""
    with pytest.raises(OSError, match="Is a directory") as caught, replacing(tmp_path / "x.sr") as new:
        new.unlink()
        new.mkdir()
        new.open("wb")

    assert str(tmp_path / "x.sr") == caught.value.filename


@pytest.mark.parametrize(("option", "value"), [("--packets", "0"), ("--packets", "70000"), ("--seed", "-1")])
def test_impossible_number(tmp_path: Path, option: str, value: str) -> None:
    """A number of packets or a seed that cannot be."""
    assert_one_error(gpiorig("demo", "-o", tmp_path / "run", option, value), value)


def test_merge_of_recordings_without_a_sync_line(tmp_path: Path, demo: Demo) -> None:
    """That is reported first, whatever else is wrong, such as two records of one serial port."""
    done = gpiorig("merge", demo.folder, demo.folder, "-o", tmp_path / "both")

    assert_one_error(done, str(demo.folder), "no channel 'sync', so the sync line is not in it")
    assert not (tmp_path / "both").exists()


def test_unknown_packet(tmp_path: Path, demo: Demo) -> None:
    """A window around a packet that was not sent."""
    assert_one_error(gpiorig("export", demo.folder, "-o", tmp_path / "x.sr", "--packet", "999"), "999")
    for command in (("export", demo.folder), ("export", demo.folder, "--pulseview")):
        done = gpiorig(*command, "-o", tmp_path / "x.sr", "--packet", "slow")
        assert_one_error(done, "no packet slow; give typical, fastest, slowest, or an id")


@pytest.mark.parametrize("words", [["frobnicate"], ["demo", "--frobnicate"], ["report"]])
def test_wrong_use(words: list[str]) -> None:
    """A wrong command line: one line with the way to the help, status 2."""
    assert_one_error(gpiorig(*words), "--help`")


def test_no_words() -> None:
    """Without a command: the help, status 2."""
    done = gpiorig()
    assert (2, "") == (done.status, done.stderr)
    assert "usage: gpiorig" in done.stdout


@pytest.mark.slow
def test_ascii_terminal(demo: Demo) -> None:
    """Where the terminal knows only ASCII, the summary is printed all the same."""
    ascii_only = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    what = ("--period", "initiator.tap.irq:rise")
    command = [sys.executable, "-m", "gpiorig.rig.cli", "measure", demo.folder, *what]
    done = subprocess.run(command, capture_output=True, env=ascii_only, check=False)

    assert 0 == done.returncode
    assert f"{demo.folder}: complete".encode() in done.stderr
    assert re.search(rb"\d \?s\b", done.stdout)
