"""A bench file in place of the template: what it lacks of what a study asks for, and the bench with these nodes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from gpiorig.rig.bench.bench import Bench
from gpiorig.studies.points import keys, templates
from gpiorig.studies.points.study_file import BenchAsked


def lacking(bench: Bench, asked: BenchAsked, *, what: str) -> list[str]:
    """What the study asks for and the bench does not have, a phrase each; empty for a study with a bench file."""
    if asked.file:
        return []
    phrases = []
    for name in asked.nodes:
        node = bench.nodes.get(name)
        board = templates.board_of(asked, name)
        if node is None:
            phrases.append(f"node {name} ({board})")
            continue
        if node.board_name != board:
            phrases.append(f"{board} as node {name}, which is a {node.board_name}")
            continue
        wanted = templates.wanted_lines(asked, name, what=what)
        if missing := [line for line in wanted if line not in node.lines]:
            phrases.append(f"line{'s' if len(missing) > 1 else ''} {', '.join(missing)} of node {name}")
    return phrases


def tree(bench: Bench, file: Path, nodes: Sequence[str]) -> dict[str, Any]:
    """The bench with these nodes only, as tables; images have complete paths."""
    content: dict[str, Any] = keys.given(msgspec.to_builtins(bench))
    content["nodes"] = {name: content["nodes"][name] for name in nodes}
    for node in content["nodes"].values():
        if "firmware" in node:
            node["firmware"] = str((file.parent / node["firmware"]).absolute())
    if "virtual" in content:
        content["virtual"] = _of_nodes(content["virtual"], bench, nodes)
    return content


def _of_nodes(virtual: dict[str, Any], bench: Bench, nodes: Sequence[str]) -> dict[str, Any]:
    """What is in `[virtual]` without the nodes that the study does not ask for."""
    gone = bench.nodes.keys() - set(nodes)
    virtual["nodes"] = {name: node for name, node in virtual["nodes"].items() if name not in gone}
    virtual["links"] = [link for link in virtual["links"] if not {link["from"], link["to"]} & gone]
    virtual["faults"] = [fault for fault in virtual["faults"] if fault.get("node") not in gone]
    for interferer in virtual["interferers"]:
        interferer["levels_dbm"] = {name: level for name, level in interferer["levels_dbm"].items() if name not in gone}
    return virtual
