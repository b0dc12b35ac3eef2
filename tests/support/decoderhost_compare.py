"""The same decoders on the same capture under sigrok-cli and under our host.

By hand, over all installed decoders: `.venv/bin/python tests/support/decoderhost_compare.py [--seeds 3] [DECODER …]`.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from gpiorig.analysis.decoderhost.host import Outcome, decode
from gpiorig.analysis.decoderhost.library import Kind, Library, search_path
from gpiorig.analysis.decoderhost.outputs import Output, OutputKind, Selection, annotation_line, meta_line
from gpiorig.analysis.decoderhost.stack import LOGIC, parse_stacks
from gpiorig.capture.edges.edges import Edges, no_gaps
from gpiorig.capture.edges.waveform import Waveform, waveform_of
from gpiorig.capture.formats.sr import write_sr

HERE = Path(__file__).parents[1]
OURS = HERE.parent / "decoders"
FOR_TESTS = HERE / "decoders-for-tests"
ADDRESS = re.compile(r"\b0x[0-9a-f]{8,}\b")


def decoder_folder(folder: Path) -> Path:
    """Put our decoders and the recorder into one folder, for SIGROKDECODE_DIR."""
    for source in (*OURS.iterdir(), *FOR_TESTS.iterdir()):
        (folder / source.name).symlink_to(source)
    return folder


def library(folder: Path) -> Library:
    """Our host's library of the same decoders; the recorder takes anything."""
    loaded = Library(search_path({**os.environ, "SIGROKDECODE_DIR": str(folder)}))
    outputs = {name for kind in loadable(loaded) for name in kind.outputs}
    loaded._kinds["recorder"] = dataclasses.replace(loaded.load("recorder"), inputs=tuple(outputs))
    return loaded


def loadable(host: Library) -> list[Kind]:
    """All decoders that are there."""
    return [host.load(name) for name in host.ids() if name != "recorder"]


def chain(kind: Kind, kinds: Sequence[Kind], *, stacked: bool = False) -> list[Kind]:
    """The decoders that a decoder needs below it, the lowest first, and itself; `stacked`: if it can do without any."""
    if LOGIC in kind.inputs and not (stacked and len(kind.inputs) > 1):
        return [kind]
    for below in kinds:
        if set(below.outputs) & set(kind.inputs) and not set(below.outputs) & set(below.inputs):
            return [*chain(below, kinds), kind]
    raise LookupError(f"nothing gives {kind.inputs} to {kind.id}")


def random_edges(rng: random.Random, channels: int, samples: int, *, samplerate_hz: int = 1_000_000) -> Edges:
    """Long intervals, bursts at sample resolution, clocks, single and simultaneous edges."""
    at, level = 0, rng.getrandbits(channels)
    rows = [(at, level)]
    while True:
        style = rng.choice(("single", "any", "clock", "burst", "serial"))
        lines = rng.sample(range(channels), min(channels, rng.randint(1, 4)))
        hold = rng.choice((1, 2, 5, 9, 40, 104))
        for _ in range(rng.randint(1, 60)):
            match style:
                case "single":
                    level ^= 1 << rng.randrange(channels)
                case "any":
                    level = rng.getrandbits(channels)
                case "clock":
                    level ^= 1 << lines[0]
                    if rng.random() < 0.4:
                        level ^= 1 << rng.choice(lines)
                case "burst":
                    level ^= rng.getrandbits(channels) & rng.getrandbits(channels)
                case "serial":
                    level ^= (rng.random() < 0.5) << lines[0]
            at += 1 if style == "burst" else hold + (rng.randint(0, hold // 8) if hold > 8 else 0)
            rows.append((at, level))
        at += rng.choice((0, 1, 3, 50, 700, 3000))
        if at >= samples:
            break
    table = [row for i, row in enumerate(rows) if i == 0 or row[1] != rows[i - 1][1]]
    table = [row for row in table if row[0] < samples]
    return Edges(
        samples=np.array([row[0] for row in table], dtype=np.int64),
        levels=np.array([row[1] for row in table], dtype=np.uint64),
        samplerate_hz=Fraction(samplerate_hz),
        channels=tuple(f"D{i}" for i in range(channels)),
        start=0,
        end=samples,
        gaps=no_gaps(),
    )


def specification(kinds: Sequence[Kind], rng: random.Random) -> str:
    """A -P of these decoders: all channels or some, options at random where they list the choices."""
    lowest = kinds[0]
    share = rng.choice((0.6, 1))
    names = [name for i, name in enumerate(lowest.channels) if i < lowest.required or rng.random() < share]
    if not names:
        names = list(lowest.channels)
    wires = [f"{name}=D{i}" for i, name in enumerate(names)]
    texts = []
    for kind in kinds:
        options = [
            f"{name}={rng.choice(values)}"
            for name, values in kind.values.items()
            if rng.random() < 0.3 and not re.search("[:,=]", "".join(map(str, values)))
        ]
        texts.append(":".join([kind.id, *(wires if kind is lowest else ()), *options]))
    return ",".join(texts)


class Lines:
    """What sigrok-cli would print."""

    def __init__(self) -> None:
        self.annotations: list[str] = []
        self.metas: list[str] = []
        self.bytes = b""

    def annotation(self, output: Output, start: int, end: int, number: int, texts: list[str]) -> None:
        self.annotations.append(annotation_line(output, start, end, texts, samplenum=True))

    def python(self, output: Output, start: int, end: int, data: Any) -> None:
        raise AssertionError

    def binary(self, output: Output, start: int, end: int, number: int, data: bytes) -> None:
        self.bytes += data

    def meta(self, output: Output, start: int, end: int, value: int | float) -> None:
        self.metas.append(meta_line(output, start, end, value, samplenum=True))


def by_host(waveform: Waveform, specifications: Sequence[str], host: Library) -> tuple[Lines, Outcome]:
    """What our host gives."""
    stacks = parse_stacks(specifications, host, waveform.channels)
    kinds = (OutputKind.ANNOTATION, OutputKind.BINARY, OutputKind.META)
    lines = Lines()
    outcome = decode(waveform, stacks, selection=Selection.everything(stacks, *kinds), sink=lines)
    return lines, outcome


def by_sigrok(
    path: Path, specifications: Sequence[str], *show: str, folder: Path, timeout: float = 120
) -> subprocess.CompletedProcess[bytes]:
    """What sigrok-cli gives."""
    stacks = [word for text in specifications for word in ("-P", text)]
    return subprocess.run(
        ["sigrok-cli", "-i", path, *stacks, *show, "--protocol-decoder-samplenum"],
        capture_output=True,
        env=os.environ | {"SIGROKDECODE_DIR": str(folder)},
        timeout=timeout,
        check=False,
    )


def plain(text: str) -> list[str]:
    """Lines without addresses of objects."""
    return ADDRESS.sub("0x", text).split("\n")


@dataclasses.dataclass
class Comparison:
    """How one decoder came off.

    Attributes
    ----------
    specification
        The -P.
    lines
        Annotations compared, those of the recorder (OUTPUT_PYTHON) among them.
    differs
        What differs, or "".
    sigrok_s, host_s
        Time taken.
    failed
        A decoder raised; in both.
    """

    specification: str
    lines: int = 0
    differs: str = ""
    sigrok_s: float = 0.0
    host_s: float = 0.0
    failed: bool = False


def compare(edges: Edges, text: str, host: Library, folder: Path, work: Path, *, everything: bool = True) -> Comparison:
    """Write a capture to a folder and compare."""
    path = work / "random.sr"
    write_sr(path, edges)
    return compare_file(path, edges, text, host, folder, everything=everything)


def compare_file(
    path: Path, edges: Edges, text: str, host: Library, folder: Path, *, everything: bool = True
) -> Comparison:
    """Run one stack, with the recorder on top, in both and compare annotations, objects, bytes and values."""
    done = Comparison(text)
    ids = [part.partition(":")[0] for part in text.split(",")]
    stack = f"{text},recorder" if any(host.load(ids[-1]).outputs) else text
    shown = [name for name in dict.fromkeys([*ids, "recorder"]) if host.load(name).annotations and name in stack]
    begin = time.perf_counter()
    reference = by_sigrok(path, [stack], "-A", ",".join(shown), folder=folder)
    middle = time.perf_counter()
    lines, outcome = by_host(waveform_of(edges), [stack], host)
    done.sigrok_s, done.host_s = middle - begin, time.perf_counter() - middle
    expected = plain(reference.stdout.decode())[:-1]
    got = plain("\n".join(lines.annotations)) if lines.annotations else []
    done.lines, done.failed = len(expected), outcome.failed > 0
    if expected != got:
        pairs = zip([*expected, "END"], [*got, "END"], strict=False)
        first = next(i for i, pair in enumerate(pairs) if pair[0] != pair[1])
        done.differs = f"line {first}: {[*expected, 'END'][first][:200]} | {[*got, 'END'][first][:200]}"
    elif everything:
        for name in dict.fromkeys(ids):
            kind = host.load(name)
            if kind.binaries and len(name) >= 3:
                theirs_bytes = by_sigrok(path, [text], "-B", name, folder=folder).stdout
                if theirs_bytes != by_host_of(edges, text, host, name).bytes:
                    done.differs = f"bytes of {name}"
            metas = by_sigrok(path, [text], "-M", name, folder=folder).stdout.decode().splitlines()
            if len(name) >= 3 and metas != by_host_of(edges, text, host, name).metas:
                done.differs = f"values of {name}"
    raised = b"Traceback" in reference.stderr
    if not done.differs and raised != any(one.trace for one in outcome.failures):
        done.differs = f"raised: {reference.stderr[-200:].decode()!r} | {outcome.failures[:1]}"
    return done


def by_host_of(edges: Edges, text: str, host: Library, name: str) -> Lines:
    """Bytes and values of one decoder."""
    stacks = parse_stacks([text], host, edges.channels)
    lines = Lines()
    wanted = Selection({OutputKind.BINARY: {name: None}, OutputKind.META: {name: None}})
    decode(waveform_of(edges), stacks, selection=wanted, sink=lines)
    return lines


def main() -> None:
    """Compare and print a table."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("decoders", nargs="*", metavar="DECODER")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--samples", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "decoders"
        folder.mkdir()
        host = library(decoder_folder(folder))
        kinds = loadable(host)
        for kind in kinds:
            if options.decoders and kind.id not in options.decoders:
                continue
            for seed in range(options.seeds):
                rng = random.Random(f"{kind.id} {seed}")
                text = specification(chain(kind, kinds, stacked=bool(seed % 2)), rng)
                channels = max(2, text.partition(",")[0].count("=D"))
                rate = rng.choice((1_000_000, 24_000_000))
                edges = random_edges(rng, channels, options.samples, samplerate_hz=rate)
                try:
                    done = compare(edges, text, host, folder, Path(name))
                except subprocess.TimeoutExpired:
                    print(f"{kind.id:20} seed {seed}: sigrok-cli does not end: {text}", flush=True)
                    continue
                verdict = f"DIFFERS {done.differs}" if done.differs else "equal"
                print(
                    f"{kind.id:20} {seed} {done.lines:7} lines, sigrok {done.sigrok_s:6.2f} s, our {done.host_s:6.2f} s"
                    f"{', raises' if done.failed else ''}: {verdict}{'  ' + text if done.differs else ''}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
