"""The images of one's own firmware that the probe-effect meter compares: one for each kind of probes and node."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from gpiorig.analysis.probe_effect.effect import VARIANTS
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.errors import BenchError
from gpiorig.rig.experiments.probe_kinds import IMAGE_FORM

_IMAGE = re.compile(r"(?:([^.=]+)\.)?([^.=]+)=(.+)")


def read(options: Iterable[str], bench: Bench) -> dict[str, dict[str, Path]]:
    """Image of each node for each kind of probes that was given, in the order of `VARIANTS`.

    Raises
    ------
    BenchError
        A word does not have the form `IMAGE_FORM`, names no node or no kind of probes, or comes twice; a kind lacks the
        image of a node; or the bench has boards, which must be flashed.
    """
    images: dict[str, dict[str, Path]] = {}
    for option in options:
        nodes, variant, file = _parts(option, bench)
        for node in nodes:
            if node in images.setdefault(variant, {}):
                raise BenchError(f"--image {option}: node {node} has an image with {variant} probes; give one.")
            images[variant][node] = file
    if images and bench.virtual is None:
        raise BenchError("--image is for virtual benches. Flash each image onto the boards and record it with --only.")
    for variant, given in images.items():
        lacking = [node for node in bench.nodes if node not in given]
        if lacking:
            raise BenchError(
                f"no image with {variant} probes for {', '.join(lacking)}; give --image {lacking[0]}.{variant}=FILE, "
                f"or --image {variant}=FILE for all nodes."
            )
    return {variant: images[variant] for variant in VARIANTS if variant in images}


def _parts(word: str, bench: Bench) -> tuple[list[str], str, Path]:
    match = _IMAGE.fullmatch(word)
    if match is None:
        raise BenchError(
            f"--image {word}: use {IMAGE_FORM}, such as normal=app.elf or {next(iter(bench.nodes))}.off=app.elf."
        )
    node, variant, file = match.groups()
    if variant not in VARIANTS:
        raise BenchError(f"--image {word}: no kind of probes `{variant}`; valid: {', '.join(VARIANTS)}.")
    if node is not None and node not in bench.nodes:
        raise BenchError(f"--image {word}: the bench has no node `{node}`; it has {', '.join(bench.nodes)}.")
    return list(bench.nodes) if node is None else [node], variant, Path(file)
