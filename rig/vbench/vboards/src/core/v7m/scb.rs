//! The private peripheral bus: system control block, SysTick and NVIC registers, DWT, CoreDebug; ITM writes vanish.

use super::nvic::*;
use super::Cpu;
use crate::bus::Width;

pub(super) const SCR_SLEEPONEXIT: u32 = 1 << 1;
pub(super) const SCR_SLEEPDEEP: u32 = 1 << 2;
pub(super) const SCR_SEVONPEND: u32 = 1 << 4;
pub(super) const CCR_NONBASETHRDENA: u32 = 1 << 0;
pub(super) const CCR_UNALIGN_TRP: u32 = 1 << 3;
pub(super) const CCR_DIV_0_TRP: u32 = 1 << 4;
pub(super) const CCR_STKALIGN: u32 = 1 << 9;
const CCR_WRITABLE: u32 = 0x31B;
pub(super) const SHCSR_MEMFAULTENA: u32 = 1 << 16;
pub(super) const SHCSR_BUSFAULTENA: u32 = 1 << 17;
pub(super) const SHCSR_USGFAULTENA: u32 = 1 << 18;
pub(super) const CFSR_IACCVIOL: u32 = 1 << 0;
pub(super) const CFSR_IBUSERR: u32 = 1 << 8;
pub(super) const CFSR_PRECISERR: u32 = 1 << 9;
pub(super) const CFSR_UNSTKERR: u32 = 1 << 11;
pub(super) const CFSR_STKERR: u32 = 1 << 12;
pub(super) const CFSR_LSPERR: u32 = 1 << 13;
pub(super) const CFSR_BFARVALID: u32 = 1 << 15;
pub(super) const CFSR_UNDEFINSTR: u32 = 1 << 16;
pub(super) const CFSR_INVSTATE: u32 = 1 << 17;
pub(super) const CFSR_INVPC: u32 = 1 << 18;
pub(super) const CFSR_NOCP: u32 = 1 << 19;
pub(super) const CFSR_UNALIGNED: u32 = 1 << 24;
pub(super) const CFSR_DIVBYZERO: u32 = 1 << 25;
pub(super) const HFSR_VECTTBL: u32 = 1 << 1;
pub(super) const HFSR_FORCED: u32 = 1 << 30;
pub(super) const HFSR_DEBUGEVT: u32 = 1 << 31;
const DEMCR_TRCENA: u32 = 1 << 24;
const DWT_CYCCNTENA: u32 = 1;
/// Key of AIRCR writes, and what reads show in its place (PM0056 section 4.4.5).
const AIRCR_KEY: u32 = 0x05FA;
const AIRCR_READ_KEY: u32 = 0xFA05;

/// System exceptions as SHCSR shows them: (bit, exception, active or pending).
const SHCSR_BITS: [(u32, u16, bool); 11] = [
    (0, MEM_MANAGE, true),
    (1, BUS_FAULT, true),
    (3, USAGE_FAULT, true),
    (7, SVCALL, true),
    (8, 12, true),
    (10, PENDSV, true),
    (11, SYSTICK, true),
    (12, USAGE_FAULT, false),
    (13, MEM_MANAGE, false),
    (14, BUS_FAULT, false),
    (15, SVCALL, false),
];

/// Registers of the system control block and the debug units that have no behaviour of their own.
pub(super) struct Scb {
    pub vtor: u32,
    pub scr: u32,
    pub ccr: u32,
    /// The three enable bits.
    pub shcsr: u32,
    pub cfsr: u32,
    pub hfsr: u32,
    pub mmfar: u32,
    pub bfar: u32,
    pub demcr: u32,
    dwt_control: u32,
    /// CYCCNT while it stands; while it counts, what to subtract from the cycles.
    cyccnt: u32,
}

impl Scb {
    pub fn new() -> Scb {
        Scb {
            vtor: 0,
            scr: 0,
            ccr: CCR_STKALIGN,
            shcsr: 0,
            cfsr: 0,
            hfsr: 0,
            mmfar: 0,
            bfar: 0,
            demcr: 0,
            dwt_control: 0,
            cyccnt: 0,
        }
    }

    fn cyccnt_runs(&self) -> bool {
        self.dwt_control & DWT_CYCCNTENA != 0 && self.demcr & DEMCR_TRCENA != 0
    }

    fn cyccnt(&self, now: u64) -> u32 {
        if self.cyccnt_runs() {
            (now as u32).wrapping_sub(self.cyccnt)
        } else {
            self.cyccnt
        }
    }

    /// Applies a change to the DWT or DEMCR without disturbing the count.
    fn change_dwt(&mut self, now: u64, change: impl FnOnce(&mut Scb)) {
        self.cyccnt = self.cyccnt(now);
        change(self);
        if self.cyccnt_runs() {
            self.cyccnt = (now as u32).wrapping_sub(self.cyccnt);
        }
    }

    /// The core's clock stood still for `cycles`.
    pub fn postpone(&mut self, cycles: u64) {
        if self.cyccnt_runs() {
            self.cyccnt = self.cyccnt.wrapping_add(cycles as u32);
        }
    }
}

impl Cpu {
    /// Reads a private peripheral, as the core or a debugger does.
    pub fn read_private(&mut self, address: u32, width: Width) -> u32 {
        let word = self.read_private_word(address & !3);
        match width {
            Width::Word => word,
            Width::Half => word >> (8 * (address & 2)) & 0xFFFF,
            Width::Byte => word >> (8 * (address & 3)) & 0xFF,
        }
    }

    fn read_private_word(&mut self, address: u32) -> u32 {
        let now = self.cycles;
        match address {
            0xE000_1000 => self.scb.dwt_control | 0x4000_0000,
            0xE000_1004 => self.scb.cyccnt(now),
            // ITM: a stimulus port reads 1 when ready, so that writers do not wait.
            0xE000_0000..=0xE000_007C => 1,
            0xE000_E004 => 3,
            0xE000_E010..=0xE000_E01C => {
                self.advance_systick();
                self.systick.read(address - 0xE000_E010, now)
            }
            0xE000_E100..=0xE000_E4FC => self.nvic.read(address - 0xE000_E100),
            0xE000_ED00 => self.model.cpuid,
            0xE000_ED04 => self.icsr(),
            0xE000_ED08 => self.scb.vtor,
            0xE000_ED0C => AIRCR_READ_KEY << 16 | self.nvic.group << 8,
            0xE000_ED10 => self.scb.scr,
            0xE000_ED14 => self.scb.ccr,
            0xE000_ED18..=0xE000_ED20 => {
                let first = (address - 0xE000_ED14) as u16;
                (0..4)
                    .map(|i| u32::from(self.nvic.system_priority(first + i)) << (8 * i))
                    .sum()
            }
            0xE000_ED24 => self.shcsr(),
            0xE000_ED28 => self.scb.cfsr,
            0xE000_ED2C => self.scb.hfsr,
            0xE000_ED34 => self.scb.mmfar,
            0xE000_ED38 => self.scb.bfar,
            0xE000_EDFC => self.scb.demcr,
            0xE000_ED88 | 0xE000_EF34..=0xE000_EF44 if self.model.fpu => self.float.read(address),
            _ => self.read_debug(address).unwrap_or(0),
        }
    }

    /// Writes a private peripheral, as the core or a debugger does.
    pub fn write_private(&mut self, address: u32, width: Width, value: u32) {
        let base = address & !3;
        // Narrow writes replace their part of the registers that hold several fields; elsewhere the rest is zero, which
        // for the write-one-to-set and -clear registers leaves it alone.
        let holds_fields = matches!(base, 0xE000_E400..=0xE000_E4FC | 0xE000_ED10..=0xE000_ED20);
        let (mask, shift) = match width {
            Width::Word => (u32::MAX, 0),
            Width::Half => (0xFFFF, 8 * (address & 2)),
            Width::Byte => (0xFF, 8 * (address & 3)),
        };
        let mut word = (value & mask) << shift;
        if holds_fields && width != Width::Word {
            word |= self.read_private_word(base) & !(mask << shift);
        }
        self.write_private_word(base, word);
        self.attend();
    }

    fn write_private_word(&mut self, address: u32, value: u32) {
        let now = self.cycles;
        match address {
            0xE000_1000 => self.scb.change_dwt(now, |scb| scb.dwt_control = value & 0x0FFF_FFFF),
            0xE000_1004 => self.scb.change_dwt(now, |scb| scb.cyccnt = value),
            0xE000_E010..=0xE000_E01C => {
                self.advance_systick();
                self.systick.write(address - 0xE000_E010, value, now);
            }
            0xE000_E100..=0xE000_E4FC => {
                let pends = self.nvic.write(address - 0xE000_E100, value);
                self.event |= pends && self.scb.scr & SCR_SEVONPEND != 0;
            }
            0xE000_EF00 if value & 0x1FF < 128 => self.pend(FIRST_IRQ + (value & 0x1FF) as u16),
            0xE000_ED04 => self.set_icsr(value),
            0xE000_ED08 => self.scb.vtor = value & 0x3FFF_FF80,
            0xE000_ED0C if value >> 16 == AIRCR_KEY => {
                self.nvic.group = value >> 8 & 7;
                self.reset_requested |= value & 4 != 0;
            }
            0xE000_ED10 => self.scb.scr = value & (SCR_SLEEPONEXIT | SCR_SLEEPDEEP | SCR_SEVONPEND),
            0xE000_ED14 => self.scb.ccr = value & CCR_WRITABLE,
            0xE000_ED18..=0xE000_ED20 => {
                for (exception, byte) in ((address - 0xE000_ED14) as u16..).zip(value.to_le_bytes()) {
                    self.nvic.set_system_priority(exception, byte);
                }
            }
            0xE000_ED24 => self.set_shcsr(value),
            0xE000_ED28 => self.scb.cfsr &= !value,
            0xE000_ED2C => self.scb.hfsr &= !value,
            0xE000_ED34 => self.scb.mmfar = value,
            0xE000_ED38 => self.scb.bfar = value,
            0xE000_EDFC => self.scb.change_dwt(now, |scb| scb.demcr = value),
            0xE000_ED88 | 0xE000_EF34..=0xE000_EF3C if self.model.fpu => self.float.write(address, value),
            _ => {
                self.write_debug(address, value);
            }
        }
    }

    fn icsr(&self) -> u32 {
        let nvic = &self.nvic;
        let pending = nvic
            .strongest_pending()
            .map_or(0, |(exception, _)| u32::from(exception));
        u32::from(nvic.is_pending(NMI)) << 31
            | u32::from(nvic.is_pending(PENDSV)) << 28
            | u32::from(nvic.is_pending(SYSTICK)) << 26
            | u32::from(nvic.irq_pending()) << 22
            | pending << 12
            | u32::from(!nvic.several_active()) << 11
            | u32::from(self.ipsr)
    }

    fn set_icsr(&mut self, value: u32) {
        for (set, clear, exception) in [(31, 32, NMI), (28, 27, PENDSV), (26, 25, SYSTICK)] {
            if value >> set & 1 != 0 {
                self.pend(exception);
            } else if clear < 32 && value >> clear & 1 != 0 {
                self.nvic.unpend(exception);
            }
        }
    }

    fn shcsr(&self) -> u32 {
        SHCSR_BITS
            .iter()
            .fold(self.scb.shcsr, |value, &(bit, exception, active)| {
                value | u32::from(self.nvic.system_bits(active) >> exception & 1) << bit
            })
    }

    fn set_shcsr(&mut self, value: u32) {
        self.scb.shcsr = value & (SHCSR_MEMFAULTENA | SHCSR_BUSFAULTENA | SHCSR_USGFAULTENA);
        for &(bit, exception, active) in &SHCSR_BITS {
            let on = value >> bit & 1 != 0;
            match (active, on) {
                (true, _) => self.nvic.set_system_active(exception, on),
                (false, true) => self.pend(exception),
                (false, false) => self.nvic.unpend(exception),
            }
        }
    }
}
