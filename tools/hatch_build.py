"""Build hook: the documents, the Rust libraries, the reference images, and the data that gpiorig needs at run time.

An editable installation builds nothing here: it finds what `make native` and `make firmware` make. An sdist has sources
and the documents of `make docs`: these need gpiorig's own dependencies, which pip does not install to build a wheel.
rig/gpiorig/rig/resources.py has where the program looks for each part.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Folders of the tree, and where resources.py looks for them in an installed package.
DATA = {
    "decoders": "gpiorig/rig/data/decoders",
    "experiments": "gpiorig/rig/data/experiments",
    "firmware-gpio-probes/hooks": "gpiorig/rig/data/hooks",
}
IMAGES = "gpiorig/vbench/images"
# The crates of each distribution, and where their libraries lie: next to the Python that loads them.
CRATES = {
    "gpiorig": {
        "gpiorig-native": "gpiorig/capture/libgpiorig_native.so",
        "gpiorig-decoderhost": "gpiorig/analysis/decoderhost/native.abi3.so",
    },
    "gpiorig-vbench": {
        "usbbus": "gpiorig/vbench/ends/libusbbus.so",
        "vboards": "gpiorig/vbench/boards/libvboards.so",
    },
}
# What a release is built for, `MACHINE-unknown-linux-gnu.GLIBC`, as cargo-zigbuild takes it; none: for this machine.
TARGET = "GPIORIG_TARGET"
MACHINES = {"EM_X86_64": "x86_64", "EM_AARCH64": "aarch64"}
PYTHON_TAGS = {
    "gpiorig": "cp311-abi3",  # one library is an extension module, in the stable ABI of CPython 3.11
    "gpiorig-vbench": "py3-none",  # all are loaded by ctypes: no ABI of CPython
}
OTHER_WIDTHS = [
    ("iotlab-m3", "events", "1"),
    ("nrf52840dk", "events", "1"),
]  # of the symbol bus; firmware-gpio-probes/Makefile
KERNELS = ("events", "threads")  # rig/gpiorig/rig/experiments/experiment.py

# What PEP 600 (through PEP 513) lets a manylinux wheel be linked with, as far as Rust does it.
MANYLINUX = re.compile(r"lib(c|m|dl|rt|pthread|gcc_s)\.so\.\d+|ld-linux[\w-]*\.so\.\d+")

NO_CARGO = (
    "gpiorig's libraries are written in Rust, and {missing} is missing. Run `apt-get install cargo rustc gcc libc6-dev "
    "binutils`, or install Rust with rustup; or install a wheel of gpiorig, which holds them."
)
NO_ZIG = (
    "{target} is built with cargo-zigbuild, which is missing. Run `pip install cargo-zigbuild ziglang`, and "
    "`rustup target add {rust_target}`."
)
NO_COMPILER = (
    "the reference firmware could not be built (make BOARD={board} KERNEL={kernel}): {why}. Run `apt-get install make "
    "gcc-arm-none-eabi libnewlib-arm-none-eabi clang-16 lld-16 llvm-16`; or install a wheel of gpiorig, which holds it."
)
NO_SDIST = "gpiorig-vbench is built in a tree of gpiorig: run `pip wheel ./rig/vbench` there, or use gpiorig's sdist."
NO_DOCUMENTS = "the pages of `make docs` are missing or old: {why}. Run `make docs`, and build again."


class BuildError(Exception):
    """What is missing or failed, and what to do."""


class CompiledParts(BuildHookInterface):
    """Adds to a wheel of gpiorig or of gpiorig-vbench what is not Python."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the parts, and return where they go and which platform they are for."""
        if version == "editable":
            return
        root, distribution = Path(__file__).resolve().parents[1], self.metadata.core.name
        is_core = distribution == "gpiorig"
        if is_core:
            self._add_documents(root, build_data)
        if self.target_name == "sdist":
            return None if is_core else self.app.abort(NO_SDIST)
        self._made = tempfile.TemporaryDirectory(prefix="gpiorig-wheel-")
        folder, crates = Path(self._made.name), CRATES[distribution]
        try:
            images = [] if is_core else build_images(root, folder)
            libraries = build_libraries(root, folder, list(crates))
        except BuildError as error:
            self._made.cleanup()
            self.app.abort(f"{distribution}: {error}")
        places = {str(path): f"{IMAGES}/{path.name}" for path in images}
        places |= {str(path): place for path, place in zip(libraries, crates.values(), strict=True)}
        places |= {str(root / source): place for source, place in DATA.items()} if is_core else {}
        build_data["force_include"] |= places
        build_data["pure_python"] = False
        build_data["tag"] = f"{PYTHON_TAGS[distribution]}-{platform_of(libraries)}"

    def _add_documents(self, root: Path, build_data: dict[str, Any]) -> None:
        """Write the documents that git does not have, unless this is an sdist, and add those of docs/."""
        if not (root / "PKG-INFO").exists():
            command = [sys.executable, str(root / "tools" / "documents.py")]
            done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode:
                self.app.display_warning(NO_DOCUMENTS.format(why=done.stderr.strip().rpartition("\n")[2]))
        if self.target_name == "sdist":
            build_data["artifacts"] += ["/docs/gpiorig.1", "/docs/**/*.md", "/docs/**/*.json"]
            return
        shared = f"{self.metadata.core.name}-{self.metadata.version}.data/data/share"
        build_data["force_include"][str(root / "docs")] = f"{shared}/doc/gpiorig"
        if (manual := root / "docs" / "gpiorig.1").exists():
            build_data["force_include"][str(manual)] = f"{shared}/man/man1/gpiorig.1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Delete what the wheel now holds."""
        if version != "editable" and self.target_name != "sdist":
            self._made.cleanup()


def build_libraries(root: Path, folder: Path, crates: Sequence[str]) -> list[Path]:
    """The Rust libraries of crates, stripped, in a folder, in the order of the crates."""
    for program in ("cargo", "rustc", "cc", "strip"):
        if shutil.which(program) is None:
            raise BuildError(NO_CARGO.format(missing=program))
    target, environment = os.environ.get(TARGET, ""), dict(os.environ)
    command = ["cargo", *(["zigbuild", f"--target={target}"] if target else ["build"])]
    command += ["--release", "--locked", "--lib", *(f"--package={crate}" for crate in crates)]
    command += ["--message-format=json-render-diagnostics"]
    if target:  # the strip of this machine may not know the other
        if shutil.which("cargo-zigbuild") is None:
            raise BuildError(NO_ZIG.format(target=target, rust_target=target.partition(".")[0]))
        environment |= {"CARGO_PROFILE_RELEASE_STRIP": "symbols", "RUSTFLAGS": "-C link-arg=-Wl,--build-id=none"}
    done = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise BuildError(f"`{' '.join(command[:-1])}` failed with status {done.returncode}; the reason is above.")
    built = [Path(name) for line in done.stdout.splitlines() for name in json.loads(line).get("filenames", ())]
    names = [f"lib{crate.replace('-', '_')}.so" for crate in crates]
    libraries = [path for path in built if path.name in names]
    if absent := set(names) - {path.name for path in libraries}:
        raise BuildError(f"cargo made no {' and no '.join(sorted(absent))}; gpiorig is built on Linux.")
    for path in libraries:  # the build id is a hash of debug information, too, which has the path of the sources
        strip = ["strip", "--remove-section=.note.gnu.build-id", "-o", folder / path.name, path]
        subprocess.run(["cp", str(path), str(folder)] if target else strip, check=True)
    return [folder / name for name in names]


def build_images(root: Path, folder: Path) -> list[Path]:
    """The reference images of all boards and kernels in a folder, without debug information; and their manifest."""
    manifest: dict[str, Mapping[str, object]] = {}
    boards = sorted(path.stem for path in (root / "rig/gpiorig/rig/boards").glob("*.toml"))
    targets = [(board, kernel, "", "reference") for board in boards for kernel in KERNELS]
    targets += [(board, kernel, width, "reference") for board, kernel, width in OTHER_WIDTHS]
    targets += [(board, "events", "", "certify") for board in boards]
    for board, kernel, width, program in targets:
        linked = _make(root / "firmware-gpio-probes", board, kernel, width, program)
        name = linked.parent.name
        shutil.copyfile(linked.with_name("shipped.elf"), folder / f"{name}.elf")
        manifest[name] = {
            "board": board,
            "kernel": kernel,
            "probes": "normal",
            "sha256": _sha256(folder / f"{name}.elf"),
            "sha256_with_debug_information": _sha256(linked),
            **_compiled(root / "firmware-gpio-probes", linked.with_name("flags")),
        }
    (folder / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n")
    return [folder / "manifest.json", *(folder / f"{name}.elf" for name in manifest)]


def _make(firmware: Path, board: str, kernel: str, width: str, program: str) -> Path:
    """The image of a board, with the flags of the sources whatever the environment has; next to it, `shipped.elf`."""
    fixed = [f"PROGRAM={program}", "PROBES=normal", "BUILD=build/wheel", "DEFINES=", f"WIDTH={width}", "LOG="]
    command = ["make", "--no-print-directory", "-s", f"-j{os.cpu_count()}", "-C", str(firmware)]
    command += [f"BOARD={board}", f"KERNEL={kernel}", *fixed, "shipped"]
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "CROSS")}
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    except FileNotFoundError as error:
        raise BuildError(NO_COMPILER.format(board=board, kernel=kernel, why="there is no make")) from error
    if done.returncode:
        errors = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        raise BuildError(NO_COMPILER.format(board=board, kernel=kernel, why=errors[0]))
    return firmware / done.stdout.splitlines()[-1]


def _compiled(firmware: Path, flags: Path) -> dict[str, str]:
    """Which compiler made an image, and by which command lines, wherever the sources lay."""
    words = flags.read_text().strip()
    compiler = words.partition(" ")[0]
    version = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True).stdout
    return {"compiler": version.splitlines()[0], "flags": words.replace(str(firmware), ".")}


def platform_of(libraries: Iterable[Path]) -> str:
    """The platform's tag: ``manylinux_X_Y`` of the newest glibc that is asked for, if nothing else is (PEP 600)."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    machines: set[str] = set()
    needed: set[str] = set()
    versions: set[tuple[int, int]] = set()
    for path in libraries:
        with path.open("rb") as file:
            elf = ELFFile(file)
            machines.add(MACHINES.get(elf["e_machine"], ""))
            for section in elf.iter_sections():
                if isinstance(section, DynamicSection):
                    needed |= {tag.needed for tag in section.iter_tags("DT_NEEDED")}
                if isinstance(section, GNUVerNeedSection):
                    names = [version.name for _, asked in section.iter_versions() for version in asked]
                    matches = [re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name) for name in names]
                    versions |= {(int(match[1]), int(match[2])) for match in matches if match}
    machine, *others = machines
    if others or not machine or not versions or not all(map(MANYLINUX.fullmatch, needed)):
        return platform
    return f"manylinux_{max(versions)[0]}_{max(versions)[1]}_{machine}"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
