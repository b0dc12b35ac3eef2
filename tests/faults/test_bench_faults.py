"""The faults of a bench: the page that states who names them, and verdicts on virtual boards."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from commandline import ROOT, gpiorig
from verifybench import verified

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig.bench.ends import EndFault
from gpiorig.rig.bench.world import NodeFault

PAGE = ROOT / "docs/evidence/bench-faults.md"
DEMO = (ROOT / "rig/gpiorig/rig/demo_bench.toml").read_text()


def test_each_fault_switch_is_on_the_page_and_named() -> None:
    """By one command at least; a bench without a fault has none."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")][2:]
    rows = {name: {cell for cell in cells if cell != "-"} for name, *cells in lines}

    assert {"no fault"} == {name for name, named in rows.items() if not named}
    kinds = {kind.__struct_config__.tag for kind in (*get_args(EndFault), *get_args(NodeFault))}
    assert kinds == {name.partition(",")[0] for name in rows} - {"no fault"}


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
