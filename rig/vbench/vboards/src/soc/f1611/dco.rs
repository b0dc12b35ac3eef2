//! The digitally controlled oscillator: taps, modulator, spread of the part, wander.
//!
//! Sources: SLAU049F 4.2.4 and 4.2.5 (DCO, modulator); SLAS272H 5.18 (MSP430F149, "DCO Frequency", 3 V, 25 °C). The F1611
//! has the same clock module. Of its own data sheet (SLAS368G p. 37) two programs by others quote the same ranges of
//! fDCO(03) to fDCO(73) and the same largest S(DCO); the page itself was not at hand.

use crate::exact::Exact;
use crate::rng::{below, draw, Purpose};

/// fDCO(r3): RSEL = r, DCO = 3, typical at 3 V (SLAS272H 5.18).
const TAP3_HZ: [u64; 8] = [
    130_000, 180_000, 280_000, 470_000, 750_000, 1_300_000, 2_000_000, 3_200_000,
];
/// One tap to the next in thousandths: S(DCO) is 1.07 to 1.16, typically 1.12 (SLAS272H 5.18); 1.112 agrees with its
/// rows fDCO(77) / fDCO(73) = 4.9 / 3.2 over four taps and fDCO(47) / fDCO(40) = 2.1 over seven.
const TAP_STEP: u64 = 1112;
/// Parts differ by as much as fDCO(77) does: 4.4 to 5.4 MHz around 4.9 (SLAS272H 5.18).
const SPREAD_PPM: u64 = 100_000;
/// Wander: bounded noise on four time scales of 1.07 ms, 17 ms, 275 ms and 4.4 s, each uniform within these ppb.
/// Unverified: the data sheet has only the drift with temperature (-0.36 %/K; -0.38 %/K is quoted for the F1611, see
/// boards/telosb.toml) and supply (5 %/V); these stand for them.
const WANDER_PPB: [u64; 4] = [100_000, 200_000, 400_000, 800_000];
const SCALE_SHIFT: u32 = 4;
/// Length of a interval of constant frequency as a power of two of picoseconds: 1.07 ms.
pub const SLOT_SHIFT: u32 = 30;
/// Binary digits of a period below one picosecond.
const FRACTION: u32 = 16;
/// The modulator's turn (SLAU049 4.2.5).
const TURN: u64 = 32;
/// From the event that wakes it to its first cycle: 292 ns "is typical at room temperature" (Moteiv, Tmote Sky data sheet,
/// 2006, MSP430 F1611; remembered, unverified), and then up to one cycle more, uniform: where the oscillator stands when the
/// clock's gate opens (an assumption of this model, unverified). The most is 6 us (SLAU049F 4.1, "DCO start-up in less than 6 us";
/// SLAS272H 5.13 from LPM3 at fMCLK = 1 to 3 MHz).
const START_PS: u64 = 292_000;
pub const START_MOST_PS: u64 = 6_000_000;
const PS_PER_S: u128 = 1_000_000_000_000;
const BILLION: u64 = 1_000_000_000;

/// The oscillator. It counts its own ticks; while it is off they stand.
#[derive(Clone, Debug)]
pub struct Dco {
    seed: u64,
    board: u64,
    /// This part beside the typical one, in ppm.
    part_ppm: u64,
    /// What of it is as in the data sheet.
    exact: Exact,
    /// How often it has started.
    starts: u64,
    /// RSELx << 8 | DCOCTL.
    setting: u16,
    running: bool,
    /// Present interval: its first tick, the instant of that with a fraction, the end of the time slot.
    base_tick: u64,
    base_ps: u64,
    base_fraction: u64,
    slot_end_ps: u64,
    /// Time from the interval's first tick to the k-th, over one turn, in fractions of a picosecond.
    ahead: [u64; TURN as usize + 1],
}

impl Dco {
    /// Running from `start_ps` on with `setting`.
    pub fn new(seed: u64, board: u16, exact: Exact, setting: u16, start_ps: u64) -> Dco {
        let luck = below(draw(seed, Purpose::Dco, &[u64::from(board), 0], 0), 2 * SPREAD_PPM + 1);
        let mut dco = Dco {
            seed,
            board: u64::from(board),
            part_ppm: if exact.dco {
                1_000_000
            } else {
                1_000_000 - SPREAD_PPM + luck
            },
            exact,
            starts: 0,
            setting,
            running: true,
            base_tick: 0,
            base_ps: start_ps,
            base_fraction: 0,
            slot_end_ps: 0,
            ahead: [0; TURN as usize + 1],
        };
        dco.begin_piece();
        dco
    }

    pub fn running(&self) -> bool {
        self.running
    }

    /// Deviation from the part's own frequency in a time slot.
    fn wander_ppb(&self, slot: u64) -> u64 {
        let mut ppb = BILLION;
        if self.exact.dco {
            return ppb;
        }
        for (scale, &most) in WANDER_PPB.iter().enumerate() {
            let index = slot >> (SCALE_SHIFT * scale as u32);
            let luck = draw(self.seed, Purpose::Dco, &[self.board, 1 + scale as u64], index);
            ppb = ppb + below(luck, 2 * most + 1) - most;
        }
        ppb
    }

    /// Frequency of a tap in hertz, with the part's spread.
    pub fn tap_hz(&self, range: u16, tap: u16) -> u64 {
        let mut hz = TAP3_HZ[usize::from(range & 7)] * self.part_ppm / 1000;
        for _ in 3..tap {
            hz = hz * TAP_STEP / 1000;
        }
        for _ in tap..3 {
            hz = hz * 1000 / TAP_STEP;
        }
        hz / 1000
    }

    /// Opens a interval at the present base with the present setting.
    fn begin_piece(&mut self) {
        let slot = self.base_ps >> SLOT_SHIFT;
        self.slot_end_ps = (slot + 1) << SLOT_SHIFT;
        let wander = u128::from(self.wander_ppb(slot));
        let (range, tap, share) = (self.setting >> 8, self.setting >> 5 & 7, u64::from(self.setting & 31));
        let period = |tap| {
            let scaled = (PS_PER_S << FRACTION) * u128::from(BILLION);
            (scaled / (u128::from(self.tap_hz(range, tap)) * wander)) as u64
        };
        let lower = period(tap);
        // At the highest tap there is none above (SLAU049 4.2.5: the modulator cannot be used there).
        let upper = if tap == 7 { lower } else { period(tap + 1) };
        let phase = self.base_tick % TURN;
        for step in 0..TURN {
            // `share` of 32 ticks have the upper tap. Spread evenly: figure 4-7 shows that, the positions are unverified.
            let at = (phase + step) % TURN;
            let high = (at + 1) * share / TURN > at * share / TURN;
            self.ahead[step as usize + 1] = self.ahead[step as usize] + if high { upper } else { lower };
        }
    }

    /// Makes the first tick at or after `ps` the base of a new interval.
    fn rebase(&mut self, ps: u64) {
        let tick = self.tick_at(ps);
        let span = self.span(tick - self.base_tick).saturating_add(self.base_fraction);
        self.base_ps += span >> FRACTION;
        self.base_fraction = span & ((1 << FRACTION) - 1);
        self.base_tick = tick;
        self.begin_piece();
    }

    /// Time that `ticks` from the base take, in fractions of a picosecond.
    #[inline]
    fn span(&self, ticks: u64) -> u64 {
        let turns = ticks / TURN;
        turns
            .saturating_mul(self.ahead[TURN as usize])
            .saturating_add(self.ahead[(ticks % TURN) as usize])
    }

    /// Time of `ticks` at the present frequency.
    pub fn span_ps(&self, ticks: u64) -> u64 {
        self.span(ticks) >> FRACTION
    }

    /// Instant of a tick; beyond the slot as if the frequency stayed. `u64::MAX` while it is off.
    #[inline]
    pub fn ps(&self, tick: u64) -> u64 {
        if tick > self.base_tick && !self.running {
            return u64::MAX;
        }
        let ticks = tick.saturating_sub(self.base_tick);
        self.base_ps
            .saturating_add(self.span(ticks).saturating_add(self.base_fraction) >> FRACTION)
    }

    /// The first tick at or after `ps`.
    #[inline]
    pub fn tick_at(&self, ps: u64) -> u64 {
        if ps <= self.base_ps || !self.running {
            return self.base_tick;
        }
        let wait = (ps - self.base_ps).min(u64::MAX >> FRACTION) << FRACTION;
        let wait = wait - self.base_fraction.min(wait);
        let turn = self.ahead[TURN as usize];
        let rest = wait % turn;
        let within = self.ahead.iter().position(|&at| at >= rest).unwrap_or(0) as u64;
        self.base_tick + wait / turn * TURN + within
    }

    /// Ticks up to and including `ps`.
    #[inline]
    pub fn ticks(&self, ps: u64) -> u64 {
        if !self.running {
            return self.base_tick;
        }
        if ps < self.base_ps {
            return self.base_tick.saturating_sub(1);
        }
        let next = self.tick_at(ps);
        if self.ps(next) == ps {
            next
        } else {
            next.saturating_sub(1).max(self.base_tick)
        }
    }

    /// End of what is known for sure; the owner calls [`Dco::roll`] there.
    pub fn known_until_ps(&self) -> u64 {
        if self.running {
            self.slot_end_ps
        } else {
            u64::MAX
        }
    }

    /// Lets the slots pass that end by `ps`.
    pub fn roll(&mut self, ps: u64) {
        while self.running && self.slot_end_ps <= ps {
            self.rebase(self.slot_end_ps);
        }
    }

    /// RSELx and DCOCTL change at `ps`; the new frequency holds from the next tick on.
    pub fn set(&mut self, setting: u16, ps: u64) {
        if setting != self.setting {
            self.setting = setting;
            if self.running {
                self.rebase(ps);
            } else {
                self.begin_piece();
            }
        }
    }

    /// Stops after the last tick by `ps`.
    pub fn stop(&mut self, ps: u64) {
        self.base_tick = self.ticks(ps);
        self.running = false;
    }

    /// From a start to the first cycle.
    fn start_up_ps(&self) -> u64 {
        if self.exact.dco_start {
            return START_MOST_PS;
        }
        let luck = draw(
            self.seed,
            Purpose::Dco,
            &[self.board, 1 + WANDER_PPB.len() as u64],
            self.starts,
        );
        (START_PS + below(luck, self.span_ps(TURN) / TURN)).min(START_MOST_PS)
    }

    /// Starts again at `ps`: its next tick comes a start-up later.
    pub fn start(&mut self, ps: u64) {
        if !self.running {
            self.running = true;
            self.base_tick += 1;
            self.starts += 1;
            self.base_ps = ps.saturating_add(self.start_up_ps());
            self.base_fraction = 0;
            self.begin_piece();
        }
    }
}
