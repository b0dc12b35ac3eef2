//! Decoder of the 32-bit loads and stores (ARM DDI 0403E, sections A5.3.5 to A5.3.10).

use super::decode32::nibble;
use super::ops::*;

/// LDM, STM, and PUSH and POP in their long forms.
pub(super) fn multiple(h1: u16, h2: u16) -> Op {
    let direction = match (h1 >> 7) & 3 {
        1 => 0,
        2 => DECREMENT,
        _ => return Op::new(Kind::Undefined),
    };
    let kind = if h1 & 0x10 != 0 { Kind::Ldm } else { Kind::Stm };
    let write_back = if h1 & 0x20 != 0 { WRITE_BACK } else { 0 };
    Op {
        n: nibble(h1, 0),
        imm: u32::from(h2),
        flags: direction | write_back,
        ..Op::new(kind)
    }
}

/// LDRD, STRD, the exclusive accesses and table branches.
pub(super) fn dual_or_exclusive(h1: u16, h2: u16) -> Op {
    let load = h1 & 0x10 != 0;
    let (pre, up, write_back) = (h1 & 0x100 != 0, h1 & 0x80 != 0, h1 & 0x20 != 0);
    let (rn, rt, rt2) = (nibble(h1, 0), nibble(h2, 12), nibble(h2, 8));
    let imm = u32::from(h2 & 0xFF) << 2;
    if pre || write_back {
        let kind = if load { Kind::Ldrd } else { Kind::Strd };
        let flags = if write_back { WRITE_BACK } else { 0 } | if pre { 0 } else { POST };
        let imm = if up { imm } else { imm.wrapping_neg() };
        return Op {
            d: rt,
            m: rt2,
            n: rn,
            imm,
            flags,
            ..Op::new(kind)
        };
    }
    let op = Op {
        d: rt,
        n: rn,
        ..Op::UNDECODED
    };
    match (up, load, nibble(h2, 4)) {
        (false, false, _) => Op {
            kind: Kind::Strex,
            s: WORD,
            m: rt2,
            imm,
            ..op
        },
        (false, true, _) => Op {
            kind: Kind::Ldrex,
            s: WORD,
            imm,
            ..op
        },
        (true, false, 4) => Op {
            kind: Kind::Strex,
            s: BYTE,
            m: nibble(h2, 0),
            ..op
        },
        (true, false, 5) => Op {
            kind: Kind::Strex,
            s: HALF,
            m: nibble(h2, 0),
            ..op
        },
        (true, true, 0) => Op {
            kind: Kind::Tbb,
            m: nibble(h2, 0),
            ..op
        },
        (true, true, 1) => Op {
            kind: Kind::Tbh,
            m: nibble(h2, 0),
            ..op
        },
        (true, true, 4) => Op {
            kind: Kind::Ldrex,
            s: BYTE,
            ..op
        },
        (true, true, 5) => Op {
            kind: Kind::Ldrex,
            s: HALF,
            ..op
        },
        _ => Op::new(Kind::Undefined),
    }
}

/// Loads and stores of one byte, halfword or word.
pub(super) fn single(h1: u16, h2: u16) -> Op {
    let load = h1 & 0x10 != 0;
    let signed = h1 & 0x100 != 0;
    let size = ((h1 >> 5) & 3) as u8;
    let (rn, rt) = (nibble(h1, 0), nibble(h2, 12));
    if size > WORD || signed && (size == WORD || !load) || !load && rn == 15 {
        return Op::new(Kind::Undefined);
    }
    let size = if signed { size + SIGNED_BYTE } else { size };
    let general = Op {
        d: rt,
        n: rn,
        s: size,
        ..Op::new(if load { Kind::Load } else { Kind::Store })
    };
    let imm8 = u32::from(h2 & 0xFF);
    let op = if rn == 15 || h1 & 0x80 != 0 {
        let imm12 = u32::from(h2 & 0xFFF);
        // A literal has its sign where the other forms say "12-bit offset".
        Op {
            imm: if h1 & 0x80 != 0 { imm12 } else { imm12.wrapping_neg() },
            ..general
        }
    } else if h2 & 0x800 == 0 {
        if h2 & 0x7C0 != 0 {
            return Op::new(Kind::Undefined);
        }
        Op {
            m: nibble(h2, 0),
            x: ((h2 >> 4) & 3) as u8,
            flags: INDEXED,
            ..general
        }
    } else {
        let offset = if h2 & 0x200 != 0 { imm8 } else { imm8.wrapping_neg() };
        match (h2 >> 8) & 7 {
            0 | 2 => return Op::new(Kind::Undefined),
            1 | 3 => Op {
                imm: offset,
                flags: WRITE_BACK | POST,
                ..general
            },
            5 | 7 => Op {
                imm: offset,
                flags: WRITE_BACK,
                ..general
            },
            6 => Op {
                imm: imm8,
                flags: UNPRIVILEGED,
                ..general
            },
            _ => Op { imm: offset, ..general },
        }
    };
    if load && rt == 15 && size != WORD {
        // Preload hints: nothing to preload into.
        return Op::new(Kind::Nop);
    }
    specialise(op)
}

/// Gives the frequent forms their own kinds, which the executor handles without looking at the flags.
fn specialise(op: Op) -> Op {
    let forms = match (op.kind, op.s) {
        (Kind::Load, BYTE) => (Kind::LdrbImm, Kind::LdrbReg),
        (Kind::Load, HALF) => (Kind::LdrhImm, Kind::LdrhReg),
        (Kind::Load, SIGNED_BYTE) => (Kind::LdrsbImm, Kind::LdrsbReg),
        (Kind::Load, SIGNED_HALF) => (Kind::LdrshImm, Kind::LdrshReg),
        (Kind::Load, _) => (Kind::LdrImm, Kind::LdrReg),
        (_, BYTE) => (Kind::StrbImm, Kind::StrbReg),
        (_, HALF) => (Kind::StrhImm, Kind::StrhReg),
        _ => (Kind::StrImm, Kind::StrReg),
    };
    let kind = match op.flags {
        _ if op.d == 15 => op.kind,
        0 if op.n == 15 && op.s == WORD => Kind::LdrLit,
        0 if op.n != 15 => forms.0,
        INDEXED => forms.1,
        _ => op.kind,
    };
    Op { kind, ..op }
}
