"""The rows of `gpiorig bench certify`: certify.toml as a list for each board's image, and as the host's table."""

from __future__ import annotations

import tomllib

from generated import ROOT, note

SOURCE = "firmware-gpio-probes/certify.toml"
MACHINES = ("iotlab-m3", "nucleo-l476rg", "telosb")  # the folders of reference/certify/ that a board has
LAST_CODE = 127  # seven pulses


def files() -> dict[str, str]:
    """All files that are made of the rows."""
    rows = tomllib.loads((ROOT / SOURCE).read_text())["row"]
    codes = [row["code"] for row in rows]
    assert len(set(codes)) == len(codes) and max(codes) <= LAST_CODE, "certify.toml: codes must be unique, up to 127"
    made = {f"firmware-gpio-probes/reference/certify/{name}/rows.h": c_rows(rows, name) for name in MACHINES}
    return made | {"rig/gpiorig/rig/certify/rows.py": python_table(rows)}


def c_rows(rows: list[dict], board: str) -> str:
    """The rows of a board, as a list of macro calls."""
    calls = [
        f"    ROW({row['code']}, {row['kernel']}, CERTIFY_{row.get('setup', 'full').upper()}, "
        f"{row['turns'][0]}, {row['turns'][1] if len(row['turns']) > 1 else 0}, {row['repeats']})"
        for row in rows
        if board in row["boards"]
    ]
    head = f"/* {note(SOURCE)} */\n#ifndef CERTIFY_ROWS_H\n#define CERTIFY_ROWS_H\n\n"
    return head + " \\\n".join(["#define CERTIFY_ROWS", *calls]) + "\n\n#endif\n"


def python_table(rows: list[dict]) -> str:
    """The rows for the host."""
    body = "".join(python_row(row) for row in rows)
    return f'''"""The rows of one line. {note(SOURCE)}"""

from __future__ import annotations

from typing import Literal

import msgspec

Unit = Literal["cycles", "us", "ppm", "ns"]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A row of one line.

    Attributes
    ----------
    key, code, text
        Its name, its number on the line, and what runs while the line is high.
    boards
        Those that have the row.
    turns
        Of a pulse and of the next; one number: of each pulse.
    repeats
        How often in a round.
    unit
        ``cycles`` of the processor per turn; ``us`` per pulse; ``ppm`` of `tick_us` per turn; ``ns`` of a square wave.
    slow
        Whether the clock is the board's slow one.
    tick_us
        Nominal length of a turn of a clock.
    """

    key: str
    code: int
    text: str
    boards: tuple[str, ...]
    turns: tuple[int, ...]
    repeats: int
    unit: Unit
    slow: bool = False
    tick_us: float = 0.0


ROWS = (
{body})
'''


def python_row(row: dict) -> str:
    """A row in the lines that ruff would make of it."""
    fields = {
        "key": f'"{row["key"]}"',
        "code": str(row["code"]),
        "text": f'"{row["text"]}"',
        "boards": python_tuple([f'"{board}"' for board in row["boards"]]),
        "turns": python_tuple([str(turns) for turns in row["turns"]]),
        "repeats": str(row["repeats"]),
        "unit": f'"{row["unit"]}"',
    }
    fields |= {"slow": "True"} if row.get("setup", "full") != "full" else {}
    fields |= {"tick_us": str(row["tick_us"])} if "tick_us" in row else {}
    return "    Row(\n" + "".join(f"        {key}={value},\n" for key, value in fields.items()) + "    ),\n"


def python_tuple(items: list[str]) -> str:
    """A tuple in the source."""
    return f"({items[0]},)" if len(items) == 1 else f"({', '.join(items)})"
