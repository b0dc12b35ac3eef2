"""What a decode is given: the decoders that there are, stacks at the baud rates of a bench, the outputs to keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from gpiorig.analysis.decoderhost.library import Library, search_path
from gpiorig.analysis.decoderhost.outputs import OutputKind, Selection
from gpiorig.analysis.decoderhost.stack import Stack
from gpiorig.rig import resources

if TYPE_CHECKING:
    from gpiorig.rig.bench.bench import Bench

TABLE_KINDS = (OutputKind.ANNOTATION, OutputKind.BINARY, OutputKind.META)  # in a table of which no output is named


def library() -> Library:
    """The decoders that there are. Ours are the last: what sigrok-cli finds comes first."""
    return Library((*search_path(), resources.decoders()))


def specifications(given: Iterable[str], bench: Bench | None) -> tuple[list[str], list[str]]:
    """The stacks, with the baud rates that the bench gives; and what was added, or is doubted, as text."""
    if bench is None:
        return list(given), []

    from gpiorig.rig.export import decoder_stacks

    completed = [decoder_stacks.at_boards_rate(text, bench) for text in given]
    return [text for text, _ in completed], list(dict.fromkeys(note for _, note in completed if note))


def selection(
    stacks: Sequence[Stack], asked: Mapping[OutputKind, str | None], *, usual: Sequence[OutputKind]
) -> Selection:
    """The outputs that are asked for; where none but objects of Python are, all of the `usual` kinds, too."""
    selected = Selection()
    if not any(text for kind, text in asked.items() if kind is not OutputKind.PYTHON):
        selected = Selection.everything(stacks, *usual)
    for kind, text in asked.items():
        if text:
            selected.add(kind, text, stacks)
    return selected
