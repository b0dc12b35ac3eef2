"""The 16-bit encodings (ARM DDI 0403E, section A5.2).

Traits: `flow` writes PC (only the last of an IT block may), `noit` is UNPREDICTABLE or another instruction in an IT
block, `skip` is not compared, with the reason next to it.
"""

from __future__ import annotations

import numpy as np

from core_oracle.rows import Fields, Mask, pc, row


def two_pcs(f: Fields) -> Mask:
    """ADD (register) T2: `if n == 15 && m == 15 then UNPREDICTABLE`."""
    return (f.m == 15) & (f.D * 8 + f.d == 15)


def low_or_pc(f: Fields) -> Mask:
    """CMP (register) T2: `if n < 8 && m < 8`, `if n == 15 || m == 15`."""
    n = f.D * 8 + f.d
    return ((n < 8) & (f.m < 8)) | (n == 15) | (f.m == 15)


def empty(f: Fields) -> Mask:
    """`if BitCount(registers) < 1`."""
    return (f.l | (f.values["M"] if "M" in f.values else 0)) == 0


def base_stored_late(f: Fields) -> Mask:
    """STM: a listed base that is not the lowest is stored as an UNKNOWN value."""
    listed = (f.l >> f.n & 1) == 1
    return listed & ((f.l & ((1 << f.n) - 1)) != 0)


def no_mask(f: Fields) -> Mask:
    """CPS: `if I == '0' && F == '0' then UNPREDICTABLE`."""
    return f.x == 0


def bad_it(f: Fields) -> Mask:
    """IT: `if firstcond == '1111' || (firstcond == '1110' && BitCount(mask) != 1) then UNPREDICTABLE`."""
    return (f.c == 15) | ((f.c == 14) & (np.bitwise_count(f.k) != 1))


ROWS_16 = [
    row("MOV register T2", "0000000000mmmddd", traits="noit"),
    row("add, subtract", "00011oommmnnnddd"),
    row("shift by immediate", "000ooiiiiimmmddd"),
    row("immediate operations", "001oodddiiiiiiii"),
    row("data processing", "010000oooommmddd"),
    row("ADD register T2 to PC", "010001001mmmm111", pc("m"), traits="flow addpc"),
    row("ADD register T2", "01000100Dmmmmddd", two_pcs),
    row("CMP register T2", "01000101Dmmmmddd", low_or_pc),
    row("MOV register T1 to PC", "010001101mmmm111", traits="flow target"),
    row("MOV register T1", "01000110Dmmmmddd"),
    # BX PC goes to an even address: a fault of the next instruction, which Unicorn raises at once.
    row("BX", "010001110mmmm---", pc("m"), traits="flow target"),
    row("BLX register", "010001111mmmm---", pc("m"), traits="flow target"),
    row("LDR literal T1", "01001tttiiiiiiii", access="literal"),
    row("load, store register", "0101ooommmnnnttt", access="n+m"),
    row("load, store word", "0110Liiiiinnnttt", access="n+i*4"),
    row("load, store byte", "0111Liiiiinnnttt", access="n+i"),
    row("load, store halfword", "1000Liiiiinnnttt", access="n+i*2"),
    row("load, store SP", "1001Ltttiiiiiiii", access="sp+i*4"),
    row("ADR, ADD SP", "1010odddiiiiiiii"),
    row("ADD, SUB SP", "10110000oiiiiiii"),
    row("CBZ, CBNZ", "1011o0i1iiiiinnn", traits="noit flow"),
    row("extend", "10110010oommmddd"),
    row("PUSH", "1011010Mllllllll", empty, access="sp-"),
    # UNDEFINED in ARMv7-M (section A5.2.5 has no SETEND); QEMU changes its endianness.
    row("SETEND", "101101100101xxxx", traits="skip"),
    row("CPS", "10110110011i--xx", no_mask, traits="noit"),
    row("REV, REV16", "101110100ommmddd"),
    row("REVSH", "1011101011mmmddd"),
    row("POP with PC", "10111101llllllll", access="sp", traits="flow words"),
    row("POP", "10111100llllllll", empty, access="sp"),
    row("BKPT", "10111110iiiiiiii"),
    # Unicorn stops at WFE with an error and at WFI without one, and has no event register.
    row("WFE, WFI", "101111110010 0000", traits="skip"),
    row("WFI", "101111110011 0000", traits="skip"),
    # Unicorn stops at YIELD with an error.
    row("YIELD", "101111110001 0000", traits="skip"),
    row("hints", "10111111hhhh0000"),
    # Compared with the instructions after it: Unicorn does not stop directly after it.
    row("IT", "10111111cccckkkk", bad_it, traits="noit skip"),
    row("STM", "11000nnnllllllll", empty, base_stored_late, access="n"),
    row("LDM", "11001nnnllllllll", empty, access="n"),
    row("UDF", "11011110iiiiiiii"),
    row("SVC", "11011111iiiiiiii"),
    row("B T1", "1101cccciiiiiiii", traits="noit flow"),
    row("B T2", "11100iiiiiiiiiii", traits="flow near"),
]
