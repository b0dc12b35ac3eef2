"""What firmware does that the virtual bench does not model: one line each, from the boards into a recording."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from patience import PATIENCE_S
from virtualbench import TICK_SOURCE, Sigrok, bench_text, build_tick, served

from gpiorig.capture.recording.recording import BenchRemark, Epoch, Recording, RecordingInfo
from gpiorig.rig import cli
from gpiorig.rig.errors import VirtualBenchError
from gpiorig.rig.run import endpoints
from gpiorig.rig.run.endpoints import Endpoints
from gpiorig.vbench import remarks

AT = "    SYST_RVR = 8000u - 1u;\n"  # in tick.c; what comes before it is there once
SDIO = """
    REG(0x40021014u) |= 1u << 10; /* RM0008 7.3.6: SDIOEN */
    for (int n = 0; n < 3; n++) {
        (void)REG(0x40018000u);
    }
"""
UNMAPPED = "    (void)REG(0x48000000u);\n"


@pytest.fixture
def build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Builds tick.c with more statements."""

    def built(statements: str) -> Path:
        source = tmp_path / "foreign.c"
        source.write_text(TICK_SOURCE.read_text().replace(AT, statements + AT))
        monkeypatch.setattr("virtualbench.TICK_SOURCE", source)
        return build_tick(tmp_path)

    return built


def captured(folder: Path, image: Path) -> tuple[BenchRemark, ...]:
    """The remarks of a bench that has run for 10 ms."""
    with served(folder, bench_text(), image) as process:
        Sigrok(process.endpoints["analyzers"]["la"], "--samples", "240000").samples(1)
        return process.remarks()


def test_an_access_that_is_not_modelled(tmp_path: Path, build: Callable[[str], Path]) -> None:
    """One line with node, address and program counter, counted."""
    (remark,) = captured(tmp_path, build(SDIO))

    assert ("node", 3) == (remark.node, remark.times)
    assert "SDIO 0x40018000 is not modelled, read as 0x0" == remark.what
    assert 0x0800_0100 <= int(remark.pc, 16) < 0x0800_1000
    assert 0 < remark.t_ps < 10_000_000_000


def test_a_clean_image_has_no_remark(tmp_path: Path, build: Callable[[str], Path]) -> None:
    """Nothing is reported of firmware that keeps to what is modelled."""
    assert () == captured(tmp_path, build(""))


def test_a_bench_that_stops_has_its_remarks(tmp_path: Path, build: Callable[[str], Path]) -> None:
    """An access to no register at all ends the bench; the remarks until then are not lost."""
    with served(tmp_path, bench_text(), build(SDIO + UNMAPPED)) as process:
        sigrok = Sigrok(process.endpoints["analyzers"]["la"], "--samples", "240000")
        with pytest.raises(VirtualBenchError, match="unmapped register 0x48000000 at PC"):
            process.check(patience_s=PATIENCE_S)
        first, last = process.remarks()
        sigrok.samples(1, deadline_s=0)

    assert ("SDIO 0x40018000 is not modelled, read as 0x0", 3) == (first.what, first.times)
    assert "read of unmapped register 0x48000000" == last.what


def test_the_log_of_the_boards() -> None:
    """Each line is a remark of the node at the board's place."""
    log = (
        "t=1250000 ps board=1 pc=0x080012ac times=12 I2C1: no device is modelled at address 0x1e\n"
        "t=2 ps board=0 pc=0xffffffff times=1 SDIO 0x40018000 is not modelled, read as 0x0\n"
    )

    first, second = remarks.of_log(log, ["a", "b"])

    assert (
        "Node b: I2C1: no device is modelled at address 0x1e (12 times, first at 0.000001 s, PC 0x080012ac)."
        == first.sentence
    )
    assert ("a", "of the debug adapter", 1) == (second.node, second.pc, second.times)
    assert (first, second) == remarks.of_json(json.loads(json.dumps(remarks.as_json((first, second)))))


def test_info_shows_the_remarks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are in the description of a recording, and `gpiorig info` prints them."""
    info = RecordingInfo(
        samplerate="1000/1", channels=("a",), epoch=Epoch(wall="2026-01-01T00:00:00+00:00"), virtual=True
    )
    recording = Recording.create(tmp_path / "run", info).finish(problems=["a test made it"])
    remark = BenchRemark(node="n", pc="0x0800", t_ps=3_000_000, times=2, what="SDIO 0x40018000 is not modelled")

    ends = Endpoints(drivers={}, ports={})
    assert recording == endpoints.with_remarks(recording, ends)
    endpoints.with_remarks(recording, replace(ends, remarks=lambda: (remark,)))

    assert ((remark,), "incomplete") == (
        Recording.open(recording.folder).info.bench_remarks,
        Recording.open(recording.folder).info.state,
    )
    assert 0 == cli.main(["info", str(recording.folder)])
    line = "  not modelled: Node n: SDIO 0x40018000 is not modelled (2 times, first at 0.000003 s, PC 0x0800)."
    assert line in capsys.readouterr().out.splitlines()
    assert 0 == cli.main(["info", "--json", str(recording.folder)])
    (shown,) = json.loads(capsys.readouterr().out)["bench_remarks"]
    assert ("n", 2, remark.sentence) == (shown["node"], shown["times"], shown["text"])
