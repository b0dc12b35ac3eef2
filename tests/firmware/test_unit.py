"""The unit tests of the probe library: C programs on the PC, each with the build options it names."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import compilers
import pytest

pytestmark = pytest.mark.slow  # builds programs

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware-gpio-probes"
PROGRAMS = sorted((FIRMWARE / "unit").glob("test_*.c"))
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror")


@pytest.mark.slow
@pytest.mark.parametrize("compiler", ["gcc", "clang-16"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_unit(tmp_path: Path, program: Path, compiler: str) -> None:
    """Every test that the program has passes, with no warning and under the undefined behaviour sanitizer."""
    source = program.read_text()
    options = re.search(r"^/\* options:(.*) \*/$", source, re.MULTILINE)
    assert options, f"{program.name} has no line with its options"
    image = tmp_path / program.stem
    # A trap, not a report: the run-time library that reports is not in Debian's clang-16.
    command = [compiler, "-std=c11", "-g", "-O1", *STRICT, "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"]
    command += [*options[1].split(), "-DGPIORIG_PORT=host", f"-I{FIRMWARE / 'include'}", f"-I{FIRMWARE / 'ports'}"]
    library = (FIRMWARE / "src").glob("*.c")
    built = compilers.link(command, [program, *library], image)
    assert (0, "") == (built.returncode, built.stderr)
    done = subprocess.run([image], capture_output=True, text=True, check=False)
    assert (0, "") == (done.returncode, done.stderr), done.stdout
    assert re.findall(r"RUN_TEST\((test_\w+)\)", source) == re.findall(r":(test_\w+):PASS$", done.stdout, re.MULTILINE)
    assert re.findall(r"^static void (test_\w+)\(void\)", source, re.MULTILINE) == re.findall(
        r"RUN_TEST\((test_\w+)\)", source
    )
