"""`gpiorig.api` as users meet it: the examples of its page, and the numbers of the command line."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow.parquet
import pytest
from commandline import ROOT, Demo, gpiorig

from gpiorig import api
from gpiorig.analysis.errors import TableError
from gpiorig.rig import names
from gpiorig.rig.errors import RigError

PAGE = ROOT / "docs" / "guide" / "python.md"


@pytest.mark.slow
def test_the_examples_of_the_page(
    demo: Demo, other_demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All blocks, in their order, as one program next to the recordings `demo` and `other`."""
    (tmp_path / "demo").symlink_to(demo.folder)
    (tmp_path / "other").symlink_to(other_demo.folder)
    monkeypatch.chdir(tmp_path)
    values: dict[str, Any] = {}
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)):
        exec(compile(block, f"{PAGE.name}, block {number}", "exec"), values)

    assert "The round trip takes" in capsys.readouterr().out
    assert b"%PDF" == Path("budget.pdf").read_bytes()[:4]
    assert b"\x89PNG" == Path("total.png").read_bytes()[:4]
    assert {"request", "reply"} == {step.partition(":")[0] for step in values["waits"].step}
    assert 5 == values["late"].num_rows
    assert 20 == values["run"].numbers["packets_sent"]
    assert Path("new-run", "report", "report.html") == values["page"]


@pytest.mark.slow
def test_tables_are_those_of_the_report(demo: Demo) -> None:
    """Every table that `gpiorig report` wrote, no other, with equal rows; and the numbers that it printed."""
    run = api.open(demo.folder)

    written = {path.stem: pyarrow.parquet.read_table(path) for path in demo.folder.glob("*.parquet")}
    assert set(written) == set(run.tables)
    for name, table in written.items():
        assert table.schema == run.table(name).schema, name
        assert table.to_pandas().equals(run.table(name).to_pandas()), name  # Arrow's own `equals` has NaN differ
    assert {**run.numbers, "report": demo.numbers["report"], "recording": ""} == {**demo.numbers, "recording": ""}


@pytest.mark.slow
def test_a_comparison_is_that_of_the_command(demo: Demo, other_demo: Demo) -> None:
    """Its sentences and the names of what changed."""
    difference = api.compare(demo.folder, other_demo.folder)

    numbers = gpiorig("compare", demo.folder, other_demo.folder, "--json").numbers
    assert numbers["sentences"] == list(difference.sentences)
    assert numbers["changed"] == list(difference.changed)
    assert len(numbers["changes"]) == difference.table.num_rows


@pytest.mark.slow
def test_a_name_that_the_recording_does_not_have(demo: Demo) -> None:
    """The error names the recording and what it has."""
    run = api.open(demo.folder)
    with pytest.raises(TableError, match=r"run: no table 'step'; available tables: .*\bsteps\b"):
        run.table("step")
    with pytest.raises(RigError, match=r"run: no figure 'rtt'; available figures: .*\btotal\b"):
        run.figure("rtt")


def test_a_real_bench_without_a_certificate_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `gpiorig run` does; the recording is made anyway, and that it is not complete is warned of, too."""
    bench = Path(shutil.copy(names.bench(Path("fx2-two-m3")), tmp_path))

    def recorded(folder: Path) -> SimpleNamespace:
        return SimpleNamespace(folder=folder, state="incomplete", reason="no sample")

    monkeypatch.setattr(api.recorder, "record", lambda *given, output, **named: recorded(output))

    with (
        pytest.warns(UserWarning, match="without a valid certificate: .*gpiorig bench verify"),
        pytest.warns(UserWarning, match="new is incomplete: no sample"),
    ):
        assert tmp_path / "new" == api.record(bench, "pingpong", tmp_path / "new")
