"""`gpiorig.open` of a recording: quantities, limits, figures, comparisons, with the numbers of the report."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from commandline import Demo
from commandline import gpiorig as command
from matplotlib.figure import Figure

import gpiorig
from gpiorig.capture.edges.waveform import VIRTUAL_MARK


@pytest.mark.slow
def test_quantities_and_limits_are_those_of_the_report(demo: Demo, tmp_path: Path) -> None:
    """Values with their intervals; a verdict with its sentence; what is not understood is an error."""
    run = gpiorig.open(demo.folder)
    rtt, goodput = run.quantity("rtt"), run.quantity("goodput", node="initiator > responder")
    asked = ("--quantity", "rtt", "--quantity", "goodput", "--assert", "rtt.p99 < 1 us")
    numbers = command("report", shutil.copytree(demo.folder, tmp_path / "run"), *asked, "--json").numbers

    of_report = {(row["quantity"], row["node"]): row for row in numbers["quantities"]}
    of_rtt, of_goodput = of_report["rtt", rtt.node], of_report["goodput", goodput.node]
    assert (of_rtt["median"], of_rtt["n"]) == (rtt.statistic("median").value, len(rtt.values))
    assert (of_goodput["value"], "bit/s") == (goodput.value, goodput.unit)
    assert rtt.statistic("median").value == pytest.approx(float(np.median(rtt.values)))
    assert rtt.values.tolist() == run.table("round_trips").column("rtt_ns").to_pylist()
    verdict = run.check("rtt.p99 < 1 us")
    assert not verdict.holds
    assert [verdict.sentence] == [row["sentence"] for row in numbers["assertions"]]
    for name, message in (("nosuch", "nosuch"), ("goodput", "which 'goodput'.* goodput at initiator > responder, ")):
        with pytest.raises(gpiorig.Error, match=message):
            run.quantity(name)
    with pytest.raises(gpiorig.Error, match=r"rtt has \d+ values; ask for statistic"):
        _ = rtt.value
    assert max(map(len, map(repr, (run, rtt, goodput)))) < 200


@pytest.mark.slow
def test_figures_on_given_axes(demo: Demo) -> None:
    """Those of one diagram, marked as virtual; the error for others names those that there are."""
    run, ax = gpiorig.open(demo.folder), Figure().subplots()
    run.draw("total", ax)

    assert VIRTUAL_MARK in {text.get_text() for text in ax.texts}
    assert ax.patches or ax.lines
    message = r"figure 'budget' has several diagrams; use figure\('budget'\), or draw one of .*total"
    with pytest.raises(gpiorig.Error, match=message):
        run.draw("budget", ax)


@pytest.mark.slow
def test_a_comparison_takes_what_is_open(demo: Demo, other_demo: Demo) -> None:
    """Recordings, folders, or one of each: the same."""
    differences = [
        gpiorig.compare(base, new)
        for base, new in (
            (demo.folder, other_demo.folder),
            (gpiorig.open(demo.folder), str(other_demo.folder)),
        )
    ]
    assert differences[0].sentences == differences[1].sentences
    assert differences[0].to_pandas().equals(differences[1].to_pandas())  # NaN among them
    assert differences[0].virtual and len(repr(differences[0])) < 200


def test_what_a_recording_states_itself(demo: Demo) -> None:
    """Is not given again; a recording of a notebook is a short table."""
    with pytest.raises(gpiorig.Error, match=r"samplerate: .* is a recording, which states this itself; omit it"):
        gpiorig.open(demo.folder, samplerate="24MHz")
    run = gpiorig.open(demo.folder)
    assert ("recording", "complete", True, 24e6) == (run.format, run.state, run.virtual, run.samplerate_hz)
    assert "initiator.strobe" in run._repr_html_() and len(run._repr_html_()) < 2500
