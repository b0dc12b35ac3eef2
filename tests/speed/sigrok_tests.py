"""sigrok's own decoder tests under `gpiorig decode` and under sigrok-cli: equal output, and the processor time of each.

`python tests/speed/sigrok_tests.py SIGROK-TEST SIGROK-DUMPS [DECODER …]` takes checkouts of
https://github.com/sigrokproject/sigrok-test and sigrok-dumps, and prints what docs/evidence/decoders.md has.
Each test's stack and options are run on its .sr file, with -A of its highest decoder and sample numbers. A test that
sigrok-cli cannot run is compared with the output that sigrok-test expects, where it has one for all annotations.
"""

from __future__ import annotations

import argparse
import configparser
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONG_S = 0.3  # of sigrok-cli: tests that take longer are listed, and are what the mean is over
MORE = 2  # annotations that sigrok-test expects of its `initial_pin` before, and of newer decoders after all others
SHORT_S = 0.2  # what is below it shows how long each takes to start
EXPECTED = re.compile(r'(?P<span>\d+-\d+) (?P<decoder>\w+): [^:]+: "(?P<text>(?:[^"]|"(?! "))*)"')


@dataclass
class Case:
    """A test of sigrok-test."""

    decoder: str
    name: str
    file: str = ""
    stack: list[str] = field(default_factory=list)
    channels: dict[str, dict[str, int]] = field(default_factory=dict)
    options: dict[str, list[str]] = field(default_factory=dict)
    expected: str = ""

    def specification(self, names: Sequence[str]) -> str:
        """The -P, with the channels of a file."""
        texts = []
        for decoder in self.stack:
            wires = [f"{channel}={names[number]}" for channel, number in self.channels[decoder].items()]
            texts.append(":".join([decoder, *wires, *self.options[decoder]]))
        return ",".join(texts)


@dataclass(frozen=True)
class Run:
    """A program that ran."""

    status: int
    output: bytes
    errors: str
    cpu_s: float


@dataclass(frozen=True)
class Row:
    """A test in both programs; `verdict` is "" where the output is the same."""

    case: Case
    sigrok: Run
    ours: Run
    verdict: str

    @property
    def ratio(self) -> float:
        """How much faster ours is."""
        return self.sigrok.cpu_s / self.ours.cpu_s

    def times_s(self) -> tuple[float, float]:
        """The processor times of both."""
        return self.sigrok.cpu_s, self.ours.cpu_s


def cases(folder: Path) -> Iterator[Case]:
    """The tests of a decoder; the form of a test.conf is that of `decoder/pdtest`."""
    case = None
    for line in (folder / "test.conf").read_text().splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        match words:
            case ["test", name]:
                if case is not None:
                    yield case
                case = Case(folder.name, name)
            case ["protocol-decoder", decoder, *pairs] if case is not None:
                case.stack.append(decoder)
                given = list(zip(pairs[::2], pairs[1::2], strict=True))
                numbers = [text.split("=") for kind, text in given if kind == "channel"]
                case.channels[decoder] = {channel: int(number) for channel, number in numbers}
                case.options[decoder] = [text for kind, text in given if kind == "option"]
            case ["stack", *stack] if case is not None:
                case.stack = stack
            case ["input", file, *_] if case is not None:
                case.file = file
            case ["output", decoder, "annotation", "match", name] if case is not None and decoder == case.stack[-1]:
                case.expected = name
    if case is not None:
        yield case


def channel_names(path: Path) -> list[str]:
    """The names of a file's channels; as in sigrok, the number of one that has none."""
    metadata = configparser.ConfigParser(strict=False, interpolation=None)
    with zipfile.ZipFile(path) as archive:
        lines = archive.read("metadata").decode().splitlines()
    metadata.read_string("\n".join(line.strip() for line in lines))  # an indented line is a key of its own
    device = metadata["device 1"]
    return [device.get(f"probe{i + 1}", str(i)) for i in range(device.getint("total probes"))]


def run(command: Sequence[str | Path]) -> Run:
    """Run a program, with the processor time of all its threads."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        process = subprocess.Popen(command, stdout=output, stderr=errors, stdin=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        cpu_s = usage.ru_utime + usage.ru_stime
        return Run(process.returncode, output.read(), errors.read().decode(errors="replace"), cpu_s)


def compare(case: Case, tests: Path, dumps: Path) -> Row | None:
    """Run a test in both; None: its file is not there."""
    path = dumps / case.file
    if not path.is_file():
        return None
    show = ("-P", case.specification(channel_names(path)), "-A", case.stack[-1])
    sigrok = run(["sigrok-cli", "-i", path, *show, "--protocol-decoder-samplenum"])
    ours = run([ROOT / ".venv" / "bin" / "gpiorig", "decode", path, *show, "--samplenum"])
    if sigrok.status == 0:
        return Row(case, sigrok, ours, "" if sigrok.output == ours.output else "differs")
    if ours.status == 2:
        return Row(case, sigrok, ours, "refused by both, for a decoder, channel or option that is not installed")
    expected = tests / "decoder" / "test" / case.decoder / case.expected
    if not case.expected or not expected.is_file():
        return Row(case, sigrok, ours, "nothing to compare with")
    lines = [EXPECTED.match(line) for line in expected.read_text().splitlines()]
    texts = [f"{line['span']} {line['decoder']}-1: {line['text']}" for line in lines if line]
    printed = ours.output.decode().splitlines()
    missing = Counter(texts) - Counter(printed)
    if missing.total() <= MORE and not Counter(printed) - Counter(texts):
        given = set(printed)
        order = "" if [text for text in texts if text in given] == printed else ", in another order"
        but = f", but for {missing.total()} of its annotations" if missing else ""
        return Row(case, sigrok, ours, f"as sigrok-test expects{but}{order}")
    return Row(case, sigrok, ours, "not as sigrok-test expects")


def mean(rows: Sequence[Row]) -> float:
    """The geometric mean of the ratios."""
    return math.exp(math.fsum(math.log(row.ratio) for row in rows) / len(rows)) if rows else math.nan


def results(rows: Sequence[Row], absent: Sequence[Case]) -> Iterator[str]:
    """The results, in Markdown."""
    ran = [row for row in rows if row.sigrok.status == 0]
    failed = [row for row in rows if row.sigrok.status]
    equal = sum(not row.verdict for row in ran)
    yield f"{len(rows) + len(absent)} tests; {len(absent)} of them on files that are not there."
    yield f"{equal} of {len(ran)} that sigrok-cli runs are equal byte for byte."
    for row in ran:
        if row.verdict:
            yield f"- {row.case.decoder} {row.case.name}: {row.verdict}; {row.ours.errors.strip()[-300:]}"
    yield f"sigrok-cli ends with an error in {len(failed)}:"
    for verdict in dict.fromkeys(row.verdict for row in failed):
        names = [
            f"{row.case.decoder} {row.case.name} ({row.sigrok.status})" for row in failed if row.verdict == verdict
        ]
        yield f"- {verdict}: {len(names)}: {', '.join(names)}"
    sigrok_s, ours_s = math.fsum(row.sigrok.cpu_s for row in ran), math.fsum(row.ours.cpu_s for row in ran)
    yield f"All: {sigrok_s:.1f} CPU s by sigrok-cli, {ours_s:.1f} by gpiorig."
    short = [row for row in ran if row.sigrok.cpu_s < SHORT_S]
    if short:
        middle = [
            statistics.median(times) for times in ([r.sigrok.cpu_s for r in short], [r.ours.cpu_s for r in short])
        ]
        yield f"Median of {len(short)} tests below {SHORT_S} s: {middle[0]:.3f} and {middle[1]:.3f} s."
    listed = sorted((row for row in ran if row.sigrok.cpu_s > LONG_S), key=lambda row: row.ratio)
    yield f"{len(listed)} tests above {LONG_S} s: geometric mean {mean(listed):.2f}."
    yield "| decoder, test | sigrok-cli, s | gpiorig, s | ratio |"
    yield "| -- | --: | --: | --: |"
    for row in listed:
        name = f"{row.case.decoder} {row.case.name}"
        yield f"| {name} | {row.sigrok.cpu_s:.2f} | {row.ours.cpu_s:.2f} | {row.ratio:.2f} |"


def main() -> None:
    """Compare, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", type=Path, metavar="SIGROK-TEST")
    parser.add_argument("dumps", type=Path, metavar="SIGROK-DUMPS")
    parser.add_argument("decoders", nargs="*", metavar="DECODER")
    options = parser.parse_args()
    rows, absent = [], []
    for folder in sorted((options.tests / "decoder" / "test").iterdir()):
        if not (folder / "test.conf").is_file() or (options.decoders and folder.name not in options.decoders):
            continue
        for case in cases(folder):
            row = compare(case, options.tests, options.dumps)
            print(f"\r{case.decoder} {case.name}", end="\x1b[K", file=sys.stderr, flush=True)
            if row is None:
                absent.append(case)
                continue
            rows.append(row)
            if row.verdict:
                print(f"{case.decoder} {case.name}: {row.verdict}", file=sys.stderr)
    print("\n".join(results(rows, absent)))


if __name__ == "__main__":
    main()
