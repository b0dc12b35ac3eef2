//! Decoder of the 32-bit branches and system instructions (ARM DDI 0403E, sections A5.3.4 to A5.3.6).

use super::decode32::nibble;
use super::ops::*;

/// Section A5.3.4.
pub(super) fn branch_or_control(h1: u16, h2: u16) -> Op {
    let sign = ((u32::from(h1) << 21) as i32 >> 31) as u32;
    let (j1, j2) = (u32::from(h2 >> 13) & 1, u32::from(h2 >> 11) & 1);
    let low = u32::from(h2 & 0x7FF) << 1;
    let far = || {
        let (i1, i2) = (!(j1 ^ sign) & 1, !(j2 ^ sign) & 1);
        sign << 24 | i1 << 23 | i2 << 22 | u32::from(h1 & 0x3FF) << 12 | low
    };
    match (h2 >> 12) & 5 {
        0 if (h1 >> 7) & 7 != 7 => {
            let imm = sign << 20 | j2 << 19 | j1 << 18 | u32::from(h1 & 0x3F) << 12 | low;
            Op {
                x: nibble(h1 >> 6, 0),
                imm,
                ..Op::new(Kind::BCond)
            }
        }
        0 => control(h1, h2),
        1 => Op {
            imm: far(),
            ..Op::new(Kind::B)
        },
        5 => Op {
            imm: far(),
            ..Op::new(Kind::Bl)
        },
        _ => Op::new(Kind::Undefined),
    }
}

fn control(h1: u16, h2: u16) -> Op {
    let low = u32::from(h2 & 0xFF);
    match (h1, h2 & 0xFF00) {
        (0xF380..=0xF39F, _) if h2 & 0xF000 == 0x8000 => Op {
            n: nibble(h1, 0),
            x: nibble(h2, 8) >> 2,
            imm: low,
            ..Op::new(Kind::Msr)
        },
        (0xF3EF, _) if h2 & 0xF000 == 0x8000 => Op {
            d: nibble(h2, 8),
            imm: low,
            ..Op::new(Kind::Mrs)
        },
        (0xF3AF, 0x8000) => Op::new(match low {
            2 => Kind::Wfe,
            3 => Kind::Wfi,
            4 => Kind::Sev,
            _ => Kind::Nop,
        }),
        (0xF3BF, 0x8F00) => Op::new(match low >> 4 {
            2 => Kind::Clrex,
            4 | 5 => Kind::Dmb,
            6 => Kind::Isb,
            _ => Kind::Undefined,
        }),
        _ => Op::new(Kind::Undefined),
    }
}
