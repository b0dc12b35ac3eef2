"""The CC2538's port: the time it keeps, counted. It has neither a virtual board nor a run on hardware."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest
from disassembly import CROSS, Target, cycles, disassemble, quiet_cycles, stores_of_symbols

CPU_HZ = 32_000_000
FOUR = ("-DGPIORIG_D0=GPIORIG_PIN_C(0)",)
PORT = Target("cc2538", "cortex-m3", CPU_HZ, 1, FOUR, False, own_width=2)


@pytest.mark.parametrize("width", [1, 2, 4])
@pytest.mark.parametrize("function", ["gpiorig_send", "gpiorig_send_id"])
def test_symbols_and_gaps_keep_their_time(tmp_path: Path, width: int, function: str) -> None:
    """Held 125 ns and at most 300 ns without wait states, quiet for 500 ns: the frame gap of 400 ns is between."""
    body = disassemble(tmp_path, PORT, width)[function]
    stores = stores_of_symbols(body)
    assert (12 if function == "gpiorig_send" else 28) // width == len(stores)
    ns = 1e9 / CPU_HZ
    for here, there in itertools.pairwise(stores):
        between = [text for _, text in body[here:there]]
        assert not any(re.match(r"(b|cb|it)", text) for text in between), "a branch between two symbols"
        least, most = (sum(cycles(text)[which] for text in between) for which in (0, 1))
        assert 125 <= least * ns
        assert most * ns <= 300
    assert quiet_cycles(tmp_path, PORT, body) * ns >= 500


def test_the_openmote_has_its_own_lines(tmp_path: Path) -> None:
    """Strobe PD3, data PD1 and PD2: stores to the one address that selects these three of port D, and no other."""
    disassemble(tmp_path, PORT, 2, "-DGPIORIG_CC2538_OPENMOTE")
    command = [CROSS + "objdump", "-d", tmp_path / "out.o"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    places = {int(word, 16) for word in re.findall(r"\.word\t0x(400d[0-9a-f]{4})", text)}
    assert {0x400DC000 + (0x0E << 2)} == {place for place in places if 0x400DC000 < place < 0x400DC400}
