"""Figures of the audit: the drawn values equal the audit's, and without data nothing is drawn."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from gpiorig.analysis.audit.comparisons import compare, summary
from gpiorig.analysis.audit.quantities import Quantity
from gpiorig.analysis.audit.results import Audit, Comparison, Stage
from gpiorig.analysis.figures import audit

PINS = np.array([7000.0, 7400.0, 7800.0, 7000.0])


def comparisons() -> tuple[Comparison, ...]:
    host = PINS + np.array([0.0, 4000.0, 1000.0, 2000.0])
    return tuple(compare(Quantity("round trip, a", PINS, {"node": PINS + 100, "host": host})))


def an_audit(*compared: Comparison) -> Audit:
    return Audit((), (), compared, (), (), ())


def test_stages_are_boxes_of_their_quantiles():
    ax = Figure().add_subplot()
    delays = np.arange(101) * 1000.0
    audit.stage_boxes(ax, [Stage("to host", "a", summary(delays)), Stage("to log", "a", summary(delays))])
    assert ["to host", "to log"] == [label.get_text() for label in ax.get_yticklabels()]


def test_sentences_state_skew_and_added_jitter():
    assert (
        "round trip, a, by host timestamps: shifted by 1.50 µs (median), peak-to-peak 4.40 µs "
        "instead of 800 ns (+3.60 µs)."
    ) == audit.sentences(an_audit(*comparisons()))[1]
    assert [] == audit.sentences(an_audit())


def test_a_single_packet_has_no_range():
    one = compare(Quantity("round trip, a", PINS[:1], {"node": PINS[:1] + 100}))
    assert ["round trip, a, by node timestamps: one packet, shifted by 100 ns."] == audit.sentences(an_audit(*one))


def test_comparisons_of_each_quantity():
    compared = comparisons()
    assert {"round trip, a": compared} == audit.quantities(an_audit(*compared))
