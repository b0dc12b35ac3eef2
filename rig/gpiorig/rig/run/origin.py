"""What a recording of a bench is made with (`recording.toml`, `[origin]` and `[tools]`)."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from gpiorig.capture.recording.origin import ImageOrigin, Origin
from gpiorig.capture.recording.sums import sha256
from gpiorig.rig.bench import certificate_file
from gpiorig.rig.bench.bench import Bench
from gpiorig.rig.bench.flashing import Bsl, Openocd
from gpiorig.rig.experiments import image_build
from gpiorig.rig.experiments.images import HashedImage
from gpiorig.rig.host import machine
from gpiorig.rig.host import programs as installed


def programs() -> dict[str, str]:
    """Versions of gpiorig, Python and numpy, which take part in every recording."""
    return {"gpiorig": version("gpiorig"), "python": platform.python_version(), "numpy": version("numpy")}


def flashers(bench: Bench) -> dict[str, str]:
    """Versions of the programs that flash the boards of a bench."""
    methods = {type(node.described_board.flash) for node in bench.nodes.values()}
    versions = {}
    if Openocd in methods:
        versions["openocd"] = installed.OPENOCD.version()
    if Bsl in methods:
        versions[installed.MSP430_TOOLS] = installed.msp430_tools()
    return {name: number for name, number in versions.items() if number is not None}


def of(bench: Bench, bench_file: Path, text: str, *, firmware: Mapping[str, HashedImage], note: str) -> Origin:
    """The origin of a recording that begins now; `text` is the bench as the recording has it."""
    certificate = certificate_file.place(bench_file)
    copied = bench.virtual is None and certificate.is_file()
    return Origin(
        bench_file=str(bench_file),
        bench_sha256=hashlib.sha256(text.encode()).hexdigest(),
        certificate_sha256=sha256(certificate) if copied else "",
        host=machine.facts(),
        images={name: _image(image.path) for name, image in firmware.items()},
        note=note,
    )


def _image(path: Path) -> ImageOrigin:
    build = image_build.of(path)
    return ImageOrigin(file=str(path.resolve()), compiler=build.compiler, flags=build.flags)
