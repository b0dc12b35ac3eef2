//! The sync line: a pulse source on one channel of every analyzer, coded so that recordings can be aligned with each
//! other. `docs/reference/sync-line.md` defines the code; `capture/gpiorig/capture/sync/sync_line.py` reads it.
//!
//! Pulse n rises n periods after the start; its width is bit n of a maximal-length sequence of 16 bits.

use crate::clock::Clock;
use crate::trace::Edge;

/// Board number under which the analyzers know the line; no board has it.
pub const BOARD: u16 = u16::MAX;

/// Pulses per second.
const PULSE_HZ: u64 = 100;
/// Ticks of 100 us: a pulse is one or two long, and a period has 100.
const TICKS: u64 = 100;
/// x^16 + x^15 + x^13 + x^4 + 1 (AMD/Xilinx XAPP052, table 3: taps 16, 15, 13, 4), stages 1 to 16 from bit 0 on.
const TAPS: u16 = 1 << 15 | 1 << 14 | 1 << 12 | 1 << 3;

/// The source, with a clock of its own.
pub struct SyncLine {
    clock: Clock,
    /// Number of the pulse that comes, or is there.
    pulse: u64,
    register: u16,
    level: bool,
}

impl SyncLine {
    pub fn new(ppb: i64) -> SyncLine {
        SyncLine {
            clock: Clock::new(PULSE_HZ * TICKS, 1, ppb, 0),
            pulse: 0,
            register: 1,
            level: false,
        }
    }

    /// The bit of the present pulse: what the last stage holds.
    fn bit(&self) -> u64 {
        u64::from(self.register >> 15)
    }

    fn due_ps(&self) -> u64 {
        let width = if self.level { 1 + self.bit() } else { 0 };
        self.clock.ps(self.pulse * TICKS + width)
    }

    pub fn level(&self) -> bool {
        self.level
    }

    /// The next edge before `now_ps`.
    pub fn next(&mut self, now_ps: u64) -> Option<Edge> {
        let t_ps = self.due_ps();
        if t_ps >= now_ps {
            return None;
        }
        if self.level {
            self.pulse += 1;
            self.register = self.register << 1 | ((self.register & TAPS).count_ones() & 1) as u16;
        }
        self.level = !self.level;
        Some(Edge {
            t_ps,
            board: BOARD,
            pin: 0,
            level: self.level,
        })
    }
}
