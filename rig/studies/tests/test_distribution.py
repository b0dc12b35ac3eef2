"""Studies as a distribution of their own: its wheel, and the program without it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from commandline import ROOT, gpiorig

from gpiorig.rig import distributions, resources
from gpiorig.rig.distributions import STUDIES


@pytest.mark.slow
def test_the_wheel(tmp_path: Path) -> None:
    """The package, the study files, the parts that the program finds; no tests."""
    shutil.copytree(ROOT / "rig/studies", tmp_path / "studies", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist")]
    subprocess.run(command, cwd=tmp_path / "studies", check=True, capture_output=True, timeout=120)
    (wheel,) = (tmp_path / "dist").iterdir()
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (entries,) = (archive.read(name).decode() for name in names if name.endswith("entry_points.txt"))
    files = [path for suffix in ("py", "toml") for path in (ROOT / "rig/studies/gpiorig").rglob(f"*.{suffix}")]
    assert {str(path.relative_to(ROOT / "rig/studies")) for path in files} <= {*names}
    assert [] == [name for name in names if "tests" in name]
    assert f"[{STUDIES.group}]" in entries


@pytest.mark.parametrize("words", [("study", "list"), ("study", "--help"), ("batch", "runs/*")])
def test_the_program_without_it(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """One error with what to install; the other commands and the list of commands are not concerned."""
    monkeypatch.setattr(distributions, "parts", lambda group: {})
    done = gpiorig(*words)
    assert (2, True) == (done.status, "distribution gpiorig-studies. Run `make setup`." in done.stderr)
    monkeypatch.setattr(resources, "checkout", lambda: None)
    assert "Run `pip install 'gpiorig[studies]'`." in gpiorig(*words).stderr
    assert 0 == gpiorig("--help").status


@pytest.mark.slow
def test_the_core_imports_none_of_it() -> None:
    """Neither at its start nor for a verb of its own."""
    script = "import sys; from gpiorig.rig import cli; cli.main(['run', '--help']); "
    script += "import gpiorig.rig.commands.many.store_work; "
    script += "print([name for name in sys.modules if name.startswith(('gpiorig.studies', 'dask', 'distributed'))])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert "[]" == done.stdout.splitlines()[-1]
