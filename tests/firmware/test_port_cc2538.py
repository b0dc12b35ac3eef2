"""The CC2538's port: the time it keeps, counted. It has neither a virtual board nor a run on hardware."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from disassembly import Target, cycles, disassemble

CPU_HZ = 32_000_000
# GPIO_DATA's address selects the pins in its bits 9 to 2: strobe PC4 and PC5 up, and for four lines PC0 up.
STORES = {1: 0x30 << 2, 2: 0x70 << 2, 4: 0x1F << 2}
FOUR = ("-DGPIORIG_D0=GPIORIG_PIN_C(0)",)
PORT = Target("cc2538", "cortex-m3", CPU_HZ, 1, "", FOUR, False, own_width=2)


@pytest.mark.parametrize("width", STORES)
@pytest.mark.parametrize("function", ["gpiorig_send", "gpiorig_send_id"])
def test_symbols_and_gaps_keep_their_time(tmp_path: Path, width: int, function: str) -> None:
    """Held 125 ns and at most 300 ns without wait states, quiet for 500 ns: the frame gap of 400 ns is between."""
    body = disassemble(tmp_path, PORT, width)[function]
    stores = [
        at for at, (_, text) in enumerate(body) if re.search(rf"^str(\.w)?\t\w+, \[\w+, #{STORES[width]}\]", text)
    ]
    assert (12 if function == "gpiorig_send" else 28) // width == len(stores)
    ns = 1e9 / CPU_HZ
    for here, there in itertools.pairwise(stores):
        between = [text for _, text in body[here:there]]
        assert not any(re.match(r"(b|cb|it)", text) for text in between), "a branch between two symbols"
        least, most = (sum(cycles(text)[which] for text in between) for which in (0, 1))
        assert 125 <= least * ns
        assert most * ns <= 300
    tail = [text for _, text in body[stores[-1] :]]
    end = next(at for at, text in enumerate(tail) if text.startswith("msr\tPRIMASK")) + 1
    assert (sum(cycles(text)[0] for text in tail[:end]) + 12) * ns >= 500


def test_the_openmote_has_its_own_lines(tmp_path: Path) -> None:
    """Strobe PD3, data PD1 and PD2: one store selects these three of port D, and no other."""
    body = disassemble(tmp_path, PORT, 2, "-DGPIORIG_CC2538_OPENMOTE")["gpiorig_send"]
    assert 6 == sum(f", #{0x0E << 2}]" in text for _, text in body)
