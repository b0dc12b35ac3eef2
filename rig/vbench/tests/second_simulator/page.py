"""The tables of docs/guide/second-simulator.md.

`PYTHONPATH=rig/vbench/tests:tests/support python -m second_simulator.page` writes them.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import evidence

from second_simulator import exchange, instructions, runs
from second_simulator.exchange import Interval, RadioTimes

PAGE = runs.ROOT / "docs" / "guide" / "second-simulator.md"
HEAD = ("interval", "here", "MSPSim", "difference", "data sheet", "agrees with it", "where it is said")
INSTRUCTIONS_US = 1_300_000
TABLE_344 = "SLAU049F 3.4.4"
# A frame of 49 bytes, its length before it; 32 us a byte, after 12 symbols and 5 bytes of synchronisation.
SFD_US, STROBE_US = 50 * 32.0, 12 * 16 + 5 * 32.0
VERDICTS = {
    "SPI": "here: a byte is 8 bits of 2 cycles (SLAU049F 14.2.5)",
    "console": "here: a byte is 10 bits (SLAU049F 13.2.2)",
    "wait": "decided by what it waits for",
    "other": "see the text",
}


def instruction_rows(folder: Path) -> list[tuple[str, ...]]:
    """Of the rows of `certify`: cycles by the manual, on the virtual board, on MSPSim."""
    image = runs.image("certify", folder)
    ours = runs.on_virtual_board(image, nodes=1, us=INSTRUCTIONS_US)
    theirs = runs.on_mspsim(image, nodes=1, us=INSTRUCTIONS_US)
    rows = []
    for row in instructions.sequences(ours, theirs):
        manual = instructions.BY_MANUAL.get(row.key)
        rows.append(_row(f"{row.key}, {row.unit}", row.ours, row.theirs, manual, TABLE_344))
    return rows


def radio_rows(ours: RadioTimes, theirs: RadioTimes) -> list[tuple[str, ...]]:
    """Of the radio: what the data sheet has, here, in MSPSim."""
    where = "SWRS041 16, 17.1"
    return [
        _row("STXON, last bit, to SFD, us", ours.strobe_to_sfd_us, theirs.strobe_to_sfd_us, STROBE_US, where),
        _row("CSn high after STXON and SNOP to SFD, us", ours.select_to_sfd_us, theirs.select_to_sfd_us, None, ""),
        _row("SFD high, frame of 49 bytes, us", ours.sfd_us, theirs.sfd_us, SFD_US, where),
    ]


def _row(name: str, ours: float, theirs: float, manual: float | None, where: str) -> tuple[str, ...]:
    cells = (name, f"{ours:.6g}", f"{theirs:.6g}", f"{theirs - ours:+.4g}")
    if manual is None:
        return (*cells, "", "", "")
    agreeing = [side for side, value in (("here", ours), ("MSPSim", theirs)) if abs(value - manual) <= 0.001 * manual]
    return (*cells, f"{manual:g}", ", ".join(agreeing) or "neither", where)


def interval_rows(name: str, compared: Sequence[Interval]) -> list[tuple[object, ...]]:
    """How many intervals of a node are equal; the others by cause, the largest groups of each first."""
    equal, causes = exchange.tally(compared)
    rows: list[tuple[object, ...]] = [(f"{name}: equal to the cycle", equal, len(compared), "", "")]
    rows += [
        (f"{name}: {cause}", count, "", _largest(compared, cause), VERDICTS[cause])
        for cause, count in causes.most_common()
    ]
    return rows


def _largest(compared: Iterable[Interval], cause: str) -> str:
    """The two most frequent differences of a cause: events, cycles here and there."""
    found = Counter(
        f"{interval.before} to {interval.after}: {interval.ours}, {interval.theirs}"
        for interval in compared
        if interval.ours != interval.theirs and exchange.cause(interval) == cause
    )
    return "; ".join(f"{text} ({count})" for text, count in found.most_common(2))


def exchanged(folder: Path, *, takes_requests: bool) -> tuple[list[runs.Change], list[runs.Change]]:
    """Twenty packets of ping-pong on both."""
    image = runs.image("reference", folder)
    ours = runs.on_virtual_board(image, nodes=2, us=exchange.RUN_US, inputs=exchange.INPUTS)
    theirs = runs.on_mspsim(image, nodes=2, us=exchange.RUN_US, inputs=exchange.INPUTS, takes_requests=takes_requests)
    return ours, theirs


def main() -> None:
    """Write the tables into the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        evidence.write_table(PAGE, "instructions", evidence.table(HEAD, instruction_rows(folder)))
        rows: list[tuple[object, ...]] = []
        for takes_requests, text in ((False, "MSPSim as it is"), (True, "with the requests of software")):
            ours, theirs = exchanged(folder, takes_requests=takes_requests)
            for node, part in ((1, "responder"), (0, "initiator")):
                rows += interval_rows(f"{text}, {part}", list(exchange.intervals(ours, theirs, node=node)))
        head = ("intervals", "count", "of", "most frequent: cycles here, in MSPSim (count)", "data sheet")
        evidence.write_table(PAGE, "exchange", evidence.table(head, rows))
        times = (exchange.radio_of_ours(ours), exchange.radio_of_mspsim(theirs))
        evidence.write_table(PAGE, "radio", evidence.table(HEAD, radio_rows(*times)))


if __name__ == "__main__":
    main()
