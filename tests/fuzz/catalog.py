"""All targets, by name."""

from __future__ import annotations

from . import decoders, inside, readers
from .readers import Target

TARGETS: dict[str, Target] = {
    target.name: target for module in (readers, inside, decoders) for target in module.targets()
}
