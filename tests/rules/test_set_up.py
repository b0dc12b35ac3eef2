"""What targets of make install: their groups of Debian packages, one environment, the part of a compiler."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import images
import pytest
from commandline import ROOT

TOOLS = ROOT / "tools"
# Of Debian's ARM compiler, what these tests do not put into an archive: the libraries of other cores.
OTHER_CORES = "/thumb/v[68]|/thumb/v7[^-]|/thumb/v7-[^m]|/thumb/nofp|/arm/v5te"


def write_script(folder: Path, name: str, body: str) -> None:
    """A program of that name, for a PATH."""
    (folder / name).write_text(f"#!/bin/sh\n{body}\n")
    (folder / name).chmod(0o755)


def set_up(folder: Path, *groups: str) -> subprocess.CompletedProcess[str]:
    """`tools/debian.sh` of a user without root and sudo, on a machine without packages and groups."""
    write_script(folder, "dpkg-query", "exit 1")
    write_script(folder, "id", "echo 1000")
    for name in ("grep", "flock"):
        (folder / name).symlink_to(f"/usr/bin/{name}")
    command = ["/bin/sh", TOOLS / "debian.sh", *groups]
    return subprocess.run(command, env={"PATH": str(folder)}, capture_output=True, text=True, check=False)


def dry_run(target: str) -> str:
    """What make would do for a target without an environment, and with sources that changed."""
    command = ["make", "--dry-run", "-C", ROOT, target, "VENV=none", "RUST_SOURCES=debian-native"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def groups_of(commands: str) -> set[str]:
    """The groups of Debian packages among these commands."""
    return set(re.findall(r"^tools/debian\.sh (\w+)$", commands, re.MULTILINE))


def test_a_real_bench_has_groups_of_users_too(tmp_path: Path) -> None:
    """The packages of a bench are named, and the groups to join."""
    done = set_up(tmp_path, "bench")

    assert 2 == done.returncode
    assert " udev usbutils psmisc\n  adduser 1000 plugdev\n  adduser 1000 dialout\n" in done.stderr


def test_missing_packages_are_named(tmp_path: Path) -> None:
    """Without root and sudo, set-up prints the apt line, with each package once, and stops with status 2."""
    done = set_up(tmp_path, "native", "sigrok", "firmware")

    assert 2 == done.returncode
    compilers = "gcc-arm-none-eabi libnewlib-arm-none-eabi clang-16 lld-16 llvm-16"
    packages = f"gcc libc6-dev cargo rustc sigrok-cli make {compilers}"
    assert f"apt-get install --no-install-recommends {packages}" == done.stderr.splitlines()[-1].strip()


@pytest.mark.parametrize("groups", [("python", "toaster"), ()])
def test_groups_that_are_not_in_the_table(tmp_path: Path, groups: tuple[str, ...]) -> None:
    done = set_up(tmp_path, *groups)

    assert (2, "") == (done.returncode, done.stdout)
    assert "usage: tools/debian.sh GROUP..." in done.stderr


@pytest.mark.slow
def test_the_demo_sets_up_no_more_than_it_needs() -> None:
    """Three groups, the dependencies of the program, three libraries; tests and checks add theirs."""
    demo, fast, check = dry_run("demo"), dry_run("test-fast"), dry_run("check")

    assert {"python", "native", "sigrok"} == groups_of(demo)
    assert "--editable ." in demo and "--group dev" not in demo
    crates = "--package gpiorig-native --package gpiorig-decoderhost --package vboards"
    assert re.search(rf"cargo build .*{crates}$", demo, re.MULTILINE)
    assert not re.search(r"cargo build .*(--workspace|--examples)", demo)
    assert {"python", "native", "sigrok", "firmware", "test"} == groups_of(fast)
    assert "--group dev" in fast and re.search(r"cargo build .*--examples --workspace$", fast, re.MULTILINE)
    assert {"python", "native", "firmware", "check"} == groups_of(check)


def test_a_step_states_its_size_and_time(tmp_path: Path) -> None:
    """A line with megabytes and seconds; output only of what fails, with its status."""
    (tmp_path / "data").write_bytes(bytes(3 << 20))

    def step(script: str) -> subprocess.CompletedProcess[str]:
        command = [TOOLS / "step.sh", "the step", tmp_path, "sh", "-c", script]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    passed, quick, failed = step("echo chatter; sleep 1"), step("echo chatter"), step("echo reason; exit 3")

    assert re.fullmatch(rf"the step \({tmp_path}, [34] MB, [1-9]\d* s\)\n", passed.stdout)
    assert quick.stdout in ("", f"the step ({tmp_path}, 4 MB, 1 s)\n")
    assert (3, "") == (failed.returncode, failed.stdout)
    assert re.fullmatch(r"reason\nthe step: failed after \d+ s\n", failed.stderr)


@pytest.mark.slow
def test_the_demo_s_part_of_the_compiler_builds_the_same_image(tmp_path: Path) -> None:
    """Byte for byte, debug information included."""
    write_script(tmp_path, "apt-get", 'shift 2; for name in "$@"; do touch "${name}_1_all.deb"; done')
    archive = f"dpkg -L \"${{2%%_*}}\" | grep -vE '{OTHER_CORES}' | sed 's,^/,./,' | tar -c -C / --no-recursion -T -"
    write_script(tmp_path, "dpkg-deb", archive)
    compiler = tmp_path / "compiler"
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    command = [TOOLS / "arm_compiler.sh", compiler]
    subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=True)
    cross = f"CROSS={compiler}/usr/bin/arm-none-eabi-"
    board = ["make", "-s", "-C", images.FIRMWARE, "BOARD=iotlab-m3", f"BUILD={tmp_path / 'build'}", cross]
    subprocess.run(board, capture_output=True, check=True)

    image = tmp_path / "build" / "iotlab-m3" / "reference.elf"
    assert images.build("iotlab-m3").read_bytes() == image.read_bytes()
    size_mb = sum(path.stat().st_size for path in compiler.rglob("*") if path.is_file()) / 1e6
    assert 40 < size_mb < 75, "hard links count twice here"


def test_a_compiler_that_cannot_be_had(tmp_path: Path) -> None:
    """The reason, the remedy, and no half of it."""
    write_script(tmp_path, "apt-get", "echo no network >&2; exit 100")
    environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    command = [TOOLS / "arm_compiler.sh", tmp_path / "compiler"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    assert 100 == done.returncode
    remedy = "apt-get update; apt-get install gcc-arm-none-eabi libnewlib-arm-none-eabi"
    assert f"no network\nno ARM compiler. Run as root: {remedy}\n" == done.stderr
    assert not (tmp_path / "compiler").exists()
