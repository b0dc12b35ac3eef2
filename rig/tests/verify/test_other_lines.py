"""Verdicts on taps and the console's lines, from edges that are made up here."""

from __future__ import annotations

import numpy as np
import pytest

from gpiorig.rig.bench import benches
from gpiorig.rig.verify import other_lines

LINES = 'lines = {{ strobe = "{s}", d0 = "{d}", uart_tx = "{u}", "tap.irq" = "{i}" }}\n'
NODE = f'board = "iotlab-m3"\nserial = "/dev/tty{{name}}"\n{LINES}'
BENCH = benches.loads(
    'name = "x"\nanalyzers.la = { driver = "fx2lafw", samplerate_hz = 24_000_000 }\n'
    f"[nodes.a]\nbus_width = 1\n{NODE.format(name='A', s='D0', d='D1', u='D2', i='D3')}"
    f"[nodes.b]\nbus_width = 1\n{NODE.format(name='B', s='D4', d='D5', u='D6', i='D7')}"
)
ASKED = {"a": (100, 200), "b": (300, 400)}


def stated(
    a: list[int], *, irq: tuple[int, ...] = (), silent: frozenset[str] = frozenset(), known: bool = True
) -> dict[str, tuple[str, str]]:
    """The verdicts on node a, whose console's channel has these edges."""
    edges = {"a.uart_tx": np.array(a, dtype=np.int64), "a.tap.irq": np.array(irq, dtype=np.int64)}
    verdicts = other_lines.findings(BENCH, "a", edges, ASKED if known else {}, silent)
    return {finding.about.removeprefix("nodes.a.lines."): (finding.verdict, finding.what) for finding in verdicts}


@pytest.mark.parametrize(
    ("edges", "verdict", "words"),
    [
        ([50, 150, 350], "right", "channel D2 shows the answers of the board"),
        ([350], "wrong", "channel D2 changes when b answers, and not when its board does: leads are swapped"),
        ([50], "wrong", "channel D2 does not change when its board answers: check its clip"),
    ],
)
def test_the_line_of_a_console(edges: list[int], verdict: str, words: str) -> None:
    """It changes when its own board answers."""
    own, what = stated(edges)["uart_tx"]

    assert verdict == own
    assert what.startswith(words)


def test_a_console_that_proves_nothing() -> None:
    """A board that does not answer, or of which it is not known when it did: no lead is blamed."""
    assert "unknown" == stated([], silent=frozenset("a"))["uart_tx"][0]
    assert ("right", "channel D2: seen, 1 edge") == stated([350], known=False)["uart_tx"]


def test_a_tap() -> None:
    """It is seen, or not: it may rest while no packets are sent."""
    assert ("right", "channel D3: seen, 2 edges") == stated([150], irq=(7, 9))["tap.irq"]
    assert ("unknown", "channel D3: " + other_lines.AT_REST) == stated([150])["tap.irq"]
