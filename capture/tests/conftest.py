"""Fixtures and helpers of the capture tests; the helper modules lie beside this file."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # --import-mode=importlib leaves the test folder out
