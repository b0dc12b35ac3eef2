"""What a planned bench is bought from."""

from __future__ import annotations

from collections import Counter

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.planning.models import Model
from gpiorig.rig.planning.request import Request


def parts(request: Request, bench: Bench, model: Model) -> dict[str, int]:
    """The number of each part: boards, analyzers, leads, resistors (hardware-bom.md has what they are ordered as)."""
    leads = sum(len(node.lines) for node in bench.nodes.values())
    ids = f", lsusb {' or '.join(model.usb_ids)}" if model.usb_ids else ""
    counts = Counter(board.name for board in request.boards.values())
    counts[f"{model.title}{ids}"] = len(bench.analyzers)
    counts["lead for a line, with 330 Ω"] = leads
    counts["lead for ground"] = len(bench.nodes)
    counts["10 kΩ, strobe to ground"] = sum(node.has_bus for node in bench.nodes.values())
    if syncs := sum(bool(analyzer.sync) for analyzer in bench.analyzers.values()):
        counts["board that makes the sync line"] = 1
        counts["lead for the sync line, with 1 kΩ"] = syncs
    return {part: count for part, count in counts.items() if count}
