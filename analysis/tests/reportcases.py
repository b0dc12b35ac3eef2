"""Data of reports for tests: round trips of the synthetic bench, and runs of one-way routes."""

from __future__ import annotations

import dataclasses

import studies
from tripcases import analysed, trips

from gpiorig.analysis import report
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.study.analysis import Analysis

PLAIN = {"audited": False, "found": False, "layers": False, "occupancy": False}  # a study with few figures


def data_of(bench, *, virtual=True, gaps=None, study=None):
    """The round trips of a bench, with the initiator's log, and a study with few figures."""
    events = bench.events(gaps=gaps)
    ids = trips(events).timelines.ids if bench.truth else ()
    text = "".join(f"packet seq={id_} tx_us=1 rx_us=2 status=ok\n" for id_ in ids)
    own = node_log.parse(text + f"done sent={len(ids)} received={len(ids)} lost=0 probes=7\n", node="initiator")
    analysis = analysed(events, {"initiator": own})
    return report.ReportData(
        title="Ping-pong <test>",
        virtual=virtual,
        analysis=analysis,
        study=study or studies.study(*analysis.routes, **PLAIN),
        provenance={"seed": "1"},
        notes=(),
        tallies=(),
    )


def studied(bench, **options):
    """The same with everything that a study can say."""
    data = data_of(bench)
    return dataclasses.replace(data, study=studies.study(*data.analysis.routes, **options))


def one_way(*found, gaps=(), **options):
    """A run of one-way routes."""
    study = studies.study(*found, **options)
    analysis = Analysis(studies.events(gaps=gaps), None, "", None, found, {}, (), ())
    return report.ReportData("one way", False, analysis, study, {}, (), ())


def text_of(folder, data):
    """The text of the page, written into a folder."""
    report.write_report(folder / "report.html", data)
    return (folder / "report.html").read_text()
