"""What aligns the analyzers of a bench: a sync line, or a radio receiver on each (docs/reference/sync-line.md)."""

from __future__ import annotations

from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.finding import Finding


def findings(bench: Bench) -> list[Finding]:
    """Analyzers that cannot be aligned with the others."""
    if len(bench.analyzers) == 1:
        return []
    if not any(analyzer.sync_frames for analyzer in bench.analyzers.values()):
        problem = "has no `sync`, which a run with several analyzers needs (docs/reference/sync-line.md)"
        unsynced = [name for name, analyzer in bench.analyzers.items() if not analyzer.sync]
        return [Finding(f"analyzers.{name}", "wrong", problem) for name in unsynced]
    wrong = {name: _receiver_fault(bench, name) for name in bench.analyzers}
    return [Finding(f"analyzers.{name}", "wrong", problem) for name, problem in wrong.items() if problem]


def receivers(bench: Bench) -> dict[str, str] | None:
    """For each analyzer the line of a receiver, as `node.line`; None for a bench with a sync line, or one analyzer."""
    lines = {name: analyzer.sync_frames or "" for name, analyzer in bench.analyzers.items()}
    return lines if len(lines) > 1 and any(lines.values()) else None


def _receiver_fault(bench: Bench, name: str) -> str:
    analyzer = bench.analyzers[name]
    if analyzer.sync:
        return "has `sync`, and others have `sync_frames`; all analyzers of a bench need the same"
    if not analyzer.sync_frames:
        return "has no `sync_frames`, and others have; name the line of a radio receiver that is on it"
    node, _, line = analyzer.sync_frames.partition(".")
    channel = bench.nodes[node].lines.get(line) if node in bench.nodes else None
    if channel is None or bench.place(channel)[0] != name:
        taps = [
            f"{node}.{line}"
            for node, described in bench.nodes.items()
            for line, channel in described.lines.items()
            if line.startswith("tap.") and bench.place(channel)[0] == name
        ]
        return f"has no line `{analyzer.sync_frames}`; its taps: {', '.join(taps) or 'none'}"
    return ""
