"""What boards draw, by their files; the readers of traces are apart, since numbers of points do not depend on them."""

from __future__ import annotations

from gpiorig.analysis.energy.node_energy import Current, Supply
from gpiorig.rig.bench.boards import Board


def supply(board: Board) -> Supply | None:
    """What a board draws by its file and that of its radio; None where one of them does not state it."""
    currents: dict[str, Current] = {
        str(state): Current(current.amperes, current.uncertainty, current.source)
        for part in (board.currents, board.radio.currents)
        for state, current in part.items()
    }
    return Supply(board.supply_v, currents) if board.currents and board.radio.currents else None
