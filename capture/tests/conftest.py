"""Fixtures and helpers of the capture tests; the helper modules are next to this file."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # --import-mode=importlib leaves the test folder out

settings.register_profile("untimed", deadline=None)  # no timed assertions: the machine may be busy
settings.load_profile("untimed")
