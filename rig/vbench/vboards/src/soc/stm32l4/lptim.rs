//! LPTIM1 and LPTIM2 (RM0351 chapter 34): counter, compare, autoreload, from LSE, LSI, HSI16 or PCLK1.
//!
//! Counts on the edges of its kernel clock, whose edges lie on one grid from power-on. Not modelled: external clock and
//! trigger, encoder mode, output on a pin, timeout mode.

use crate::clock::Clock;
use crate::soc::stm32l4::rcc::Rate;

const CMPM: u32 = 1 << 0;
const ARRM: u32 = 1 << 1;
const CMPOK: u32 = 1 << 3;
const ARROK: u32 = 1 << 4;
const CR_ENABLE: u32 = 1 << 0;
const CR_SNGSTRT: u32 = 1 << 1;
const CR_CNTSTRT: u32 = 1 << 2;
const CFGR_PRELOAD: u32 = 1 << 22;
/// Kernel clocks until a write of CMP or ARR has arrived, and until a start counts (34.4.6, 34.4.9 speak of a delay
/// of some kernel clocks; three and two are unverified).
const WRITE_CLOCKS: u64 = 3;
const START_CLOCKS: u64 = 2;

/// A register that takes its value in the kernel's clock domain.
#[derive(Clone, Debug, Default)]
struct Slow {
    written: u32,
    active: u32,
    arrives_ps: Option<u64>,
}

/// One LPTIM.
#[derive(Clone, Debug)]
pub struct Lptim {
    ppb: i64,
    kernel: Option<Rate>,
    isr: u32,
    ier: u32,
    cfgr: u32,
    cr: u32,
    or: u32,
    cmp: Slow,
    arr: Slow,
    /// Edges on which it counts, while it counts; tick 0 is where CNT was `origin`.
    counting: Option<Clock>,
    origin: u32,
    /// Ticks that are already worked in.
    ticks: u64,
}

impl Lptim {
    pub fn new(ppb: i64) -> Lptim {
        Lptim {
            ppb,
            kernel: None,
            isr: 0,
            ier: 0,
            cfgr: 0,
            cr: 0,
            or: 0,
            cmp: Slow::default(),
            arr: Slow {
                written: 1,
                active: 1,
                arrives_ps: None,
            },
            counting: None,
            origin: 0,
            ticks: 0,
        }
    }

    /// Reset by RCC.
    pub fn reset(&mut self) {
        *self = Lptim {
            kernel: self.kernel,
            ..Lptim::new(self.ppb)
        };
    }

    /// The kernel clock is this from `now_ps` on; a counter without one stands.
    pub fn set_kernel(&mut self, kernel: Option<Rate>, now_ps: u64) {
        if kernel == self.kernel {
            return;
        }
        self.sync(now_ps);
        let was_counting = self.counting.is_some();
        self.origin = self.count();
        self.kernel = kernel;
        self.counting = None;
        if was_counting || self.cr & (CR_CNTSTRT | CR_SNGSTRT) != 0 {
            self.count_from(now_ps, 0);
        }
    }

    fn prescaler(&self) -> u64 {
        1 << (self.cfgr >> 9 & 7)
    }

    /// The first edge of the kernel clock at least `clocks` clocks after `now_ps`.
    fn edge_after(&self, now_ps: u64, clocks: u64) -> Option<u64> {
        let kernel = self.kernel?;
        let grid = Clock::new(kernel.num, kernel.den, self.ppb, 0);
        Some(grid.ps(grid.tick_at(now_ps) + clocks))
    }

    fn count_from(&mut self, now_ps: u64, clocks: u64) {
        self.ticks = 0;
        self.counting = match (self.kernel, self.edge_after(now_ps, clocks)) {
            (Some(kernel), Some(edge_ps)) => {
                Some(Clock::new(kernel.num, kernel.den * self.prescaler(), self.ppb, edge_ps))
            }
            _ => None,
        };
    }

    fn period(&self) -> u64 {
        u64::from(self.arr.active) + 1
    }

    /// Ticks until the counter, now at `from`, next reaches `value`; None: it never does.
    fn ticks_to(&self, from: u32, value: u32) -> Option<u64> {
        let (from, value, period) = (u64::from(from), u64::from(value), self.period());
        if value > from && (value < period || from >= period) {
            Some(value - from)
        } else if value < period {
            let to_zero = if from >= period { 0x1_0000 } else { period } - from;
            Some(to_zero + value)
        } else {
            None
        }
    }

    /// CNT after the ticks worked in so far.
    fn count(&self) -> u32 {
        let (origin, period) = (u64::from(self.origin), self.period());
        let reached = origin + self.ticks;
        if origin < period {
            (reached % period) as u32
        } else if reached < 0x1_0000 {
            reached as u32
        } else {
            ((reached - 0x1_0000) % period) as u32
        }
    }

    /// Lets time pass to `now_ps`.
    pub fn sync(&mut self, now_ps: u64) {
        loop {
            let arrival = [self.cmp.arrives_ps, self.arr.arrives_ps];
            let first = arrival.iter().flatten().copied().min().filter(|&at| at <= now_ps);
            self.count_until(first.unwrap_or(now_ps));
            let at = match first {
                Some(at) => at,
                None => return,
            };
            if self.cmp.arrives_ps == Some(at) {
                self.cmp.arrives_ps = None;
                self.isr |= CMPOK;
                self.take_over(at, false);
            }
            if self.arr.arrives_ps == Some(at) {
                self.arr.arrives_ps = None;
                self.isr |= ARROK;
                self.take_over(at, false);
            }
        }
    }

    /// Written values take effect: at once, or with PRELOAD at the end of a period.
    fn take_over(&mut self, at_ps: u64, period_ends: bool) {
        if self.cfgr & CFGR_PRELOAD != 0 && !period_ends && self.counting.is_some() {
            return;
        }
        let count = self.count();
        if self.cmp.arrives_ps.is_none() {
            self.cmp.active = self.cmp.written;
        }
        if self.arr.arrives_ps.is_none() && self.arr.active != self.arr.written {
            self.arr.active = self.arr.written;
            // The counter continues from where it is, with the edges where they were.
            if let Some(clock) = self.counting.take() {
                let edge_ps = clock.ps(self.ticks);
                self.counting = Some(clock.starting_at(edge_ps.min(at_ps)));
            }
            (self.origin, self.ticks) = (count, 0);
        }
    }

    fn count_until(&mut self, now_ps: u64) {
        let total = match &self.counting {
            Some(clock) if clock.ps(0) <= now_ps => clock.tick_at(now_ps + 1) - 1,
            _ => return,
        };
        let passed = total.saturating_sub(self.ticks);
        if passed == 0 {
            return;
        }
        let from = self.count();
        let to_arr = self.ticks_to(from, self.arr.active);
        if self
            .ticks_to(from, self.cmp.active)
            .map_or(false, |ticks| ticks <= passed)
        {
            self.isr |= CMPM;
        }
        if let Some(ticks) = to_arr.filter(|&ticks| ticks <= passed) {
            self.isr |= ARRM;
            if self.cr & CR_SNGSTRT != 0 && self.cr & CR_CNTSTRT == 0 {
                self.cr &= !CR_SNGSTRT;
                self.counting = None;
                (self.origin, self.ticks) = (0, 0);
                return;
            }
            if self.cfgr & CFGR_PRELOAD != 0
                && (self.arr.written, self.cmp.written) != (self.arr.active, self.cmp.active)
            {
                return self.reload(ticks, now_ps);
            }
        }
        self.ticks = total;
    }

    /// A period ends `ticks` ticks on, and preloaded values take effect there.
    fn reload(&mut self, ticks: u64, now_ps: u64) {
        self.ticks += ticks;
        let end_ps = self.counting.as_ref().map_or(now_ps, |clock| clock.ps(self.ticks));
        self.take_over(end_ps, true);
        self.count_until(now_ps);
    }

    /// Instant at which a flag that interrupts will be set, or a written value arrives.
    pub fn next_event(&self) -> Option<u64> {
        let arrivals = [self.cmp.arrives_ps, self.arr.arrives_ps];
        let wanted = self.ier & !self.isr;
        let mut ticks = None;
        if let Some(clock) = &self.counting {
            let from = self.count();
            let candidates = [
                self.ticks_to(from, self.cmp.active).filter(|_| wanted & CMPM != 0),
                self.ticks_to(from, self.arr.active).filter(|_| wanted & ARRM != 0),
            ];
            let next = candidates.iter().flatten().copied().min();
            ticks = next.map(|next| clock.ps(self.ticks + next));
        }
        arrivals.iter().copied().chain([ticks]).flatten().min()
    }

    /// Level of the interrupt line.
    pub fn irq(&self) -> bool {
        self.isr & self.ier & 0x7F != 0
    }

    pub fn read(&mut self, offset: u32, now_ps: u64) -> Option<u32> {
        self.sync(now_ps);
        Some(match offset {
            0x00 => self.isr,
            0x04 => 0,
            0x08 => self.ier,
            0x0C => self.cfgr,
            0x10 => self.cr,
            0x14 => self.cmp.written,
            0x18 => self.arr.written,
            0x1C => self.count(),
            0x20 => self.or,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<()> {
        self.sync(now_ps);
        let enabled = self.cr & CR_ENABLE != 0;
        match offset {
            0x00 | 0x1C => {}
            0x04 => self.isr &= !value,
            0x08 => self.ier = value & 0x7F,
            0x0C if !enabled => self.cfgr = value & 0x01FE_EEDF,
            0x0C => {}
            0x10 => self.write_cr(value & 7, now_ps),
            0x14 | 0x18 => {
                let arrives_ps = self.edge_after(now_ps, WRITE_CLOCKS).filter(|_| enabled);
                let register = if offset == 0x14 { &mut self.cmp } else { &mut self.arr };
                register.written = value & 0xFFFF;
                register.arrives_ps = arrives_ps;
            }
            0x20 => self.or = value & 3,
            _ => return None,
        }
        Some(())
    }

    fn write_cr(&mut self, value: u32, now_ps: u64) {
        if value & CR_ENABLE == 0 {
            // Disabled: the counter and what is on its way are reset (34.7.5).
            self.cr = 0;
            self.counting = None;
            (self.origin, self.ticks) = (0, 0);
            (self.cmp.arrives_ps, self.arr.arrives_ps) = (None, None);
            return;
        }
        // The start bits can only be set while it is enabled already.
        let starts = if self.cr & CR_ENABLE != 0 {
            value & (CR_SNGSTRT | CR_CNTSTRT)
        } else {
            0
        };
        let running = self.counting.is_some();
        self.cr |= CR_ENABLE | starts;
        if starts != 0 && !running {
            self.count_from(now_ps, START_CLOCKS);
        }
    }
}
