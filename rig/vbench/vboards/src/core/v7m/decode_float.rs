//! Decoder of the floating-point extension FPv4-SP (ARM DDI 0403E, chapter A6).
//!
//! `d`, `n` and `m` are numbers of single registers; a double register D is the pair 2D, 2D + 1.

use super::decode32::nibble;
use super::ops::*;

/// A single register: four bits, and the lowest bit elsewhere.
fn single(high: u8, low: u16) -> u8 {
    high << 1 | (low & 1) as u8
}

/// Coprocessors 10 and 11 of the four coprocessor spaces.
pub(super) fn decode(h1: u16, h2: u16) -> Op {
    match (h1 >> 8, h2 & 0x10) {
        (0xEC | 0xED, _) if h1 & 0x1E0 == 0x040 => pair(h1, h2),
        (0xEC | 0xED, _) => memory(h1, h2),
        (0xEE, 0) if h2 & 0x100 == 0 => data_processing(h1, h2),
        (0xEE, 0x10) => transfer(h1, h2),
        _ => Op::new(Kind::Vundefined),
    }
}

/// Section A6.4.
fn data_processing(h1: u16, h2: u16) -> Op {
    let op = Op {
        d: single(nibble(h2, 12), h1 >> 6),
        n: single(nibble(h1, 0), h2 >> 7),
        m: single(nibble(h2, 0), h2 >> 5),
        ..Op::UNDECODED
    };
    let kind = match ((h1 >> 4) & 0xB, h2 & 0x40 != 0) {
        (0, false) => Kind::Vmla,
        (0, true) => Kind::Vmls,
        (1, false) => Kind::Vnmls,
        (1, true) => Kind::Vnmla,
        (2, false) => Kind::Vmul,
        (2, true) => Kind::Vnmul,
        (3, false) => Kind::Vadd,
        (3, true) => Kind::Vsub,
        (8, false) => Kind::Vdiv,
        (9, false) => Kind::Vfnms,
        (9, true) => Kind::Vfnma,
        (10, false) => Kind::Vfma,
        (10, true) => Kind::Vfms,
        (11, false) => {
            return Op {
                kind: Kind::VmovImm,
                imm: expand_immediate(u32::from(nibble(h1, 0)) << 4 | u32::from(nibble(h2, 0))),
                ..op
            }
        }
        (11, true) => return unary(h1, h2, op),
        _ => Kind::Vundefined,
    };
    Op { kind, ..op }
}

/// VFPExpandImm to single precision.
fn expand_immediate(imm8: u32) -> u32 {
    let exponent = if imm8 & 0x40 == 0 { 0x80 } else { 0x7C } | imm8 >> 4 & 3;
    (imm8 >> 7) << 31 | exponent << 23 | (imm8 & 15) << 19
}

/// Operations with one operand; bit 7 of the second half is in `x`.
fn unary(h1: u16, h2: u16, op: Op) -> Op {
    let high = h2 & 0x80 != 0;
    let opcode = nibble(h1, 0);
    let (kind, s) = match (opcode, high) {
        (0, false) => (Kind::VmovReg, 0),
        (0, true) => (Kind::Vabs, 0),
        (1, false) => (Kind::Vneg, 0),
        (1, true) => (Kind::Vsqrt, 0),
        (2, _) => (Kind::VcvtFromHalf, 0),
        (3, _) => (Kind::VcvtToHalf, 0),
        // `s` 1: with zero.
        (4 | 5, _) => (Kind::Vcmp, opcode & 1),
        (8, _) => (Kind::VcvtFromInt, 0),
        // `s` 1: signed.
        (12 | 13, _) => (Kind::VcvtToInt, opcode & 1),
        // `s`: bit 0 unsigned, bit 2 to fixed point.
        (10 | 11 | 14 | 15, _) => return fixed_point(h2, opcode, op),
        _ => (Kind::Vundefined, 0),
    };
    Op {
        kind,
        s,
        x: u8::from(high),
        ..op
    }
}

/// VCVT between fixed and floating point: `imm` bits after the point, `x` 1 for 32 bits.
fn fixed_point(h2: u16, opcode: u8, op: Op) -> Op {
    let wide = h2 & 0x80 != 0;
    let size = if wide { 32u32 } else { 16 };
    let immediate = u32::from(nibble(h2, 0)) << 1 | u32::from(h2 >> 5 & 1);
    Op {
        kind: Kind::VcvtFixed,
        s: opcode & 5,
        x: u8::from(wide),
        imm: size.saturating_sub(immediate),
        ..op
    }
}

/// Section A6.5: VLDR, VSTR, VLDM, VSTM; `d` is the first register, `x` how many.
fn memory(h1: u16, h2: u16) -> Op {
    let (pre, up, write_back) = (h1 & 0x100 != 0, h1 & 0x80 != 0, h1 & 0x20 != 0);
    let load = h1 & 0x10 != 0;
    let double = h2 & 0x100 != 0;
    let high_bit = h1 >> 6 & 1;
    let words = u32::from(h2 & 0xFF);
    let first = if double {
        nibble(h2, 12) * 2
    } else {
        single(nibble(h2, 12), high_bit)
    };
    let op = Op {
        d: first,
        n: nibble(h1, 0),
        ..Op::UNDECODED
    };
    if double && high_bit != 0 {
        return Op::new(Kind::Vundefined);
    }
    let offset = if up { 4 * words } else { (4 * words).wrapping_neg() };
    if pre && !write_back {
        return Op {
            kind: if load { Kind::Vldr } else { Kind::Vstr },
            x: if double { 2 } else { 1 },
            imm: offset,
            ..op
        };
    }
    if pre == up {
        return Op::new(Kind::Vundefined);
    }
    Op {
        kind: if load { Kind::Vldm } else { Kind::Vstm },
        x: (words as u8 & if double { !1 } else { !0 }).min(32 - first),
        imm: offset,
        flags: if write_back { WRITE_BACK } else { 0 } | if up { 0 } else { DECREMENT },
        ..op
    }
}

/// Section A6.7: VMOV between two core registers `d`, `n` and two single registers from `m`.
fn pair(h1: u16, h2: u16) -> Op {
    let double = h2 & 0x100 != 0;
    if h2 & 0xD0 != 0x10 || double && h2 & 0x20 != 0 {
        return Op::new(Kind::Vundefined);
    }
    Op {
        d: nibble(h2, 12),
        n: nibble(h1, 0),
        m: if double {
            nibble(h2, 0) * 2
        } else {
            single(nibble(h2, 0), h2 >> 5).min(30)
        },
        ..Op::new(if h1 & 0x10 != 0 {
            Kind::VmovPairToCore
        } else {
            Kind::VmovPairFromCore
        })
    }
}

/// Section A6.6: transfers between core register `d` and single register `m`, or FPSCR.
fn transfer(h1: u16, h2: u16) -> Op {
    let to_core = h1 & 0x10 != 0;
    let double = h2 & 0x100 != 0;
    let (kind, m) = match (h1 >> 5 & 7, double) {
        (0, false) => (
            if to_core { Kind::VmovToCore } else { Kind::VmovFromCore },
            single(nibble(h1, 0), h2 >> 7),
        ),
        (7, false) if nibble(h1, 0) == 1 => (if to_core { Kind::Vmrs } else { Kind::Vmsr }, 0),
        (half @ (0 | 1), true) if h2 & 0xE0 == 0 => (
            if to_core { Kind::VmovToCore } else { Kind::VmovFromCore },
            nibble(h1, 0) * 2 + half as u8,
        ),
        _ => (Kind::Vundefined, 0),
    };
    Op {
        d: nibble(h2, 12),
        m,
        ..Op::new(kind)
    }
}
