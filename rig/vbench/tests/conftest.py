"""The image that the boards run."""

from __future__ import annotations

from virtualbench import tick

__all__ = ["tick"]
