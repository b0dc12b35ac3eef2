"""Lost USB transfers: places and sizes from what the drivers report."""

from __future__ import annotations

import pytest

from gpiorig.capture.edges.bounds import Bound
from gpiorig.capture.edges.losses import Loss
from gpiorig.capture.sigrok.lost_transfers import Layout, Transfers, losses, sized


def reported(*reports: tuple[str, int]) -> Transfers:
    """What is collected of reports in the wording of libsigrok 0.5.2."""
    transfers = Transfers()
    for status, size_bytes in reports:
        transfers.feed(b"cli: Received SR_DF_LOGIC (9 bytes, unitsize = 1).\n")
        transfers.feed(
            f"sr: [00:01.2] fx2lafw: receive_transfer(): status {status} received {size_bytes} bytes.\n".encode()
        )
    return transfers


GOOD, LATE = "LIBUSB_SUCCESS / LIBUSB_TRANSFER_COMPLETED", "LIBUSB_TRANSFER_TIMED_OUT"
ERROR, OVERFLOW = "LIBUSB_TRANSFER_ERROR", "LIBUSB_TRANSFER_OVERFLOW"


@pytest.mark.parametrize(
    ("driver", "channels", "unitsize", "place", "size"),
    [
        ("fx2lafw:conn=usb:1-3", 8, 1, 12_288, 6144),
        ("fx2lafw", 3, 2, 6144, 3072),
        ("dreamsourcelab-dslogic", 12, 2, 8192, 4096),
        ("dreamsourcelab-dslogic", 16, 2, 6144, 3072),
        ("saleae-logic16", 16, 2, 6144, 3072),
        ("saleae-logic16", 8, 2, 12_288, 6144),
    ],
)
def test_places(driver: str, channels: int, unitsize: int, place: int, size: int) -> None:
    """Two transfers of 6144 bytes, then one that held as many: bits of a sample by the layout of each driver."""
    layout = Layout(driver=driver, channels=channels, unitsize=unitsize)

    transfers = reported((GOOD, 6144), (LATE, 6144), (ERROR, 6144), (GOOD, 6144))

    (loss,) = losses(transfers, layout, base=7, received=layout.samples(18_432)) or ()

    assert (7 + place, 7 + place, size, 0) == (loss.start, loss.end, loss.samples, loss.uncertainty)


FX2 = Layout(driver="fx2lafw", channels=8, unitsize=1)


def test_a_transfer_that_held_less_may_have_lost_a_complete_one() -> None:
    """And one that held nothing lost a packet at least; some in a row are one loss."""
    transfers = reported((GOOD, 6144), (ERROR, 0), (GOOD, 6144), (OVERFLOW, 2048), (OVERFLOW, 512), (GOOD, 100))
    lost = losses(transfers, FX2, base=0, received=12_388)
    assert lost is not None

    assert [(6144, 512, 5632), (12_288, 2560, 9728)] == [(loss.start, loss.samples, loss.uncertainty) for loss in lost]


def test_what_nothing_came_after_is_the_end() -> None:
    """No loss in what was recorded; an empty transfer is not a loss either."""
    transfers = reported((GOOD, 6144), (GOOD, 0), (GOOD, 6144), (ERROR, 0), (ERROR, 0))

    assert [] == losses(transfers, FX2, base=0, received=12_288)
    assert (2, 0) == (transfers.failing.count if transfers.failing else 0, transfers.empty)


def test_channels_that_rotate() -> None:
    """saleae-logic16 continues to count words: with 12 channels all that comes after a loss is in the wrong places."""
    twelve, eight = (Layout(driver="saleae-logic16", channels=count, unitsize=2) for count in (12, 8))
    transfers = reported((GOOD, 6144), (ERROR, 6144), (GOOD, 6144))
    (rotated,), (plain,) = (
        losses(transfers, layout, base=0, received=layout.samples(12_288)) or () for layout in (twelve, eight)
    )

    assert ((4096, 8192), (6144, 6144)) == ((rotated.start, rotated.end), (plain.start, plain.end))


LOST = Loss(start=500, end=500, samples=10, uncertainty=90, found_by="transfer")


def clock(start: int, end: int, samples: int) -> Loss:
    return Loss(start=start, end=end, samples=samples, uncertainty=20, found_by="clock")


@pytest.mark.parametrize(
    ("by_clock", "limit", "expected"),
    [
        ([], None, [(500, 10, 90)]),  # too short for the clock
        ([], 40, [(500, 10, 30)]),  # it would have shown 40
        ([], 1000, [(500, 10, 90)]),
        ([clock(400, 600, 25)], 40, [(500, 10, 20)]),  # what it held, within the clock's uncertainty
        ([clock(400, 600, 70)], 40, [(500, 70, 20)]),
        ([clock(400, 600, 110)], 40, [(500, 100, 20)]),  # a complete transfer at most
        ([clock(400, 600, 500)], 40, [(400, 500, 20)]),  # more than a transfer: the clock's interval stands
        ([clock(600, 700, 50)], 40, [(500, 10, 30), (600, 50, 20)]),
    ],
)
def test_sizes(by_clock: list[Loss], limit: int | None, expected: list[tuple[int, int, int]]) -> None:
    """The clock tells the size of a loss whose place is known, within what the transfer can have lost."""
    bounds = [] if limit is None else [Bound(start=0, end=1000, limit_samples=limit, found_by="clock")]
    placed = sized([LOST], by_clock, bounds=bounds)

    assert expected == [(loss.start, loss.samples, loss.uncertainty) for loss in placed]
