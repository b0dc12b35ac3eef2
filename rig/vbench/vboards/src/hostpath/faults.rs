//! What goes wrong on a serial line, on request.

use crate::rng::{below, draw, Purpose};

/// A fault of a serial line between two instants.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// One bit of a byte flips, in `ppm` of a million bytes.
    Garbled { from_ps: u64, for_ps: u64, ppm: u64 },
    /// Bytes are lost, `ppm` of a million.
    LostBytes { from_ps: u64, for_ps: u64, ppm: u64 },
    /// Complete lines are lost, `ppm` of a million.
    LostLines { from_ps: u64, for_ps: u64, ppm: u64 },
    /// The adapter hands nothing over; what does not fit its buffer meanwhile is lost.
    Stall { from_ps: u64, for_ps: u64 },
}

impl Fault {
    /// Its share in a million at an instant.
    fn ppm(&self, t_ps: u64) -> u64 {
        match *self {
            Fault::Garbled { from_ps, for_ps, ppm }
            | Fault::LostBytes { from_ps, for_ps, ppm }
            | Fault::LostLines { from_ps, for_ps, ppm }
                if from_ps <= t_ps && t_ps < from_ps.saturating_add(for_ps) =>
            {
                ppm
            }
            _ => 0,
        }
    }
}

pub struct Faults {
    seed: u64,
    board: u16,
    faults: Vec<Fault>,
    bytes: u64,
    line_starts: bool,
    line_is_lost: bool,
}

impl Faults {
    pub fn new(seed: u64, board: u16) -> Faults {
        Faults {
            seed,
            board,
            faults: Vec::new(),
            bytes: 0,
            line_starts: true,
            line_is_lost: false,
        }
    }

    pub fn add(&mut self, fault: Fault) {
        self.faults.push(fault);
    }

    /// What becomes of a byte.
    pub fn pass(&mut self, t_ps: u64, byte: u8) -> Option<u8> {
        self.bytes += 1;
        let line_starts = self.line_starts;
        self.line_starts = byte == b'\n';
        if line_starts {
            self.line_is_lost = false;
        }
        let (mut byte, mut lost) = (byte, false);
        for (number, fault) in self.faults.iter().enumerate() {
            let keys = [u64::from(self.board), number as u64];
            let drawn = draw(self.seed, Purpose::SerialFault, &keys, self.bytes);
            let hit = below(drawn, 1_000_000) < fault.ppm(t_ps);
            match fault {
                Fault::Garbled { .. } if hit => byte ^= 1 << (drawn & 7),
                Fault::LostBytes { .. } => lost |= hit,
                Fault::LostLines { .. } if line_starts => self.line_is_lost |= hit,
                _ => {}
            }
        }
        if lost || self.line_is_lost {
            None
        } else {
            Some(byte)
        }
    }
}
