"""The schemas of what commands print with `--json`, from the structures that they print."""

from __future__ import annotations

import importlib
import json
import pkgutil
from functools import cache
from typing import Any

import msgspec

from gpiorig.rig import cli
from gpiorig.rig.arguments import COMMANDS
from gpiorig.rig.plain_json import Failed

FOLDER = "docs/reference/json"


@cache
def results() -> dict[str, tuple[Any, ...]]:
    """The structures that a command may print, by its verbs, such as ``bench-check``: `RESULTS` of the modules."""
    collected: dict[str, tuple[Any, ...]] = {}
    for package in {cli.module("commands", command).__package__ for command in COMMANDS}:
        for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
            collected |= getattr(importlib.import_module(module.name), "RESULTS", {})
    return dict(sorted(collected.items()))


def schema(name: str) -> str:
    """The JSON Schema of a command's object, as the text of a file."""
    references, definitions = msgspec.json.schema_components((*results()[name], Failed), ref_template="#/$defs/{name}")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"gpiorig {name.replace('-', ' ')} --json",
        "anyOf": list(references),
        "$defs": definitions,
    }
    return json.dumps(head, indent=1, ensure_ascii=False) + "\n"
