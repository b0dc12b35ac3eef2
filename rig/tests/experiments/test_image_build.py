"""The compiler and the options of an image."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from gpiorig.rig.experiments import image_build, images


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A copy of the reference image of a board, and of the command line next to it."""
    built = images.reference_image("iotlab-m3")
    shutil.copy2(built.with_name(image_build.FLAGS), tmp_path)
    return Path(shutil.copy2(built, tmp_path))


def test_of_a_reference_image_compiler_and_command_line(image: Path) -> None:
    """The image names its compiler; the file that its build has left has the command line."""
    build = image_build.of(image)

    assert build.compiler.startswith("GCC: ")
    assert "-DGPIORIG_PORT=iotlab-m3" in build.flags


def test_a_command_line_that_is_newer_than_the_image(image: Path) -> None:
    """It is that of a later build; the options are those of the image's debug information."""
    os.utime(image, ns=(0, 0))

    flags = image_build.of(image).flags

    assert "-DGPIORIG_PORT" not in flags
    assert "-mcpu=cortex-m3" in flags


def test_of_what_is_not_an_image_nothing(tmp_path: Path) -> None:
    """Whether it can be run is not decided here."""
    (tmp_path / "image").write_text("no image")

    assert image_build.of(tmp_path / "image") == image_build.of(tmp_path / "none") == image_build.Build()
