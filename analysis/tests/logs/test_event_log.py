"""The event log of a node, from its lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.analysis.logs import event_log, node_log

RECORDS = st.lists(
    st.tuples(st.integers(1, 255), st.integers(1, 127), st.none() | st.integers(0, 0xFFFF), st.integers(0, 2**32 - 1)),
    min_size=1,
    max_size=30,
)


def word(number: int, code: int, identifier: int | None, ticks: int) -> str:
    """A record as docs/reference/line-code.md has it."""
    head = f"{number % 256:02x}{code if identifier is None else code | 0x80:02x}"
    return head + ("" if identifier is None else f"{identifier:04x}") + f"{ticks % 2**32:08x}"


@pytest.mark.slow
@given(RECORDS, st.integers(1, 5))
def test_records_come_back(records: list[tuple[int, int, int | None, int]], per_line: int) -> None:
    """Whatever their number wraps over, and however they are cut into lines."""
    number, ticks, words, expected = 0, 0, [], []
    for step, code, identifier, wait in records:
        number, ticks = number + step, ticks + wait
        words.append(word(number, code, identifier, ticks))
        expected.append((number, code, -1 if identifier is None else identifier, ticks))
    lines = [f"log lost={at:08x} " + " ".join(words[at : at + per_line]) for at in range(0, len(words), per_line)]
    assert all(map(event_log.is_log_line, lines))

    parsed = event_log.parse(lines)

    columns = (parsed.numbers, parsed.codes, parsed.ids, parsed.ticks)
    offset = expected[0][0] - records[0][0] % 256
    assert [(n - offset, c, i, t) for n, c, i, t in expected] == list(zip(*(c.tolist() for c in columns), strict=True))
    assert sum(step - 1 for step, *_ in records[1:]) == parsed.missing
    assert (len(words) - 1) // per_line * per_line == parsed.lost


def test_no_lines_no_records() -> None:
    parsed = event_log.parse([])
    assert (0, 0, 0) == (len(parsed), parsed.missing, parsed.lost)


@pytest.mark.parametrize(
    "line",
    [
        "log lost=00000000",
        "log lost=0 000100000000",
        "log lost=00000000 0001000000",
        "log lost=00000000 008100000000",  # an id is announced and is not there
        "log lost=00000000 0001123400000000",  # an id that is not announced
        "log lost=00000000 00010000000g",
        "log lost=00000000 000100000000 ",
    ],
)
def test_a_damaged_line_is_refused(line: str) -> None:
    assert not event_log.is_log_line(line)
    with pytest.raises(ValueError, match="not a line of an event log"):
        event_log.parse([line])
    assert (line,) == node_log.parse(f"{line}\n", node="n").malformed


def test_the_nodes_log_has_it() -> None:
    """Of the last reset; without such lines there is none."""
    text = "boot board=b firmware=f\nlog lost=00000000 050100000001\nboot board=b firmware=f\nready\n"
    assert node_log.parse(text, node="n").event_log is None
    parsed = node_log.parse(text + "log lost=00000002 000100000007 018200ff00000008\n", node="n")
    assert () == parsed.malformed
    assert parsed.event_log is not None
    assert [1, 2] == parsed.event_log.codes.tolist()
    assert [-1, 255] == parsed.event_log.ids.tolist()
    assert [7, 8] == parsed.event_log.ticks.tolist()
    assert 2 == parsed.event_log.lost


def test_records_before_the_first_are_not_missing() -> None:
    """They are those of `lost`: the node's memory was full; what is missing lies between the first and the last."""
    parsed = event_log.parse(["log lost=00000003 050100000007 060200000008 080100000009 "[:-1]])
    assert (3, 1, 3) == (len(parsed), parsed.missing, parsed.lost)


def test_missing_records_are_those_between_the_first_and_the_last() -> None:
    """The log begins with number 5; of 5 to 9 two are missing, and before 5 nothing is known."""
    records = " ".join(word(number, 1, None, number) for number in (5, 6, 9))
    assert 2 == event_log.parse([f"log lost=00000000 {records}"]).missing
    assert 0 == event_log.parse([]).missing
