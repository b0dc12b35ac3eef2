"""The cost of an event on the virtual boards, against instruction counts and docs/guide/probe-cost.md."""

from __future__ import annotations

import pytest
from probe_costs import BOARDS, PAGE, Board, frame_row, measure, variant_row

pytestmark = pytest.mark.slow  # builds images

TELOSB = BOARDS[-1]
EDGE = 2 / 16  # cycles: each edge of a burst of 16 is seen up to one sample, a cycle, late
SYMBOLS = {"event": 3, "event_id": 7}  # on 4 lines (docs/reference/line-code.md)
STORE = 4  # cycles of an MSP430: register to absolute address (SLAU049F table 3-16)


@pytest.fixture(scope="module")
def normal() -> dict[str, float]:
    return measure(TELOSB, width=4, variant="normal").cycles


def test_a_masked_event_is_one_test_and_one_branch(normal: dict[str, float]) -> None:
    """On an MSP430 BIT.B #n,&mask takes 5 cycles, a jump 2 (SLAU049F tables 3-16 and 3.4.4)."""
    assert normal["masked"] == pytest.approx(7, abs=EDGE)
    assert normal["masked_id"] == pytest.approx(7, abs=EDGE)


def test_a_span_line_is_one_instruction(normal: dict[str, float]) -> None:
    """BIS.B #8,&P2OUT takes 4 cycles, from the constant generator; AND.B #0xf7,&P2OUT 5."""
    assert normal["line"] == pytest.approx(4.5, abs=EDGE)


def test_doubled_costs_twice(normal: dict[str, float]) -> None:
    """Everything but the store to a line's port, where there is no cache."""
    doubled = measure(TELOSB, width=4, variant="doubled").cycles
    assert {kind: pytest.approx(2 * cycles, abs=2 * EDGE) for kind, cycles in normal.items()} == doubled


def test_empty_lacks_the_stores_only(normal: dict[str, float]) -> None:
    empty = measure(TELOSB, width=4, variant="empty").cycles
    for kind, symbols in SYMBOLS.items():
        assert normal[kind] - empty[kind] == pytest.approx(symbols * STORE, abs=2 * EDGE)


@pytest.mark.parametrize("board", BOARDS, ids=lambda board: board.name)
def test_symbols_are_held(board: Board) -> None:
    """At least three samples at 24 MHz, also with code that no cache and no prefetch buffer has yet."""
    for again in (False, True):
        held = measure(board, width=board.widths[board.default], variant="normal", again=again).held
        assert held is not None
        assert held[0] * 1e9 / board.cpu_hz >= 125


def test_the_page_is_what_was_measured() -> None:
    """Two rows that no cache and no prefetch makes depend on where the code lies; `make costs` writes it."""
    text = PAGE.read_text()
    for row in (frame_row(TELOSB, 4), variant_row(TELOSB, "doubled")):
        assert f"| {' | '.join(row)} |" in text
