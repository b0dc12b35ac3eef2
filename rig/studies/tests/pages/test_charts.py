"""Charts of a study: which values are drawn where, and what is never joined with them."""

from __future__ import annotations

import dataclasses
import math

import pytest
import studycases

from gpiorig.analysis.errors import QuantityError
from gpiorig.studies.pages import charts, published, values
from gpiorig.studies.pages.description import Published, Show

X = "interference in packets/s"
STUDY = studycases.interference()


def chart(show, results=STUDY):
    return charts.chart(results, show, values.groups(results, show))


def test_published_values_are_never_in_our_series():
    """Marks are ours alone: the same with and without published values, which are references."""
    (show,) = STUDY.shows
    with_, without = chart(show), chart(show, dataclasses.replace(STUDY, published=()))
    assert [curve.marks for panel in without.panels for curve in panel.curves] == [
        curve.marks for panel in with_.panels for curve in panel.curves
    ]
    udp, mac = with_.panels[0].curves
    assert [(0, 0.010), (20, 0.035)] == [(one.place, one.value) for one in udp.published]
    assert [(0, 0.008, 0.012), (20, pytest.approx(0.037), pytest.approx(0.043))] == [
        (one.place, one.low, one.high) for one in mac.published
    ]
    assert math.isnan(mac.published[0].value)
    assert not any(curve.published for panel in with_.panels[1:] for curve in panel.curves)


def test_a_published_value_without_a_series_is_of_no_curve():
    """A document that does not name the protocol gives a reference of the panel, at its place or at all of them."""
    rows = ({X: 8, "value": "9 ms"}, {"value": "11 ms"})
    results = dataclasses.replace(STUDY, published=(Published("4.7.1", y="rtt.p2p", values=rows),))
    (panel,) = chart(Show("line", ("rtt.p2p",), x=X, series="protocol"), results).panels
    assert not any(curve.published for curve in panel.curves)
    assert [(8, 0.009), *((rate, 0.011) for rate in STUDY.axes[X])] == [
        (one.place, round(one.value, 9)) for one in panel.published
    ]


def test_failed_points_are_crosses_and_in_no_mean():
    """A place with a failed repeat has a cross; where all failed a mark is absent."""
    udp, mac = chart(STUDY.shows[0]).panels[0].curves
    assert (12,) == udp.failed == mac.failed
    assert 3 == len(next(mark.repeats for mark in udp.marks if mark.place == 12))
    assert 12 not in [mark.place for mark in mac.marks]
    stack = chart(Show("stack", ("span of udp.checksum.median at initiator",), x=X, series="protocol"))
    assert ("12, UDP", "12, MAC") == stack.panels[0].curves[0].failed
    box = chart(Show("box", ("rtt",), x=X, series="protocol"))
    assert [(12,), (12,)] == [curve.failed for curve in box.panels[0].curves]


def test_axes_that_are_not_named_become_panels():
    """An axis with several values makes panels, and so do several nodes; one value of a node does not."""
    by_protocol = chart(Show("line", ("rtt.p2p",), x=X))
    assert ["protocol: UDP", "protocol: MAC"] == [panel.title for panel in by_protocol.panels]
    only = Show("line", ("retried", "goodput"), x=X, where={"protocol": "UDP"})
    assert [("retried", "initiator"), ("retried", "responder"), ("goodput", "")] == [
        (panel.label, panel.title) for panel in chart(only).panels
    ]
    by_node = chart(Show("bars", ("retried",), x="node", series="protocol", where={X: 20}))
    assert (("initiator", "responder"), ("protocol: UDP", "protocol: MAC")) == (by_node.places, by_node.labels)


def test_an_axis_that_moves_with_a_named_one_makes_no_panels():
    """Zipped axes have one value for each value of the other."""
    points = [
        studycases.point(
            {"method": method, "ahead": ahead}, studycases.table(studycases.rows("rtt", [1e6, 2e6 + ahead]))
        )
        for method, ahead in (("OSM", 0), ("OFR", 100), ("OFR", 500), ("OIR", 900))
    ]
    show = Show("line", ("rtt.max",), x="ahead", where={"method": ("OSM", "OFR")}, levels={"method": ("OIR",)})
    (panel,) = chart(show, studycases.study((show,), points)).panels
    assert [0, 100, 500] == [mark.place for mark in panel.curves[0].marks]
    assert [("method: OIR", pytest.approx(2.0009e-3))] == list(panel.levels)


def test_a_distribution_has_a_run_per_repeat():
    """Values of repeats are drawn one by one, in the order of the repeats."""
    (panel,) = chart(Show("ecdf", ("rtt",), series="protocol", where={X: 12})).panels
    assert [3] == [len(one.runs) for one in panel.curves[0].distributions]
    assert ["protocol: UDP", "protocol: MAC"] == [curve.label for curve in panel.curves]
    assert () == panel.curves[1].distributions


def test_scales_follow_the_values():
    """Units are those in which the largest value is read best."""
    line = chart(STUDY.shows[0])
    assert [(1000.0, "ms"), (100.0, "%")] == [line.scale(label) for label in ("rtt.p2p", "loss")]
    goodput = chart(Show("bars", ("goodput",), x=X, series="protocol"))
    assert (1e-3, "kbit/s") == goodput.scale("goodput")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"value": "12 parsecs"}, "write a number and one of"),
        ({"low": "1 ms"}, "`low` and `high`"),
        ({"value": "1 ms", "plus_minus": "1 %"}, "the units differ"),
        ({"protocoll": "UDP", "value": "1 ms"}, "no axis `protocoll`"),
    ],
)
def test_published_values_that_are_not_understood(row, message):
    """The error names the source."""
    with pytest.raises(QuantityError, match=f"published `table 3`.*{message}"):
        published.check((Published("table 3", y="rtt.p2p", values=(row,)),), {}, STUDY.axes)


def test_published_needs_something():
    """Neither a value nor an order nor a text is an error."""
    with pytest.raises(QuantityError, match="neither values nor an order nor a text"):
        published.check((Published("table 3", y="rtt.p2p"),), {}, STUDY.axes)
