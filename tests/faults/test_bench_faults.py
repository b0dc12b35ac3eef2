"""The faults of a bench: the page that states who names them, and verdicts on virtual boards."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from commandline import ROOT, gpiorig
from twoanalyzers import two_analyzers
from verifybench import verified

from gpiorig.capture.recording.recording import Recording
from gpiorig.vbench.description.ends import EndFault
from gpiorig.vbench.description.world import NodeFault

PAGE = ROOT / "docs/evidence/bench-faults.md"
DEMO = (ROOT / "rig/vbench/gpiorig/vbench/benches/demo.toml").read_text()


def _rows(table: str) -> dict[str, list[str]]:
    """The cells of a table of the page, by fault."""
    _, _, *lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")]
    return {name: cells for name, *cells in lines}


def test_each_fault_switch_is_on_the_page_and_named() -> None:
    """By one command at least; a bench without a fault has none. A TelosB's timer does not count its crystal."""
    with_words, others, two = map(_rows, PAGE.read_text().split("\n## ")[1:])

    for rows in (with_words, two):
        assert {"no fault"} == {name for name, cells in rows.items() if set(cells) == {"-"}}
    kinds = {kind.__struct_config__.tag for kind in (*get_args(EndFault), *get_args(NodeFault))}
    assert kinds == {name.partition(",")[0] for name in with_words} - {"no fault"}
    assert with_words.keys() == others.keys()
    unnamed = {(name, place) for name, cells in others.items() for place, cell in enumerate(cells) if cell == "-"}
    assert {("no fault", 0), ("no fault", 1)} == {item for item in unnamed if not item[0].startswith("clock_step")}
    assert {1} >= {place for name, place in unnamed if name.startswith("clock_step")}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "about", "words"),
    [
        (
            'kind = "swapped"\nchannel = "P8_45"\nother = "P8_39"',
            "initiator.lines.strobe",
            "carries strobe of responder",
        ),
        ('kind = "joined"\nchannel = "P8_46"\nother = "P8_43"', "initiator.lines.d1", "the two lines touch"),
        ('kind = "brown_out"\nnode = "responder"\nat_us = 0\noff_us = 1_000_000_000', "responder", "does not answer"),
    ],
)
def test_verify_names_the_fault(tmp_path: Path, fault: str, about: str, words: str) -> None:
    """Faults of leads and boards, each by its line or node."""
    findings = verified(tmp_path, f"{DEMO}\n[[virtual.faults]]\n{fault}\n")

    (finding,) = [one for one in findings if one.about == f"nodes.{about}" and one.verdict == "wrong"]
    assert words in finding.what


@pytest.mark.slow
def test_an_analyzer_that_stalls(tmp_path: Path) -> None:
    """Its samples end before the bench's time: no lead is blamed, and the recording is incomplete."""
    bench, run = tmp_path / "bench.toml", tmp_path / "run"
    bench.write_text(f'{DEMO}\n[[virtual.faults]]\nkind = "stalls"\nat_us = 150_000\n')
    verify = gpiorig("bench", "verify", bench, "--json")
    recorded = gpiorig("run", bench, "pingpong", "-o", run, "--packets", "5", "--no-report")

    findings = verify.numbers["findings"]
    (wrong,) = [finding for finding in findings if finding["verdict"] == "wrong"]
    assert "analyzers" == wrong["about"]
    assert "no sample after 0.150000 s, after 3599989 samples; the bench ran on to" in wrong["what"]
    cut = {
        finding["about"] for finding in findings if finding["what"] == "the capture ended before its lines were seen"
    }
    assert "nodes.responder" in cut
    assert 2 == recorded.status
    info = Recording.open(run).info
    assert "incomplete" == info.state
    assert "no sample after 0.150000 s" in info.reason


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ('kind = "dropped"\nsamples = 5_000\nat_us = [800_000]', r"(49[5-9]|50[0-4])\d ± \d\d samples are missing"),
        (
            'kind = "clock_step"\nnode = "responder"\nat_us = 800_000\nppb = 200_000',
            r"clock of node responder changed its rate by \+(19[89]|20[0-2]) ppm .*; that of initiator did not\.",
        ),
        (
            'kind = "garbled"\nnode = "initiator"\nppm = 3_000',
            r"\d+ lines of node initiator came damaged over its serial port, the first as 'pa",
        ),
        (
            'kind = "serial_stall"\nnode = "initiator"\nfrom_us = 300_000\nfor_us = 300_000',
            r"1 line of node initiator came damaged over its serial port",
        ),
    ],
)
def test_report_names_the_fault(tmp_path: Path, fault: str, words: str) -> None:
    """Lost samples without a sync line and a node's clock, by the timestamps of the nodes; damage of serial lines."""
    bench, run = tmp_path / "bench.toml", tmp_path / "run"
    bench.write_text(f"{DEMO}\n[[virtual.faults]]\n{fault}\n")
    recorded = gpiorig("run", bench, "pingpong", "-o", run, "--packets", "40", "--no-report")
    report = gpiorig("report", run)

    assert 0 == recorded.status
    assert 1 == report.status
    assert re.search(words, report.stderr.splitlines()[0])


@pytest.mark.slow
def test_bench_verify_through_sigrok(tmp_path: Path) -> None:
    """The command with sigrok-cli and pseudo terminals: nothing is wrong, the certificate is next to the bench file."""
    bench = tmp_path / "bench.toml"
    bench.write_text(DEMO)
    done = gpiorig("bench", "verify", bench)

    assert (0, "") == (done.status, done.stderr)
    assert "nothing is wrong; certificate" in done.stdout
    assert (tmp_path / "bench.certificate.json").exists()


@pytest.mark.slow
def test_bench_verify_with_two_analyzers(tmp_path: Path) -> None:
    """Each lead is judged with the analyzer that it is on, and symbols in samples of that one; one dies later."""
    bench = tmp_path / "bench.toml"
    bench.write_text(two_analyzers())
    done = gpiorig("bench", "verify", bench, "--json")
    bench.write_text(f'{two_analyzers()}\n[[virtual.faults]]\nkind = "dies"\nanalyzer = "two"\nat_us = 150_000\n')
    dead = gpiorig("bench", "verify", bench, "--json")

    findings = {(finding["about"], finding["what"]): finding["verdict"] for finding in done.numbers["findings"]}
    assert 0 == done.status, done.stdout
    assert "right" == findings["nodes.responder.lines.strobe", "channel two:P8_39, pin PB9 carries it"]
    assert 3 == done.numbers["calibrations"]["responder"]["samples_per_symbol"]
    assert "right" == findings["nodes.responder.lines.uart_tx", "channel two:P8_30 shows the answers of the board"]
    assert 1 == dead.status
    wrong = [finding for finding in dead.numbers["findings"] if finding["verdict"] == "wrong"]
    assert "analyzers.two" == wrong[0]["about"]
    assert "the analyzer closed the connection after" in wrong[0]["what"]


@pytest.mark.slow
def test_a_board_that_boots_when_it_is_asked(tmp_path: Path) -> None:
    """A TelosB, which takes 0.1 s to boot, loses the first question: it answers the next ones."""
    text = (ROOT / "tests/data/probe_effect_telosb_bench.toml").read_text()

    assert [] == [finding for finding in verified(tmp_path, text) if finding.verdict == "wrong"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "words"), [("dies", "the analyzer closed the connection"), ("stalls", "no sample after 0.010000 s")]
)
def test_a_capture_whose_analyzer_fails(tmp_path: Path, kind: str, words: str) -> None:
    """Without an experiment: that the boards sleep then is not the reason."""
    bench = tmp_path / "bench.toml"
    bench.write_text(f'{DEMO}\n[[virtual.faults]]\nkind = "{kind}"\nat_us = 10_000\n')
    done = gpiorig("capture", "--bench", bench, "--duration", "500ms", "-o", tmp_path / "run")

    assert done.status
    assert words in Recording.open(tmp_path / "run").info.reason
    assert "every virtual board sleeps" not in done.stdout
