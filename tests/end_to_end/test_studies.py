"""The studies that come with gpiorig: each one loads, and makes its figures from a few packets."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import gpiorig

from gpiorig.studies.pages import published
from gpiorig.studies.points import study, study_paths
from gpiorig.studies.points.points import Conditions
from gpiorig.studies.points.states import Sought

STUDIES = study_paths.files()
QUICK = Conditions(quick=True)


def digests(name: str) -> set[str]:
    """The points of a study, cut down."""
    return {point.digest for point in Sought.of(study.load(STUDIES[name]), QUICK, Path()).points([0])}


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_can_be_run(name: str) -> None:
    """Its expressions and published values are understood; no point is refused but for an image that was not given."""
    one = study.load(STUDIES[name])
    sought = Sought.of(one, QUICK, Path())
    published.stated(one.file.published)
    assert [] == [point.refusal for point in sought.points([0]) if point.refusal and "no image" not in point.refusal]
    Sought.of(one, Conditions(), Path()).points([0])


def test_each_statement_is_judged_or_states_why_not() -> None:
    """Each has values, an order, rules or a reason; bounds of rules have one; the document's own system is there."""
    for name, path in STUDIES.items():
        file = study.load(path).file
        axes = {axis.name: axis.values for axis in file.vary}
        for entry in file.published:
            is_judged = bool(entry.values or entry.order or entry.rule)
            assert is_judged != bool(entry.cannot_be_judged), f"{name}: {entry.source}"
            assert (
                not any(rule.kind in ("range", "ratio", "independence") for rule in entry.rule) or entry.within_reason
            )
        assert all(set(values) <= {*axes[axis]} for axis, values in file.subject.items()), name


def test_rows_of_one_run_share_their_recording() -> None:
    """Figures 9, 10, 12 to 14 and 16 to 19 and tables 3 and 4 of seeds/000 are of one run."""
    of_run = digests("000-round-trip")
    rows = "one-packet mac-round-trip responder-modules initiator-modules formatting driver-send send-interrupt"
    for row in [*rows.split(), "receive-path", "driver-round-trip", "responder-turnaround"]:
        assert of_run == digests(f"000-{row}")
    for row in ("000-summary", "beyond-backoff"):
        assert of_run < digests(row)


@pytest.mark.deep
def test_all_studies_make_their_figures(tmp_path: Path) -> None:
    """Cut down, every point is recorded and every quantity is there."""
    run = gpiorig("study", "run", *map(str, STUDIES.values()), "--quick", "-o", str(tmp_path))
    assert 0 == run.status, run.stderr
    assert {*STUDIES} <= {page.stem for page in (tmp_path / "pages").glob("*.html")}
