"""Each fault of a virtual bench, and which command names it: writes docs/evidence/bench-faults.md.

PYTHONPATH=tests/support:tools .venv/bin/python tests/studies/bench_faults.py [KIND ...]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import directbench
import msgspec
import twoanalyzers
from commandline import ROOT
from verifybench import verified

from gpiorig.capture.errors import CaptureError
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench.finding import Finding
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings.opened import open_recording
from gpiorig.rig.results.analyse import analyse
from gpiorig.rig.results.checks import failed_checks
from gpiorig.rig.verify.certificate import Certificate

GPIORIG = Path(sys.executable).parent / "gpiorig"
DEMO = ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml"
OTHERS = {
    "nucleo-l476rg": ROOT / "tests/data/spirit1_bench.toml",
    "telosb": ROOT / "tests/data/probe_effect_telosb_bench.toml",
}
PAGE = ROOT / "docs/evidence/bench-faults.md"
PINGPONG = ROOT / "experiments/pingpong.toml"
PACKETS = 50
WORDS = 80  # characters of a cell

FAULTS = {
    "no fault": "",
    "swapped, two data lines": 'kind = "swapped"\nchannel = "P8_46"\nother = "P8_43"',
    "swapped, strobe and data": 'kind = "swapped"\nchannel = "P8_45"\nother = "P8_46"',
    "swapped, leads of two nodes": 'kind = "swapped"\nchannel = "P8_46"\nother = "P8_40"',
    "stuck, data line low": 'kind = "stuck"\nchannel = "P8_46"\nlevel = 0',
    "stuck, strobe high": 'kind = "stuck"\nchannel = "P8_45"\nlevel = 1',
    "floating, data line": 'kind = "floating"\nchannel = "P8_43"\ntoggle_hz = 50_000',
    "joined, low wins": 'kind = "joined"\nchannel = "P8_46"\nother = "P8_43"\nwins = 0',
    "joined, high wins": 'kind = "joined"\nchannel = "P8_46"\nother = "P8_43"\nwins = 1',
    "glitch, every 10 ms": 'kind = "glitch"\nchannel = "P8_45"\nwidth_ps = [60_000, 100_000]\nevery_us = 10_000',
    "dropped, 5000 samples at 0.8 s": 'kind = "dropped"\nsamples = 5_000\nat_us = [800_000]',
    "dropped, the same with a sync line": 'kind = "dropped"\nsamples = 5_000\nat_us = [800_000]',
    "dies, at 0.15 s": 'kind = "dies"\nat_us = 150_000',
    "stalls, at 0.15 s": 'kind = "stalls"\nat_us = 150_000',
    "serial_stall, 0.3 s at 0.8 s": 'kind = "serial_stall"\nnode = "initiator"\nfrom_us = 800_000\nfor_us = 300_000',
    "garbled, 3000 ppm": 'kind = "garbled"\nnode = "initiator"\nppm = 3_000',
    "lost_bytes, 3000 ppm": 'kind = "lost_bytes"\nnode = "initiator"\nppm = 3_000',
    "lost_lines, 20 %": 'kind = "lost_lines"\nnode = "initiator"\nppm = 200_000',
    "brown_out, from the start": 'kind = "brown_out"\nnode = "responder"\nat_us = 0\noff_us = 1_000_000_000',
    "brown_out, 50 ms at 0.3 s": 'kind = "brown_out"\nnode = "responder"\nat_us = 300_000\noff_us = 50_000',
    "clock_step, 200 ppm at 0.8 s": 'kind = "clock_step"\nnode = "responder"\nat_us = 800_000\nppb = 200_000',
    "clock_step, 100 µs at 0.8 s": 'kind = "clock_step"\nnode = "responder"\nat_us = 800_000\nppb = 0\ngap_us = 100',
}

OF_TWO_ANALYZERS = {
    "no fault": "",
    "swapped, leads of the second": 'kind = "swapped"\nchannel = "two:P8_39"\nother = "two:P8_40"',
    "stuck, a sync line": 'kind = "stuck"\nchannel = "two:P8_20"\nlevel = 0',
    "dropped, by the second": 'kind = "dropped"\nanalyzer = "two"\nsamples = 5_000\nat_us = [800_000]',
    "dies, the second": 'kind = "dies"\nanalyzer = "two"\nat_us = 150_000',
    "stalls, the second": 'kind = "stalls"\nanalyzer = "two"\nat_us = 150_000',
}

THROUGH_SIGROK = ("dies", "stalls", "dropped")  # faults of a connection, which only the real way has

TITLE = "## Two IoT-LAB M3\n"
WORDS_HEAD = """\
| fault | verify | run | report |
| -- | -- | -- | -- |
"""
OTHERS_HEAD = f"""
## Other boards

The commands that name the fault, on two boards of another type.

| fault | {" | ".join(OTHERS)} |
| -- |{" -- |" * len(OTHERS)}
"""
TWO_HEAD = f"""
## Two analyzers

With a sync line; the initiator is on the first, the responder on the second, of 16 MS/s.

{WORDS_HEAD}"""
COMMANDS = ("verify", "run", "report")


def cell(texts: list[str]) -> str:
    """A cell of the table."""
    if not texts:
        return "-"
    first = re.sub(r"(127\.0\.0\.1)/\d+", r"\1/PORT", texts[0]).replace("|", "/").replace("\n", " ").removesuffix(".")
    first = re.sub(r"/\S*/run/", "RUN/", first)
    short = first if len(first) <= WORDS else f"{first[:WORDS].rsplit(' ', 1)[0]} …"
    return short + (f" (and {len(texts) - 1} more)" if len(texts) > 1 else "")


def wrong(findings: list[Finding]) -> list[str]:
    """The findings that are errors."""
    return [f"{finding.about}: {finding.what}" for finding in findings if finding.verdict == "wrong"]


def direct(folder: Path, text: str) -> tuple[list[str], list[str], list[str]]:
    """What verify, run and report name, on boards in this process."""
    verify = wrong(verified(folder, text))
    try:
        recording = directbench.record(folder, text, PINGPONG.read_text(), packets=PACKETS)
    except (RigError, CaptureError) as error:
        return verify, [str(error)], []
    return verify, *stated(recording)


def through_sigrok(folder: Path, text: str) -> tuple[list[str], list[str], list[str]]:
    """The same with the commands, sigrok-cli and the analyzer's connection."""
    bench, run = folder / "bench.toml", folder / "run"
    bench.write_text(text)
    done = called("bench", "verify", bench, "--json")
    verify = wrong([*msgspec.json.decode(done.stdout, type=Certificate).findings]) if done.stdout else [done.stderr]
    called("run", bench, "pingpong", "-o", run, "--packets", PACKETS, "--no-report")
    return verify, *stated(Recording.open(run))


def stated(recording: Recording) -> tuple[list[str], list[str]]:
    """Why a recording is incomplete, and the failed checks of its report."""
    failed = failed_checks(analyse(open_recording(recording)), recording)
    reason = recording.info.reason
    return [reason] if reason else [], [text.removeprefix(f"{recording.folder}: ") for text in failed]


def called(*words: object) -> subprocess.CompletedProcess[str]:
    """A command of gpiorig."""
    return subprocess.run([GPIORIG, *map(str, words)], capture_output=True, text=True, timeout=300, check=False)


def named(folder: Path, name: str, fault: str, bench: str) -> tuple[list[str], list[str], list[str]]:
    """What verify, run and report name of a fault on the bench of this text."""
    text = bench + (f"\n[[virtual.faults]]\n{fault}\n" if fault else "")
    if "with a sync line" in name:
        text = re.sub(r'.*"P8_20"\n', "", text).replace("[analyzers.la]", '[analyzers.la]\nsync = "P8_20"', 1)
    is_direct = not name.startswith(THROUGH_SIGROK) and text.count("samplerate_hz") == 1
    return (direct if is_direct else through_sigrok)(folder, text)


def row(name: str, fault: str, bench: str) -> str:
    """The row of a fault, with the words of each command."""
    with tempfile.TemporaryDirectory() as folder:
        return f"| {name} | {' | '.join(cell(texts) for texts in named(Path(folder), name, fault, bench))} |"


def row_of_others(name: str, fault: str) -> str:
    """The row of a fault on other boards, with the commands that name it."""
    cells = []
    for bench in OTHERS.values():
        with tempfile.TemporaryDirectory() as folder:
            texts = named(Path(folder), name, fault, bench.read_text())
        cells.append(", ".join(command for command, words in zip(COMMANDS, texts, strict=True) if words) or "-")
    return f"| {name} | {' | '.join(cells)} |"


def main() -> None:
    """Write the page, or print the rows of some kinds."""
    asked = tuple(sys.argv[1:]) or ("",)
    demo, two = DEMO.read_text(), twoanalyzers.two_analyzers()
    tables: list[tuple[str, list[Callable[[], str]]]] = [
        (WORDS_HEAD, [partial(row, name, fault, demo) for name, fault in FAULTS.items() if name.startswith(asked)]),
        (
            OTHERS_HEAD,
            [partial(row_of_others, name, fault) for name, fault in FAULTS.items() if name.startswith(asked)],
        ),
        (TWO_HEAD, [partial(row, *item, two) for item in OF_TWO_ANALYZERS.items() if item[0].startswith(asked)]),
    ]
    page = f"{PAGE.read_text().partition(TITLE)[0]}{TITLE}\n"  # its words are written there
    for head, rows in tables:
        page += head
        for make in rows:
            page += f"{make()}\n"
            print(page.splitlines()[-1], flush=True)
    if len(sys.argv) == 1:
        PAGE.write_text(page)


if __name__ == "__main__":
    main()
