"""Where a packet's time and jitter come from: recordings, captures and logs as objects, tables and figures.

The names in `__all__` are the ones to use; they are stable as docs/guide/python.md states. Each is imported when it is
first used, so `import gpiorig` takes a few milliseconds.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import extend_path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpiorig.analysis.compare.assertions import Verdict as Verdict
    from gpiorig.analysis.statistics.intervals import Interval as Interval
    from gpiorig.api.comparison import Difference as Difference
    from gpiorig.api.comparison import compare as compare
    from gpiorig.api.delays import Delays as Delays
    from gpiorig.api.edges import Edges as Edges
    from gpiorig.api.opening import open as open
    from gpiorig.api.quantity import Quantity as Quantity
    from gpiorig.api.recording import Recording as Recording
    from gpiorig.api.session import Session as Session
    from gpiorig.api.session import WaitTimeout as WaitTimeout
    from gpiorig.api.starting import start_capture as start_capture
    from gpiorig.api.starting import start_run as start_run
    from gpiorig.api.tabular import Tabular as Tabular
    from gpiorig.capture.errors import Error as Error

    __version__: str

# The other portions of the package, where they lie in folders of their own, as in a clone (PEP 420).
__path__ = extend_path(__path__, __name__)

_MODULES = {
    "Delays": "api.delays",
    "Difference": "api.comparison",
    "Edges": "api.edges",
    "Error": "capture.errors",
    "Interval": "analysis.statistics.intervals",
    "Quantity": "api.quantity",
    "Recording": "api.recording",
    "Session": "api.session",
    "Tabular": "api.tabular",
    "Verdict": "analysis.compare.assertions",
    "WaitTimeout": "api.session",
    "compare": "api.comparison",
    "open": "api.opening",
    "start_capture": "api.starting",
    "start_run": "api.starting",
}

__all__ = [
    "Delays",
    "Difference",
    "Edges",
    "Error",
    "Interval",
    "Quantity",
    "Recording",
    "Session",
    "Tabular",
    "Verdict",
    "WaitTimeout",
    "__version__",
    "compare",
    "open",
    "start_capture",
    "start_run",
]


def __getattr__(name: str) -> object:
    """A name of `__all__`, from its module."""
    if name == "__version__":
        value: object = import_module("importlib.metadata").version("gpiorig")
    elif name in _MODULES:
        value = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
