//! Advanced timers TIM1 and TIM8, general-purpose timers TIM2 to TIM5 and basic timers TIM6, TIM7 (RM0008 chapters 14,
//! 15 and 17).
//!
//! Up-counting, compare events, outputs, input capture, one-pulse mode, repetition, DMA requests, preload of PSC, ARR and
//! CCR. The counter is not stepped: it is worked out when it is read. A timer can count the updates of another one
//! (external clock mode 1 from an internal trigger, without the delay of resynchronisation). Not modelled: down and
//! centre counting, encoder and other slave modes, complementary outputs, dead time, break.

mod outputs;
mod registers;

const CR1_CEN: u32 = 1 << 0;
const CR1_UDIS: u32 = 1 << 1;
const CR1_OPM: u32 = 1 << 3;
const UIF: u32 = 1;

/// One timer. Times are cycles of HCLK.
#[derive(Clone, Debug)]
pub struct Timer {
    /// Cycles of HCLK per cycle of the timer's clock.
    clock_div: u64,
    /// Largest value of the counter: 16 bits, 32 in TIM2 and TIM5 of the L4.
    most: u32,
    cr1: u32,
    cr2: u32,
    smcr: u32,
    dier: u32,
    sr: u32,
    ccmr: [u32; 2],
    ccer: u32,
    psc: u32,
    psc_active: u32,
    arr: u32,
    arr_active: u32,
    ccr: [u32; 4],
    ccr_active: [u32; 4],
    cnt: u64,
    /// When the counter got the value `cnt`, prescaler at 0.
    since: u64,
    /// Triggers from another timer since the counter last moved (prescaler of external clock mode 1).
    phase: u64,
    /// Triggers given and not yet handed on.
    triggers: u64,
    /// TIM1 and TIM8: repetition counter and main output enable.
    advanced: bool,
    rcr: u32,
    repeat: u64,
    bdtr: u32,
    /// Reference signals of the compare channels, one bit each.
    references: u8,
    /// Channels whose pins show them: their edges are events.
    shown: u8,
    /// DMA requests not yet handed on, in the places of SR.
    requests: u32,
}

impl Default for Timer {
    fn default() -> Timer {
        Timer {
            clock_div: 1,
            most: 0xFFFF,
            cr1: 0,
            cr2: 0,
            smcr: 0,
            dier: 0,
            sr: 0,
            ccmr: [0; 2],
            ccer: 0,
            psc: 0,
            psc_active: 0,
            arr: 0xFFFF,
            arr_active: 0xFFFF,
            ccr: [0; 4],
            ccr_active: [0; 4],
            cnt: 0,
            since: 0,
            phase: 0,
            triggers: 0,
            advanced: false,
            rcr: 0,
            repeat: 0,
            bdtr: 0,
            references: 0,
            shown: 0,
            requests: 0,
        }
    }
}

impl Timer {
    /// A timer whose counter has 32 bits.
    pub fn wide() -> Timer {
        Timer {
            most: u32::MAX,
            arr: u32::MAX,
            arr_active: u32::MAX,
            ..Timer::default()
        }
    }

    /// TIM1 or TIM8.
    pub fn advanced() -> Timer {
        Timer {
            advanced: true,
            ..Timer::default()
        }
    }

    /// Reset by RCC; the clock stays.
    pub fn reset(&mut self) {
        *self = Timer {
            clock_div: self.clock_div,
            most: self.most,
            arr: self.most,
            arr_active: self.most,
            advanced: self.advanced,
            ..Timer::default()
        };
    }

    /// The timer's clock has stood still for this number of cycles (Stop mode); it was synchronised when that began.
    pub fn postpone(&mut self, cycles: u64) {
        self.since += cycles;
    }

    /// The clock tree has changed at `cycle`.
    pub fn set_clock_div(&mut self, cycle: u64, clock_div: u64) {
        self.sync(cycle);
        self.clock_div = clock_div;
    }

    fn tick(&self) -> u64 {
        (u64::from(self.psc_active) + 1) * self.clock_div
    }

    fn running(&self) -> bool {
        self.cr1 & CR1_CEN != 0 && self.arr_active != 0 && self.trigger_input().is_none()
    }

    /// Internal trigger (ITR0 to ITR3) that clocks this timer: SMS = 7, TS = 0 to 3 (15.4.3).
    pub fn trigger_input(&self) -> Option<usize> {
        let select = self.smcr as usize >> 4 & 7;
        if self.smcr & 7 == 7 && select < 4 {
            Some(select)
        } else {
            None
        }
    }

    /// Whether a flag that the next trigger might set would interrupt.
    pub fn waits_for_trigger(&self) -> bool {
        self.trigger_input().is_some() && self.cr1 & CR1_CEN != 0 && self.dier & !self.sr & 0x1F != 0
    }

    /// Triggers given since the last call: updates, if MMS selects them (15.4.2).
    pub fn take_triggers(&mut self) -> u64 {
        std::mem::take(&mut self.triggers)
    }

    /// DMA requests since the last call, in the places of SR.
    pub fn take_requests(&mut self) -> u32 {
        std::mem::take(&mut self.requests)
    }

    /// Sets flags; DIER selects which of them are also DMA requests.
    fn raise(&mut self, flags: u32) {
        self.sr |= flags;
        self.requests |= flags & self.dier >> 8;
    }

    fn give_triggers(&mut self, count: u64) {
        if self.cr2 >> 4 & 7 == 2 {
            self.triggers += count;
        }
    }

    /// Another timer has given `count` triggers, the last one at `cycle`.
    pub fn count_triggers(&mut self, count: u64, cycle: u64) {
        if self.cr1 & CR1_CEN == 0 || self.arr_active == 0 {
            return;
        }
        let divider = u64::from(self.psc_active) + 1;
        self.phase += count;
        let mut ticks = self.phase / divider;
        self.phase %= divider;
        while ticks > 0 {
            let top = self.top();
            let step = ticks.min(top + 1 - self.cnt);
            self.move_by(step);
            ticks -= step;
            if self.cnt > top {
                self.cnt = 0;
                self.wrap();
                if self.cr1 & CR1_CEN == 0 {
                    break;
                }
            }
        }
        self.since = cycle;
    }

    /// The counter moves up without passing beyond the value after its top.
    fn move_by(&mut self, ticks: u64) {
        let (end, top) = (self.cnt + ticks, self.top());
        for channel in 0..4 {
            if self.matches(channel, self.cnt + 1, end.min(top)) {
                self.matched(channel, 1);
            }
        }
        self.cnt = end;
    }

    /// Cycle of the next update.
    pub fn next_update(&self) -> Option<u64> {
        if self.running() {
            Some(self.since + (self.top() + 1 - self.cnt) * self.tick())
        } else {
            None
        }
    }

    /// Last value before 0: ARR, or the largest for a counter that is already beyond it.
    fn top(&self) -> u64 {
        if self.cnt > u64::from(self.arr_active) {
            u64::from(self.most)
        } else {
            u64::from(self.arr_active)
        }
    }

    fn is_input(&self, channel: usize) -> bool {
        self.ccmr[channel / 2] >> (8 * (channel % 2)) & 3 != 0
    }

    /// Whether a compare channel sets its flag when the counter reaches `value`.
    fn matches(&self, channel: usize, from: u64, to: u64) -> bool {
        let value = u64::from(self.ccr_active[channel]);
        !self.is_input(channel) && value >= from && value <= to
    }

    /// Lets time pass to `cycle`.
    pub fn sync(&mut self, cycle: u64) {
        while self.running() {
            let tick = self.tick();
            let ticks = cycle.saturating_sub(self.since) / tick;
            if ticks == 0 {
                return;
            }
            let top = self.top();
            let step = ticks.min(top + 1 - self.cnt);
            self.move_by(step);
            self.since += step * tick;
            if self.cnt > top {
                self.cnt = 0;
                self.wrap();
                self.skip_rounds(cycle);
            }
        }
        self.since = cycle;
    }

    /// The counter went from its top to 0.
    fn wrap(&mut self) {
        for channel in 0..4 {
            if self.matches(channel, 0, 0) {
                self.matched(channel, 1);
            }
        }
        if self.cr1 & CR1_UDIS == 0 && self.repetitions(1) > 0 {
            self.update();
        }
        if self.cr1 & CR1_OPM != 0 {
            self.cr1 &= !CR1_CEN;
        }
    }

    /// Whole further rounds after a wrap bring nothing new: they are only counted.
    fn skip_rounds(&mut self, cycle: u64) {
        let round = (u64::from(self.arr_active) + 1) * self.tick();
        let rounds = cycle.saturating_sub(self.since) / round;
        if !self.running() || rounds == 0 {
            return;
        }
        for channel in 0..4 {
            if self.matches(channel, 0, u64::from(self.arr_active)) {
                self.matched(channel, rounds);
            }
        }
        if self.cr1 & CR1_UDIS == 0 {
            let updates = self.repetitions(rounds);
            self.give_triggers(updates);
            self.raise(if updates > 0 { UIF } else { 0 });
        }
        self.since += rounds * round;
    }

    /// How many of `wraps` are updates: every RCR + 1st (14.3.3).
    fn repetitions(&mut self, wraps: u64) -> u64 {
        if wraps <= self.repeat {
            self.repeat -= wraps;
            return 0;
        }
        let (beyond, period) = (wraps - self.repeat - 1, u64::from(self.rcr) + 1);
        self.repeat = u64::from(self.rcr) - beyond % period;
        1 + beyond / period
    }

    /// Update event: UIF, and the preloaded values take effect.
    fn update(&mut self) {
        self.raise(UIF);
        self.give_triggers(1);
        self.load();
    }

    fn load(&mut self) {
        self.psc_active = self.psc;
        self.arr_active = self.arr;
        self.ccr_active = self.ccr;
    }

    fn preloaded(&self, channel: usize) -> bool {
        self.ccmr[channel / 2] >> (8 * (channel % 2)) & 0x08 != 0
    }

    /// Cycle at which a flag that causes an interrupt or a DMA request will be set, or a shown output changes.
    pub fn next_event(&self) -> Option<u64> {
        let wanted = (self.dier & !self.sr | self.dier >> 8) & 0x1F | u32::from(self.shown) << 1;
        if !self.running() || wanted == 0 {
            return None;
        }
        let tick = self.tick();
        let top = self.top();
        let to_zero = top + 1 - self.cnt;
        let mut ticks = None;
        let mut consider = |candidate: u64| ticks = Some(ticks.map_or(candidate, |least: u64| least.min(candidate)));
        if wanted & UIF != 0 || self.shown != 0 {
            consider(to_zero);
        }
        for channel in 0..4 {
            let value = u64::from(self.ccr_active[channel]);
            if wanted & (2 << channel) == 0 || self.is_input(channel) {
                continue;
            }
            if value > self.cnt && value <= top {
                consider(value - self.cnt);
            } else if value <= u64::from(self.arr) {
                consider(to_zero); // look again after the wrap, where preloaded values take effect
            }
        }
        ticks.map(|ticks| self.since + ticks * tick)
    }

    /// Flags that ask for an interrupt. TIM1 and TIM8 spread them over several lines.
    pub fn pending(&self) -> u32 {
        self.sr & self.dier & 0xDF
    }

    /// Level of the interrupt line of a timer that has one only.
    pub fn irq(&self) -> bool {
        self.pending() != 0
    }

    /// Whether an edge on input `input` (0 to 3) is captured by `channel`: its own input, or that of its neighbour.
    pub fn captures(&self, channel: usize, input: usize, level: bool) -> bool {
        let selection = self.ccmr[channel / 2] >> (8 * (channel % 2)) & 3;
        let wanted = match selection {
            1 => channel,
            2 => channel ^ 1,
            _ => return false,
        };
        let enable = self.ccer >> (4 * channel);
        wanted == input && enable & 1 != 0 && level == (enable & 2 == 0)
    }

    /// Takes the counter, brought up to now, into CCRx.
    pub fn capture(&mut self, channel: usize) {
        let flag = 2 << channel;
        if self.sr & flag != 0 {
            self.sr |= flag << 8; // CCxOF
        }
        self.raise(flag);
        self.ccr[channel] = self.cnt as u32;
        self.ccr_active[channel] = self.cnt as u32;
    }
}
