"""What `[virtual.timing]` can change of the timing model of a Cortex-M, and how far silicon may be from the model."""

from __future__ import annotations

from importlib import resources
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from gpiorig.rig.bench import boards

Cycles = Annotated[int, Meta(ge=0, le=20)]


class Range(NamedTuple):
    """A number of the model, in cycles, and what it may be on silicon."""

    model: Cycles
    lowest: Cycles
    highest: Cycles


class Parameter(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number of the timing model.

    Attributes
    ----------
    cortex_m3, cortex_m4
        On the STM32F103 and on the STM32L476, as the reference firmware sets them up.
    nrf52840
        On that chip, where it is not as on the STM32L476.
    reason
        Where the number and its range come from.
    """

    cortex_m3: Range
    cortex_m4: Range
    reason: str
    nrf52840: Range | None = None


# Every parameter by its name in `[virtual.timing]`.
PARAMETERS = msgspec.toml.decode(
    resources.files(__package__).joinpath("timing.toml").read_bytes(), type=dict[str, Parameter]
)
# The machines with such a model, and the field of `Parameter` that is theirs.
CORES = {
    "iotlab-m3": "cortex_m3",
    "nrf52840dk": "nrf52840",
    "nucleo-l476rg": "cortex_m4",
}


def of(board: str) -> dict[str, Range]:
    """Every parameter of a board; none of a board without such a model."""
    if (core := CORES.get(boards.load(board).machine)) is None:
        return {}
    return {name: getattr(parameter, core) or parameter.cortex_m4 for name, parameter in PARAMETERS.items()}
