"""FlockLab's `gpioactuation.csv`: what observers did to the pins of the nodes.

    timestamp_planned,timestamp_executed,observer_id,node_id,pin_name,value

Each row is a change; it happened at the time at which it was executed. The header may begin with "# ".
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.formats.csv import read_table
from gpiorig.capture.formats.flocklab_gpio import pins_layout
from gpiorig.capture.text.table_parser import KEY, LEVEL, TIME, Before

SUMMARY = "FlockLab GPIO actuation"
SUFFIXES = (".csv",)
HEADER = re.compile(
    rb"^(# ?)?timestamp_planned,timestamp_executed,(observer_id,)?node_id,pin_name,value\s*(,|$)", re.I | re.M
)
ROLES = {"timestamp_executed": TIME, "node_id": KEY, "pin_name": KEY, "value": LEVEL}


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read what was done, at the times at which it was; a channel is named NODE.PIN."""
    layout = pins_layout(path, HEADER, ROLES, remedy="without one: --columns time=2,node=4,channel=5,level=6")
    layout = replace(layout, before=Before.OPPOSITE)
    return read_table(path, layout, options, source=f"FlockLab GPIO actuation {path.name}, at the executed times")
