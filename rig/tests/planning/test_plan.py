"""Experiments, each with the analyzers that do it and the reasons of those that do not."""

from __future__ import annotations

import math
import re
from pathlib import Path

import msgspec
import pytest
from planned import file_of, plan_of

from gpiorig.rig.bench import benches
from gpiorig.rig.errors import BenchError
from gpiorig.rig.planning import parts, rates
from gpiorig.rig.planning.candidates import Candidate
from gpiorig.rig.planning.recipe import COMMAND
from gpiorig.rig.run import bench_findings

FX2, FX2_16, DSLOGIC, LOGIC16 = "fx2lafw", "fx2lafw-16", "dreamsourcelab-dslogic", "saleae-logic16"
BEAGLE, KINGST, PICO = "beaglelogic", "kingst-la2016", "raspberrypi-pico"
ALL = {FX2, FX2_16, DSLOGIC, LOGIC16, BEAGLE, KINGST, PICO}
STREAMING = ALL - {PICO}

# The words of a plan, the analyzers that do it, the choice with how many and MHz, and a reason of one that does not.
EXPERIMENTS = {
    "ping-pong of two DK": ("2xnrf52840dk", STREAMING, (FX2, 1, 24), (PICO, "does not sample without an end")),
    "steps to 55 ns": (
        "2xnrf52840dk --resolution 55ns",
        {LOGIC16, DSLOGIC, KINGST},
        (LOGIC16, 1, 25),
        (FX2, "59.9 ns at 24000000 Hz, the most that it takes with its channels; 55.0 ns are asked for"),
    ),
    "the air to 1 us": ("2xnrf52840dk --resolution 1us", STREAMING, (FX2, 1, 24), None),
    "with a sync line": ("2xnrf52840dk --sync", STREAMING, (DSLOGIC, 1, 25), None),
    "the wide bus": ("2xnrf52840dk --width 4 --analyzer dreamsourcelab-dslogic", STREAMING, (DSLOGIC, 1, 20), None),
    "an SPI bus": (
        "nucleo-l476rg-at86rf231 --lines spi_clk,spi_mosi,spi_miso,tap.select,tap.irq --width 0",
        STREAMING,
        (FX2, 1, 24),
        None,
    ),
    "a bus narrowed for its rate": ("2xnrf52840dk --analyzer fx2lafw-16", STREAMING, (FX2_16, 1, 24), None),
    "M3 and TelosB": ("m3=iotlab-m3 sky=telosb", STREAMING, (FX2, 1, 24), None),
    "all lines of an L476": (
        "nucleo-l476rg-at86rf231 --width 4 --lines tap.irq,tap.frame_timestamp,tap.slp_tr,tap.select,uart_tx",
        STREAMING - {FX2},
        (DSLOGIC, 1, 25),
        (FX2, "has 8 channels; initiator takes 10"),
    ),
    "six M3": ("6xiotlab-m3 --width 1", STREAMING, (DSLOGIC, 2, 20), None),
    "ten DK": ("10xnrf52840dk", STREAMING, (DSLOGIC, 4, 20), None),
    "two TelosB, once": ("2xtelosb --one-shot --analyzer raspberrypi-pico", ALL, (PICO, 1, 30), None),
    "1 ns": ("2xnrf52840dk --resolution 1ns", set(), None, (LOGIC16, "1.00 ns are asked for")),
}


def described(candidate: Candidate | None) -> tuple[str, int, float] | None:
    """Model, number and MHz of the analyzers."""
    if candidate is None or candidate.bench is None:
        return None
    analyzers = [*candidate.bench.analyzers.values()]
    return candidate.model.name, len(analyzers), analyzers[0].samplerate_hz / 1e6


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_experiment_has_its_analyzers(name: str) -> None:
    """Those that do it, the choice, and why another does not."""
    words, able, choice, refusal = EXPERIMENTS[name]
    plan = plan_of(words)
    reasons = {candidate.model.name: "; ".join(candidate.reasons) for candidate in plan.candidates}

    assert able == {candidate.model.name for candidate in plan.candidates if candidate.bench}
    assert choice == described(plan.choice)
    assert refusal is None or refusal[1] in reasons[refusal[0]]
    assert {model for model, reason in reasons.items() if not reason} == able


@pytest.mark.parametrize("name", [name for name, experiment in EXPERIMENTS.items() if experiment[2]])
def test_bench_check_accepts_what_is_planned(tmp_path: Path, name: str) -> None:
    """From its file, with equal findings; the file is the plan's bench, and its command makes it again."""
    words = EXPERIMENTS[name][0]
    file = tmp_path / "bench.toml"
    file.write_text(text := file_of(words))
    (command,) = (line.removeprefix(COMMAND) for line in text.splitlines() if line.startswith(COMMAND))
    assert text == file_of(command)
    choice = plan_of(words).choice
    assert choice is not None
    assert choice.bench is not None

    read = benches.load(file)
    findings = bench_findings.of_file(read, file, one_shot="--one-shot" in words)

    assert (choice.bench.nodes, choice.bench.analyzers) == (read.nodes, read.analyzers)
    assert list(choice.findings) == findings
    assert not [finding for finding in findings if finding.verdict == "wrong"]


def test_the_uncertainty_is_that_of_the_formula() -> None:
    """docs/guide/uncertainty.md by hand: sampling (0.95 T + 1.5 x 2 ns), skew 5 ns and clock 100 ppm as a/sqrt(3)."""
    choice = plan_of("2xnrf52840dk").choice
    assert choice is not None
    assert choice.bench is not None

    expected = 0.95 * 1e3 / 24 + 1.5 * 2 + 2 * 5 / math.sqrt(3) + 2 * 100e-6 * 1e6 / math.sqrt(3)
    assert expected == pytest.approx(rates.expanded_ns(choice.bench, 1e6))


@pytest.mark.parametrize("resolution_ns", [70, 100, 200])
def test_the_rate_is_the_least_that_resolves(resolution_ns: int) -> None:
    """With buses whose symbols ask for less; at the driver's next lower rate ± is too large."""
    for candidate in plan_of(f"2xtelosb --resolution {resolution_ns}ns").candidates:
        if candidate.bench is None:
            continue
        analyzers, supported = candidate.bench.analyzers, candidate.model.described.rates
        (rate_hz,) = {analyzer.samplerate_hz for analyzer in analyzers.values()}
        lower_hz = supported[supported.index(rate_hz) - 1]
        lower = {
            name: msgspec.structs.replace(analyzer, samplerate_hz=lower_hz) for name, analyzer in analyzers.items()
        }
        slower = msgspec.structs.replace(candidate.bench, analyzers=lower)

        assert rates.expanded_ns(candidate.bench, 1e5) <= resolution_ns < rates.expanded_ns(slower, 1e5)


def test_the_parts_of_six_boards_on_two_analyzers() -> None:
    """Four lines and a ground of each board, one source of the sync line with a lead to each analyzer."""
    plan = plan_of(EXPERIMENTS["six M3"][0])
    assert plan.choice is not None
    assert plan.choice.bench is not None
    counts = parts.parts(plan.request, plan.choice.bench, plan.choice.model)

    assert [6, 2, 24, 6, 6, 1, 2] == list(counts.values())
    assert any("lsusb 2a0e:0001 or" in part for part in counts)


def test_a_longer_hold_is_built_where_the_rate_asks_for_it() -> None:
    """Four lines and two taps of two boards are 14 channels, which a DSLogic streams at 20 MHz: 150 ns."""
    text = file_of(EXPERIMENTS["the wide bus"][0])

    assert 2 == text.count("symbol_ns = 150\n")
    assert "BOARD=nrf52840dk WIDTH=4 DEFINES=-DGPIORIG_HOLD_NS=150" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("2xnrf5284", "unknown board `nrf5284`; boards with a description: iotlab-m3, nrf52840dk"),
        ("a=iotlab-m3 a=telosb", "two nodes are called a; give each a name"),
        ("1=telosb", "node `1`: use up to 64 letters"),
        ("nucleo-l476rg --width 0 --lines nucleo:tap.irq", "there is no node nucleo"),
        ("a=telosb b=iotlab-m3 --width 0 --lines a:tap.irq", "b: no bus and no line, so nothing to capture"),
        ("a=2xtelosb", "one name for 2 boards"),
        ("65xtelosb", "1 to 64 nodes, and 65 are asked for"),
        ("2xtelosb --lines tap.irk", "--lines tap.irk: no such line"),
        ("2xtelosb --lines c:tap.irq", "there is no node c; the nodes are initiator, responder"),
        ("2xtelosb --lines tap.slp_tr", "no board has a pin for it; the boards have d0"),
        ("2xtelosb --events apps", "no such group of events; valid are rig, app"),
        ("2xtelosb --analyzer fx2", "no such analyzer; those with a description: fx2lafw"),
    ],
)
def test_wrong_use_is_explained(words: str, message: str) -> None:
    with pytest.raises(BenchError, match=re.escape(message)):
        plan_of(words)


def test_a_board_of_ones_own_is_planned_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is named in the bench file, which `bench check` reads next to it."""
    source = next(Path(str(path)) for path in Path(bench_findings.__file__).parents[1].glob("boards/telosb.toml"))
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(source.read_text().replace('name = "telosb"', 'name = "mine"'))
    Path("bench.toml").write_text(file_of("2x./mine.toml"))

    assert ["./mine.toml"] * 2 == [
        line.split('"')[1] for line in Path("bench.toml").read_text().splitlines() if line.startswith("board")
    ]
    assert ["mine", "mine"] == [node.described_board.name for node in benches.load(Path("bench.toml")).nodes.values()]
