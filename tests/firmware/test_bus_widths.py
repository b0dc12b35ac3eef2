"""Symbol buses of other widths than a board's own: pins and frame gaps of the board file are those of the port."""

from __future__ import annotations

import pytest
from images import build
from probed_image import run

from gpiorig.rig.bench import boards
from gpiorig.rig.experiments.images import reference_image

CALIBRATION = "rig.calibrate"


@pytest.mark.parametrize(
    ("board", "width"),
    [
        ("iotlab-m3", 1),
        *(
            pytest.param(board, width, marks=pytest.mark.deep)
            for board in ("telosb", "nucleo-l476rg")
            for width in (1, 2, 4)
        ),
    ],
)
def test_every_event_of_a_boot_is_seen(board: str, width: int) -> None:
    """All ids of the calibration burst are decoded, and no frame is damaged."""
    assert width in boards.load(board).widths
    own = reference_image(board, width=width)
    image = own if own.exists() else build(board, f"WIDTH={width}")

    ran = run(board, image.read_bytes(), virtual_s=1, width=width)

    assert (list(range(32)), 0) == (ran.ids(CALIBRATION), ran.damaged)
