#!/usr/bin/env python3
"""Write what follows from events.toml, settings.toml and certify's rows, and shared modules; --check compares them.

Standard library only, so that it runs before the virtual environment exists.
"""

from __future__ import annotations

import importlib.util
import sys
import tomllib
import zlib
from types import ModuleType

import certify
import settings
from generated import HEAD, ROOT, copies, has_head, note, with_head

EVENTS = "firmware-gpio-probes/events.toml"
NOTE = note(EVENTS)
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

    for row in rows:
        if row["code"] <= LAST_BUS_CODE:
            lines.append(f"#define GPIORIG_{macro_name(row):<28} {row['code']:>3}u /* {row['doc']} */")
    lines += [f"#define {'GPIORIG_CODES':<36} {max(r['code'] for r in rows if r['code'] <= LAST_BUS_CODE) + 1:>3}u"]
    groups = list(dict.fromkeys(group(row) for row in rows if row["code"] <= LAST_BUS_CODE))
    lines += ["", "/** The groups of the masks: the first parts of the names. */", "enum gpiorig_group {"]
    lines += [f"    GPIORIG_GROUP_{name.upper()}," for name in groups] + ["    GPIORIG_GROUPS", "};"]
    return "\n".join([*lines, "", "#endif", ""])


def c_points(rows: list[dict]) -> str:
    """What a build can choose for each point: whether it is there, and a line of its own."""
    lines = [f"/* {NOTE} */", "#ifndef GPIORIG_POINTS_H", "#define GPIORIG_POINTS_H", ""]
    lines += ["/* The mask at build time: what is 0 leaves no code (options.h). */"]
    for name in dict.fromkeys(its_group for _, its_group in points_on_bus(rows)):
        lines += default(f"GPIORIG_MASK_GROUP_{name.upper()}", "1")
    for name, its_group in points_on_bus(rows):
        lines += default(f"GPIORIG_MASK_{name}", f"GPIORIG_MASK_GROUP_{its_group.upper()}")
    lines += ["", "/* Span lines: no point has one, unless the build gives it a pin (options.h). */"]
    for name in spans(rows):
        lines += default(f"GPIORIG_SPAN_{name}", "GPIORIG_NO_PIN")
    return "\n".join([*lines, "", "#endif", ""])


def default(macro: str, value: str) -> list[str]:
    """Lines that define a macro unless the build did."""
    return [f"#ifndef {macro}", f"#define {macro} {value}", "#endif"]


def group(row: dict) -> str:
    """The group of an event: the first part of its name."""
    return row["name"].partition(".")[0]


def macro_name(row: dict) -> str:
    """The name of an event as firmware writes it."""
    return row["name"].upper().replace(".", "_")


def spans(rows: list[dict]) -> list[str]:
    """Names of the spans that firmware can show, as firmware writes them."""
    enters = [row for row in rows if row["kind"] == "enter" and row["code"] <= LAST_BUS_CODE]
    return [macro_name(row).removesuffix("_ENTER") for row in enters]


def points_on_bus(rows: list[dict]) -> list[tuple[str, str]]:
    """Name, as firmware writes it, and group of each point that a bus can carry."""
    shown = [row for row in rows if row["kind"] != "exit" and row["code"] <= LAST_BUS_CODE]
    return [
        (macro_name(row).removesuffix("_ENTER") if row["kind"] == "enter" else macro_name(row), group(row))
        for row in shown
    ]


def c_lines(rows: list[dict]) -> str:
    """All lines that firmware can drive, twice: a list to go through within the other."""
    lines = [(0, "the strobe", "(GPIORIG_WIDTH > 0 ? GPIORIG_STROBE : GPIORIG_NO_PIN)")]
    lines += [
        (number + 1, f"data line {number}", f"(GPIORIG_WIDTH > {number} ? GPIORIG_D{number} : GPIORIG_NO_PIN)")
        for number in range(8)
    ]
    lines += [(9, "the heartbeat line", "GPIORIG_HEARTBEAT_LINE")]
    lines += [(10 + at, f"the span line of {name}", f"GPIORIG_SPAN_{name}") for at, name in enumerate(spans(rows))]
    text = f"/* {NOTE} */\n#ifndef GPIORIG_LINES_H\n#define GPIORIG_LINES_H\n\n/* X(number, name, pin, ...) */\n"
    text += "#define GPIORIG_FIRST_OWN_LINE 9 /* the lines before it are the bus */\n"
    for macro in ("GPIORIG_LINES", "GPIORIG_OTHER_LINES"):
        body = " \\\n".join(f'    X({number}, "{name}", {pin}, __VA_ARGS__)' for number, name, pin in lines)
        text += f"\n#define {macro}(X, ...) \\\n{body}\n"
    return text + "\n#endif\n"


def c_table(rows: list[dict]) -> str:
    """Groups and names by code; what a firmware does not use, its linker drops."""
    by_code = {row["code"]: row for row in rows}
    codes = range(max(code for code in by_code if code <= LAST_BUS_CODE) + 1)
    groups = [
        f"GPIORIG_GROUP_{group(by_code[code]).upper()}" if code in by_code else "GPIORIG_GROUPS" for code in codes
    ]
    names = [f'"{by_code[code]["name"]}"' if code in by_code else '"?"' for code in codes]
    body = "".join(f"    {name}, /* {code} */\n" for code, name in enumerate(groups))
    text = (
        f"/* {NOTE} */\n" + '#include "gpiorig/probe.h"\n\n#ifdef GPIORIG_OFF\ntypedef int gpiorig_is_off;\n#else\n\n'
    )
    text += f"const uint8_t gpiorig_groups[GPIORIG_CODES] = {{\n{body}}};\n\n"
    body = "".join(f"        {name},\n" for name in names)
    text += "const char *gpiorig_name(uint8_t code)\n{\n    static const char *const names[GPIORIG_CODES] = {\n"
    return text + f'{body}    }};\n\n    return code < GPIORIG_CODES ? names[code] : "?";\n}}\n\n#endif\n'


def decoder_table(rows: list[dict]) -> str:
    """The table of the sigrok decoder, which runs in sigrok's own Python and cannot import ours."""
    head = f"# {NOTE}\n\n# code: (name, layer, kind, an id goes with it)\nEVENTS = {{\n"
    body = "".join(
        f"    {row['code']}: ('{row['name']}', '{row['layer']}', '{row['kind']}', {row['id']}),\n" for row in rows
    )
    layers = tuple(dict.fromkeys(row["layer"] for row in rows))
    return head + body + "}\n\nLAYERS = (\n" + "".join(f"    '{layer}',\n" for layer in layers) + ")\n"


def load_path() -> ModuleType:
    """The path of a packet, from the analysis: that module needs nothing but the standard library."""
    spec = importlib.util.spec_from_file_location("path", ROOT / "analysis/gpiorig/analysis/packets/path.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def timeline_table(rows: list[dict]) -> str:
    """The path of a packet for the sigrok decoder of timelines: the analysis' own, in plain tuples."""
    path = load_path()
    code = {row["name"]: row["code"] for row in rows}
    kinds = [kind for kind in path.Kind if kind is not path.Kind.RETRANSMISSION]  # the decoder has no first attempts
    text = f"# {note(f'{EVENTS} and analysis/gpiorig/analysis/packets/path.py')}\n"
    text += "\n# Code of an event with a direction: whether it is on the receiving side.\nRECEIVES = {\n"
    text += "".join(f"    {r['code']}: {r['direction'] == 'rx'},\n" for r in rows if r["direction"] != "none")
    text += "}\n\n# name, code of the event, leg (request sent, received, reply sent, received), how it is found\n"
    text += "MILESTONES = (\n"
    text += "".join(f"    ('{m.name}', {code[m.event]}, {m.leg}, '{m.source.name}'),\n" for m in path.MILESTONES)
    text += ")\n\nKINDS = (\n" + "".join(f"    ('{kind.name}', '{kind.value}'),\n" for kind in kinds)
    text += ")\n\n# (milestone, milestone): (what lies between them, its kind)\nSTEPS = {\n"
    text += "".join(f"    {ends}: ('{name}', {kinds.index(kind)}),\n" for ends, (name, kind) in path.STEPS.items())
    return text + f"}}\n\nTURN_AROUND = '{path.TURN_AROUND}: app.rx to app.tx'\n"


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


def events_page() -> str:
    """The table people read, which `make docs` writes."""
    points = tomllib.loads((ROOT / EVENTS).read_text())["point"]
    lines = [
        "# The event table",
        "",
        f"Made from `{EVENTS}` by `make docs`.",
        "",
        "A span is two events: enter has the code shown, exit the next one. Codes up to 127 are sent on a symbol bus",
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
    """Write the files that differ and delete those that are not needed, or with --check name them."""
    points = tomllib.loads((ROOT / EVENTS).read_text())["point"]
    rows = events(points)
    files = {
        "firmware-gpio-probes/include/gpiorig/events.h": c_header(rows),
        "firmware-gpio-probes/include/gpiorig/points.h": c_points(rows),
        "firmware-gpio-probes/src/lines.h": c_lines(rows),
        "firmware-gpio-probes/src/names.c": c_table(rows),
        "decoders/gpio_probe/table.py": decoder_table(rows),
        "decoders/gpio_timeline/path.py": timeline_table(rows),
        "analysis/gpiorig/analysis/events/table.py": python_table(rows),
    }
    files |= settings.files()
    files |= certify.files()
    files |= copies(files)
    check = "--check" in sys.argv
    problems = []
    for name, text in files.items():
        path, source = ROOT / name, HEAD.search(text)[1]
        if path.exists() and path.read_text() == text:
            continue
        if path.exists() and not has_head(path):
            problems.append(
                f"{name} lacks the head of a file that is generated from {source}: "
                "delete it and run `make generate`, or rename it"
            )
        elif check:
            problems.append(f"{name} differs from what {source} gives: edit that, and run `make generate`")
        else:
            path.write_text(text)
            print(f"wrote {name}")
    for name in set(with_head(files)) - files.keys():
        if check:
            problems.append(f"{name} is marked as generated, but nothing needs it: `make generate` deletes it")
        else:
            (ROOT / name).unlink()
            print(f"deleted {name}")
    for problem in sorted(problems):
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
