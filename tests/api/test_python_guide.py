"""`import gpiorig` as users meet it: the examples of its page, and the numbers of the command line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from commandline import ROOT, Demo
from commandline import gpiorig as command

import gpiorig

# The third byte 0x41 at 115200 bit/s is on D2: start bit, eight bits, the lowest first, stop bit.
BIT_S = 1 / 115200
LEVELS = (1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1)
ROWS = [f"{place * BIT_S:.9f},{place % 2},{(place // 2) % 2},{level}" for place, level in enumerate(LEVELS)]
CAPTURE = "\n".join(["time,D0,D1,D2", *ROWS, ""])
LOG = "".join(
    f"{1_700_000_000 + 0.02 * k:.6f};m3-1;send {k}\n"
    f"{1_700_000_000.0125 + 0.02 * k:.6f};m3-1;got {k} now={20_000 * k + 7 * k}\n"
    for k in range(50)
)
PAGE = ROOT / "docs" / "guide" / "python.md"


@pytest.mark.slow
def test_the_examples_of_the_page(
    demo: Demo, other_demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All blocks, in their order, as one program next to the recordings `demo` and `other`."""
    (tmp_path / "demo").symlink_to(demo.folder)
    (tmp_path / "other").symlink_to(other_demo.folder)
    (tmp_path / "capture.csv").write_text(CAPTURE)
    (tmp_path / "node.log").write_text(LOG)
    monkeypatch.chdir(tmp_path)
    values: dict[str, Any] = {}
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)):
        exec(compile(block, f"{PAGE.name}, block {number}", "exec"), values)

    assert "The round trip takes" in capsys.readouterr().out
    assert b"%PDF" == Path("budget.pdf").read_bytes()[:4]
    assert b"\x89PNG" == Path("total.png").read_bytes()[:4]
    assert b"\x89PNG" == Path("both.png").read_bytes()[:4]
    assert ["41"] == values["bytes_of"].column("text").to_pylist()
    assert 50 == len(values["trips"])
    assert 350 == pytest.approx(values["rates"].ppm[0], abs=1)
    assert len(values["own"].edges("initiator.strobe").rises) >= 10
    assert {"request", "reply"} == {step.partition(":")[0] for step in values["waits"].step}
    assert 5 == values["late"].num_rows
    assert 20 == values["run"].numbers["packets_sent"]
    assert Path("new-run", "report", "report.html") == values["page"]


@pytest.mark.slow
def test_tables_are_those_of_the_report(demo: Demo) -> None:
    """Every table that `gpiorig report` wrote, no other, with equal rows; and the numbers that it printed."""
    run = gpiorig.open(demo.folder)

    written = {path.stem: pyarrow.parquet.read_table(path) for path in demo.folder.glob("*.parquet")}
    assert set(written) == set(run.tables)
    for name, table in written.items():
        content = run.table(name).select(table.column_names)
        assert table.schema == content.schema, name
        assert table.to_pandas().equals(content.to_pandas()), name  # Arrow's own `equals` has NaN differ
    assert {**run.numbers, "report": demo.numbers["report"], "recording": ""} == {**demo.numbers, "recording": ""}


@pytest.mark.slow
def test_a_comparison_is_that_of_the_command(demo: Demo, other_demo: Demo) -> None:
    """Its sentences and the names of what changed."""
    difference = gpiorig.compare(demo.folder, other_demo.folder)

    numbers = command("compare", demo.folder, other_demo.folder, "--json").numbers
    assert numbers["sentences"] == list(difference.sentences)
    assert numbers["changed"] == list(difference.changed)
    assert len(numbers["changes"]) == difference.table.num_rows


@pytest.mark.slow
def test_a_name_that_the_recording_does_not_have(demo: Demo) -> None:
    """The error names the recording and what it has."""
    run = gpiorig.open(demo.folder)
    with pytest.raises(gpiorig.Error, match=r"run: no table 'step'; available tables: .*\bsteps\b"):
        run.table("step")
    with pytest.raises(gpiorig.Error, match=r"run: no figure 'rtt'; available figures: .*\btotal\b"):
        run.figure("rtt")
