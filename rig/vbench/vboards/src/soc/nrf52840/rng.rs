//! RNG (PS "RNG"): bytes from the seed of the run.

use super::interface::{At, Interface, Peripheral, Short};
use crate::air::US;
use crate::rng::{draw, Purpose};

const VALRDY: u32 = 0;
const SHORTS: [Short; 1] = [(0, VALRDY, 1)];
/// tRNG,START, tRNG,RAW, tRNG,BC of PS "RNG", electrical specification; Nordic's model of the nRF52833 has them (BabbleSim
/// ext_nRF_hw_models b0d807af, NHW_config.52833.h).
const START_PS: u64 = 128 * US;
const RAW_PS: u64 = 30 * US;
const CORRECTED_PS: u64 = 120 * US;
/// Keeps these draws apart from the identity of the board.
const STREAM: u64 = 0x006E_524E;

/// The generator.
#[derive(Clone, Debug)]
pub struct Rng {
    interface: Interface,
    seed: u64,
    board: u64,
    config: u32,
    bytes: u64,
    value: u32,
    ready_ps: Option<u64>,
}

impl Rng {
    pub fn new(seed: u64, board: u16) -> Rng {
        Rng {
            interface: Interface::new(1, &SHORTS),
            seed,
            board: u64::from(board),
            config: 0,
            bytes: 0,
            value: 0,
            ready_ps: None,
        }
    }

    /// The same after a reset; the bytes continue.
    pub fn after_reset(&self) -> Rng {
        Rng {
            bytes: self.bytes,
            ..Rng::new(self.seed, self.board as u16)
        }
    }
}

impl Peripheral for Rng {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, at: At) -> Option<()> {
        match task {
            0 => self.ready_ps = self.ready_ps.or(Some(at.ps + START_PS)),
            1 => self.ready_ps = None,
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        match offset {
            0x504 => Some(self.config),
            0x508 => Some(self.value),
            _ => None,
        }
    }

    fn write(&mut self, offset: u32, value: u32, _at: At) -> Option<()> {
        (offset == 0x504).then(|| self.config = value & 1)
    }

    fn next_ps(&self) -> Option<u64> {
        self.ready_ps
    }

    fn fire(&mut self, at: At) {
        let period_ps = if self.config & 1 == 1 { CORRECTED_PS } else { RAW_PS };
        if let Some(ready_ps) = self.ready_ps.filter(|&ready_ps| ready_ps <= at.ps) {
            self.bytes += 1;
            self.value = draw(self.seed, Purpose::Identity, &[STREAM, self.board], self.bytes) as u32 & 0xFF;
            self.ready_ps = Some(ready_ps + period_ps);
            self.interface.raise(VALRDY);
        }
    }
}
