"""The kinds of probes that firmware is built with."""

from typing import Literal

Probes = Literal["normal", "empty", "doubled", "off"]
IMAGE_FORM = "[NODE.]PROBES=FILE"  # of an image with such probes on a command line
