"""What no study makes, and why; the options that a bench of boards refuses."""

from __future__ import annotations

import re

import msgspec
import pytest

from gpiorig.rig import names
from gpiorig.rig.bench import benches
from gpiorig.rig.errors import RigError
from gpiorig.studies.plans import runner
from gpiorig.studies.plans.session import Options
from gpiorig.studies.points import pages
from gpiorig.studies.points.points import Conditions


def test_the_table_of_all_documents_has_what_is_not_done(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Each reason is a row below the figures that are counted with the others of its document."""
    text = pages.write_markdown(tmp_path / "seeds.md", []).read_text()
    rows = [line for line in text.splitlines() if re.match(r"\| (?!figure \||--)", line)]
    assert len(pages.reasons()) == len(rows)
    assert len(rows) == sum(map(int, re.findall(r"Figures and tables: ● 0, ◐ 0, ○ (\d+)", text)))


def test_boards_record_one_point_at_a_time() -> None:
    """A bench of boards is one resource."""
    demo = benches.load(names.KINDS["bench"]()["demo"])
    boards = Conditions(bench=msgspec.structs.replace(demo, virtual=None))
    runner.check_options(Options(), boards)
    runner.check_options(Options(workers=2), Conditions(bench=demo))
    for options in (Options(workers=2), Options(scheduler="tcp://host:8786")):
        with pytest.raises(RigError, match="one point at a time"):
            runner.check_options(options, boards)
