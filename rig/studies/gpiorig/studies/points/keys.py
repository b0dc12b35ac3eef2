"""Keys of a study file, a dot between their parts: ``settings.payload``, ``nodes.n*.start``, ``bench.template``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

BENCH, IMAGE, NODES, BOARDS = "bench", "image", "nodes", "boards"
ANY = "*"


def matching(pattern: str, nodes: Iterable[str]) -> list[str]:
    """The nodes of a name with ``*``; of a name without one, that name, whether there is such a node or not."""
    return [node for node in nodes if fnmatchcase(node, pattern)] if ANY in pattern else [pattern]


def spread(key: str, nodes: Iterable[str]) -> list[str]:
    """The keys that a key with the pattern of a node stands for, one for each node."""
    parts = key.split(".")
    place = node_part(parts)
    if place is None:
        return [key]
    return [".".join([*parts[:place], node, *parts[place + 1 :]]) for node in matching(parts[place], nodes)]


def node_part(parts: list[str]) -> int | None:
    """Place of the part that names nodes; None in a key that names none, as in ``bench.nodes``."""
    for place, table in enumerate(parts[:-1]):
        if table in (IMAGE, BOARDS) or (table == NODES and place + 2 < len(parts)):
            return place + 1
    return None


def put(tree: dict[str, Any], key: str, value: Any) -> None:
    """Set a key in a tree of tables; tables on the way are made."""
    *tables, last = key.split(".")
    for name in tables:
        tree = tree.setdefault(name, {})
    tree[last] = value


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Two trees of tables; where both have a value, the second one's. The second one's tables are copied."""
    tree = dict(base)
    for key, value in over.items():
        old = tree.get(key)
        tree[key] = merged(old if isinstance(old, Mapping) else {}, value) if isinstance(value, Mapping) else value
    return tree


def given(tree: Any) -> Any:
    """A tree without the keys that have no value, which TOML cannot have."""
    if isinstance(tree, dict):
        return {key: given(value) for key, value in tree.items() if value is not None}
    return [given(value) for value in tree] if isinstance(tree, list) else tree
