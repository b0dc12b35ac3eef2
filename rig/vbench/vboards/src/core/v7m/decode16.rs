//! Decoder of the 16-bit Thumb encodings (ARM DDI 0403E, section A5.2).

use super::ops::*;

fn low3(half: u16, shift: u32) -> u8 {
    ((half >> shift) & 7) as u8
}

fn bits(half: u16, shift: u32, width: u32) -> u32 {
    (u32::from(half) >> shift) & ((1 << width) - 1)
}

/// True if `half` is the first half of a 32-bit instruction.
pub fn is_wide(half: u16) -> bool {
    half >= 0xE800
}

/// Decodes a 16-bit instruction; undefined encodings come out as [`Kind::Undefined`].
pub fn decode16(h: u16) -> Op {
    let (rd, rn, rm) = (low3(h, 0), low3(h, 3), low3(h, 6));
    let imm5 = bits(h, 6, 5);
    let imm8 = bits(h, 0, 8);
    let rt8 = low3(h, 8);
    let imm_op = |kind| Op {
        d: rt8,
        n: rt8,
        imm: imm8,
        flags: SET_FLAGS,
        ..Op::new(kind)
    };
    let offset = |kind, scale: u32| Op {
        d: rd,
        n: rn,
        imm: imm5 * scale,
        ..Op::new(kind)
    };
    match h >> 11 {
        0 => shift_imm(rd, rn, LSL, imm5 as u8),
        1 => shift_imm(rd, rn, LSR, if imm5 == 0 { 32 } else { imm5 as u8 }),
        2 => shift_imm(rd, rn, ASR, if imm5 == 0 { 32 } else { imm5 as u8 }),
        3 => {
            let op = Op {
                d: rd,
                n: rn,
                m: rm,
                imm: u32::from(rm),
                flags: SET_FLAGS,
                ..Op::UNDECODED
            };
            let kind = [Kind::AddReg, Kind::SubReg, Kind::AddImm, Kind::SubImm][bits(h, 9, 2) as usize];
            Op { kind, ..op }
        }
        4 => imm_op(Kind::MovImm),
        5 => imm_op(Kind::CmpImm),
        6 => imm_op(Kind::AddImm),
        7 => imm_op(Kind::SubImm),
        8 if h & 0x0400 == 0 => data_processing(h),
        8 => special_data(h),
        9 => Op {
            d: rt8,
            n: 15,
            imm: imm8 << 2,
            ..Op::new(Kind::LdrLit)
        },
        10 | 11 => {
            let kinds = [
                Kind::StrReg,
                Kind::StrhReg,
                Kind::StrbReg,
                Kind::LdrsbReg,
                Kind::LdrReg,
                Kind::LdrhReg,
                Kind::LdrbReg,
                Kind::LdrshReg,
            ];
            Op {
                d: rd,
                n: rn,
                m: rm,
                ..Op::new(kinds[bits(h, 9, 3) as usize])
            }
        }
        12 => offset(Kind::StrImm, 4),
        13 => offset(Kind::LdrImm, 4),
        14 => offset(Kind::StrbImm, 1),
        15 => offset(Kind::LdrbImm, 1),
        16 => offset(Kind::StrhImm, 2),
        17 => offset(Kind::LdrhImm, 2),
        18 => Op {
            d: rt8,
            n: 13,
            imm: imm8 << 2,
            ..Op::new(Kind::StrImm)
        },
        19 => Op {
            d: rt8,
            n: 13,
            imm: imm8 << 2,
            ..Op::new(Kind::LdrImm)
        },
        20 => Op {
            d: rt8,
            imm: imm8 << 2,
            ..Op::new(Kind::Adr)
        },
        21 => Op {
            d: rt8,
            n: 13,
            imm: imm8 << 2,
            ..Op::new(Kind::AddImm)
        },
        22 | 23 => miscellaneous(h),
        24 if imm8 != 0 => Op {
            n: rt8,
            imm: imm8,
            flags: WRITE_BACK,
            ..Op::new(Kind::Stm)
        },
        25 if imm8 != 0 => {
            let write_back = if imm8 >> rt8 & 1 == 0 { WRITE_BACK } else { 0 };
            Op {
                n: rt8,
                imm: imm8,
                flags: write_back,
                ..Op::new(Kind::Ldm)
            }
        }
        26 | 27 => match bits(h, 8, 4) {
            14 => Op::new(Kind::Undefined),
            15 => Op {
                imm: imm8,
                ..Op::new(Kind::Svc)
            },
            cond => Op {
                x: cond as u8,
                imm: ((imm8 as u8 as i8 as i32) << 1) as u32,
                ..Op::new(Kind::BCond)
            },
        },
        28 => Op {
            imm: (((u32::from(h) << 21) as i32) >> 20) as u32,
            ..Op::new(Kind::B)
        },
        _ => Op::new(Kind::Undefined),
    }
}

fn shift_imm(d: u8, m: u8, s: u8, x: u8) -> Op {
    Op {
        d,
        m,
        s,
        x,
        flags: SET_FLAGS,
        ..Op::new(Kind::MovReg)
    }
}

/// Section A5.2.2.
fn data_processing(h: u16) -> Op {
    let (rd, rm) = (low3(h, 0), low3(h, 3));
    let op = Op {
        d: rd,
        n: rd,
        m: rm,
        flags: SET_FLAGS,
        ..Op::UNDECODED
    };
    let kind = match bits(h, 6, 4) {
        0 => Kind::AndReg,
        1 => Kind::EorReg,
        2 => {
            return Op {
                kind: Kind::ShiftByReg,
                s: LSL,
                ..op
            }
        }
        3 => {
            return Op {
                kind: Kind::ShiftByReg,
                s: LSR,
                ..op
            }
        }
        4 => {
            return Op {
                kind: Kind::ShiftByReg,
                s: ASR,
                ..op
            }
        }
        5 => Kind::AdcReg,
        6 => Kind::SbcReg,
        7 => {
            return Op {
                kind: Kind::ShiftByReg,
                s: ROR,
                ..op
            }
        }
        8 => Kind::TstReg,
        9 => {
            return Op {
                kind: Kind::RsbImm,
                n: rm,
                ..op
            }
        }
        10 => Kind::CmpReg,
        11 => Kind::CmnReg,
        12 => Kind::OrrReg,
        13 => Kind::Mul,
        14 => Kind::BicReg,
        _ => Kind::MvnReg,
    };
    Op { kind, ..op }
}

/// Section A5.2.3: operations on high registers, and branches to a register.
fn special_data(h: u16) -> Op {
    let d = (bits(h, 7, 1) << 3) as u8 | low3(h, 0);
    let m = bits(h, 3, 4) as u8;
    match bits(h, 8, 2) {
        0 if d == 15 => Op {
            m,
            ..Op::new(Kind::AddPc)
        },
        0 => Op {
            d,
            n: d,
            m,
            ..Op::new(Kind::AddReg)
        },
        1 => Op {
            n: d,
            m,
            flags: SET_FLAGS,
            ..Op::new(Kind::CmpReg)
        },
        2 if d == 15 => Op {
            m,
            ..Op::new(Kind::MovPc)
        },
        2 => Op {
            d,
            m,
            ..Op::new(Kind::MovReg)
        },
        _ if h & 0x80 == 0 => Op { m, ..Op::new(Kind::Bx) },
        _ => Op {
            m,
            ..Op::new(Kind::Blx)
        },
    }
}

/// Section A5.2.5.
fn miscellaneous(h: u16) -> Op {
    let (rd, rm) = (low3(h, 0), low3(h, 3));
    match bits(h, 8, 4) {
        0 => {
            let kind = if h & 0x80 == 0 { Kind::AddImm } else { Kind::SubImm };
            Op {
                d: 13,
                n: 13,
                imm: bits(h, 0, 7) << 2,
                ..Op::new(kind)
            }
        }
        1 | 3 | 9 | 11 => {
            let kind = if h & 0x0800 == 0 { Kind::Cbz } else { Kind::Cbnz };
            Op {
                n: rd,
                imm: bits(h, 9, 1) << 6 | bits(h, 3, 5) << 1,
                ..Op::new(kind)
            }
        }
        2 => {
            let kind = [Kind::Sxth, Kind::Sxtb, Kind::Uxth, Kind::Uxtb][bits(h, 6, 2) as usize];
            Op {
                d: rd,
                m: rm,
                ..Op::new(kind)
            }
        }
        4 | 5 if h & 0x1FF != 0 => {
            let list = bits(h, 0, 8) | bits(h, 8, 1) << 14;
            Op {
                n: 13,
                imm: list,
                flags: WRITE_BACK | DECREMENT,
                ..Op::new(Kind::Stm)
            }
        }
        6 if h & 0xFFEC == 0xB660 => Op {
            imm: bits(h, 0, 5),
            ..Op::new(Kind::Cps)
        },
        10 => {
            let kind = match bits(h, 6, 2) {
                0 => Kind::Rev,
                1 => Kind::Rev16,
                3 => Kind::Revsh,
                _ => return Op::new(Kind::Undefined),
            };
            Op {
                d: rd,
                m: rm,
                ..Op::new(kind)
            }
        }
        12 | 13 if h & 0x1FF != 0 => {
            let list = bits(h, 0, 8) | bits(h, 8, 1) << 15;
            Op {
                n: 13,
                imm: list,
                flags: WRITE_BACK,
                ..Op::new(Kind::Ldm)
            }
        }
        14 => Op {
            imm: bits(h, 0, 8),
            ..Op::new(Kind::Bkpt)
        },
        15 if h & 0xF != 0 => Op {
            imm: bits(h, 0, 8),
            ..Op::new(Kind::It)
        },
        15 => Op::new(match bits(h, 4, 4) {
            2 => Kind::Wfe,
            3 => Kind::Wfi,
            4 => Kind::Sev,
            _ => Kind::Nop,
        }),
        _ => Op::new(Kind::Undefined),
    }
}
