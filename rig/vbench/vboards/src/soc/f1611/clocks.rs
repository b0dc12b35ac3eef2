//! The basic clock module: DCO and LFXT1 as sources, MCLK, SMCLK and ACLK (SLAU049F chapter 4).
//!
//! The crystal oscillator XT2 has no crystal: it never runs and counts as faulty. LFXT1 has a watch crystal; its start-up
//! time is left out.

use super::dco::Dco;
use crate::clock::{Clock, ClockSpec};
use crate::core::msp430::{CPUOFF, OSCOFF, SCG0, SCG1};
use crate::exact::Exact;

/// Frequency of the watch crystal.
pub const LFXT1_HZ: u64 = 32_768;

/// DCOCTL and BCSCTL1 after PUC (SLAU049F 4.3): DCO = 3, MOD = 0; XT2OFF, RSEL = 4. BCSCTL2 is cleared by POR only in
/// later families, here by PUC.
const DCOCTL: u8 = 0x60;
const BCSCTL1: u8 = 0x84;
const XT2OFF: u8 = 1 << 7;
const XTS: u8 = 1 << 6;

/// A clock that peripherals count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Aclk,
    Smclk,
    /// Nothing arrives.
    None,
}

/// The three clocks.
#[derive(Clone, Debug)]
pub struct Clocks {
    pub dco: Dco,
    lfxt1: Clock,
    /// LFXT1 runs.
    lfxt1_on: bool,
    /// Where it stopped, and the ticks it lost by that.
    lfxt1_stand: u64,
    pub dcoctl: u8,
    pub bcsctl1: u8,
    pub bcsctl2: u8,
    power: u16,
    /// MCLK runs.
    mclk_on: bool,
    /// Cycle of MCLK that falls on tick `mclk_tick` of its source.
    mclk_cycle: u64,
    mclk_tick: u64,
}

impl Clocks {
    /// Running from `crystal.start_ps` on. The crystal's errors are LFXT1's; the DCO has its own.
    pub fn new(seed: u64, board: u16, exact: Exact, crystal: &ClockSpec) -> Clocks {
        let setting = u16::from(BCSCTL1 & 7) << 8 | u16::from(DCOCTL);
        Clocks {
            dco: Dco::new(seed, board, exact, setting, crystal.start_ps),
            lfxt1: Clock::of(crystal, LFXT1_HZ, 1),
            lfxt1_on: true,
            lfxt1_stand: 0,
            dcoctl: DCOCTL,
            bcsctl1: BCSCTL1,
            bcsctl2: 0,
            power: 0,
            mclk_on: true,
            mclk_cycle: 0,
            mclk_tick: 0,
        }
    }

    /// XT2 is asked for and has no crystal.
    pub fn xt2_fault(&self) -> bool {
        self.bcsctl1 & XT2OFF == 0
    }

    /// LFXT1 in HF mode with a watch crystal (SLAU049F 4.2.7).
    pub fn lfxt1_fault(&self) -> bool {
        self.bcsctl1 & XTS != 0 && self.power & OSCOFF == 0
    }

    /// MCLK comes from LFXT1 (SELM = 3; SELM = 2 is XT2, whose fault gives the DCO: SLAU049F 4.2.7).
    fn mclk_is_lfxt1(&self) -> bool {
        self.bcsctl2 >> 6 == 3 && self.bcsctl1 & XTS == 0
    }

    fn mclk_divider(&self) -> u64 {
        1 << (self.bcsctl2 >> 4 & 3)
    }

    fn smclk_shift(&self) -> u32 {
        u32::from(self.bcsctl2 >> 1 & 3)
    }

    fn aclk_shift(&self) -> u32 {
        u32::from(self.bcsctl1 >> 4 & 3)
    }

    /// SMCLK comes from XT2 (SELS), which does not run, or is off (SCG1).
    fn smclk_off(&self) -> bool {
        self.bcsctl2 & 8 != 0 || self.power & SCG1 != 0
    }

    // ---- MCLK, the core's cycles

    /// Instant of a cycle of the core.
    #[inline]
    pub fn ps(&self, cycle: u64) -> u64 {
        let tick = self.mclk_tick
            + cycle
                .saturating_sub(self.mclk_cycle)
                .saturating_mul(self.mclk_divider());
        if self.mclk_is_lfxt1() {
            self.lfxt1.ps(tick)
        } else {
            self.dco.ps(tick)
        }
    }

    /// The first cycle at or after an instant.
    #[inline]
    pub fn cycle_at(&self, ps: u64) -> u64 {
        let tick = if self.mclk_is_lfxt1() {
            self.lfxt1.tick_at(ps)
        } else {
            self.dco.tick_at(ps)
        };
        let divider = self.mclk_divider();
        self.mclk_cycle + (tick.saturating_sub(self.mclk_tick) + divider - 1) / divider
    }

    pub fn mclk_on(&self) -> bool {
        self.mclk_on
    }

    /// `cycle` falls on the first tick of MCLK's source at or after `ps`.
    fn anchor(&mut self, cycle: u64, ps: u64) {
        self.mclk_cycle = cycle;
        self.mclk_tick = if self.mclk_is_lfxt1() {
            self.lfxt1.tick_at(ps)
        } else {
            self.dco.tick_at(ps)
        };
    }

    // ---- What peripherals count

    /// Ticks of a clock up to and including `ps`. A change of the clock's setting breaks the count: who counts takes a
    /// new start there.
    #[inline]
    pub fn ticks(&self, source: Source, ps: u64) -> u64 {
        match source {
            Source::Aclk if self.lfxt1_on => self.lfxt1.tick_at(ps + 1).saturating_sub(1) >> self.aclk_shift(),
            Source::Aclk => self.lfxt1_stand >> self.aclk_shift(),
            Source::Smclk if !self.smclk_off() => self.dco.ticks(ps) >> self.smclk_shift(),
            _ => 0,
        }
    }

    /// Instant of a tick of a clock; `u64::MAX` while it stands.
    #[inline]
    pub fn instant(&self, source: Source, tick: u64) -> u64 {
        match source {
            Source::Aclk if self.lfxt1_on => self.lfxt1.ps(tick << self.aclk_shift()),
            Source::Smclk if !self.smclk_off() && self.dco.running() => self.dco.ps(tick << self.smclk_shift()),
            _ => u64::MAX,
        }
    }

    /// Time of `ticks` of a clock from `ps` on, running or not.
    pub fn span_ps(&self, source: Source, ticks: u64, ps: u64) -> u64 {
        match source {
            Source::Aclk => self.lfxt1_span_ps(ticks << self.aclk_shift(), ps),
            Source::Smclk => self.dco.span_ps(ticks << self.smclk_shift()),
            Source::None => 0,
        }
    }

    fn lfxt1_span_ps(&self, ticks: u64, ps: u64) -> u64 {
        let tick = self.lfxt1.tick_at(ps);
        self.lfxt1.ps(tick + ticks) - self.lfxt1.ps(tick)
    }

    /// Time of `cycles` of the core from `ps` on at the present setting, running or not.
    pub fn cycles_ps(&self, cycles: u64, ps: u64) -> u64 {
        let ticks = cycles * self.mclk_divider();
        if self.mclk_is_lfxt1() {
            self.lfxt1_span_ps(ticks, ps)
        } else {
            self.dco.span_ps(ticks)
        }
    }

    /// True if the source has a clock now.
    pub fn runs(&self, source: Source) -> bool {
        self.instant(source, 0) != u64::MAX
    }

    /// The part of an event's instant that is known: one that hangs on the DCO is looked at again at the end of a slot.
    pub fn known(&self, source: Source, ps: u64) -> u64 {
        if source == Source::Smclk && ps != u64::MAX {
            ps.min(self.dco.known_until_ps())
        } else {
            ps
        }
    }

    // ---- Changes

    /// A register is written in `cycle` at `ps`.
    pub fn write(&mut self, register: u16, value: u8, cycle: u64, ps: u64) {
        match register {
            0 => self.dcoctl = value,
            1 => self.bcsctl1 = value,
            _ => self.bcsctl2 = value,
        }
        self.dco
            .set(u16::from(self.bcsctl1 & 7) << 8 | u16::from(self.dcoctl), ps);
        self.settle(ps);
        self.anchor(cycle, ps);
    }

    /// The DCO runs while MCLK or SMCLK needs it, or SCG0 does not forbid its generator (SLAU049F 4.2.4, figure 4-1).
    fn settle(&mut self, ps: u64) {
        let mclk = self.power & CPUOFF == 0 && !self.mclk_is_lfxt1();
        let smclk = self.power & SCG1 == 0 && self.bcsctl2 & 8 == 0;
        let needed = mclk || smclk || self.power & SCG0 == 0;
        if needed && !self.dco.running() {
            self.dco.start(ps);
        } else if !needed && self.dco.running() {
            self.dco.stop(ps);
        }
    }

    /// The core's power bits change after `cycle` at `ps`.
    pub fn set_power(&mut self, power: u16, cycle: u64, ps: u64) {
        self.power = power;
        let off = power & OSCOFF != 0 && power & CPUOFF != 0;
        if off && self.lfxt1_on {
            self.lfxt1_stand = self.lfxt1.tick_at(ps + 1).saturating_sub(1);
        }
        self.lfxt1_on = !off;
        self.settle(ps);
        self.mclk_on = power & CPUOFF == 0;
        self.anchor(cycle, ps);
    }

    /// An interrupt wakes the core: MCLK runs again from `cycle` on, all clocks as in active mode.
    pub fn wake(&mut self, cycle: u64, ps: u64) {
        self.set_power(0, cycle, ps);
    }

    /// PUC.
    pub fn reset(&mut self, cycle: u64, ps: u64) {
        self.dcoctl = DCOCTL;
        self.bcsctl1 = BCSCTL1;
        self.bcsctl2 = 0;
        self.dco.set(u16::from(BCSCTL1 & 7) << 8 | u16::from(DCOCTL), ps);
        self.set_power(0, cycle, ps);
    }
}
