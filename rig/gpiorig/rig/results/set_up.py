"""What a recording was made with, in parts that can be compared, and which recordings repeat the same set-up."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from gpiorig.capture import toml_text
from gpiorig.capture.recording.description import RecordingInfo
from gpiorig.rig.experiments import limits

# Parameters that describe how to judge a run, and do nothing in it.
JUDGING = (limits.ASSERT, limits.THRESHOLDS, limits.QUANTITIES)
_SEED = re.compile(r".*[ .]seed")  # a setting, or a key of the bench file: another one in each repeat
_PORT = re.compile(r"(conn=tcp-raw/[^/,]+)/\d+")  # the number of a port is another one each time that a bench is served
_NAMES = ("bench name",)
_DIGITS = 12  # of a sha256, which distinguish images


def of(info: RecordingInfo) -> dict[str, str]:
    """What it was made with, by name, in the order to print: experiment, settings, firmware, bench, programs."""
    settings = {f"setting {key}": str(value) for key, value in info.parameters.items() if key not in JUDGING}
    images = {node: image.flags for node, image in (info.origin.images.items() if info.origin else ())}
    firmware = {
        f"firmware of {node}": f"{digest[:_DIGITS]}{f', {images[node]}' if images.get(node) else ''}"
        for node, digest in info.firmware.items()
    }
    return {
        "experiment": info.experiment or "none",
        **settings,
        **firmware,
        "analyzer": _PORT.sub(r"\1", info.analyzer),
        "samplerate": f"{float(info.samplerate_hz) / 1e6:g} MHz",
        **{f"bench {key}": text for key, text in _bench(info.bench)},
        **{f"version of {tool}": version for tool, version in info.tools.items()},
    }


def digest(info: RecordingInfo) -> str:
    """Equal for recordings that repeat a set-up: all of `of` but seeds, versions of programs and the bench's name.

    Empty without an experiment: what such a recording was made with is not known.
    """
    if not info.experiment:
        return ""
    firmware = "".join(f"{node} {sha256}\n" for node, sha256 in sorted(info.firmware.items()))
    items = [f"{key} = {text}\n" for key, text in sorted(of(info).items()) if not _differs(key)]
    return hashlib.sha256("".join([firmware, *items]).encode()).hexdigest()


def _differs(key: str) -> bool:
    """Whether repeats may differ in it."""
    return key in _NAMES or bool(_SEED.fullmatch(key)) or key.startswith("version of ")


def _bench(text: str) -> Iterator[tuple[str, str]]:
    """The keys of a bench file with their values, in its order; its text where it is not TOML."""
    try:
        yield from _flat(toml_text.decode(text))
    except (ValueError, RecursionError):
        yield "file", text


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, str(value)
