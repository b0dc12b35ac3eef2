"""What a recording states of its own making."""

from __future__ import annotations

import hashlib
import platform
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from gpiorig.analysis.logs import node_log
from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import Epoch, Recording, RecordingInfo
from gpiorig.rig.bench import benches, certificate_file
from gpiorig.rig.experiments import images
from gpiorig.rig.host import programs
from gpiorig.rig.recordings import provenance
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.resources import benches as known_benches
from gpiorig.rig.run import origin

INFO = RecordingInfo(samplerate="24000000/1", channels=("a",), epoch=Epoch(wall="2026-11-24"), virtual=False)


@pytest.fixture
def bench_file(tmp_path: Path) -> Path:
    """The file of a bench of two M3, and its certificate."""
    file = tmp_path / "bench.toml"
    file.write_text(known_benches()["fx2-two-m3"].read_text())
    certificate_file.place(file).write_text("{}")
    return file


@pytest.fixture
def recording(bench_file: Path, tmp_path: Path) -> Recording:
    """A recording of that bench, read again."""
    firmware = images.hashed({"initiator": images.reference_image("iotlab-m3")})
    text = benches.recorded_text(bench_file)
    stated = origin.of(benches.load(bench_file), bench_file, text, firmware=firmware, note='door "open"\nwindow shut')
    Recording.create(tmp_path / "run", msgspec.structs.replace(INFO, bench=text, origin=stated))
    return Recording.open(tmp_path / "run")


def test_the_origin_comes_back(recording: Recording, bench_file: Path) -> None:
    """Sums of bench and certificate, the host, the image's build, the note."""
    stated = recording.info.origin

    assert stated
    assert hashlib.sha256(recording.info.bench.encode()).hexdigest() == stated.bench_sha256
    assert hashlib.sha256(b"{}").hexdigest() == stated.certificate_sha256
    assert {"system", "machine", "processor", "processors"} == stated.host.keys()
    assert "-DGPIORIG_PORT=iotlab-m3" in stated.images["initiator"].flags
    assert ('door "open"\nwindow shut', str(bench_file)) == (stated.note, stated.bench_file)


def test_the_page_states_note_compiler_and_host(recording: Recording) -> None:
    """They are among the lines of provenance."""
    lines = provenance.of(open_recording(recording), {})

    assert 'door "open"\nwindow shut' == lines["note"]
    assert lines["firmware of initiator, compiler"].startswith("GCC")
    assert platform.machine() in lines["host"]


def test_without_an_origin_a_description_is_as_before(tmp_path: Path) -> None:
    """No key is written, so that fingerprints of earlier recordings stay; and it is read."""
    description.write(tmp_path, INFO)

    assert "origin" not in msgspec.to_builtins(INFO)
    assert description.load(tmp_path / description.DESCRIPTION) == INFO


def test_the_programs_that_flash_a_bench(bench_file: Path) -> None:
    """OpenOCD for two M3, not the tools of an MSP430."""
    known = programs.OPENOCD.version()

    assert ({"openocd": known} if known else {}) == origin.flashers(benches.load(bench_file))


def test_in_short(recording: Recording) -> None:
    """Boards with their number, systems as the nodes name them, the first digits of each image."""
    opened = open_recording(recording)
    logs = {
        "initiator": node_log.parse("ok identify firmware=reference kernel=events\n", node="initiator"),
        "responder": node_log.parse("ok identify firmware=riot\n", node="responder"),
    }
    assert ("iotlab-m3 \N{MULTIPLICATION SIGN} 2",) == provenance.in_short(opened, {})
    assert "reference firmware, kernel events and RIOT" == provenance.in_short(opened, logs)[1]
    info = msgspec.structs.replace(
        recording.info, firmware=dict(zip("abc", ("1" * 64, "2" * 64, "3" * 64), strict=True))
    )
    described = SimpleNamespace(recording=SimpleNamespace(info=info), known_bench=opened.known_bench)
    assert "image 11111111 and 22222222, …" == provenance.in_short(described, {})[-1]
