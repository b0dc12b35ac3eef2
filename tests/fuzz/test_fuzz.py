"""Every target of the fuzzer on its seeds and on some damage of them; `make fuzz` follows their coverage for hours."""

from __future__ import annotations

import pytest
from faults.damage import damaged
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from . import invariants
from .catalog import TARGETS
from .findings import place, smaller


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(which=st.integers(0, 99), number=st.integers(0, 1 << 30), tail=st.binary(max_size=20))
def test_an_input_is_understood_or_refused(name: str, which: int, number: int, tail: bytes) -> None:
    """A result that is in order, or one of our errors; and what else the target asks."""
    target = TARGETS[name]
    target.run(damaged(target.seeds[which % len(target.seeds)], number) + tail)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_whole_inputs_hold(name: str) -> None:
    """The seeds themselves."""
    assert TARGETS[name].seeds
    for seed in TARGETS[name].seeds:
        TARGETS[name].run(seed)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=300))
@pytest.mark.parametrize("name", ["symbol_bus", "damaged_bus", "uart", "spi", "segment_calls", "sync_line"])
def test_any_waveform_is_decoded_alike(name: str, data: bytes) -> None:
    """Kernels and sigrok's decoders agree on anything, at once or in blocks."""
    TARGETS[name].run(data)


def test_a_finding_is_made_smaller() -> None:
    """Until nothing can be omitted."""

    def fails(data: bytes) -> bool:
        return b"x" in data and b"y" in data

    assert b"xy" == smaller(b"abc" * 30 + b"x" + b"def" * 9 + b"y" + b"z", fails, seconds=60)


def test_a_finding_is_known_by_its_place() -> None:
    """An invariant by its words; another exception by its file and line."""
    with pytest.raises(invariants.Broken) as broken:
        invariants.hold(False, "it holds")
    with pytest.raises(IndexError) as raised:
        _ = [][1]

    assert "Broken it holds" == place(broken.value)
    assert "IndexError test_fuzz.py" == place(raised.value).partition(":")[0]
