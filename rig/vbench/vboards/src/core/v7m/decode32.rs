//! Decoder of the 32-bit Thumb-2 encodings (ARM DDI 0403E, section A5.3).
//! Loads and stores are in `decode_mem`, branches and system instructions in `decode_control`.

use super::alu::expand_immediate;
use super::model::Model;
use super::ops::*;
use super::{decode_control, decode_dsp, decode_float, decode_mem};

pub(super) fn nibble(half: u16, shift: u32) -> u8 {
    ((half >> shift) & 15) as u8
}

/// Decodes a 32-bit instruction as `model` does; undefined encodings come out as [`Kind::Undefined`].
pub fn decode32(h1: u16, h2: u16, model: &Model) -> Op {
    let mut op = match h1 & 0xFE00 {
        0xE800 if h1 & 0x40 == 0 => decode_mem::multiple(h1, h2),
        0xE800 => decode_mem::dual_or_exclusive(h1, h2),
        0xEA00 => shifted_register(h1, h2),
        0xF000..=0xF600 if h2 & 0x8000 != 0 => decode_control::branch_or_control(h1, h2),
        0xF000 | 0xF400 => modified_immediate(h1, h2),
        0xF200 | 0xF600 => plain_immediate(h1, h2),
        0xF800 => decode_mem::single(h1, h2),
        0xFA00 if h1 & 0x0100 == 0 => register(h1, h2),
        0xFA00 if h1 & 0x0080 == 0 => multiply(h1, h2),
        0xFA00 => long_multiply(h1, h2),
        _ => coprocessor(h1, h2, model),
    };
    if op.is_dsp() && !model.dsp {
        op = Op::new(Kind::Undefined);
    }
    Op { len: 4, ..op }
}

/// Section A5.3.18.
fn coprocessor(h1: u16, h2: u16, model: &Model) -> Op {
    let undefined = h1 & 0x0300 == 0x0300 || h1 & 0x03E0 == 0;
    match nibble(h2, 8) {
        _ if undefined => Op::new(Kind::Undefined),
        10 | 11 if model.fpu => decode_float::decode(h1, h2),
        _ => Op::new(Kind::Coprocessor),
    }
}

/// Which data-processing operation bits 8..5 of the first half select: (immediate kind, register kind).
fn operation(h1: u16, h2: u16) -> Option<(Kind, Kind)> {
    let (rn, rd, set) = (nibble(h1, 0), nibble(h2, 8), h1 & 0x10 != 0);
    let discard = rd == 15 && set;
    Some(match (h1 >> 5) & 15 {
        0 if discard => (Kind::TstImm, Kind::TstReg),
        0 => (Kind::AndImm, Kind::AndReg),
        1 => (Kind::BicImm, Kind::BicReg),
        2 if rn == 15 => (Kind::MovImm, Kind::MovReg),
        2 => (Kind::OrrImm, Kind::OrrReg),
        3 if rn == 15 => (Kind::MvnImm, Kind::MvnReg),
        3 => (Kind::OrnImm, Kind::OrnReg),
        4 if discard => (Kind::TeqImm, Kind::TeqReg),
        4 => (Kind::EorImm, Kind::EorReg),
        8 if discard => (Kind::CmnImm, Kind::CmnReg),
        8 => (Kind::AddImm, Kind::AddReg),
        10 => (Kind::AdcImm, Kind::AdcReg),
        11 => (Kind::SbcImm, Kind::SbcReg),
        13 if discard => (Kind::CmpImm, Kind::CmpReg),
        13 => (Kind::SubImm, Kind::SubReg),
        14 => (Kind::RsbImm, Kind::RsbReg),
        _ => return None,
    })
}

fn set_flags(h1: u16) -> u8 {
    if h1 & 0x10 != 0 {
        SET_FLAGS
    } else {
        0
    }
}

fn twelve_bits(h1: u16, h2: u16) -> u32 {
    u32::from(h1 & 0x400) << 1 | u32::from(h2 & 0x7000) >> 4 | u32::from(h2 & 0xFF)
}

/// A register-shift amount and type as encoded in the second half (DecodeImmShift).
pub(super) fn shift(h2: u16) -> (u8, u8) {
    let amount = ((h2 >> 12) & 7) as u8 * 4 + ((h2 >> 6) & 3) as u8;
    match ((h2 >> 4) & 3) as u8 {
        LSR if amount == 0 => (LSR, 32),
        ASR if amount == 0 => (ASR, 32),
        ROR if amount == 0 => (RRX, 1),
        kind => (kind, amount),
    }
}

/// Section A5.3.1.
fn modified_immediate(h1: u16, h2: u16) -> Op {
    let (imm, carry) = expand_immediate(twelve_bits(h1, h2));
    let carry = match carry {
        None => 0,
        Some(false) => HAS_CARRY,
        Some(true) => HAS_CARRY | CARRY,
    };
    match operation(h1, h2) {
        Some((kind, _)) => Op {
            d: nibble(h2, 8),
            n: nibble(h1, 0),
            imm,
            flags: set_flags(h1) | carry,
            ..Op::new(kind)
        },
        None => Op::new(Kind::Undefined),
    }
}

/// Section A5.3.11.
fn shifted_register(h1: u16, h2: u16) -> Op {
    let (s, x) = shift(h2);
    match operation(h1, h2) {
        Some((_, kind)) => {
            let (d, n, m) = (nibble(h2, 8), nibble(h1, 0), nibble(h2, 0));
            Op {
                d,
                n,
                m,
                s,
                x,
                flags: set_flags(h1),
                ..Op::new(kind)
            }
        }
        None => decode_dsp::pack(h1, h2),
    }
}

/// Section A5.3.3.
fn plain_immediate(h1: u16, h2: u16) -> Op {
    let (rn, rd) = (nibble(h1, 0), nibble(h2, 8));
    let imm12 = twelve_bits(h1, h2);
    let imm16 = u32::from(rn) << 12 | imm12;
    let lsb = ((h2 >> 12) & 7) as u8 * 4 + ((h2 >> 6) & 3) as u8;
    let low5 = u32::from(h2 & 31);
    let op = Op {
        d: rd,
        n: rn,
        x: lsb,
        ..Op::UNDECODED
    };
    match (h1 >> 4) & 0x1F {
        0x00 if rn == 15 => Op {
            kind: Kind::Adr,
            imm: imm12,
            ..op
        },
        0x00 => Op {
            kind: Kind::AddImm,
            imm: imm12,
            ..op
        },
        0x04 => Op {
            kind: Kind::MovImm,
            imm: imm16,
            ..op
        },
        0x0A if rn == 15 => Op {
            kind: Kind::Adr,
            imm: imm12.wrapping_neg(),
            ..op
        },
        0x0A => Op {
            kind: Kind::SubImm,
            imm: imm12,
            ..op
        },
        0x0C => Op {
            kind: Kind::Movt,
            imm: imm16,
            ..op
        },
        0x10 => Op {
            kind: Kind::Ssat,
            s: LSL,
            imm: low5 + 1,
            ..op
        },
        0x12 | 0x1A if lsb == 0 => decode_dsp::saturate_16(h1, h2),
        0x12 => Op {
            kind: Kind::Ssat,
            s: ASR,
            imm: low5 + 1,
            ..op
        },
        0x14 => Op {
            kind: Kind::Sbfx,
            imm: low5 + 1,
            ..op
        },
        0x16 if low5 >= u32::from(lsb) => Op {
            kind: Kind::Bfi,
            imm: low5 + 1 - u32::from(lsb),
            ..op
        },
        0x18 => Op {
            kind: Kind::Usat,
            s: LSL,
            imm: low5,
            ..op
        },
        0x1A => Op {
            kind: Kind::Usat,
            s: ASR,
            imm: low5,
            ..op
        },
        0x1C => Op {
            kind: Kind::Ubfx,
            imm: low5 + 1,
            ..op
        },
        _ => Op::new(Kind::Undefined),
    }
}

/// Section A5.3.12.
fn register(h1: u16, h2: u16) -> Op {
    if h2 & 0xF000 != 0xF000 {
        return Op::new(Kind::Undefined);
    }
    let (rd, rn, rm) = (nibble(h2, 8), nibble(h1, 0), nibble(h2, 0));
    let (op1, op2) = (nibble(h1, 4), nibble(h2, 4));
    if op1 < 8 && op2 == 0 {
        return Op {
            d: rd,
            n: rn,
            m: rm,
            s: op1 >> 1,
            flags: set_flags(h1),
            ..Op::new(Kind::ShiftByReg)
        };
    }
    let extend = op1 < 8 && op2 & 8 != 0 && rn == 15;
    let kind = match (op1, op2) {
        (0, _) if extend => Kind::Sxth,
        (1, _) if extend => Kind::Uxth,
        (4, _) if extend => Kind::Sxtb,
        (5, _) if extend => Kind::Uxtb,
        (9, 8) => Kind::Rev,
        (9, 9) => Kind::Rev16,
        (9, 10) => Kind::Rbit,
        (9, 11) => Kind::Revsh,
        (11, 8) => Kind::Clz,
        _ => return decode_dsp::register(h1, h2),
    };
    let rotation = if extend { (op2 & 3) * 8 } else { 0 };
    Op {
        d: rd,
        m: rm,
        x: rotation,
        ..Op::new(kind)
    }
}

/// Section A5.3.16.
fn multiply(h1: u16, h2: u16) -> Op {
    let (rd, rn, rm, ra) = (nibble(h2, 8), nibble(h1, 0), nibble(h2, 0), nibble(h2, 12));
    let kind = match ((h1 >> 4) & 7, nibble(h2, 4)) {
        (0, 0) if ra == 15 => Kind::Mul,
        (0, 0) => Kind::Mla,
        (0, 1) => Kind::Mls,
        _ => return decode_dsp::multiply(h1, h2),
    };
    Op {
        d: rd,
        n: rn,
        m: rm,
        x: ra,
        ..Op::new(kind)
    }
}

/// Section A5.3.17.
fn long_multiply(h1: u16, h2: u16) -> Op {
    let (hi, rn, rm, lo) = (nibble(h2, 8), nibble(h1, 0), nibble(h2, 0), nibble(h2, 12));
    let kind = match ((h1 >> 4) & 7, nibble(h2, 4)) {
        (0, 0) => Kind::Smull,
        (1, 15) => {
            return Op {
                d: hi,
                n: rn,
                m: rm,
                ..Op::new(Kind::Sdiv)
            }
        }
        (2, 0) => Kind::Umull,
        (3, 15) => {
            return Op {
                d: hi,
                n: rn,
                m: rm,
                ..Op::new(Kind::Udiv)
            }
        }
        (4, 0) => Kind::Smlal,
        (6, 0) => Kind::Umlal,
        _ => return decode_dsp::long_multiply(h1, h2),
    };
    Op {
        d: lo,
        x: hi,
        n: rn,
        m: rm,
        ..Op::new(kind)
    }
}
