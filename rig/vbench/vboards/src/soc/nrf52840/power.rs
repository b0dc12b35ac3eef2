//! CLOCK and POWER, which share their registers' page and interrupt (PS "CLOCK", "POWER").
//!
//! Not modelled: the error of the RC oscillators beyond [`super::HFINT_SPREAD_PPM`], the power-fail comparator, USB, retention
//! of RAM, System OFF.

use super::interface::{At, Interface, Peripheral};
use super::protection::Protection;
use crate::air::US;

const HFCLKSTARTED: u32 = 0;
const LFCLKSTARTED: u32 = 1;
const DONE: u32 = 3;
const CTTO: u32 = 4;
const CTSTARTED: u32 = 10;
const CTSTOPPED: u32 = 11;
const EVENTS: u32 = 0x0000_0DFF;
/// RESETREAS: the pin, the watchdog, a soft reset (PS "POWER", reset reasons).
pub const RESET_PIN: u32 = 1 << 0;
pub const DOG: u32 = 1 << 1;
pub const SREQ: u32 = 1 << 2;

/// Start-up times of PS "CLOCK", electrical specification, typical: HFXO 0.36 ms, LFXO 0.25 s, LFRC 0.6 ms (remembered,
/// unverified). LFSYNT starts at once (an assumption).
const HFXO_PS: u64 = 360 * US;
const LFXO_PS: u64 = 250_000 * US;
const LFRC_PS: u64 = 600 * US;
/// A calibration of LFRC counts against HFXO (an assumption: PS gives no duration).
const CALIBRATION_PS: u64 = 16_000 * US;
/// LFCLKSRC: 0 RC, 1 crystal, 2 synthesized.
const XTAL: u32 = 1;
const SYNTH: u32 = 2;

/// Oscillators, power modes, reasons of a reset.
#[derive(Clone, Debug)]
pub struct Power {
    interface: Interface,
    /// HFXO was asked for, and runs.
    hfxo_asked: bool,
    hfxo_on: bool,
    hfxo_ps: Option<u64>,
    lfclk_asked: bool,
    lfclk_on: bool,
    lfclk_ps: Option<u64>,
    source: u32,
    source_copy: u32,
    done_ps: Option<u64>,
    ctiv: u32,
    ctto_ps: Option<u64>,
    /// Constant latency.
    pub constant_latency: bool,
    pub reset_reasons: u32,
    /// GPREGRET, GPREGRET2: kept over a reset of the system.
    retained: [u32; 2],
    stored: [u32; 4],
    ram: [u32; 64],
    /// HFCLK or LFCLK has another source.
    pub changed: bool,
    /// APPROTECT, whose registers are in the same page.
    pub protection: Protection,
}

impl Power {
    pub fn new(protection: Protection) -> Power {
        Power {
            interface: Interface::new(EVENTS, &[]),
            hfxo_asked: false,
            hfxo_on: false,
            hfxo_ps: None,
            lfclk_asked: false,
            lfclk_on: false,
            lfclk_ps: None,
            source: 0,
            source_copy: 0,
            done_ps: None,
            ctiv: 0,
            ctto_ps: None,
            constant_latency: false,
            reset_reasons: 0,
            retained: [0; 2],
            stored: [0; 4],
            ram: [0xFFFF; 64],
            changed: false,
            protection,
        }
    }

    /// The same after a reset for a reason: a bit of RESETREAS; `approtect` is UICR's.
    pub fn after_reset(&self, reason: u32, approtect: u32) -> Power {
        Power {
            reset_reasons: self.reset_reasons | reason,
            retained: self.retained,
            changed: true,
            ..Power::new(self.protection.after_reset(approtect, reason != SREQ))
        }
    }

    /// The core's clock comes from the crystal.
    pub fn hfxo(&self) -> bool {
        self.hfxo_on
    }

    pub fn lfclk(&self) -> bool {
        self.lfclk_on
    }

    fn start_lfclk(&mut self, at: At) {
        self.lfclk_asked = true;
        self.source_copy = self.source & 3;
        let delay_ps = match self.source_copy {
            XTAL => LFXO_PS,
            SYNTH => 0,
            _ => LFRC_PS,
        };
        if !self.lfclk_on {
            self.lfclk_ps = Some(at.ps + delay_ps);
        } else {
            self.interface.raise(LFCLKSTARTED);
        }
    }

    fn stop_lfclk(&mut self) {
        (self.lfclk_asked, self.lfclk_on, self.lfclk_ps) = (false, false, None);
        self.changed = true;
    }
}

impl Peripheral for Power {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, at: At) -> Option<()> {
        match task {
            0 => {
                self.hfxo_asked = true;
                let delay_ps = if self.hfxo_on { 0 } else { HFXO_PS };
                self.hfxo_ps = self.hfxo_ps.or(Some(at.ps + delay_ps));
            }
            1 => {
                (self.hfxo_asked, self.hfxo_on, self.hfxo_ps) = (false, false, None);
                self.changed = true;
            }
            2 => self.start_lfclk(at),
            3 => self.stop_lfclk(),
            4 => self.done_ps = Some(at.ps + CALIBRATION_PS),
            5 => {
                // CTIV counts quarters of a second.
                self.ctto_ps = Some(at.ps + u64::from(self.ctiv) * 250_000 * US);
                self.interface.raise(CTSTARTED);
            }
            6 => {
                self.ctto_ps = None;
                self.interface.raise(CTSTOPPED);
            }
            30 => self.constant_latency = true,
            31 => self.constant_latency = false,
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        Some(match offset {
            0x400 => self.reset_reasons,
            0x408 => u32::from(self.hfxo_asked),
            // HFCLK always runs: from HFINT, or from HFXO (bit 0).
            0x40C => 1 << 16 | u32::from(self.hfxo_on),
            0x414 => u32::from(self.lfclk_asked),
            0x418 => u32::from(self.lfclk_on) << 16 | self.source_copy,
            0x41C => self.source_copy,
            // No USB; main supply in normal voltage mode.
            0x438 | 0x640 => 0,
            0x510 => self.stored[0],
            0x518 => self.source,
            0x51C => self.retained[0],
            0x520 => self.retained[1],
            0x528 => self.stored[3],
            0x538 => self.ctiv,
            0x578 => self.stored[1],
            0x580 => self.stored[2],
            0x900..=0x98C => self.ram[(offset as usize - 0x900) / 4],
            _ => return self.protection.read(offset),
        })
    }

    fn write(&mut self, offset: u32, value: u32, _at: At) -> Option<()> {
        match offset {
            0x400 => self.reset_reasons &= !value,
            0x510 => self.stored[0] = value,
            0x518 => self.source = value,
            0x51C => self.retained[0] = value & 0xFF,
            0x520 => self.retained[1] = value & 0xFF,
            0x528 => self.stored[3] = value,
            0x538 => self.ctiv = value & 0x7F,
            0x578 => self.stored[1] = value & 1,
            0x580 => self.stored[2] = value & 1,
            // POWER, POWERSET, POWERCLR of each of the nine RAMs.
            0x900..=0x98C => {
                let section = (offset as usize - 0x900) / 16 * 4;
                match offset & 15 {
                    0 => self.ram[section] = value,
                    4 => self.ram[section] |= value,
                    8 => self.ram[section] &= !value,
                    _ => return None,
                }
                self.ram[section + 1] = self.ram[section];
                self.ram[section + 2] = self.ram[section];
            }
            _ => return self.protection.write(offset, value),
        }
        Some(())
    }

    fn next_ps(&self) -> Option<u64> {
        let all = [self.hfxo_ps, self.lfclk_ps, self.done_ps, self.ctto_ps];
        all.iter().flatten().copied().min()
    }

    fn fire(&mut self, at: At) {
        let due = |when: &mut Option<u64>| {
            let is_due = when.map_or(false, |ps| ps <= at.ps);
            if is_due {
                *when = None;
            }
            is_due
        };
        if due(&mut self.hfxo_ps) {
            self.changed |= !self.hfxo_on;
            self.hfxo_on = true;
            self.interface.raise(HFCLKSTARTED);
        }
        if due(&mut self.lfclk_ps) {
            (self.lfclk_on, self.changed) = (true, true);
            self.interface.raise(LFCLKSTARTED);
        }
        if due(&mut self.done_ps) {
            self.interface.raise(DONE);
        }
        if due(&mut self.ctto_ps) {
            self.interface.raise(CTTO);
        }
    }
}
