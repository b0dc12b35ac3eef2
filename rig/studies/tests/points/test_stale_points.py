"""Points become stale when a file changes that their numbers, or their recording, depend on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import keptpoints as kept
import pytest

import gpiorig
from gpiorig.rig import code_version
from gpiorig.studies.plans import runner
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.session import Options
from gpiorig.studies.points import folder, work
from gpiorig.studies.points.states import Sought

pytestmark = [pytest.mark.usefixtures("by_hand"), pytest.mark.slow]

NUMBERS, BOARDS = "gpiorig.studies.points.analysed", "gpiorig.vbench.boards.vboards"
DATA = (
    "capture/libgpiorig_native.so",
    "rig/boards/telosb.toml",
    "rig/boards/radios/CC2420.toml",
    "rig/consoles/riot.toml",
)
OTHER = (
    *("capture/sigrok/capture.py", "analysis/figures/packet.py", "analysis/report/page.py"),
    *(
        "analysis/traces/perfetto.py",
        "analysis/report/style.css",
        "rig/commands/record/run_work.py",
        "rig/view/server.py",
    ),
    *("rig/commands/begin/demo_work.py", "studies/points/pages.py", "studies/points/imported_by_no_module.py"),
)


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, with short files for the native libraries."""
    copy = tmp_path_factory.mktemp("package")
    for portion in gpiorig.__path__:
        shutil.copytree(portion, copy, ignore=shutil.ignore_patterns("*.so", "__pycache__"), dirs_exist_ok=True)
    for name in ("capture/libgpiorig_native.so", "vbench/boards/libvboards.so"):
        (copy / name).write_text("library")
    return copy


@pytest.fixture
def sought(tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch) -> Sought:
    """A study with all points done, by the code of the copy."""
    for module in (folder, work):
        monkeypatch.setattr(module, "analysis_version", lambda: code_version.of(NUMBERS, portions=[package]))
        monkeypatch.setattr(module, "boards_version", lambda: code_version.of(BOARDS, portions=[package]))
    sought = kept.sought(tmp_path)
    runner.run(Plan.of([sought]), Options())
    return sought


def states(sought: Sought, file: Path) -> list[str]:
    """The states of a point: with a file changed, and with the file as before."""
    content = file.read_bytes() if file.exists() else None
    file.write_bytes((content or b"") + b"\n")
    changed = kept.state_of(sought)[0]
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    return [changed, kept.state_of(sought)[0]]


def test_a_changed_file_of_any_room(sought: Sought, package: Path) -> None:
    """The points are stale whose numbers come from it; other files leave them."""
    script = f"import sys, {NUMBERS}; print(*(name for name in sys.modules if name.startswith('gpiorig.')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    paths = [package.joinpath(*name.split(".")[1:]).with_suffix(".py") for name in sorted(done.stdout.split())]
    of_rooms = {path.parent: path for path in paths if path.is_file()}  # the last of each room

    assert {"capture", "edges", "analysis", "packets", "quantities", "rig", "bench"} < {room.name for room in of_rooms}
    for path in [*of_rooms.values(), *(package / name for name in DATA)]:
        assert ["stale", "done"] == states(sought, path), path
    for name in OTHER:
        assert (package / name).is_file() or "no_module" in name, name
        assert ["done", "done"] == states(sought, package / name), name


def test_other_boards_make_recordings_again(sought: Sought, package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As other numbers they are stale, but analysing them again does not help."""
    recorded = []
    monkeypatch.setattr(work, "record", lambda *args, **options: recorded.append(1) or kept.record(*args, **options))
    library = package / "vbench/boards/libvboards.so"
    library.write_text("other")

    assert ("stale", "its recording is of another version of the virtual boards") == kept.state_of(sought)
    runner.run(Plan.of([sought]), Options())
    assert ({"done": 4}, 4) == (kept.counts(sought), len(recorded))
    runner.run(Plan.of([sought]), Options(), ended=lambda outcome: pytest.fail("it was done"))

    library.write_text("a third one")
    monkeypatch.setattr(folder, "boards_version", lambda: "")  # none are installed, so none could record them again
    assert "done" == kept.state_of(sought)[0]
