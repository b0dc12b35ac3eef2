"""A bench as the text of its file."""

from __future__ import annotations

from typing import Any

import msgspec
import tomli_w

from gpiorig.rig.bench.bench import Bench


def text(bench: Bench) -> str:
    """The file of a real bench, without the keys that have their default."""
    return tomli_w.dumps(_given(bench))


def _given(value: Any) -> Any:
    """Structures as tables, without their defaults."""
    if isinstance(value, dict):
        return {key: _given(inner) for key, inner in value.items()}
    if not isinstance(value, msgspec.Struct):
        return value
    fields = [(field, getattr(value, field.name)) for field in msgspec.structs.fields(value)]
    return {
        field.encode_name: _given(inner)
        for field, inner in fields
        if field.required or inner not in (None, field.default, {})
    }
