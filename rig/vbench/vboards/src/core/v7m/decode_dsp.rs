//! Decoder of the DSP extension (ARM DDI 0403E, sections A5.3.11 to A5.3.17): a Cortex-M4 has it, a Cortex-M3 not.

use super::decode32::{nibble, shift};
use super::ops::*;

/// Rd, Rn, Rm and Ra (or RdLo) where most encodings have them.
fn operands(h1: u16, h2: u16) -> Op {
    Op {
        d: nibble(h2, 8),
        n: nibble(h1, 0),
        m: nibble(h2, 0),
        x: nibble(h2, 12),
        ..Op::UNDECODED
    }
}

/// PKHBT and PKHTB, beside the data processing with shifted register.
pub(super) fn pack(h1: u16, h2: u16) -> Op {
    if h1 & 0x1F0 != 0xC0 || h2 & 0x10 != 0 {
        return Op::new(Kind::Undefined);
    }
    let (s, x) = shift(h2);
    Op {
        kind: Kind::Pkh,
        s,
        x,
        ..operands(h1, h2)
    }
}

/// SSAT16 and USAT16, beside the plain immediates.
pub(super) fn saturate_16(h1: u16, h2: u16) -> Op {
    let bits = u32::from(h2 & 15);
    let (kind, imm) = match (h1 >> 4) & 0x1F {
        0x12 => (Kind::Ssat16, bits + 1),
        0x1A => (Kind::Usat16, bits),
        _ => return Op::new(Kind::Undefined),
    };
    Op {
        kind,
        imm,
        ..operands(h1, h2)
    }
}

/// Section A5.3.12: extend and add, parallel addition, saturating arithmetic, SEL.
pub(super) fn register(h1: u16, h2: u16) -> Op {
    let (op1, op2) = (nibble(h1, 4), nibble(h2, 4));
    let op = operands(h1, h2);
    match (op1, op2) {
        // The rotation is in `x`; SXTB16 and UXTB16 are the forms without an addend.
        (0..=5, 8..=11) => Op {
            kind: Kind::ExtendAdd,
            s: op1,
            x: (op2 & 3) * 8,
            ..op
        },
        // `s` is the operation, `x` bit 2 unsigned and bits 1..0 plain, saturating, halving.
        (8..=14, 0..=7) if op2 & 3 != 3 && op1 != 11 => Op {
            kind: Kind::Parallel,
            s: op1 & 7,
            x: op2,
            ..op
        },
        (8, 8..=11) => Op {
            kind: Kind::Qadd,
            x: op2 & 3,
            ..op
        },
        (10, 8) => Op { kind: Kind::Sel, ..op },
        _ => Op::new(Kind::Undefined),
    }
}

/// Section A5.3.16. Bits 5..4 of the second half are in `s`.
pub(super) fn multiply(h1: u16, h2: u16) -> Op {
    let op2 = nibble(h2, 4);
    let kind = match ((h1 >> 4) & 7, op2) {
        (1, 0..=3) => Kind::SmlaXy,
        (2, 0 | 1) => Kind::Smlad,
        (3, 0 | 1) => Kind::Smlaw,
        (4, 0 | 1) => Kind::Smlsd,
        (5, 0 | 1) => Kind::Smmla,
        (6, 0 | 1) => Kind::Smmls,
        (7, 0) => Kind::Usada8,
        _ => return Op::new(Kind::Undefined),
    };
    Op {
        kind,
        s: op2 & 3,
        ..operands(h1, h2)
    }
}

/// Section A5.3.17: `d` is RdLo, `x` RdHi.
pub(super) fn long_multiply(h1: u16, h2: u16) -> Op {
    let op2 = nibble(h2, 4);
    let kind = match ((h1 >> 4) & 7, op2) {
        (4, 8..=11) => Kind::SmlalXy,
        (4, 12 | 13) => Kind::Smlald,
        (5, 12 | 13) => Kind::Smlsld,
        (6, 6) => Kind::Umaal,
        _ => return Op::new(Kind::Undefined),
    };
    Op {
        kind,
        d: nibble(h2, 12),
        x: nibble(h2, 8),
        s: op2 & 3,
        ..operands(h1, h2)
    }
}
