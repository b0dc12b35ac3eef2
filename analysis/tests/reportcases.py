"""Data of reports for tests: round trips of the synthetic bench, and runs of one-way routes."""

from __future__ import annotations

import evaluations
from tripcases import analysed, trips

from gpiorig.analysis import report
from gpiorig.analysis.delays import numbers
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.logs import node_log

PLAIN = {"audited": False, "findings": False, "layers": False, "occupancy": False}  # an evaluation with few figures


def data_of(bench, *, virtual=True, gaps=None, **options):
    """The round trips of a bench, with the initiator's log, and evaluated: few figures unless `options` add some."""
    events = bench.events(gaps=gaps)
    ids = trips(events).timelines.ids if bench.truth else ()
    text = "".join(f"packet seq={id_} tx_us=1 rx_us=2 status=ok\n" for id_ in ids)
    own = node_log.parse(text + f"done sent={len(ids)} received={len(ids)} lost=0 probes=7\n", node="initiator")
    analysis = analysed(events, {"initiator": own})
    delays = numbers.round_trips(analysis.timelines, events) if analysis.timelines is not None else {}
    return report.ReportData(
        title="Ping-pong <test>",
        virtual=virtual,
        analysis=analysis,
        evaluation=evaluations.evaluation(*analysis.routes, delays=delays, **PLAIN | options),
        provenance={"seed": "1"},
        notes=(),
        tallies=(),
    )


def evaluated(bench, **options):
    """The same with everything that an evaluation can contain."""
    return data_of(bench, **dict.fromkeys(PLAIN, True) | options)


def one_way(*routes, gaps=(), **options):
    """A run of one-way routes."""
    evaluation = evaluations.evaluation(*routes, **options)
    analysis = Analysis(evaluations.events(gaps=gaps), None, "", None, routes, {}, (), ())
    return report.ReportData("one way", False, analysis, evaluation, {}, (), ())


def text_of(folder, data):
    """The text of the page, written into a folder."""
    report.write_report(folder / "report.html", data)
    return (folder / "report.html").read_text()
