#!/usr/bin/env python3
"""Writes everything that follows from events.toml; with --check, fails when a file differs.

Standard library only, so that it runs before the virtual environment exists.
"""

from __future__ import annotations

import sys
import tomllib
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTE = "Generated from firmware-gpio-probes/events.toml by `make generate`. Do not edit."
LAST_BUS_CODE = 127


def events(points: list[dict]) -> list[dict]:
    """The points as single events: spans become `.enter` and `.exit`."""
    rows = []
    for point in points:
        if point["kind"] == "instant":
            rows.append(point)
            continue
        for offset, kind in enumerate(("enter", "exit")):
            rows.append({**point, "code": point["code"] + offset, "name": f"{point['name']}.{kind}", "kind": kind})
    codes = [row["code"] for row in rows]
    repeated = {code for code in codes if codes.count(code) > 1}
    if repeated or min(codes) < 1 or max(codes) > 255:
        sys.exit(f"events.toml: codes must be unique and within 1..255; repeated: {sorted(repeated)}")
    return rows


def c_header(rows: list[dict]) -> str:
    """The codes that firmware can put on a symbol bus, as macros."""
    lines = [f"/* {NOTE} */", "#ifndef GPIORIG_EVENTS_H", "#define GPIORIG_EVENTS_H", ""]

    def name(row: dict) -> str:
        return row["name"].upper().replace(".", "_")

    for row in rows:
        if row["code"] <= LAST_BUS_CODE:
            lines.append(f"#define GPIORIG_{name(row):<28} {row['code']:>3}u /* {row['doc']} */")
    lines += ["", "/* Span lines: no point has one, unless the build gives it a pin (probe.h). */"]
    spans = [
        name(row).removesuffix("_ENTER") for row in rows if row["kind"] == "enter" and row["code"] <= LAST_BUS_CODE
    ]
    for span in spans:
        lines += [f"#ifndef GPIORIG_SPAN_{span}", f"#define GPIORIG_SPAN_{span} GPIORIG_NO_PIN", "#endif"]
    lines += ["", "#define GPIORIG_SPAN_PINS(X) \\", " \\\n".join(f"    X(GPIORIG_SPAN_{span})" for span in spans)]
    return "\n".join([*lines, "", "#endif", ""])


def decoder_table(rows: list[dict]) -> str:
    """The table of the sigrok decoder, which runs in sigrok's own Python and cannot import ours."""
    head = f"# {NOTE}\n\n# code: (name, layer, kind, an id goes with it)\nEVENTS = {{\n"
    body = "".join(
        f"    {row['code']}: ('{row['name']}', '{row['layer']}', '{row['kind']}', {row['id']}),\n" for row in rows
    )
    layers = tuple(dict.fromkeys(row["layer"] for row in rows))
    return head + body + "}\n\nLAYERS = (\n" + "".join(f"    '{layer}',\n" for layer in layers) + ")\n"


def python_table(rows: list[dict]) -> str:
    """The table of the analysis, with the checksum of the header that firmware answers to `identify`."""
    checksum = f"{zlib.crc32(c_header(rows).encode()):08x}"
    columns = ("name", "layer", "direction", "kind")
    body = "\n".join(
        f"        ({row['code']}, " + ", ".join(f'"{row[column]}"' for column in columns) + f", {row['id']}),"
        for row in rows
    )
    return f'''"""The event table. {NOTE}"""

from __future__ import annotations

from typing import NamedTuple


class EventType(NamedTuple):
    """One kind of event: its code, its name, where it happens, and whether an id goes with it."""

    code: int
    name: str
    layer: str
    direction: str
    kind: str
    has_id: bool


EVENT_TYPES = tuple(
    EventType(*row)
    for row in (
{body}
    )
)
TABLE_CRC32 = "{checksum}"
BY_CODE = {{event.code: event for event in EVENT_TYPES}}
BY_NAME = {{event.name: event for event in EVENT_TYPES}}
'''


def docs_table(points: list[dict]) -> str:
    """The table people read."""
    lines = [
        "# The event table",
        "",
        f"{NOTE}",
        "",
        "A span is two events: enter has the code shown, exit the next one. Codes up to 127 travel on a symbol bus",
        "([line-code.md](line-code.md)); codes from 128 on are levels of a line.",
        "",
        "| code | point | layer | direction | kind | id | meaning |",
        "|---|---|---|---|---|---|---|",
    ]
    for point in points:
        code = f"{point['code']}, {point['code'] + 1}" if point["kind"] == "span" else f"{point['code']}"
        has_id = "yes" if point["id"] else ""
        lines.append(
            f"| {code} | `{point['name']}` | {point['layer']} | {point['direction']} | {point['kind']} "
            f"| {has_id} | {point['doc']} |"
        )
    return "\n".join([*lines, ""])


def main() -> int:
    """Write the files that differ, or with --check name them."""
    points = tomllib.loads((ROOT / "firmware-gpio-probes/events.toml").read_text())["point"]
    rows = events(points)
    files = {
        "firmware-gpio-probes/include/gpiorig/events.h": c_header(rows),
        "decoders/gpio_probe/table.py": decoder_table(rows),
        "analysis/gpiorig/analysis/event_table.py": python_table(rows),
        "docs/events.md": docs_table(points),
    }
    stale = []
    for name, text in files.items():
        path = ROOT / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(f"wrote {name}")
    if "--check" in sys.argv and stale:
        print(f"generated files differ from events.toml: {', '.join(stale)}; run `make generate`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
