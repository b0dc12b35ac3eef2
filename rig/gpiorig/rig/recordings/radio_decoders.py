"""The sigrok decoders of radios, by name; nothing here is slow to import."""

from __future__ import annotations

from gpiorig.analysis.decoderhost.library import Kind, Library, search_path
from gpiorig.rig import resources
from gpiorig.rig.errors import RigError


def load(chip: str) -> Kind:
    """The decoder of a radio: one of ours, or one where sigrok looks for them.

    Raises
    ------
    RigError
        None of this name gives frames of an SPI bus; the message has ours that do.
    """
    ours = resources.decoders()
    library = Library((ours, *search_path()))
    if chip in library.ids() and (decoder := library.load(chip)).is_radio:
        return decoder
    radios = [name for name in Library((ours,)).ids() if library.load(name).is_radio]
    raise RigError(f"no decoder of a radio is named {chip}; available: {', '.join(radios)}.")
