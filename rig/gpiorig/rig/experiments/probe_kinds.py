"""The kinds of probes that firmware is built with."""

from typing import Literal

Probes = Literal["normal", "empty", "doubled", "off"]
