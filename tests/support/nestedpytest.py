"""Runs of pytest within a test, in its process, with blank figures.

Pytest forgets what such a run has imported. duckdb ends a process that imports it twice, and the types of two pandas
are not those of each other: so they are imported before, pandas because pyarrow imports it for an array.
"""

from __future__ import annotations

import pandas
import pytest
from servedruns import blank_figures

from gpiorig.rig.results import packet_list, report
from pytest_gpiorig import evidence, lab

PRELOADED = (evidence, lab, packet_list, pandas, report)


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """A run of the tests in the folder of `pytester`."""
    with blank_figures():
        return pytester.runpytest_inprocess(*words)
