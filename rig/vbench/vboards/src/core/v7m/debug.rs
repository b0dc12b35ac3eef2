//! Debug block of the core (ARM DDI 0403E, part C): halting, stepping, breakpoints, core registers, as a debug port sees
//! them. It costs the run loop nothing while no debugger has set C_DEBUGEN.
//!
//! Not here: data watchpoints and the other DWT comparators (storage only), the debug monitor, vector catch but for
//! reset and HardFault.

use super::access::is_private;
use super::memory::Place;
use super::nvic::PENDSV;
use super::{Cpu, Sleep};
use crate::bus::{Bus, BusError, Width, DEBUGGER};

/// Key of a write to DHCSR (C1.6.2), and its bits.
const DHCSR_KEY: u32 = 0xA05F;
const C_DEBUGEN: u32 = 1;
const C_HALT: u32 = 1 << 1;
const C_STEP: u32 = 1 << 2;
const C_MASKINTS: u32 = 1 << 3;
const S_REGRDY: u32 = 1 << 16;
const S_HALT: u32 = 1 << 17;
const S_SLEEP: u32 = 1 << 18;
const S_LOCKUP: u32 = 1 << 19;
const S_RETIRE_ST: u32 = 1 << 24;
const S_RESET_ST: u32 = 1 << 25;
/// DEMCR (C1.6.5).
const VC_CORERESET: u32 = 1;
const VC_HARDERR: u32 = 1 << 10;
/// DFSR (C1.6.1).
const DFSR_HALTED: u32 = 1;
const DFSR_BKPT: u32 = 1 << 1;
const DFSR_VCATCH: u32 = 1 << 3;
/// FP_CTRL of the Cortex-M3 and M4 (TRM, 10.1): six instruction and two literal comparators.
const FP_CTRL_SIZE: u32 = 2 << 8 | 6 << 4;
const FP_COMPARATORS: usize = 6;
/// DWT_CTRL.NUMCOMP is 4: comparator registers from here on, 16 bytes each.
const DWT_COMPARATORS: std::ops::RangeInclusive<u32> = 0xE000_1020..=0xE000_105C;

/// State of the debug block; only a power-on reset clears it (C1.6).
#[derive(Default)]
pub(super) struct Debug {
    /// Last C_ bits written.
    control: u32,
    halted: bool,
    /// Instructions executed when a step began.
    step_from: u64,
    reset_seen: bool,
    /// A debugger has been there since power-on.
    attached: bool,
    dfsr: u32,
    dcrdr: u32,
    fpb_enabled: bool,
    breakpoints: [u32; FP_COMPARATORS + 2],
    watchpoints: [u32; 16],
}

impl Debug {
    #[inline(always)]
    fn enabled(&self) -> bool {
        self.control & C_DEBUGEN != 0
    }

    /// Whether C_MASKINTS keeps an exception from being taken: PendSV, SysTick and interrupts.
    pub fn masks(&self, exception: u16) -> bool {
        self.control & (C_DEBUGEN | C_MASKINTS) == C_DEBUGEN | C_MASKINTS && exception >= PENDSV
    }

    fn has_breakpoints(&self) -> bool {
        self.fpb_enabled
            && self.breakpoints[..FP_COMPARATORS]
                .iter()
                .any(|comparator| comparator & 1 != 0)
    }

    /// FP_COMPn of version 1: bits 28 to 2 of the address, REPLACE selects which halfword (C1.11.5).
    fn breaks_at(&self, pc: u32) -> bool {
        let halfword = if pc & 2 == 0 { 1 << 30 } else { 2 << 30 };
        self.fpb_enabled
            && self.breakpoints[..FP_COMPARATORS]
                .iter()
                .any(|&c| c & 1 != 0 && c & 0x1FFF_FFFC == pc & 0x1FFF_FFFC && c & halfword != 0 && pc < 0x2000_0000)
    }
}

impl Cpu {
    /// A debugger has halted the core.
    pub fn debug_halted(&self) -> bool {
        self.debug.halted
    }

    /// A debugger is there, or will come: a lockup is then its business and not the end of the run.
    pub fn debug_attached(&self) -> bool {
        self.debug.attached
    }

    /// SYSRESETREQ was written and [`Cpu::reset`] has not been called yet; a halted core cannot say so itself.
    pub fn reset_requested(&self) -> bool {
        self.reset_requested
    }

    /// From now on a lockup waits for a debugger (an empty board).
    pub fn await_debugger(&mut self) {
        self.debug.attached = true;
    }

    /// Between two instructions: true if the core halts here.
    pub(super) fn debug_stops(&mut self) -> bool {
        if !self.debug.enabled() || self.debug.halted {
            return self.debug.halted;
        }
        let stepped = self.debug.control & C_STEP != 0 && self.instructions > self.debug.step_from;
        if self.debug.control & C_HALT != 0 || stepped {
            self.debug_halt(DFSR_HALTED);
        } else if self.sleep == Sleep::Awake && self.debug.breaks_at(self.pc) {
            self.debug_halt(DFSR_BKPT);
        }
        self.debug.halted
    }

    /// Whether the next instruction must be looked at alone.
    #[inline(always)]
    pub(super) fn debug_single(&self) -> bool {
        self.debug.enabled() && (self.debug.control & C_STEP != 0 || self.debug.has_breakpoints())
    }

    fn debug_halt(&mut self, reason: u32) {
        self.debug.halted = true;
        self.debug.control |= C_HALT;
        self.debug.dfsr |= reason;
        self.sleep = Sleep::Awake;
        self.fault = None;
        self.attend();
    }

    /// BKPT: true if a debugger takes it.
    pub(super) fn debug_takes_breakpoint(&mut self) -> bool {
        if self.debug.enabled() {
            self.debug_halt(DFSR_BKPT);
        }
        self.debug.enabled()
    }

    /// A HardFault begins.
    pub(super) fn debug_hard_fault(&mut self) {
        if self.debug.enabled() && self.scb.demcr & VC_HARDERR != 0 {
            self.debug_halt(DFSR_VCATCH);
        }
    }

    /// The core was reset; it stays halted on its first instruction if the debugger asked for that.
    pub(super) fn debug_reset(&mut self) {
        self.debug.reset_seen = true;
        self.debug.halted = false;
        self.debug.control &= !C_HALT;
        if self.debug.enabled() && self.scb.demcr & VC_CORERESET != 0 {
            self.debug_halt(DFSR_VCATCH);
        }
    }

    /// Reads memory as a debug port does; the core does not notice.
    pub fn debug_read<B: Bus>(&mut self, bus: &mut B, address: u32, width: Width) -> Result<u32, BusError> {
        if is_private(address) {
            return Ok(match address & !3 {
                0xE000_EDF0 => self.dhcsr(true),
                _ => self.read_private(address, width),
            });
        }
        let mut bytes = [0; 4];
        let size = width.bytes();
        if self.mem.read(address, &mut bytes[..size]) {
            return Ok(u32::from_le_bytes(bytes));
        }
        bus.read(address, width, self.cycles, DEBUGGER)
    }

    /// Writes memory as a debug port does; flash takes it the way its controller allows.
    pub fn debug_write<B: Bus>(&mut self, bus: &mut B, address: u32, width: Width, value: u32) -> Result<(), BusError> {
        if is_private(address) {
            match address & !3 {
                0xE000_EDF0 => self.write_dhcsr(value),
                0xE000_EDF4 => self.transfer_register(value),
                _ => self.write_private(address, width, value),
            }
            return Ok(());
        }
        let size = width.bytes();
        if let Some(Place::Ram(..)) = self.mem.place(address, size) {
            self.write_memory(address, &value.to_le_bytes()[..size]);
            return Ok(());
        }
        bus.write(address, width, value, self.cycles, DEBUGGER)
    }

    /// A register of the debug block that firmware may read, too; None: it is another block's.
    pub(super) fn read_debug(&mut self, address: u32) -> Option<u32> {
        Some(match address {
            0xE000_EDF0 => self.dhcsr(false),
            0xE000_EDF8 => self.debug.dcrdr,
            0xE000_ED30 => self.debug.dfsr,
            0xE000_2000 => FP_CTRL_SIZE | u32::from(self.debug.fpb_enabled),
            0xE000_2008..=0xE000_2024 => self.debug.breakpoints[(address as usize - 0xE000_2008) / 4],
            _ if DWT_COMPARATORS.contains(&address) => {
                self.debug.watchpoints[(address - DWT_COMPARATORS.start()) as usize / 4]
            }
            _ => return None,
        })
    }

    /// As [`Cpu::read_debug`]; false: not a register of the debug block.
    pub(super) fn write_debug(&mut self, address: u32, value: u32) -> bool {
        match address {
            0xE000_EDF8 => self.debug.dcrdr = value,
            0xE000_ED30 => self.debug.dfsr &= !value,
            0xE000_2000 if value & 2 != 0 => self.debug.fpb_enabled = value & 1 != 0,
            0xE000_2008..=0xE000_2024 => self.debug.breakpoints[(address as usize - 0xE000_2008) / 4] = value,
            _ if DWT_COMPARATORS.contains(&address) => {
                self.debug.watchpoints[(address - DWT_COMPARATORS.start()) as usize / 4] = value;
            }
            _ => return false,
        }
        true
    }

    fn dhcsr(&mut self, by_debugger: bool) -> u32 {
        let mut value = self.debug.control | S_REGRDY;
        for (bit, on) in [
            (S_HALT, self.debug.halted),
            (S_SLEEP, self.sleep != Sleep::Awake),
            (S_LOCKUP, self.fault.is_some()),
            (S_RETIRE_ST, !self.debug.halted && self.sleep == Sleep::Awake),
            (S_RESET_ST, self.debug.reset_seen),
        ] {
            value |= if on { bit } else { 0 };
        }
        self.debug.reset_seen &= !by_debugger;
        value
    }

    fn write_dhcsr(&mut self, value: u32) {
        if value >> 16 != DHCSR_KEY {
            return;
        }
        self.debug.control = value & (C_DEBUGEN | C_HALT | C_STEP | C_MASKINTS);
        self.debug.attached |= self.debug.enabled();
        if self.debug.control & (C_DEBUGEN | C_HALT) == C_DEBUGEN | C_HALT {
            if !self.debug.halted {
                self.debug_halt(DFSR_HALTED);
            }
        } else {
            self.debug.halted = false;
            self.debug.step_from = self.instructions;
        }
        self.attend();
    }

    /// DCRSR (C1.6.3): copies a core register to or from DCRDR.
    fn transfer_register(&mut self, selection: u32) {
        let (number, write) = (selection & 0x7F, selection >> 16 & 1 != 0);
        if !self.debug.halted {
            return;
        }
        if write {
            self.set_debug_register(number, self.debug.dcrdr);
        } else {
            self.debug.dcrdr = self.debug_register(number);
        }
        self.attend();
    }

    /// A core register by its number in DCRSR; those of the floating-point extension read as zero where there is none.
    fn debug_register(&self, number: u32) -> u32 {
        match number {
            0..=15 => self.regs[number as usize],
            16 => self.xpsr(),
            17 => self.msp(),
            18 => self.psp(),
            20 => self.masks(),
            33 => self.fpscr(),
            64..=95 => self.float.s[number as usize - 64],
            _ => 0,
        }
    }

    fn set_debug_register(&mut self, number: u32, value: u32) {
        match number {
            13 => self.regs[13] = value & !3,
            15 => self.regs[15] = value & !1,
            0..=15 => self.regs[number as usize] = value,
            16 => self.set_xpsr(value),
            17 => self.set_msp(value),
            18 => self.set_psp(value),
            20 => self.set_masks(value),
            33 if self.model.fpu => self.set_fpscr(value),
            64..=95 if self.model.fpu => self.float.s[number as usize - 64] = value,
            _ => {}
        }
        self.pc = self.regs[15];
    }
}
