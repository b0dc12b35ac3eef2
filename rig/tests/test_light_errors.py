"""An error of use is printed before anything heavy is imported."""

from __future__ import annotations

import json
import subprocess
import sys

from gpiorig.rig.arguments import COMMANDS

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
PROGRAM = """
import json, sys
from gpiorig.rig.cli import main
calls, heavy = json.loads(sys.argv[1])
for call in calls:
    status = main(call.split())
    imported = [name for name in heavy if name in sys.modules]
    assert (2, []) == (status, imported), (call, status, imported)
"""


def test_nothing_heavy_is_imported() -> None:
    """With the status of wrong use and a line for each; in one process, in which nothing comes of one of them."""
    command = [sys.executable, "-c", PROGRAM, json.dumps([CALLS, HEAVY])]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stdout), done.stderr
    assert len(CALLS) == done.stderr.count(": error: ") == len(done.stderr.splitlines()), done.stderr
