"""A bench: which analyzers, which nodes, which channel is which line of which node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from gpiorig.rig.bench import flashing
from gpiorig.rig.bench.analyzer import Analyzer
from gpiorig.rig.bench.boards import Board
from gpiorig.rig.bench.consoles import Console
from gpiorig.rig.bench.node import Node

# The channels of libsigrok's `beaglelogic` driver, in its order (libsigrok 0.5.2, src/hardware/beaglelogic/api.c).
BEAGLELOGIC_CHANNELS = (
    *("P8_45", "P8_46", "P8_43", "P8_44", "P8_41", "P8_42", "P8_39", "P8_40"),
    *("P8_27", "P8_29", "P8_28", "P8_30", "P8_21", "P8_20"),
)


class Bench(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A complete bench.

    Attributes
    ----------
    boards
        Descriptions of boards by the name that nodes give them: those of files, in a recording.
    virtual
        On a virtual bench only: the table that gpiorig-vbench reads and completes.
    simulated
        It is of a virtual bench that is served, and used as if it were of boards; what is recorded is marked.
    """

    name: str
    analyzers: dict[str, Analyzer]
    nodes: dict[str, Node]
    boards: dict[str, Board] | None = None
    virtual: dict[str, Any] | None = None
    simulated: bool | msgspec.UnsetType = msgspec.UNSET  # unset, it is not part of what names a study's points

    @property
    def states_virtual(self) -> bool:
        """Whether its file states that its boards are virtual.

        OpenOCD's `remote_bitbang` is such a statement: the driver for processors that are simulated (its manual).
        """
        ends = (flashing.debug_end(node.debug) for node in self.nodes.values() if node.debug)
        return self.virtual is not None or bool(self.simulated) or any(end.kind == "remote_bitbang" for end in ends)

    def is_virtual(self, answers: Mapping[str, bool | None]) -> bool | None:
        """Whether its boards are virtual, by its file and by what the nodes have answered; None: that is not known."""
        if self.states_virtual or True in answers.values():
            return True
        return False if all(answers.get(name) is False for name in self.nodes) else None

    @property
    def described_consoles(self) -> dict[str, Console | None]:
        """The console that is named for each node; None: it identifies itself."""
        return {name: node.described_console for name, node in self.nodes.items()}

    def place(self, channel: str) -> tuple[str, str]:
        """The analyzer and its channel that the file means: `la:P8_45`, or `P8_45` where there is one analyzer.

        Raises
        ------
        ValueError
            The bench has no such channel.
        """
        analyzer, colon, name = channel.partition(":")
        if not colon:
            analyzer, name = next(iter(self.analyzers)), channel
            if len(self.analyzers) > 1:
                raise ValueError(f"channel `{channel}` of which analyzer? Write {analyzer}:{channel}.")
        if analyzer not in self.analyzers:
            raise ValueError(f"channel `{channel}`: there is no analyzer `{analyzer}`.")
        return analyzer, name

    def settle_ns(self, node: str) -> int:
        """How long after a strobe edge the data lines of a node are read in a merged recording.

        It is a sample of its analyzer, rounded down, so that it is one sample where that analyzer is the reference; 0
        where there is one analyzer.
        """
        channel = self.nodes[node].lines.get("strobe")
        if channel is None or len(self.analyzers) == 1:
            return 0
        return 1_000_000_000 // self.analyzers[self.place(channel)[0]].samplerate_hz
