"""The settings of a node: settings.toml as a list for each firmware, as the host's structure, and as a page."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass

from generated import ROOT, note

SOURCE = "firmware-gpio-probes/settings.toml"
KEYS = {"range", "names", "node", "default", "firmwares", "condition", "runner", "always", "text"}
LINE_LENGTH = 120  # of pyproject.toml
SENT_FIRST = ("app", "mac")  # as in older versions, so that a run with the same seed has the same events, byte by byte


@dataclass(frozen=True)
class Firmware:
    """A firmware that has settings: its name in documents, its folder, and the case of its enumerators."""

    name: str
    folder: str
    is_lower: bool = False


FIRMWARES = {
    "reference": Firmware("reference", "firmware-gpio-probes/reference/stack"),
    "riot": Firmware("RIOT", "firmware-gpio-probes/riot/app", is_lower=True),
    "contiki-ng": Firmware("Contiki-NG", "firmware-gpio-probes/contiki-ng/pingpong"),
}


def files() -> dict[str, str]:
    """Path and text of every file that follows from settings.toml."""
    settings = load()
    texts = {
        f"{firmware.folder}/settings_table.h": c_table(
            [variant(setting, key) for setting in settings if key in owners(setting)], firmware
        )
        for key, firmware in FIRMWARES.items()
    }
    return texts | {
        "rig/gpiorig/rig/experiments/node_settings.py": python_module(settings),
    }


def load() -> list[dict]:
    """The settings with their keys and types; ends with a message where one is wrong."""
    tables = tomllib.loads((ROOT / SOURCE).read_text())
    for key, table in tables.items():
        refuse_mistakes(key, table)
    return [{"key": key, "type": type_of(table), **table} for key, table in tables.items()]


def refuse_mistakes(key: str, table: dict) -> None:
    """End with a message if the table of a setting has an unknown key or firmware, or lacks something."""
    own = {name for firmware in FIRMWARES for name in table.get(firmware, {})}
    unknown = (table.keys() | own) - KEYS - FIRMWARES.keys() | (set(owners(table)) - FIRMWARES.keys())
    if unknown:
        sys.exit(f"{SOURCE}: {key}: unknown {', '.join(sorted(unknown))}; use {', '.join([*sorted(KEYS), *FIRMWARES])}")
    if "text" not in table or ("node" in table and "range" not in table):
        sys.exit(f"{SOURCE}: {key} lacks {'range' if 'text' in table else 'text'}")


def type_of(table: dict) -> str:
    """The type of a setting: a node, a choice, a number or a bool."""
    kinds = {"node": "node", "names": "choice", "range": "number"}
    return next((kind for key, kind in kinds.items() if key in table), "bool")


def owners(setting: dict) -> list[str]:
    """The firmwares that have a setting."""
    return setting.get("firmwares", list(FIRMWARES))


def variant(setting: dict, firmware: str) -> dict:
    """A setting as one firmware has it."""
    return setting | setting.get(firmware, {})


def value(limit: object) -> object:
    """The value of a limit, default or name that may be a macro."""
    return limit["value"] if isinstance(limit, dict) else limit


def in_c(limit: object) -> str:
    """The same for C."""
    if isinstance(limit, dict):
        return limit["macro"]
    return f"{int(limit)}u"


def limits(setting: dict) -> tuple[object, object]:
    """The least and the largest number of a setting; a name has the number of its place."""
    if setting["type"] == "choice":
        return 0, len(setting["names"]) - 1
    return tuple(setting.get("range", (0, 1)))


def enumerator(setting: dict, name: object, firmware: Firmware) -> str:
    """What C calls a name."""
    return f"{setting['key'].upper()}_{value(name) if firmware.is_lower else value(name).upper()}"


def c_default(setting: dict, firmware: Firmware) -> str:
    """The default for C: a number, a macro or an enumerator."""
    default = setting.get("default", 0)
    return enumerator(setting, default, firmware) if isinstance(default, str) else in_c(default)


def c_table(settings: list[dict], firmware: Firmware) -> str:
    """Lists of the settings of a firmware, as macros that take a macro."""
    choices = [setting for setting in settings if setting["type"] == "choice"]
    text = f"/* {note(SOURCE)} */\n#ifndef SETTINGS_TABLE_H\n#define SETTINGS_TABLE_H\n\n"
    for setting in choices:
        if isinstance(value(setting["names"][0]), str):
            members = ", ".join(enumerator(setting, name, firmware) for name in setting["names"])
            text += f"enum {setting['key']}_number {{ {members} }};\n"
    text += "\n/* X(key, names): the names of each setting that has some, in the order of their numbers */\n"
    names = [f"{c_macro(s)}({s['key']}, {', '.join(c_string(name) for name in s['names'])})" for s in choices]
    text += c_list(f"SETTINGS_NAMES({', '.join(['X', *conditions(choices)])})", names)
    text += "\n/* X(key, minimum, maximum, default, names), names: NULL or KEY_names"
    text += "; IF_MACRO is X where the macro is not 0 */\n" if conditions(settings) else " */\n"
    arguments = ", ".join(["X", *conditions(settings)])
    return text + c_list(f"SETTINGS({arguments})", [c_row(setting, firmware) for setting in settings]) + "\n#endif\n"


def conditions(settings: list[dict]) -> list[str]:
    """The macros that stand for X where some builds do not have a setting."""
    return list(dict.fromkeys(c_macro(setting) for setting in settings if "condition" in setting))


def c_macro(setting: dict) -> str:
    """X, or what stands for it."""
    return f"IF_{setting['condition']}" if "condition" in setting else "X"


def c_string(name: object) -> str:
    """A name as a string of C."""
    return name["macro"] if isinstance(name, dict) else f'"{name}"'


def c_row(setting: dict, firmware: Firmware) -> str:
    """The call of X for a setting."""
    minimum, maximum = (in_c(limit) for limit in limits(setting))
    names = f"{setting['key']}_names" if setting["type"] == "choice" else "NULL"
    return f"{c_macro(setting)}({setting['key']}, {minimum}, {maximum}, {c_default(setting, firmware)}, {names})"


def c_list(head: str, rows: list[str]) -> str:
    """A macro of several lines that is a list."""
    return " \\\n".join([f"#define {head}", *(f"    {row}" for row in rows)]) + "\n"


def widest(setting: dict) -> tuple[int, int]:
    """The limits that the host checks: the widest of all firmwares."""
    pairs = [[value(limit) for limit in limits(variant(setting, firmware))] for firmware in owners(setting)]
    return min(pair[0] for pair in pairs), max(pair[1] for pair in pairs)


def in_python(number: object) -> str:
    """A number, bool or name for Python."""
    if isinstance(number, str):
        return f'"{number}"'
    return str(number) if isinstance(number, bool) or number < 10_000 else f"{number:_}"


def python_type(setting: dict) -> str:
    """The type of a setting in an experiment file."""
    if setting["type"] == "choice":
        return f"Literal[{', '.join(map(in_python, setting['names']))}]"
    return {"number": "int", "bool": "bool", "node": "str"}[setting["type"]]


def python_field(setting: dict) -> str:
    """A field of the host's structure, in the lines that ruff would make of it."""
    line = f"    {setting['key']}: {python_type(setting)} | None = None\n"
    if len(line) <= LINE_LENGTH + 1:
        return line
    kind = python_type(setting)
    if len(kind) + 8 > LINE_LENGTH:
        names = "".join(f"            {in_python(name)},\n" for name in setting["names"])
        kind = f"Literal[\n{names}        ]"
    return f"    {setting['key']}: (\n        {kind}\n        | None\n    ) = None\n"


def python_module(settings: list[dict]) -> str:
    """The structure of the host, its limits, and the keys whose value is a node."""
    fields = [setting for setting in settings if not setting.get("runner")]
    fields.sort(key=lambda setting: setting["key"] not in SENT_FIRST)
    body = "".join(python_field(setting) for setting in fields)
    sent = "".join(
        f"    {s['key']}: {python_type(s)} | None = {in_python(s['default'])}\n" for s in fields if s.get("always")
    )
    ranges = "".join(
        f'    "{s["key"]}": ({", ".join(map(in_python, widest(s)))}),\n' for s in settings if s["type"] == "number"
    )
    nodes = ", ".join(f'"{s["key"]}"' for s in fields if s["type"] == "node")
    known = "".join(f'    "{s["key"]}": {{{", ".join(map(in_python, owners(s)))}}},\n' for s in settings)
    return f'''"""The settings of a node. {note(SOURCE)}"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

# Least and largest value of each number, the widest limits of all firmwares.
LIMITS = {{
{ranges}}}
# Settings that are the name of a node here and its address in the firmware.
NODE_NAMES = ({nodes})
# The firmwares that have each setting.
FIRMWARES = {{
{known}}}


class NodeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of the firmware, as `set` takes them (firmware-gpio-probes/settings.toml); None: its default."""

{body}
    def given(self) -> dict[str, Any]:
        """Those that are not None."""
        return {{key: value for key, value in msgspec.to_builtins(self).items() if value is not None}}


class Settings(NodeSettings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Settings of all nodes. Those with a value are sent to every firmware, also one that knows only them."""

{sent}'''


def settings_page() -> str:
    """The table that people read, which `make docs` writes."""
    lines = [
        "# Settings of a node",
        "",
        f"Made from `{SOURCE}` by `make docs`.",
        "",
        "The keys of `set KEY VALUE` on the serial line, and of `[settings]` and `[nodes.NAME]` in an",
        "[experiment file](experiments.md). Firmware takes a decimal number, a hexadecimal one after `0x`, or a name;",
        "for a bool 0 or 1, for a node its short address. An experiment file has `true` or `false` for a bool and the",
        "name of a node. `gpiorig` checks the widest limits of all firmwares before it sends anything; a node checks",
        "its own.",
        "",
        "| key | values | default | firmwares | |",
        "|---|---|---|---|---|",
    ]
    for s in load():
        lines.append(f"| `{s['key']}` | {cell(s, values)} | {cell(s, shown_default)} | {firmwares(s)} | {text(s)} |")
    return "\n".join([*lines, ""])


def cell(setting: dict, show: Callable[[dict], str]) -> str:
    """What a function gives for a setting, and after that what differs in single firmwares."""
    shown = {firmware: show(variant(setting, firmware)) for firmware in owners(setting)}
    common = show(setting) if show(setting) in shown.values() else ""
    others = [f"{FIRMWARES[key].name}: {text}" for key, text in shown.items() if text != common]
    return "; ".join(filter(None, [common, *others]))


def values(setting: dict) -> str:
    """The values that a setting takes."""
    if setting["type"] == "choice":
        return ", ".join(f"`{value(name)}`" for name in setting["names"])
    minimum, maximum = (value(limit) for limit in limits(setting))
    if setting["type"] == "number":
        return f"{minimum} to {maximum}"
    if setting["type"] == "bool":
        return "true" if minimum else "true, false"
    return "a node" if minimum else "a node, or 0"


def shown_default(setting: dict) -> str:
    """The default of a setting."""
    if setting["type"] == "choice":
        return f"`{value(setting.get('default', setting['names'][0]))}`"
    default = value(setting.get("default", 0))
    return str(bool(default)).lower() if setting["type"] == "bool" else str(default)


def firmwares(setting: dict) -> str:
    """The firmwares of a setting."""
    having = [FIRMWARES[key].name for key in owners(setting)]
    return "all" if len(having) == len(FIRMWARES) else ", ".join(having)


def text(setting: dict) -> str:
    """What a setting does."""
    return setting["text"] + ("; set by the runner" if setting.get("runner") else "")
