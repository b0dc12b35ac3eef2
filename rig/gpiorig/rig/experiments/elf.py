"""Opening a firmware image, with one clear error if it is none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from gpiorig.rig.errors import FirmwareError
from gpiorig.rig.experiments import images


@contextmanager
def opened(path: Path) -> Iterator[ELFFile]:
    """An ELF image while its file is open; raises `FirmwareError` if it cannot be read or is not one."""
    try:
        with path.open("rb") as file:
            yield ELFFile(file)
    except OSError as error:
        raise FirmwareError(f"firmware {path}: {error.strerror}. {images.remedy(path)}") from error
    except ELFError as error:
        raise FirmwareError(
            f"firmware {path}: not an ELF image ({error}). Give the ELF that the linker made."
        ) from error
