"""The names of `gpiorig`: those that are promised are there, and importing them costs little."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version

import pytest

import gpiorig
from gpiorig.analysis.errors import AnalysisError
from gpiorig.capture.errors import CaptureError
from gpiorig.rig.errors import RigError

IMPORTED = """
import json, sys
import gpiorig
print(json.dumps(sorted(name for name in sys.modules if name.partition(".")[0] not in sys.stdlib_module_names)))
"""


def test_every_name_is_there() -> None:
    """What `__all__` has is imported when it is asked for, and `dir` lists it; nothing else is invented."""
    assert [] == [name for name in gpiorig.__all__ if getattr(gpiorig, name, None) is None]
    assert set(gpiorig.__all__) <= set(dir(gpiorig))
    assert version("gpiorig") == gpiorig.__version__
    with pytest.raises(AttributeError, match="module 'gpiorig' has no attribute 'nosuch'"):
        _ = gpiorig.nosuch  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", [AnalysisError, CaptureError, RigError, gpiorig.WaitTimeout])
def test_one_class_is_the_base_of_all_errors(kind: type[Exception]) -> None:
    """Of those of each component, and of a time that is over, which is also Python's own."""
    assert issubclass(kind, gpiorig.Error)
    assert issubclass(gpiorig.WaitTimeout, TimeoutError)


def test_the_import_brings_nothing_else() -> None:
    """Neither numpy nor a module of gpiorig: a name brings what it needs."""
    scripts = (IMPORTED, IMPORTED.replace("import gpiorig\n", ""))
    printed = [subprocess.run([sys.executable, "-c", script], capture_output=True, check=True) for script in scripts]
    imported, before = (set(json.loads(done.stdout)) for done in printed)
    assert {"gpiorig"} == imported - before
