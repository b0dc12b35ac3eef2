"""The declarations of a VCD file: what their names take."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpiorig.capture.errors import FormatError
from gpiorig.capture.text import vcd_header


@pytest.mark.parametrize(
    ("scopes", "name", "width"),
    [([], "d", 500), ([], "a_long_name_of_a_bus", 500), (["a", "b", "c", "d", "e"], "d", 1000), (["module"], "d", 1)],
)
def test_the_limit_is_that_of_the_names_of_all_bits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scopes: list[str], name: str, width: int
) -> None:
    """Their number is known to a third before a name is made."""
    path = tmp_path / "a.vcd"
    lines = [f"$scope module {scope} $end" for scope in ("top", *scopes)]
    lines += [f"$var wire {width} ! {name} $end", *["$upscope $end"] * (len(scopes) + 1)]
    lines += ["$scope module side $end $var wire 1 % clk $end $upscope $end", "$enddefinitions $end"]
    path.write_text("\n".join(["$timescale 1 ns $end", *lines, ""]))
    characters = sum(len(bit) for _, bits in vcd_header.read_header(path).variables for bit in bits)
    monkeypatch.setattr(vcd_header, "MAX_NAMES", 4 * characters // 3)
    vcd_header.read_header(path)
    monkeypatch.setattr(vcd_header, "MAX_NAMES", 2 * characters // 3)
    with pytest.raises(FormatError, match="dump fewer variables, or narrower ones"):
        vcd_header.read_header(path)
