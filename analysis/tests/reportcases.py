"""Data of reports for tests: round trips of the synthetic bench, and runs of one-way routes."""

from __future__ import annotations

import dataclasses

import studies

from gpiorig.analysis import report
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.packets import association, reconciliation, routes, timelines

PLAIN = {"audited": False, "found": False, "layers": False, "occupancy": False}  # a study with few figures


def data_of(bench, *, virtual=True, gaps=None, study=None):
    """The round trips of a bench, with the initiator's log."""
    found = association.associate(bench.events(gaps=gaps), initiator="initiator", responder="responder")
    lines = timelines.build(found, header_ns=192_000)
    text = "".join(f"packet seq={id_} tx_us=1 rx_us=2 status=ok\n" for id_ in lines.ids)
    own = node_log.parse(text + f"done sent={len(lines)} received=0 lost=0 probes=7\n", node="initiator")
    return report.ReportData(
        title="Ping-pong <test>",
        virtual=virtual,
        packets=found,
        timelines=lines,
        steps=timelines.steps(lines),
        reconciliation=reconciliation.reconcile(lines, own),
        logs={"initiator": own},
        provenance={"seed": "1"},
        study=study,
    )


def studied(bench, **options):
    """The same with everything that a study can say."""
    data = data_of(bench)
    return dataclasses.replace(data, study=studies.study(routes.round_trips(data.timelines, data.steps), **options))


def one_way(*found, gaps=(), **options):
    """A run of one-way routes."""
    study = studies.study(*found, **options)
    return report.ReportData("one way", False, None, None, None, study=study, events=studies.events(gaps=gaps))


def text_of(folder, data):
    """The text of the page, written into a folder."""
    report.write_report(folder / "report.html", data)
    return (folder / "report.html").read_text()
