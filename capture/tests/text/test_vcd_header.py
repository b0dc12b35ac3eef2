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


def test_what_the_head_of_a_dump_may_have_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scopes within each other, bytes, characters of an identifier and digits of a width: one more is refused."""
    path = tmp_path / "a.vcd"
    text = "$timescale 1 ns $end $scope module a $end $scope module b $end\n$var wire {} {} c $end\n"
    path.write_text(text.format(1, "!" * 8) + "$enddefinitions $end\n")
    monkeypatch.setattr(vcd_header, "MAX_SCOPES", 2)
    assert (("!" * 8, ("b.c",)),) == vcd_header.read_header(path).variables
    monkeypatch.setattr(vcd_header, "MAX_SCOPES", 1)
    with pytest.raises(FormatError, match="has more than 1 scopes within each other"):
        vcd_header.read_header(path)
    monkeypatch.undo()
    for width, code in ((1, "!" * 9), (1_000_000, "!")):
        path.write_text(text.format(width, code) + "$enddefinitions $end\n")
        with pytest.raises(FormatError, match=r"has a \$var of"):
            vcd_header.read_header(path)


@pytest.mark.parametrize("excess", [0, 1])
def test_the_longest_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, excess: int) -> None:
    path = tmp_path / "a.vcd"
    path.write_text("$timescale 1 ns $end $scope module a $end $var wire 4 ! bus $end $enddefinitions $end\n")
    monkeypatch.setattr(vcd_header, "MAX_NAMES", 4 * len("a.bus1") - excess)  # the width is a digit, the point another
    if excess:
        with pytest.raises(FormatError, match="names of 24 characters and more in all"):
            vcd_header.read_header(path)
    else:
        assert ("bus[0]", "bus[1]", "bus[2]", "bus[3]") == vcd_header.read_header(path).variables[0][1]


@pytest.mark.parametrize("size", [(1 << 16) - 1, 1 << 16, (1 << 16) + 1])
def test_declarations_without_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    """As long as the longest that are read, they are too long; shorter ones were cut."""
    monkeypatch.setattr(vcd_header, "HEADER_BYTES", 1 << 16)
    path = tmp_path / "a.vcd"
    path.write_text("$comment ".ljust(size))
    with pytest.raises(FormatError, match="declarations of more than" if size >= 1 << 16 else "no \\$enddefinitions"):
        vcd_header.read_header(path)


def test_bits_count_from_their_low_end(tmp_path: Path) -> None:
    """Either way, and where a range is of one number."""
    path = tmp_path / "a.vcd"
    for name, bits in (
        ("b[3:2]", ("b[2]", "b[3]")),
        ("b[2:3]", ("b[3]", "b[2]")),
        ("b[5]", ("b[5]", "b[6]")),
        ("b", ("b[0]", "b[1]")),
    ):
        path.write_text(f"$timescale 1 ns $end $var wire 2 ! {name} $end $enddefinitions $end\n")
        assert bits == vcd_header.read_header(path).variables[0][1]
