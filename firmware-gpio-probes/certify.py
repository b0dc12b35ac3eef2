"""The rows of `gpiorig bench certify`, of which the host reads the same file, as a list for each board's image."""

from __future__ import annotations

import tomllib

from generated import ROOT, note

SOURCE = "rig/gpiorig/rig/certify/rows.toml"
MACHINES = ("iotlab-m3", "nrf52840dk", "nucleo-l476rg", "telosb")  # the folders of reference/certify/ that a board has
LAST_CODE = 127  # seven pulses


def files() -> dict[str, str]:
    """All files that are made of the rows."""
    rows = tomllib.loads((ROOT / SOURCE).read_text())["row"]
    codes = [row["code"] for row in rows]
    assert len(set(codes)) == len(codes) and max(codes) <= LAST_CODE, "rows.toml: codes must be unique, up to 127"
    return {f"firmware-gpio-probes/reference/certify/{name}/rows.h": c_rows(rows, name) for name in MACHINES}


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
