"""The faults of a bench: the page that states who names them, and verdicts on virtual boards."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from commandline import ROOT, gpiorig
from verifybench import verified

from gpiorig.rig.bench.ends import EndFault
from gpiorig.rig.bench.world import NodeFault

PAGE = ROOT / "docs/evidence/bench-faults.md"
# Rows that the page states as open: not named by any command, or by a wrong cause only.
OPEN = {"dropped, 5000 samples at 0.3 s", "clock_step, 200 ppm at 0.3 s"}
WRONG_CAUSE = {"stalls, at 0.15 s"}
DEMO = (ROOT / "rig/gpiorig/rig/demo_bench.toml").read_text()


def test_each_fault_switch_is_on_the_page_and_named() -> None:
    """By one command at least, but for the rows that are open; a bench without a fault has none."""
    lines = [line.strip("| ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")][2:]
    rows = {name: {cell for cell in cells if cell != "-"} for name, *cells in lines}

    assert {"no fault", *OPEN} == {name for name, named in rows.items() if not named}
    assert WRONG_CAUSE <= rows.keys()
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
def test_bench_verify_through_sigrok(tmp_path: Path) -> None:
    """The command with sigrok-cli and pseudo terminals: nothing is wrong, the certificate is next to the bench file."""
    bench = tmp_path / "bench.toml"
    bench.write_text(DEMO)
    done = gpiorig("bench", "verify", bench)

    assert (0, "") == (done.status, done.stderr)
    assert "nothing is wrong; certificate" in done.stdout
    assert (tmp_path / "bench.certificate.json").exists()
