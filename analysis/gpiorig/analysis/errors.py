"""What can go wrong in the analysis: one base class, few kinds.

AnalysisError
├── WiringError   the wiring names a channel or a point that does not exist
├── EventError    the events cannot be what the stage asked for needs (no such node, not sorted)
├── TableError    a table file is missing or is not what it should be
└── QuantityError the name of a delay or of a statistic, a limit or a unit cannot be understood
"""

from __future__ import annotations

from gpiorig.capture.errors import Error


class AnalysisError(Error):
    """What, the value, and the remedy."""


class WiringError(AnalysisError):
    """A wiring that names a channel, a point or a node that does not exist."""


class EventError(AnalysisError):
    """Events that are not what a stage needs."""


class TableError(AnalysisError):
    """A table that cannot be read or written."""


class QuantityError(AnalysisError):
    """A quantity, statistic, limit or unit that is not understood, or that a run does not have."""
