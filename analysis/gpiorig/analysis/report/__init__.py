"""The report: one self-contained page that begins with the conclusion and ends with where the numbers come from."""

from gpiorig.analysis.report.conclusions import summary_lines
from gpiorig.analysis.report.data import ReportData, Tally
from gpiorig.analysis.report.files import FIGURE_FORMATS, PAGE, TABLE_FORMATS, write
from gpiorig.analysis.report.health import losses
from gpiorig.analysis.report.page import write_report
from gpiorig.analysis.report.runs import Run
from gpiorig.analysis.report.several_runs import write_set

__all__ = [
    "FIGURE_FORMATS",
    "PAGE",
    "TABLE_FORMATS",
    "ReportData",
    "Run",
    "Tally",
    "losses",
    "summary_lines",
    "write",
    "write_report",
    "write_set",
]
