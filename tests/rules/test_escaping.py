"""Text of nodes and files in what gpiorig shows and writes: markup, formulas, TeX and control characters are inert."""

from __future__ import annotations

import csv
import dataclasses
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import directbench
import pytest
from commandline import Finished, gpiorig

from gpiorig.capture.recording.origin import Origin
from gpiorig.capture.recording.recording import Epoch, Recording
from gpiorig.capture.serial.lines import SerialLine
from gpiorig.capture.serial.record import Kind
from gpiorig.rig import resources, terminal
from gpiorig.rig.recordings.serial_view import SerialView

EVIL = "=cmd|x</script><script>alert(1)</script>\x1b[2J\x9b31m\\input{x}$\\foo{$"
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
NAMES = ("=cmd|x", "$\\foo{$", "a\x1b[31mred", "b\x9b2J</text><script>alert(1)</script>", "-1", "%\\input{x}")


def assert_shown(done: Finished, status: int = 0) -> None:
    """No output of a command can control a terminal."""
    assert status == done.status, done.stderr
    assert not CONTROL.search(done.stdout + done.stderr)


@pytest.fixture
def capture(tmp_path: Path) -> Path:
    """A file whose channels have such names."""
    path = tmp_path / "evil.vcd"
    head = "".join(f"$var wire 1 {chr(65 + bit)} {name} $end\n" for bit, name in enumerate(NAMES))
    rows = "".join(
        f"#{time}\n" + "".join(f"{time % 2}{chr(65 + bit)}\n" for bit in range(len(NAMES))) for time in range(9)
    )
    path.write_text(f"$timescale 1 us $end\n{head}$enddefinitions $end\n{rows}", encoding="latin-1")
    return path


def test_commands_on_a_capture(capture: Path, tmp_path: Path) -> None:
    """Names of channels as `info`, `import`, `measure`, `decode` and errors show them."""
    assert_shown(info := gpiorig("info", capture))
    assert "a\\u001b[31mred: 8 edges" in info.stdout
    assert_shown(as_json := gpiorig("info", capture, "--json"))
    assert list(NAMES) == [channel["name"] for channel in json.loads(as_json.stdout)["channels"]]
    assert_shown(gpiorig("import", capture, "-o", tmp_path / "run"))
    assert_shown(gpiorig("info", tmp_path / "run"))
    assert_shown(gpiorig("measure", capture, "--period", NAMES[2]))
    assert_shown(gpiorig("measure", capture, "--period", "\x1b[2J"), status=2)
    assert_shown(gpiorig("info", tmp_path / "\x1b[2J.sr"), status=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_figures(name: str, capture: Path, tmp_path: Path) -> None:
    """A name is not a formula of TeX in a figure, and its SVG is XML."""
    path = tmp_path / "figure.svg"
    assert_shown(gpiorig("measure", capture, "--period", name, "--figure", path))

    assert "svg" in ET.fromstring(path.read_text(encoding="utf-8")).tag
    assert not CONTROL.search(path.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_tables_of_a_capture(capture: Path, tmp_path: Path) -> None:
    """No cell of a CSV file is a formula."""
    for words in (
        ("export", capture, "--channels", "=cmd*,-1", "-o", tmp_path / "edges.csv"),
        ("measure", capture, "--period", "=cmd|x", "-o", tmp_path / "periods.csv"),
        ("decode", capture, "-P", "timing:data==cmd|x", "-o", tmp_path / "timing.csv"),
    ):
        assert 0 == gpiorig(*words).status
        assert_no_formula(Path(words[-1]))


def assert_no_formula(path: Path) -> None:
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                assert not cell.startswith(("=", "+", "@", "\t", "\r")), (path, cell)
                assert not cell.startswith("-") or re.fullmatch(r"-\d+(\.\d+)?(e[+-]?\d+)?", cell), (path, cell)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The report of a recording whose description holds such text wherever it can."""
    bench, experiment = resources.benches()["demo"], resources.experiments()["pingpong"]
    folder = tmp_path_factory.mktemp("evil")
    recording: Recording = directbench.record(folder, bench.read_text(), experiment.read_text(), packets=3)
    evil = recording.update(
        experiment=EVIL,
        analyzer=EVIL,
        epoch=Epoch(wall=recording.info.epoch.wall, note=EVIL),
        parameters=recording.info.parameters | {EVIL: EVIL},
        tools={"tool": EVIL},
        origin=Origin(bench_file=EVIL, bench_sha256="", host={"system": EVIL}, note=EVIL),
        bench=recording.info.bench.replace('name = "demo', f"name = {json.dumps(EVIL)} # "),
    )
    done = gpiorig("report", evil.folder, "-o", folder / "page", "--figures", "svg", "--tables", "csv,latex")
    assert_shown(done)
    yield folder / "page"


@pytest.mark.slow
def test_the_page_of_a_report(page: Path) -> None:
    """No markup of others, no control character, and the text is there all the same."""
    text = (page / "report.html").read_text(encoding="utf-8")

    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert not CONTROL.search(text)


@pytest.mark.slow
def test_the_files_of_a_report(page: Path) -> None:
    """SVG is XML, TeX and CSV hold no command, Parquet and JSON are data."""
    kinds = set()
    for path in sorted(page.rglob("*")):
        kinds.add(path.suffix)
        if path.suffix == ".csv":
            assert_no_formula(path)
        if path.suffix in (".svg", ".tex", ".html", ".json"):
            assert not CONTROL.search(path.read_text(encoding="utf-8")), path
        if path.suffix == ".tex":
            assert "\\input" not in path.read_text(encoding="utf-8"), path
        if path.suffix == ".svg":
            ET.fromstring(path.read_text(encoding="utf-8"))
    assert {".html", ".csv", ".tex", ".svg"} <= kinds


def test_lines_of_nodes(capsys: pytest.CaptureFixture[str]) -> None:
    """What a node writes is shown escaped, C1 too; as IoT-LAB's format it is unchanged where that is not a terminal."""
    line = SerialLine(0, 0, "node", Kind.RECEIVED, "a\x1b[2Jb\x9b31m\rc")
    with terminal.shown():
        SerialView(["node"]).show(line)
        people = capsys.readouterr().out
        SerialView(["node"], form="json").show(line)
        as_json = capsys.readouterr().out
        SerialView(["node"], form="iotlab").show(line)
        log = capsys.readouterr().out

    assert "a\\u001b[2Jb\\u009b31m\\u000dc" in people
    assert not CONTROL.search(people + as_json)
    assert dataclasses.asdict(line)["text"] == json.loads(as_json)["text"]
    assert log.endswith("node;a\x1b[2Jb\x9b31m\rc\n")
