"""The ARMv7-M core of the virtual bench against Unicorn (QEMU's Cortex-M3 and Cortex-M4) on random instructions.

What is compared, and what by which rule of the architecture is not, is in the package `core_oracle` next to this file;
`PYTHONPATH=rig/vbench/tests python -m core_oracle 5000000` is the same for as long as you like.
"""

import numpy as np
import pytest
from core_oracle.compare import Comparison
from core_oracle.machines import CORES
from core_oracle.vectors import HALF_END, NO_ROW, ROWS, blocks, classify, exclusives, rows_with, singles, unpredictable
from depth import by_depth

BATCH = 5_000
# Of each core: together more than 40 000 comparisons, or more than 200 000.
SLOW_COMPARISONS = by_depth(20_000, 110_000)
# Every seventh 16-bit encoding, others for each core; or all of them.
HALF_STEP = by_depth(7, 1)
# Differences in the message of a failed test.
SHOWN = 40


def check(comparison: Comparison) -> None:
    differences = comparison.tally.differences
    assert not differences, "\n".join(differences[:SHOWN])


@pytest.mark.slow
@pytest.mark.parametrize("core", CORES)
def test_a_sample_agrees_with_unicorn(core: str) -> None:
    """Instructions of every row, IT blocks and exclusive pairs leave both machines in the same state."""
    comparison = Comparison(core)
    rng = np.random.default_rng([3, CORES.index(core)])
    comparison.run(singles(rng, BATCH))
    comparison.run(blocks(rng, BATCH // 4, dsp=core != "m3"))
    comparison.run(exclusives(rng, BATCH // 10))
    check(comparison)
    assert comparison.tally.compared > BATCH


@pytest.mark.slow
@pytest.mark.parametrize("core", CORES)
def test_16_bit_encodings_and_many_others_agree_with_unicorn(core: str) -> None:
    """16-bit encodings in turn and random others; each row of the tables runs without a fault at least once."""
    comparison = Comparison(core)
    tally = comparison.tally
    rng = np.random.default_rng([1, CORES.index(core)])
    comparison.run(singles(rng, 0, halves=range(CORES.index(core) % HALF_STEP, HALF_END, HALF_STEP)))
    while tally.compared < SLOW_COMPARISONS:
        comparison.run(singles(rng, 3 * BATCH))
        comparison.run(blocks(rng, BATCH, dsp=core != "m3"))
        comparison.run(exclusives(rng, BATCH // 10))
    check(comparison)
    if core == "m4f":
        ran = tally.rows[:NO_ROW] > 0
        always_faulting = {"BKPT", "UDF", "UDF.W", "SVC", "LDRD literal post"}
        missing = [row.name for row, seen in zip(ROWS, ran, strict=True) if not seen and "skip" not in row.traits]
        assert set(missing) <= always_faulting


def test_the_rules_leave_out_what_the_manual_calls_unpredictable() -> None:
    """A few encodings of each kind, worked out by hand; the rules decide the results of the comparisons."""
    table = [
        (0xEA10_0F01, False, "TST r0, r1"),
        (0xEA00_0F01, True, "AND pc, r0, r1: d == 15 without S"),
        (0xFBA0_1102, True, "UMULL r1, r1, r0, r2: dHi == dLo"),
        (0xFBA0_1202, False, "UMULL r1, r2, r0, r2"),
        (0xF3BF_8F4F, False, "DSB SY"),
        (0xF3BF_8E4F, True, "DSB with a (1) bit clear"),
        (0xE8B0_0003, True, "LDM r0!, {r0, r1}: wback && registers<n>"),
        (0xECB0_0A00, True, "VLDM r0!, no registers"),
        (0x4468, False, "ADD r0, sp"),
        (0x4500, True, "CMP T2 of two low registers"),
    ]
    for word, wanted, text in table:
        words, wide = np.array([word]), np.array([word > 0xFFFF])
        assert bool(unpredictable(words, classify(words, wide))[0]) is wanted, text
    assert rows_with(classify(np.array([0xBF30]), np.array([False])), "skip")[0]
