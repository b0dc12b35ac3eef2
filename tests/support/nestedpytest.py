"""Runs of pytest within a test, in its process, with blank figures.

Pytest forgets what such a run has imported, and duckdb ends a process that imports it twice: so it is imported before.
"""

from __future__ import annotations

import pytest
from servedruns import blank_figures

from gpiorig.rig.results import packet_list, report
from pytest_gpiorig import evidence, lab

PRELOADED = (evidence, lab, packet_list, report)


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    """A run of the tests in the folder of `pytester`."""
    with blank_figures():
        return pytester.runpytest_inprocess(*words)
