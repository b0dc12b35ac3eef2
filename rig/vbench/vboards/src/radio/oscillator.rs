//! The crystal of a radio: a clock of its own beside the processor's.
//!
//! All that a radio counts it counts in periods of its crystal, and what comes from outside (a pin, an SPI access, a frame) it
//! sees at the first edge after it: a synchroniser's uncertainty of one period. That the AT86RF231, the CC2420 and the
//! SPIRIT1 work on every edge of their crystal is an assumption (unverified: no data sheet at hand states the clock of the
//! state machine); the constant part of a synchroniser is in the times of the data sheets.

use crate::air::lasting_ps;
use crate::clock::Clock;
use crate::exact::Exact;
use crate::rng::{below, draw, Purpose};

/// Crystals of the AT86RF231 (Atmel 8111, 9.6) and of the CC2420 (TI SWRS041, section 4.6).
pub const CRYSTAL_HZ: u64 = 16_000_000;
/// Most that a crystal may be off: 40 ppm, the tolerance of the transmitted centre frequency, which is made from it (IEEE
/// 802.15.4-2006, 6.9.6; the section and the same bound in the SPIRIT1's data sheet are remembered, unverified).
pub const TOLERANCE_PPB: u64 = 40_000;

/// A radio's crystal.
#[derive(Clone, Debug, Default)]
pub struct Oscillator {
    ppb: i64,
    /// Its edges; none: every instant is one.
    edges: Option<Clock>,
}

impl Oscillator {
    /// The crystal of a board that gets its supply at `start_ps`: its error is that of the board, whatever the seed, for runs
    /// with other seeds are runs of the same boards; its phase is another in each run and at each power-up. Both are drawn,
    /// uniform within the tolerance and within a period, as far as `exact` does not have them exact.
    pub fn drawn(hz: u64, seed: u64, board: u16, start_ps: u64, exact: Exact) -> Oscillator {
        let part = draw(0, Purpose::RadioCrystal, &[u64::from(board)], 0);
        let error = below(part, 2 * TOLERANCE_PPB + 1) as i64 - TOLERANCE_PPB as i64;
        let ppb = if exact.radio_rate { 0 } else { error };
        let phase = draw(seed, Purpose::RadioCrystal, &[u64::from(board), start_ps], 1);
        let phase_ps = below(phase, 1_000_000_000_000 / hz);
        let edges = (!exact.radio_phase).then(|| Clock::new(hz, 1, ppb, start_ps + phase_ps));
        Oscillator { ppb, edges }
    }

    /// How much faster than nominal it is.
    pub fn ppb(&self) -> i64 {
        self.ppb
    }

    /// The first edge at or after an instant.
    pub fn edge(&self, t_ps: u64) -> u64 {
        self.edges.as_ref().map_or(t_ps, |clock| clock.ps(clock.tick_at(t_ps)))
    }

    /// The edge that comes `span_ps` of its own time after the first edge at or after `t_ps`.
    pub fn later(&self, t_ps: u64, span_ps: u64) -> u64 {
        self.edge(self.edge(t_ps) + lasting_ps(span_ps, self.ppb))
    }
}
