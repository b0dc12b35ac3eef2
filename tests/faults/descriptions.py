"""Cases of what people and nodes write: benches, experiments, logs of nodes, names that something would act upon."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from fuzz.readers import recording_folder

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.statistics import statistic_names
from gpiorig.capture.recording.recording import DESCRIPTION

from . import seeds
from .case import Case, Verdict, command

DIGITS = "9" * 5000
FORMULAS = ("=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1)")


def bench(name: str, old: str, new: str, *words: str, verdict: Verdict = Verdict.ERROR) -> Case:
    """`gpiorig bench check` of the demo's bench with another text in it."""

    def make(folder: Path) -> Iterable[str | Path]:
        text = re.sub(old, lambda match: new, seeds.BENCH, count=1)
        assert text != seeds.BENCH
        (folder / "bench.toml").write_text(text)
        return ("bench", "check", folder / "bench.toml")

    return command("bench TOML", name, verdict, make, *words)


def experiment(name: str, old: str, new: str, *words: str) -> Case:
    """`gpiorig run` of the ping-pong with another text in it; nothing is recorded."""

    def make(folder: Path) -> Iterable[str | Path]:
        text = re.sub(old, lambda match: new, seeds.EXPERIMENT, count=1)
        assert text != seeds.EXPERIMENT
        (folder / "experiment.toml").write_text(text)
        (folder / "bench.toml").write_text(seeds.BENCH)
        return ("run", folder / "bench.toml", folder / "experiment.toml", "-o", folder / "run")

    return command("experiment TOML", name, Verdict.ERROR, make, *words)


def files() -> list[Case]:
    """Files that people write."""
    rate, strobe = "samplerate_hz = 24_000_000", '"P8_45"'
    return [
        bench("a key that is not known", "samplerate_hz", "sampelrate_hz", "sampelrate_hz", "samplerate_hz"),
        *(bench(f"samplerate {text[:9]}", rate, f"samplerate_hz = {text}", "bench.toml")
          for text in ("0", "-1", "1.5", "nan", '"fast"', "10" + "0" * 30, DIGITS)),
        bench("two lines on one pin", strobe, '"P8_46"', "P8_46"),
        bench("a pin that the analyzer does not have", strobe, '"P9_99"', "P9_99"),
        bench("a pin that is a number", strobe, "7", "bench.toml"),
        bench("a board that is not known", 'board = "iotlab-m3"', 'board = "iotlab-m4"', "iotlab-m4"),
        bench("a node's name with ../", r"(?s)nodes\.initiator(.*?)nodes\.initiator",
              'nodes."../x"]\nboard = "iotlab-m3"\n[nodes."../x"', "../x"),
        bench("no nodes", r"(?s)\[nodes.*", "", "nodes"),
        bench("a name of 30 000 parts", rate, "a." * 30_000 + "a = 1", "bench.toml", "more than 32 parts"),
        bench("50 000 nested lists", rate, "samplerate_hz = " + "[" * 50_000, "bench.toml"),
        bench("not TOML", rate, "samplerate_hz = = 1", "bench.toml", "line"),
        bench("a clock error beyond reason", "clock_ppb = 12_000", "clock_ppb = 10_000_000_000", "clock_ppb"),
        experiment("a key that is not known", "packets =", "pakets =", "pakets", "packets"),
        experiment("a node that the bench does not have", 'responder = "responder"', 'responder = "third"', "third"),
        *(experiment(f"packets = {text[:9]}", "packets = 1000", f"packets = {text}", "experiment.toml")
          for text in ("0", "-1", "1.5", '"x"', "10" + "0" * 30, DIGITS)),
        experiment("both roles on one node", 'responder = "responder"', 'responder = "initiator"', "initiator"),
        experiment("a setting that is not known", "timeout_us", "timeout_ns", "timeout_ns"),
        experiment("50 000 nested lists", "packets = 1000", "packets = " + "[" * 50_000, "experiment.toml"),
        experiment("not TOML", "packets = 1000", "packets = = 1", "experiment.toml", "line"),
    ]  # fmt: skip


def logs() -> list[Case]:
    """Lines of a node that are not understood are kept as they came; the others are read."""
    lines = {
        "seq of 5000 digits": f"packet seq={DIGITS} tx_us=1 rx_us=2 status=ok",
        "seq beyond 16 bits": "packet seq=65536 tx_us=1 rx_us=2 status=ok",
        "a stamp beyond 32 bits": "packet seq=1 tx_us=4294967296 rx_us=2 status=ok",
        "a stamp of other digits": "packet seq=1 tx_us=\u0661 rx_us=2 status=ok",
        "done of 5000 digits": f"done sent={DIGITS} received=1 lost=1 probes=1",
        "a line of 1 MB": "x" * 1_000_000,
        "a key twice": "packet seq=1 seq=2 tx_us=1 rx_us=2 status=ok",
        "a status that is not known": "packet seq=1 tx_us=1 rx_us=2 status=fine",
        "NUL and escapes": "packet seq=1\0 tx_us=\x1b[31m1 rx_us=2 status=ok",
    }
    whole = "".join(f"{line}\n" for line in seeds.serial_lines())

    def check(line: str) -> Callable[[Path], str]:
        def run(folder: Path) -> str:
            good, parsed = node_log.parse(whole, node="n"), node_log.parse(f"{whole}{line}\n", node="n")
            intact = len(parsed.malformed) == 1 + len(good.malformed) and parsed.sequences.size == good.sequences.size
            return "" if intact and parsed.done == good.done else f"{parsed.malformed!r:.200}, {parsed.done!r:.200}"

        return run

    return [Case("node log", name, Verdict.MARK, check(line)) for name, line in lines.items()]


def percentiles() -> list[Case]:
    """Statistics that an assertion cannot ask for."""

    def check(text: str) -> Callable[[Path], str]:
        def run(folder: Path) -> str:
            try:
                return f"accepted as {statistic_names.probability(text)}"
            except QuantityError:
                return ""

        return run

    texts = ("p" + DIGITS, "p0", "p100", "p99." + DIGITS, "p-1", "p1e1")
    return [Case("assertion", f"{text[:9]}, {len(text)} characters", Verdict.ERROR, check(text)) for text in texts]


def names() -> list[Case]:
    """Names of channels that a terminal, a page or a spreadsheet would act upon."""
    codes = "".join(map(chr, [*range(1, 32), *range(127, 160)]))

    def renamed(name: str, *words: str | Path) -> Callable[[Path], Iterable[str | Path]]:
        def make(folder: Path) -> Iterable[str | Path]:
            import tomllib

            import tomli_w

            run = shutil.copytree(recording_folder(), folder / "run")
            text = tomllib.loads((run / DESCRIPTION).read_text())
            text["channels"] = [name, "b", "c"]
            (run / DESCRIPTION).write_text(tomli_w.dumps(text))
            return tuple(folder / word if word in ("run", "out.csv") else word for word in words)

        return make

    def exported(formula: str) -> Callable[[Path], str]:
        def run(folder: Path) -> str:
            from commandline import gpiorig

            done = gpiorig(*renamed(formula, "export", "run", "-o", "out.csv")(folder))
            if done.status:
                return "" if done.status == 2 and done.stderr.count("\n") == 1 else done.stderr
            cells = [cell.strip('"') for cell in (folder / "out.csv").read_text().splitlines()[0].split(",")]
            return f"a cell begins with it: {cells}" if any(cell.startswith(formula[:2]) for cell in cells) else ""

        return run

    return [
        command("names", f"codes {n} of a terminal in a channel's name", Verdict.INERT, renamed(part, "info", "run"))
        for n, part in enumerate((codes[:31], codes[31:]), start=1)
    ] + [Case("names", f"a channel called {text}: export", Verdict.INERT, exported(text)) for text in FORMULAS]


def cases() -> list[Case]:
    """All of them."""
    return [*files(), *logs(), *percentiles(), *names()]
