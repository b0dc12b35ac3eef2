"""The 32-bit encodings of the integer instructions (ARM DDI 0403E, section A5.3).

Traits as in `rows16`, and `dsp`: part of the DSP extension, which a Cortex-M3 has not; `early_q`: see
`vectors.overflows_early`.
"""

from __future__ import annotations

import numpy as np

from core_oracle.rows import (
    Fields,
    Mask,
    Row,
    bad,
    discards,
    empty_byte,
    far_sp,
    few,
    moves,
    only_bad_destination,
    pc,
    row,
    same,
    sp,
    write_back,
)


def load_list(f: Fields) -> Mask:
    """LDM T2: `if P == '1' && M == '1'`, `if wback && registers<n>`."""
    both = (f.P == 1) & (f.M == 1)
    return both | ((f.W == 1) & ((f.word >> f.n & 1) == 1))


def store_list(f: Fields) -> Mask:
    """STM T2: `if wback && registers<n>`."""
    return (f.W == 1) & ((f.word >> f.n & 1) == 1)


def bit_field(f: Fields) -> Mask:
    """SBFX, UBFX: `msbit = lsbit + widthminus1; if msbit > 31 then UNPREDICTABLE`."""
    return (f.i << 2 | f.j) + f.b > 31


def reversed_field(f: Fields) -> Mask:
    """BFI, BFC: `if msbit < lsbit then UNPREDICTABLE`."""
    return f.b < (f.i << 2 | f.j)


def special_register(f: Fields) -> Mask:
    """MRS, MSR: SYSm other than 0..3, 5..9, 16..20 is UNPREDICTABLE (4 is reserved)."""
    s = f.s
    return ~((s <= 3) | ((s >= 5) & (s <= 9)) | ((s >= 16) & (s <= 20)))


def special_mask(f: Fields) -> Mask:
    """MSR: `if mask == '00' || (mask != '10' && !(SYSm IN {0..3})) then UNPREDICTABLE`."""
    return (f.k == 0) | ((f.k != 2) & (f.s > 3))


def write_back_hint(f: Fields) -> Mask:
    """Memory hints: Rt = 15 in the write-back and unprivileged forms is UNPREDICTABLE (A5.3.8, A5.3.9)."""
    return (f.t == 15) & ~((f.P == 1) & (f.U == 0) & (f.W == 0))


ALL = bad("dnm")


def data_processing() -> list[Row]:
    """Modified immediate (A5.3.1) and shifted register (A5.3.11): name, opcode, rules for d and n of both forms."""
    table = [
        ("MOV", "0010", "1111", (bad("d"),), (moves,)),
        ("MVN", "0011", "1111", (bad("d"),), (bad("dm"),)),
        ("AND, TST", "0000", "nnnn", (discards, bad("n")), (discards, bad("nm"))),
        ("BIC", "0001", "nnnn", (bad("dn"),), (ALL,)),
        ("ORR", "0010", "nnnn", (bad("d"), sp("n")), (bad("dm"), sp("n"))),
        ("ORN", "0011", "nnnn", (bad("d"), sp("n")), (bad("dm"), sp("n"))),
        ("EOR, TEQ", "0100", "nnnn", (discards, bad("n")), (discards, bad("nm"))),
        ("ADD SP", "1000", "1101", (only_bad_destination,), (only_bad_destination, far_sp, bad("m"))),
        ("ADD, CMN", "1000", "nnnn", (discards, pc("n")), (discards, pc("n"), bad("m"))),
        ("ADC", "1010", "nnnn", (bad("dn"),), (ALL,)),
        ("SBC", "1011", "nnnn", (bad("dn"),), (ALL,)),
        ("SUB SP", "1101", "1101", (only_bad_destination,), (only_bad_destination, far_sp, bad("m"))),
        ("SUB, CMP", "1101", "nnnn", (discards, pc("n")), (discards, pc("n"), bad("m"))),
        ("RSB", "1110", "nnnn", (bad("dn"),), (ALL,)),
    ]
    rows = []
    for name, opcode, n, immediate, register in table:
        rows.append(row(f"{name} immediate", f"11110k0{opcode}S{n} 0iiiddddjjjjjjjj", empty_byte, *immediate))
        rows.append(row(f"{name} register", f"1110101{opcode}S{n} -iiiddddjjyymmmm", *register))
    return rows


def plain_immediate() -> list[Row]:
    """Section A5.3.3."""
    return [
        row("ADR T3", "11110i1000001111 0iiiddddiiiiiiii", bad("d")),
        row("ADR T2", "11110i1010101111 0iiiddddiiiiiiii", bad("d")),
        row("ADDW SP", "11110i1000001101 0iiiddddiiiiiiii", pc("d")),
        row("SUBW SP", "11110i1010101101 0iiiddddiiiiiiii", pc("d")),
        row("ADDW", "11110i100000nnnn 0iiiddddiiiiiiii", bad("d")),
        row("SUBW", "11110i101010nnnn 0iiiddddiiiiiiii", bad("d")),
        row("MOVW", "11110i100100iiii 0iiiddddiiiiiiii", bad("d")),
        row("MOVT", "11110i101100iiii 0iiiddddiiiiiiii", bad("d")),
        row("SSAT16", "11110-110010nnnn 0000dddd00--bbbb", bad("dn"), traits="dsp"),
        row("USAT16", "11110-111010nnnn 0000dddd00--bbbb", bad("dn"), traits="dsp"),
        row("SSAT", "11110-1100s0nnnn 0iiiddddjj-bbbbb", bad("dn")),
        row("USAT", "11110-1110s0nnnn 0iiiddddjj-bbbbb", bad("dn")),
        row("SBFX", "11110-110100nnnn 0iiiddddjj-bbbbb", bad("dn"), bit_field),
        row("UBFX", "11110-111100nnnn 0iiiddddjj-bbbbb", bad("dn"), bit_field),
        row("BFI, BFC", "11110-110110nnnn 0iiiddddjj-bbbbb", bad("d"), sp("n"), reversed_field),
    ]


def control() -> list[Row]:
    """Section A5.3.4. `-` at bit 13 and `+` in Rn are (0) and (1)."""
    return [
        row("MSR", "11110011100-nnnn 10-0kk--ssssssss", bad("n"), special_register, special_mask, traits="special"),
        row("MRS", "11110011111-++++ 10-0ddddssssssss", bad("d"), special_register),
        # As in 16 bits.
        row("WFE.W, WFI.W", "111100111010++++ 10-0-0000000001x", traits="skip"),
        row("YIELD.W", "111100111010++++ 10-0-00000000001", traits="skip"),
        row("hints.W", "111100111010++++ 10-0-000hhhhhhhh"),
        row("CLREX", "111100111011++++ 10-0++++0010++++"),
        row("DSB", "111100111011++++ 10-0++++0100oooo"),
        row("DMB", "111100111011++++ 10-0++++0101oooo"),
        # In an IT block Unicorn ends a translated block at ISB and forgets the state of the IT block.
        row("ISB", "111100111011++++ 10-0++++0110oooo", traits="noit"),
        # UDF.W, and SMC and HVC of other profiles: UNDEFINED here.
        row("UDF.W", "111101111111iiii 1010iiiiiiiiiiii"),
        *(row(f"B T3 {c}", f"11110s{c}jjjjjj 10J0Kjjjjjjjjjjj", traits="noit flow") for c in ("0ccc", "10cc", "110c")),
        row("B T4", "11110siiiiiiiiii 10J1Kjjjjjjjjjjj", traits="flow far"),
        row("BL", "11110siiiiiiiiii 11J1Kjjjjjjjjjjj", traits="flow far"),
    ]


def multiple_and_double() -> list[Row]:
    """Sections A5.3.5 and A5.3.6."""
    return [
        row("LDM to PC", "1110100010W1nnnn 1M-lllllllllllll", pc("n"), few, load_list_pc, access="n",
            traits="flow words"),
        row("LDM", "1110100010W1nnnn PM-lllllllllllll", pc("n"), few, load_list, access="n"),
        row("LDMDB to PC", "1110100100W1nnnn 1M-lllllllllllll", pc("n"), few, load_list_pc, access="n-",
            traits="flow words"),
        row("LDMDB", "1110100100W1nnnn PM-lllllllllllll", pc("n"), few, load_list, access="n-"),
        row("STM", "1110100010W0nnnn -M-lllllllllllll", pc("n"), few, store_list, access="n"),
        row("STMDB", "1110100100W0nnnn -M-lllllllllllll", pc("n"), few, store_list, access="n-"),
        row("STREX", "111010000100nnnn ttttddddiiiiiiii", bad("dt"), pc("n"), same("d", "n"), same("d", "t"),
            access="n+i*4", traits="store_exclusive"),
        row("LDREX", "111010000101nnnn tttt++++iiiiiiii", bad("t"), pc("n"), access="n+i*4", traits="exclusive"),
        row("TBB, TBH", "111010001101nnnn ++++----000Hmmmm", sp("n"), bad("m"), access="table", traits="flow"),
        row("STREXB, STREXH", "111010001100nnnn tttt++++010Hdddd", bad("dt"), pc("n"), same("d", "n"), same("d", "t"),
            access="n", traits="store_exclusive"),
        # Of the profiles A and R; no row of the table in section A5.3.6, which makes it UNDEFINED. QEMU decodes it.
        row("LDREXD, STREXD", "11101000110Lnnnn ttttuuuu0111dddd", traits="skip"),
        row("LDREXB, LDREXH", "111010001101nnnn tttt++++010H++++", bad("t"), pc("n"), access="n", traits="exclusive"),
        # `if PC<1:0> != '00' then UNPREDICTABLE`: the code of single instructions is at multiples of four.
        row("LDRD literal", "11101001U1W11111 ttttuuuuiiiiiiii", bad("tu"), same("t", "u"), write_back_literal,
            access="literal"),
        row("LDRD literal post", "11101000U1111111 ttttuuuuiiiiiiii", always),
        row("LDRD pre", "11101001U1W1nnnn ttttuuuuiiiiiiii", bad("tu"), same("t", "u"), write_back("n", "tu"),
            access="n+i*4"),
        row("LDRD post", "11101000U111nnnn ttttuuuuiiiiiiii", bad("tu"), same("t", "u"), same("n", "t"), same("n", "u"),
            access="n"),
        row("STRD pre", "11101001U1W0nnnn ttttuuuuiiiiiiii", bad("tu"), pc("n"), write_back("n", "tu"), access="n+i*4"),
        row("STRD post", "11101000U110nnnn ttttuuuuiiiiiiii", bad("tu"), pc("n"), same("n", "t"), same("n", "u"),
            access="n"),
    ]  # fmt: skip


def always(f: Fields) -> Mask:
    """LDRD (literal) with P = 0: `if W == '1' then UNPREDICTABLE`."""
    return np.ones_like(f.word, dtype=bool)


def write_back_literal(f: Fields) -> Mask:
    """LDRD (literal): `if W == '1' then UNPREDICTABLE`."""
    return f.W == 1


def load_list_pc(f: Fields) -> Mask:
    """`load_list` with P = 1."""
    return load_list(Fields(f.word, {**f.values, "P": np.ones_like(f.word)}))


def single() -> list[Row]:
    """Sections A5.3.7 to A5.3.10."""
    # Advanced SIMD of the profiles A and R; no row of the tables in A5.3.7 to A5.3.10, which makes it UNDEFINED. QEMU
    # decodes some of it.
    rows = [row("Advanced SIMD load, store", "11111001iii0nnnn iiiiiiiiiiiiiiii", traits="skip")]
    for name, size, target in (("B", "00", bad("t")), ("H", "01", bad("t")), ("", "10", pc("t"))):
        store = f"111110000{size}0nnnn"
        rows += [
            row(f"STR{name} imm12", f"111110001{size}0nnnn ttttiiiiiiiiiiii", target, access="n+i"),
            row(f"STR{name}T", f"{store} tttt1110iiiiiiii", bad("t"), access="n+i"),
            row(f"STR{name} imm8", f"{store} tttt1PUWiiiiiiii", target, write_back("n", "t"), access="n8"),
            row(f"STR{name} register", f"{store} tttt000000jjmmmm", target, bad("m"), access="n+m<<j"),
        ]
    loads = (
        ("B", "0", "00", sp("t")),
        ("SB", "1", "00", sp("t")),
        ("H", "0", "01", sp("t")),
        ("SH", "1", "01", sp("t")),
        ("", "0", "10", None),
    )
    for name, s, size, target in loads:
        head = f"1111100{s}0{size}1nnnn"
        word = target is None
        rules = () if target is None else (target,)
        hint = () if word else (write_back_hint,)
        if word:
            rows += [
                row("LDR literal to PC", "11111000U1011111 1111iiiiiiiiiiii", unaligned_pc, access="literal",
                    traits="flow"),
                row("LDR imm12 to PC", "111110001101nnnn 1111iiiiiiiiiiii", access="n+i", traits="flow words"),
                row("LDR imm8 to PC", "111110000101nnnn 11111PUWiiiiiiii", unprivileged_pc, access="n8",
                    traits="flow words"),
                row("LDR register to PC", "111110000101nnnn 1111000000jjmmmm", bad("m"), access="n+m<<j",
                    traits="flow words"),
            ]  # fmt: skip
        rows += [
            row(f"LDR{name} literal", f"1111100{s}U{size}11111 ttttiiiiiiiiiiii", *rules, access="literal"),
            row(f"LDR{name} imm12", f"1111100{s}1{size}1nnnn ttttiiiiiiiiiiii", *rules, access="n+i"),
            row(f"LDR{name}T", f"{head} tttt1110iiiiiiii", bad("t"), access="n+i"),
            row(f"LDR{name} imm8", f"{head} tttt1PUWiiiiiiii", *rules, *hint, write_back("n", "t"), access="n8"),
            row(f"LDR{name} register", f"{head} tttt000000jjmmmm", *rules, bad("m"), access="n+m<<j"),
        ]
    return rows


def unaligned_pc(f: Fields) -> Mask:
    """LDR: `if t == 15 then if address<1:0> == '00' then LoadWritePC(data); else UNPREDICTABLE`."""
    return f.i % 4 != 0


def unprivileged_pc(f: Fields) -> Mask:
    """LDRT: `if t IN {13,15} then UNPREDICTABLE`."""
    return (f.P == 1) & (f.U == 1) & (f.W == 0)


def registers() -> list[Row]:
    """Sections A5.3.12 to A5.3.15; bit 6 of the extensions is (0)."""
    rows = [row("shift by register", "111110100ttSnnnn 1111dddd0000mmmm", ALL)]
    for op in ("000", "001", "010", "011", "100", "101"):
        traits = "dsp" if op in ("010", "011") else ""
        rows += [
            row("extend", f"111110100{op}1111 1111dddd1-jjmmmm", bad("dm"), traits=traits),
            row("extend, add", f"111110100{op}nnnn 1111dddd1-jjmmmm", bad("dm"), sp("n"), traits="dsp"),
        ]
    for op in ("000", "001", "010", "100", "101", "110"):
        for mode in ("00", "01", "10"):
            rows.append(row("parallel", f"111110101{op}nnnn 1111dddd0u{mode}mmmm", ALL, traits="dsp"))
    rows += [
        row("QADD and others", "111110101000nnnn 1111dddd10qqmmmm", ALL, traits="dsp"),
        row("REV and others", "111110101001nnnn 1111dddd10qqmmmm", ALL, twice),
        row("SEL", "111110101010nnnn 1111dddd1000mmmm", ALL, traits="dsp"),
        row("CLZ", "111110101011nnnn 1111dddd1000mmmm", ALL, twice),
        row("PKH", "111010101100nnnn -iiiddddjjy0mmmm", ALL, traits="dsp"),
    ]
    return rows


def twice(f: Fields) -> Mask:
    """REV, RBIT, CLZ: `if !Consistent(Rm) then UNPREDICTABLE`: Rm is encoded twice."""
    return f.n != f.m


def multiplies() -> list[Row]:
    """Sections A5.3.16 and A5.3.17."""
    rows = [
        row("MUL", "111110110000nnnn 1111dddd0000mmmm", ALL),
        row("MLA", "111110110000nnnn aaaadddd0000mmmm", ALL, sp("a")),
        row("MLS", "111110110000nnnn aaaadddd0001mmmm", ALL, bad("a")),
        row("SMLAxy", "111110110001nnnn aaaadddd00NMmmmm", ALL, sp("a"), traits="dsp"),
        row("SMLAD", "111110110010nnnn aaaadddd000Xmmmm", ALL, sp("a"), traits="dsp early_q"),
        row("SMLAWy", "111110110011nnnn aaaadddd000Mmmmm", ALL, sp("a"), traits="dsp"),
        row("SMLSD", "111110110100nnnn aaaadddd000Xmmmm", ALL, sp("a"), traits="dsp"),
        row("SMMLA", "111110110101nnnn aaaadddd000Rmmmm", ALL, sp("a"), traits="dsp"),
        row("SMMLS", "111110110110nnnn aaaadddd000Rmmmm", ALL, bad("a"), traits="dsp"),
        row("USADA8", "111110110111nnnn aaaadddd0000mmmm", ALL, sp("a"), traits="dsp"),
        row("SDIV", "111110111001nnnn ++++dddd1111mmmm", ALL),
        row("UDIV", "111110111011nnnn ++++dddd1111mmmm", ALL),
    ]
    long = (ALL, bad("l"), same("d", "l"))
    for op, op2 in (("000", "0000"), ("010", "0000"), ("100", "0000"), ("110", "0000"), ("110", "0110")):
        traits = "dsp" if op2 == "0110" else ""
        rows.append(row("long multiply", f"111110111{op}nnnn lllldddd{op2}mmmm", *long, traits=traits))
    for op, op2 in (("100", "10NM"), ("100", "110X"), ("101", "110X")):
        rows.append(row("long multiply of halves", f"111110111{op}nnnn lllldddd{op2}mmmm", *long, traits="dsp"))
    return rows


ROWS_32 = [
    *multiple_and_double(),
    *data_processing(),
    *plain_immediate(),
    *control(),
    *single(),
    *registers(),
    *multiplies(),
]
