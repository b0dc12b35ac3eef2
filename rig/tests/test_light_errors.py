"""An error of use is printed before anything heavy is imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpiorig.rig.arguments import COMMANDS

FOLDER = Path(__file__).parent  # which is there, and holds something
HEAVY = ("numpy", "pyarrow", "scipy", "matplotlib", "duckdb", "distributed", "pandas", "jinja2")
# Files that are not there, names of nothing, options that do not go together, missing ones.
CALLS = (
    *(f"{command} --zzz" for command in COMMANDS),
    *("report", "report absent", "report absent --reproduce", "report . . ", "report . --figures gif"),
    *("compare absent absent", "compare .", "compare . . --open", "compare . . --changes x.txt", "packets absent"),
    *("view absent", "view . --window 5m", "view . --port 99999", "view . --follow --open", "packets . --by rtt"),
    *("info", "info absent", "measure absent --period a", "measure .", "clocks absent", "radio absent", "merge ."),
    *(
        "merge absent absent -o new",
        "import absent -o new",
        "latency absent --value v",
        "latency . --value v --request r",
    ),
    *("decode absent -P uart:rx=a", "decode -P uart", "decode --list --link", "decode --wiring absent"),
    *("export absent -o x.sr", "export .", "export . --pulseview", "export . -o x.sr --open", "packets . --steps -1"),
    *(
        "run absent pingpong -o new",
        "run demo absent -o new",
        "flash absent",
        "bench check absent",
        "bench verify absent",
    ),
    *("capture -o new", "capture --bench absent -o new", "capture -o new --initiator a", "doctor --yes", "batch"),
    *("study run absent", "study list absent", "store ls -s absent", "store add absent"),
    *("firmware check absent --os reference", "firmware selftest absent --os reference", "firmware cost a b -o new"),
)
# Values that are wrong by themselves: numbers out of range, names in a list, suffixes, limits, patterns.
VALUES = (
    *(
        "demo --packets 0",
        "demo --seed -1",
        "run demo pingpong -o new --packets 0",
        "run absent pingpong -o new --json",
    ),
    *(f"run demo pingpong -o {__file__}", f"run demo pingpong -o {FOLDER}", "run --json", "bench virtual --json"),
    *("bench virtual absent --json", "flash demo --attempts 0", "serial x=a -b 0", "serial x=a --pins"),
    *(f"serial x=a -o {FOLDER}", f"import . -o {FOLDER}", f"merge . . -o {FOLDER}"),
    *(f"capture -d a --samplerate {rate} -o new" for rate in ("x", "1.5Hz", "1MHz --samples 0", "1MHz --heartbeat D7")),
    f"capture -d a --samplerate 1MHz -o {FOLDER}",
    *(f"info . {option}" for option in ("--format zzz", "--samplerate x", "--unitsize 0", "--columns x=y")),
    *(f"report . --assert {limit}" for limit in ("nonsense", "rtt.zzz<5ms", "rtt.p99<5kg", "'p99(zzz->mac.rx)<5ms'")),
    *("report . --quantity nonsense", f"report . -o {__file__}", f"report {__file__}", "view . --assert nonsense"),
    *("view . . --perfetto", "view . --follow --window 0s", f"packets {__file__}"),
    *(f"compare . . {option}" for option in ("--assert nonsense", "--assert 'rtt.p99 +5 kg'", "--quantity nonsense")),
    *("compare . . --changes zzz/x.csv", f"compare . . -o {__file__}", "export . -o ."),
    *(f"measure . --period {edges}" for edges in ("a:high", "a -o x.zzz", "a --figure x.zzz", "a -o zzz/x.csv")),
    *(
        "measure . --skew a a",
        "measure . --period a --nominal 0s",
        "latency . --request '(' --response b",
        "latency . --value a --figure x.zzz",
    ),
    *("clocks . --pattern '('", "clocks .", "clocks . --figure x.zzz", "clocks . --figure zzz/x.svg"),
    *("decode . -P absent:rx=a", "decode . -P uart:rx=a -o x.zzz", "radio . --chip cc2420"),
    *(f"radio {__file__} --chip cc2420 --lines {lines}" for lines in ("x", "zzz=a", "clk=a")),
    *(f"batch . {option}" for option in ("--do zzz", "--workers 0", "--scheduler x", "--quantity zzz", "--list zzz")),
    f"batch . -o {__file__}",
    *(f"study run 000.round-trip {option}" for option in ("--image x", "--workers 0", "--scheduler x", "--bench zzz")),
    *("study status absent", "study report -o absent", "store add . --quantity nonsense", f"store add . -s {__file__}"),
    *("doctor --yes --bundle absent/x.zip", "doctor --yes --bundle new.zip --experiment zzz"),
)
# What the modules of the formats and of the radios know, which need numpy and nothing slower.
OF_MODULES = (
    *(f"export . -o {output}" for output in ("x.zzz", "x", "x.sr --as zzz", "x.sr --table events")),
    *(
        "export . -o x.pcapng --packet 5",
        "export . -o x.pftrace --channels a",
        f"export {__file__} -o x.sr --bench demo",
    ),
    f"radio {__file__} --chip absent --lines clk=a,select=b",
)
PROGRAM = """
import json, shlex, sys
from gpiorig.rig.cli import main
calls, heavy = json.loads(sys.argv[1])
for call in calls:
    status = main(shlex.split(call))
    imported = [name for name in heavy if name in sys.modules]
    assert (2, []) == (status, imported), (call, status, imported)
"""


@pytest.mark.parametrize(
    ("calls", "heavy"), [(CALLS + VALUES, HEAVY), (OF_MODULES, HEAVY[1:])], ids=["names", "modules"]
)
def test_nothing_heavy_is_imported(calls: tuple[str, ...], heavy: tuple[str, ...]) -> None:
    """With the status of wrong use and a line for each; in one process, in which nothing comes of one of them."""
    command = [sys.executable, "-c", PROGRAM, json.dumps([calls, heavy])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    as_objects = [json.loads(line) for line in done.stdout.splitlines()]
    assert 0 == done.returncode, done.stderr
    assert sum("--json" in call for call in calls) == len(as_objects)
    assert all("error" in error for error in as_objects)
    assert len(calls) == done.stderr.count(": error: ") == len(done.stderr.splitlines()), done.stderr
