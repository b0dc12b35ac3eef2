"""The encoding of times and texts in PulseView's session files."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from gpiorig.analysis.traces.pulseview_session import Layer, Session, Signal, Stack, timestamp, write

HEAD = "22 serialization::archive 18 0 0 0 0 "


@pytest.mark.parametrize(
    ("seconds", "stored"),
    [
        # As a program with boost::multiprecision::cpp_dec_float<24> and boost's text archive wrote it.
        (Fraction(1692458, 10**9), "169245 80000000 0 0 0 0 -8 0 0 6"),
        (Fraction(0), "0 0 0 0 0 0 0 0 0 6"),
        (Fraction(-3, 2), "1 50000000 0 0 0 0 0 1 0 6"),
        (Fraction(123_456_789), "1 23456789 0 0 0 0 8 0 0 6"),
    ],
)
def test_timestamp(seconds: Fraction, stored: str) -> None:
    """Six limbs of eight decimal digits, the exponent of the first, the sign."""
    assert HEAD + stored == timestamp(seconds)


@pytest.mark.parametrize("sample", [1, 7, 174_335, 14_400_000_001])
def test_timestamp_is_exact_to_a_sample(sample: int) -> None:
    """Reading the limbs back gives the time, to far less than a sample at 24 MHz."""
    seconds = Fraction(sample, 24_000_000)
    *limbs, exponent, _, _, _ = map(int, timestamp(seconds).removeprefix(HEAD).split())
    value = sum(limb * Fraction(10) ** (exponent - 8 * place) for place, limb in enumerate(limbs))
    assert 0 <= seconds - value < Fraction(1, 10**30)


def test_session_file(tmp_path: Path) -> None:
    """Options are GVariant bytes; what Qt would read otherwise is escaped; channels that are not connected count."""
    layer = Layer(
        decoder="some_id",
        declared=("a", "b"),
        channels={"b": "x y"},
        options={"text": "p/q@1+r", "number": 2},
        hidden_rows=(3,),
    )
    session = Session(
        signals=(Signal(name="x y", colour="#0072B2", shown=False),),
        stacks=(Stack(name='a "name"', layers=(layer, layer), colour="#D55E00"),),
        window=(Fraction(0), Fraction(1)),
        width=1000,
    )
    write(tmp_path / "s.pvs", session)
    text = (tmp_path / "s.pvs").read_text()
    for line in (
        "[x%20y]",
        f"color={0xFF0072B2}",
        'name="a \\"name\\""',
        'decoder1\\option0\\value="@ByteArray(p/q@1+r\\0)"',
        'decoder0\\option1\\value="@ByteArray(\\x2\\x0\\x0\\x0\\x0\\x0\\x0\\x0)"',
        "channels=4",
        'channel3\\assigned_signal_name="x y"',
        "decoder0\\row3\\visible=false",
        "scale=0.001",
    ):
        assert re.search(f"^{re.escape(line)}$", text, re.MULTILINE), line
    assert "channel0\\assigned" not in text
    assert "some_id:b=x y:text=p/q@1+r:number=2,some_id" in session.stacks[0].words()
