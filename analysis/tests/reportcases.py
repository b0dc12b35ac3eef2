"""Data of reports for tests: round trips of the synthetic bench, and runs of one-way routes."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import evaluations
from tripcases import analysed, trips

from gpiorig.analysis import report
from gpiorig.analysis.attribution.findings import Attribution, Finding
from gpiorig.analysis.delays import numbers
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.number_text import GAP
from gpiorig.analysis.statistics.intervals import Interval

NAN = math.nan
WAIT = "a to b: radio wait: exec done to first bit on air"
AIR = "a to b: air: first bit to radio interrupt"
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


def routes_of(*packets, **options):
    """A run of one-way routes with these numbers of packets, from nodes a, b, c … on."""
    routes = [
        evaluations.one_way(nodes, packets=n)
        for n, nodes in zip(packets, itertools.pairwise("abcdefghij"), strict=False)
    ]
    return one_way(*routes, **PLAIN | options)


def with_evaluation(data, **changed):
    """The same with some of the evaluation of its first route replaced."""
    head, *others = data.evaluation.routes
    return replace(data, evaluation=replace(data.evaluation, routes=(replace(head, **changed), *others)))


def interval(value, low=NAN, high=NAN):
    """An interval by no method."""
    return Interval(value, low, high, "made up")


def finding(kind, share, **numbers):
    """A finding that is certain."""
    return Finding(kind, "The delays lie on levels.", 1e-9, share, numbers)


def attributed(step, *findings, tests=6):
    """What was found on a step."""
    return Attribution(step, findings, tests, 0.01, "Nothing was found.")


def text_of(folder, data):
    """The text of the page, written into a folder, with plain spaces."""
    report.write_report(folder / "report.html", data)
    return (folder / "report.html").read_text().replace(GAP, " ")
