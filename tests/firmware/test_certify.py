"""The image of `gpiorig bench certify` on virtual boards: its rows, and what they state."""

from __future__ import annotations

import certifiedboard
import numpy as np
import pytest

from gpiorig.rig.bench import boards
from gpiorig.rig.certify import pulses, row_values
from gpiorig.rig.certify.row_values import Missing, Value
from gpiorig.rig.certify.rows import ROWS
from gpiorig.rig.experiments.images import certify_image
from gpiorig.vbench.description import timing
from gpiorig.vbench.description.ends import VirtualAnalyzer, VirtualThreshold
from gpiorig.vbench.description.world import VirtualNode


def measured(board: str = "iotlab-m3", **changes: object) -> dict[str, Value]:
    """The values of all rows of a board."""
    showings = pulses.read(certifiedboard.line(board, **changes), "node.strobe")  # type: ignore[arg-type]
    assert 0 == showings.damaged
    values = row_values.values(showings.showings, board, samplerate_hz=certifiedboard.RATE_HZ)
    assert not [key for key, value in values.items() if isinstance(value, Missing)]
    return {key: value for key, value in values.items() if isinstance(value, Value)}


@pytest.mark.parametrize("board", ["iotlab-m3", "nrf52840dk", "nucleo-l476rg", "telosb"])
def test_each_row_of_a_board_has_a_value(board: str) -> None:
    """Its code comes once a round, with all pulses; cycles are whole numbers but where DMA comes in between."""
    values = measured(board)

    assert [row.key for row in ROWS if board in row.boards] == list(values)
    for row in ROWS:
        if board in row.boards and row.unit == "cycles":
            value = values[row.key]
            assert value.uncertainty < 0.05
            whole = round(value.value) == pytest.approx(value.value, abs=value.uncertainty)
            assert whole or row.key in ("dma.load", "dma.store"), row.key


@pytest.mark.parametrize("radio", ["at86rf231", "mrf24j40"])
def test_a_board_has_the_rows_of_the_one_that_it_is_like(radio: str) -> None:
    """And the settings of its timing model, and an image of its own."""
    variant = boards.load(f"nucleo-l476rg-{radio}")

    assert [row.key for row in ROWS if variant.machine in row.boards]
    assert timing.of("nucleo-l476rg") == timing.of(variant.name) != {}
    assert f"{variant.name}-certify" == certify_image(variant).parent.name


def test_cycles_that_the_processor_manual_states() -> None:
    """DDI 0337I, table 3-1: ADDS 1 cycle, a branch 1 and a refill of 1 to 3; an LDR whose next does not hide it 2."""
    values = measured()

    assert 32 + 1 + 2 <= round(values["flash.ws0.narrow"].value) <= 32 + 1 + 4
    assert 16 == round(values["load.alone"].value - values["narrow"].value)  # 16 LDR and 16 ADDS, not 32 ADDS


def test_a_clock_is_found_and_does_not_change_cycles() -> None:
    """A crystal 200 ppm fast is 200 ppm; the loops take as many of its cycles as before."""
    base, fast = measured(), measured(node=VirtualNode(clock_ppb=200_000))

    assert 200 == pytest.approx(fast["clock"].value, abs=fast["clock"].uncertainty)
    assert base["branch.0"].value == pytest.approx(fast["branch.0"].value, abs=2 * fast["branch.0"].uncertainty)


def test_the_thresholds_of_a_channel_are_found() -> None:
    """Of rising edges that are seen 200 ns late the highs are as much shorter than the lows."""
    late = measured(threshold=VirtualThreshold(rise_ps=200_000))

    assert -400 == pytest.approx(late["square"].value, abs=late["square"].uncertainty)


def test_a_setting_of_the_model_is_seen_in_its_rows() -> None:
    """A cycle more for MLA: 16 for a turn of 16, and the row of another instruction stays."""
    base, longer = measured(), measured(timing={"multiply_accumulate": 2})

    assert 16 == pytest.approx(longer["multiply.add"].value - base["multiply.add"].value, abs=0.05)
    assert 0 == pytest.approx(longer["store"].value - base["store"].value, abs=0.03)


def test_dma_beside_the_processor_is_seen_in_its_rows() -> None:
    """RM0008 13.3: it takes at most half of the RAM's cycles, and none of what runs from the flash without RAM."""
    base, free, slow = measured(), measured(timing={"dma_hold": 0}), measured(timing={"dma_transfer": 6})
    waits = {key: base[f"dma.{key}"].value - base[f"{key}.ram"].value for key in ("load", "store")}

    assert all(1 < waited <= 16 for waited in waits.values())  # of 16 accesses
    assert base["narrow"].value == pytest.approx(base["dma.narrow"].value, abs=0.03)
    assert free["load.ram"].value == pytest.approx(free["dma.load"].value, abs=0.03)
    assert (5, 6) == (round(base["dma.words"].value), round(slow["dma.words"].value))
    assert slow["dma.load"].value < base["dma.load"].value - 1


def test_a_damaged_code_is_counted_and_its_row_left_out() -> None:
    """A code with a pulse less is not a code: no row gets the pulses of another."""
    edges = certifiedboard.line("iotlab-m3", analyzer=VirtualAnalyzer())
    showings = pulses.read(edges, "node.strobe")
    first = int(np.searchsorted(edges.samples, showings.showings[4].rises[0])) - 16  # the first pulse of its code
    kept = np.delete(np.arange(len(edges.samples)), [first, first + 1])

    damaged = pulses.read(
        type(edges).from_blocks(
            [(edges.samples[kept].copy(), edges.levels[kept].copy())],
            samplerate_hz=edges.samplerate_hz,
            channels=edges.channels,
            end=edges.end,
        ),
        "node.strobe",
    )

    codes = [showing.code for showing in damaged.showings]
    assert showings.showings[4].code not in codes[:5]
    values = row_values.values(damaged.showings, "iotlab-m3", samplerate_hz=certifiedboard.RATE_HZ)
    assert "its code was not seen on the line" == values["flash.ws0.branch0"].reason
