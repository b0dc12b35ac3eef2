"""The report: one self-contained page that begins with the conclusion and ends with where the numbers come from."""

from gpiorig.analysis.report.conclusions import summary_lines
from gpiorig.analysis.report.data import ReportData, Tally, route_views
from gpiorig.analysis.report.delay_summaries import delay_summaries
from gpiorig.analysis.report.files import PAGE, write
from gpiorig.analysis.report.health import losses
from gpiorig.analysis.report.page import write_report
from gpiorig.analysis.report.several_runs import write_set
from gpiorig.analysis.report.tables import report_tables

__all__ = [
    "PAGE",
    "ReportData",
    "Tally",
    "delay_summaries",
    "losses",
    "report_tables",
    "route_views",
    "summary_lines",
    "write",
    "write_report",
    "write_set",
]
