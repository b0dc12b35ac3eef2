"""What `--json` prints is one of the structures of its command, and each command that has it is listed."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import results
import schemas
from commandline import ROOT, Demo, gpiorig

from gpiorig.rig.arguments import COMMANDS
from gpiorig.rig.arguments.parser import leaves
from gpiorig.rig.cli import options_of

PAGE = ROOT / "docs" / "reference" / "json.md"
LINES = ("decode", "serial", "store-query", "view")  # one object for each line
WITHOUT = {"bench-virtual"}  # lines between programs, which tests of the served bench read
IRQ = "initiator.tap.irq:rise"
PAIRS = ("--request", r"seq=(?P<id>\d+) tx_us", "--response", r"seq=(?P<id>\d+) from", "--across-nodes")
CALLS = [
    ("batch", "batch RUN -o OUT --workers 1 --no-report"),
    ("bench-certify", "bench certify demo --part radio --packets 2 -o OUT"),
    ("bench-check", "bench check demo"),
    ("bench-check", "bench check fx2-two-m3"),
    ("bench-list", "bench list"),
    ("bench-plan", "bench plan 2xnrf52840dk"),
    ("bench-plan", "bench plan 2xnrf52840dk --resolution 1ns"),
    ("bench-scan", "bench scan"),
    ("capture", "capture -d demo:logic_channels=8:analog_channels=0 --samplerate 1MHz --samples 9999 -o OUT"),
    ("capture", "capture --bench demo --duration 20ms -o OUT"),
    ("clocks", "clocks RUN"),
    ("compare", "compare RUN OTHER"),
    ("compare", "compare RUN OTHER OTHER"),
    ("compare", "compare RUN OTHER -o OUT"),
    ("compare", "compare RUN OTHER --assert loss+1% --assert loss<9%"),
    ("decode", "decode RUN -P uart:rx=initiator.uart_tx"),
    ("decode", "decode --list"),
    ("decode", "decode --wiring RUN"),
    ("decode", "decode --wiring RUN --node initiator"),
    ("doctor", "doctor"),
    ("export", "export RUN -o OUT.sr --from 0s --to 9999sa"),
    ("export", "export RUN -o OUT.csv --table steps"),
    ("firmware-check", "firmware check iotlab-m3 --os reference"),
    ("firmware-list", "firmware list"),
    ("firmware-memory", "firmware memory iotlab-m3"),
    ("firmware-selftest", "firmware selftest RUN --os reference"),
    ("info", "info RUN"),
    ("info", "info LOG"),
    ("latency", " ".join(["latency LOG", *PAIRS]).replace(" tx_us", ".tx_us").replace(" from", ".from")),
    ("latency", r"latency LOG --request seq=(?P<id>\d+).tx_us --response seq=(?P<id>\d+).tx_us --ids 0:9 --nominal 1s"),
    ("latency", r"latency LOG --request (?P<against>\d+).tx_us --response (?P<node>\d)"),
    ("measure", f"measure RUN --period {IRQ} --nominal 20ms"),
    ("measure", "measure RUN --period tap.irq --per node"),
    ("packets", "packets RUN"),
    ("packets", "packets RUN --lost"),
    ("report", "report RUN -o OUT --quantity goodput --assert rtt.max<1us"),
    ("report", "report RUN OTHER --reproduce"),
    ("run", "run demo pingpong --packets 2 --no-report -o OUT"),
    ("run", "run nothing pingpong -o OUT"),
    ("serial", "serial RUN"),
    ("serial", "serial RUN --pins"),
    ("store-add", "store add RUN -s STORE"),
    ("store-ls", "store ls -s STORE"),
    ("store-query", "store query select.*.from.quantities -s STORE"),
    ("store-rm", "store rm --study trial -s STORE"),
    ("store-gc", "store gc -s STORE"),
    ("view", "view RUN --follow"),
]


STUDY = """\
document = "seeds/000"
figure = "small"
title = "Two payloads"
[bench]
template = "iotlab-m3"
lines = ["bus", "tap.irq", "tap.frame_timestamp"]
[experiment]
base = "pingpong"
packets = 5
[[vary]]
name = "payload"
key = "settings.payload"
values = [16, 32]
[repeat]
n = 1
[[show]]
kind = "line"
x = "payload"
y = ["rtt.median"]
"""


def named(command: str) -> list[str]:
    """The verbs of a command that have `--json`, as their schemas are called."""
    return [
        leaf.prog.removeprefix("gpiorig ").replace(" ", "-")
        for leaf in leaves(options_of(command))
        if "--json" in leaf._option_string_actions
    ]


def objects(name: str, printed: str) -> list[Any]:
    """What a command printed."""
    return [json.loads(line) for line in printed.splitlines()] if name in LINES else [json.loads(printed)]


def test_each_command_is_listed() -> None:
    """A command with `--json` has structures; the page lists those that print more than one object, or a list."""
    known = {name for command in COMMANDS for name in named(command)}
    rows = "".join(line for line in PAGE.read_text().splitlines() if line.startswith("|"))
    listed = {name.replace(" ", "-") for name in re.findall(r"`([a-z][a-z ]*)`", rows)}

    assert known == results.results().keys() | WITHOUT
    assert not results.results().keys() & WITHOUT
    assert {*LINES, *WITHOUT} <= listed <= known


def test_each_result_is_held(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """By a call, by that of `demo`, or by other tests (`schemas`); any other command is called on a recording."""
    held = {name for name, _ in CALLS} | {"demo"} | schemas.HELD
    assert set() == held - results.results().keys()
    for name in results.results().keys() - held:
        run = shutil.copytree(request.getfixturevalue("demo").folder, tmp_path / name)
        schemas.check(name, json.loads(gpiorig(*name.split("-"), run, "--json").stdout))


def test_each_structure_has_a_schema() -> None:
    """All of their types can be described; what a schema refers to is in it."""
    for name in results.results():
        schema = json.loads(results.schema(name))
        references = set(re.findall(r'"#/\$defs/([^"]+)"', json.dumps(schema)))
        assert references == schema["$defs"].keys(), name


@pytest.mark.slow
def test_of_the_demo(demo: Demo) -> None:
    """What the demo printed."""
    schemas.check("demo", demo.numbers)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "call"), CALLS, ids=[f"{name}-{n}" for n, (name, _) in enumerate(CALLS)])
def test_output_is_valid(name: str, call: str, demo: Demo, other_demo: Demo, tmp_path: Path) -> None:
    """Each call prints one of the structures; a key that is in none is an error."""
    run = tmp_path / "run"
    if "RUN" in call:
        shutil.copytree(demo.folder, run)
    log = tmp_path / "log.txt"
    if "LOG" in call:
        log.write_text(gpiorig("serial", demo.folder, "--iotlab").stdout)
    if name.startswith("store-") and name != "store-add":
        gpiorig("store", "add", demo.folder, "-s", tmp_path / "store", "--study", "trial", "--quantity", "goodput")
    places = {"RUN": run, "OTHER": other_demo.folder, "LOG": log, "STORE": tmp_path / "store", "OUT": tmp_path / "out"}
    words = [re.sub("|".join(places), lambda match: str(places[match[0]]), word) for word in call.split()]
    if name == "store-query":
        words[2] = "select * from quantities"
    done = gpiorig(*words, "--json")

    printed = objects(name, done.stdout)
    assert printed or name == "store-query"
    for result in printed:
        schemas.check(name, result)


@pytest.mark.slow
def test_of_studies(tmp_path: Path) -> None:
    """What `study` prints is valid before and after its points are recorded; `gpiorig` of the tests holds it."""
    file = tmp_path / "small.toml"
    file.write_text(STUDY)
    output = ("-o", tmp_path / "out", "--json")
    for words in (("list", file), ("run", file, "--direct"), ("list", file), ("report",)):
        done = gpiorig("study", *words, *output)
        assert 0 == done.status, done.stderr
        assert done.stdout


def test_what_no_structure_states_is_refused() -> None:
    """A key of a command whose results are held by tests of its own."""
    words = ("study", "status", "out", "--follow", "--json")
    schemas.hold(words, '{"at": "2026-01-01", "event": "plan started"}\n')
    with pytest.raises(AssertionError, match="other keys"):
        schemas.hold(words, '{"at": "2026-01-01", "event": "plan started", "another": 1}\n')
