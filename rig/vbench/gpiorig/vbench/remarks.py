"""The remarks of a virtual bench: what firmware did that the models do not cover, in the boards' log and in answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from gpiorig.capture.recording.recording import BenchRemark

LINE = re.compile(r"t=(?P<t_ps>\d+) ps board=(?P<board>\d+) pc=0x(?P<pc>[0-9a-f]{8}) times=(?P<times>\d+) (?P<what>.*)")
DEBUGGER = "0xffffffff"  # the PC of an access by a debug adapter (rig/vbench/vboards/src/bus.rs)


def of_log(log: str, nodes: Sequence[str]) -> tuple[BenchRemark, ...]:
    """The remarks in a log of the boards (rig/vbench/vboards/src/capi.rs); its numbers are the places of the nodes."""
    lines = [match for line in log.splitlines() if (match := LINE.fullmatch(line))]
    return tuple(
        BenchRemark(
            node=nodes[int(line["board"])],
            pc=f"0x{line['pc']}" if f"0x{line['pc']}" != DEBUGGER else "of the debug adapter",
            t_ps=int(line["t_ps"]),
            times=int(line["times"]),
            what=line["what"],
        )
        for line in lines
    )


def of_json(answer: dict[str, Any]) -> tuple[BenchRemark, ...]:
    """The remarks in an answer of a virtual bench."""
    return msgspec.convert(answer.get("remarks", ()), tuple[BenchRemark, ...])


def as_json(remarks: Sequence[BenchRemark]) -> dict[str, object]:
    """The answer with these remarks."""
    return {"remarks": msgspec.to_builtins(remarks)}
