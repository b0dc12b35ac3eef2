"""The encodings of the floating-point extension FPv4-SP (ARM DDI 0403E, chapter A6).

Traits as in `rows16`, and `short`: most values of imm8 are too large; `modes`: writes FPSCR;
`nearest`: described at its definition.
"""

from __future__ import annotations

import numpy as np

from core_oracle.rows import Fields, Mask, bad, pc, row


def fraction(f: Fields) -> Mask:
    """VCVT (fixed point): `if frac_bits < 0 then UNPREDICTABLE`."""
    return np.where(f.s == 1, 32, 16) < f.i * 2 + f.j


def singles(f: Fields) -> Mask:
    """VLDM, VSTM of singles: `if regs == 0 || (d+regs) > 32 then UNPREDICTABLE`."""
    return (f.i == 0) | (f.v * 2 + f.D + f.i > 32)


def doubles(f: Fields) -> Mask:
    """VLDM, VSTM of doubles: `if regs == 0 || regs > 16 || (d+regs) > 16`; an odd imm8 is FLDMX, FSTMX.

    FPv4-SP has sixteen double registers: those with D = 1 are UNDEFINED or UNPREDICTABLE (section A6.5).
    """
    return (f.i < 2) | (f.v + f.i // 2 > 16) | (f.i % 2 == 1) | (f.D == 1)


def high_double(f: Fields) -> Mask:
    """Registers D16 to D31 are not there (section A2.5.1)."""
    return f.D == 1


def two_singles(f: Fields) -> Mask:
    """VMOV (two core and two single registers): `if ... m == 31 then UNPREDICTABLE`."""
    return f.v * 2 + f.D == 31


def same_to_core(f: Fields) -> Mask:
    """VMOV to two core registers: `if to_arm_registers && t == t2 then UNPREDICTABLE`."""
    return (f.L == 1) & (f.t == f.u)


def high_if_double(f: Fields) -> Mask:
    """See `high_double`; `x` selects double."""
    return (f.x == 1) & (f.D == 1)


ROWS_FLOAT = [
    row("VMOV two S", "11101100010Luuuu tttt101000D1vvvv", bad("tu"), two_singles, same_to_core),
    row("VMOV D", "11101100010Luuuu tttt101100D1vvvv", bad("tu"), high_double, same_to_core),
    row("VLDR literal", "11101101UD011111 vvvv101xiiiiiiii", high_if_double, access="literal"),
    row("VLDR", "11101101UD01nnnn vvvv101xiiiiiiii", high_if_double, access="n+i*4"),
    row("VSTR", "11101101UD00nnnn vvvv101xiiiiiiii", high_if_double, pc("n"), access="n+i*4"),
    row("VLDM, VSTM of singles", "111011001DWLnnnn vvvv1010iiiiiiii", singles, pc("n"), access="n", traits="short"),
    row("VLDM, VSTM of doubles", "111011001DWLnnnn vvvv1011iiiiiiii", doubles, pc("n"), access="n", traits="short"),
    row("VLDMDB, VSTMDB of singles", "111011010D1Lnnnn vvvv1010iiiiiiii", singles, pc("n"), access="n-",
        traits="short"),
    row("VLDMDB, VSTMDB of doubles", "111011010D1Lnnnn vvvv1011iiiiiiii", doubles, pc("n"), access="n-",
        traits="short"),
    row("VMOV core", "11101110000Lvvvv tttt1010N--1----", bad("t")),
    row("VMOV scalar", "1110111000hLvvvv tttt1011D001----", bad("t"), high_double),
    row("VMRS flags", "1110111011110001 11111010---1----"),
    row("VMRS", "1110111011110001 tttt1010---1----", bad("t")),
    row("VMSR", "1110111011100001 tttt1010---1----", bad("t"), traits="modes"),
    *(
        row(name, f"11101110{a}D{b}nnnn vvvv1010N{c}M0mmmm")
        for name, a, b, c in (
            ("VMLA", "0", "00", "0"), ("VMLS", "0", "00", "1"), ("VNMLS", "0", "01", "0"), ("VNMLA", "0", "01", "1"),
            ("VMUL", "0", "10", "0"), ("VNMUL", "0", "10", "1"), ("VADD", "0", "11", "0"), ("VSUB", "0", "11", "1"),
            ("VDIV", "1", "00", "0"), ("VFNMS", "1", "01", "0"), ("VFNMA", "1", "01", "1"), ("VFMA", "1", "10", "0"),
            ("VFMS", "1", "10", "1"),
        )
    ),
    row("VMOV immediate", "111011101D11iiii vvvv1010-0-0iiii"),
    *(
        row(name, f"111011101D11{a} vvvv1010{b}1M0mmmm")
        for name, a, b in (
            ("VMOV", "0000", "0"), ("VABS", "0000", "1"), ("VNEG", "0001", "0"), ("VSQRT", "0001", "1"),
            ("VCVTB, VCVTT to single", "0010", "T"), ("VCVTB, VCVTT to half", "0011", "T"), ("VCMP", "0100", "E"),
            ("VCVT from integer", "1000", "s"), ("VCVT to integer", "110s", "z"),
        )
    ),
    row("VCMP zero", "111011101D110101 vvvv1010E1-0----"),
    # Rounds to nearest whatever the FPSCR ("round_nearest = TRUE"); QEMU 5 follows FPSCR, so it is nearest here
    # (an IT block with a VMSR before it is omitted).
    row("VCVT from fixed point", "111011101D11101u vvvv1010s1j0iiii", fraction, traits="nearest"),
    row("VCVT to fixed point", "111011101D11111u vvvv1010s1j0iiii", fraction),
]  # fmt: skip
