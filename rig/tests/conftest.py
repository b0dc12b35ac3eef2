"""The image that tests flash."""

from __future__ import annotations

from virtualbench import tick

__all__ = ["tick"]
