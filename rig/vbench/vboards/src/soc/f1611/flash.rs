//! The flash controller (SLAU049F chapter 5). The memory is the core's: what is to be done to it waits for
//! [`super::F1611::serve`]. A core that runs from flash stands still meanwhile; one that runs from RAM sees BUSY.
//!
//! Not modelled: block writes as such (BLKWRT writes like WRT), the emergency exit, marginal cells, the cumulative
//! programming time.

use super::clocks::Source;

const READS_AS: u16 = 0x9600;
const PASSWORD: u16 = 0xA500;
const ERASE: u16 = 1 << 1;
const MASS: u16 = 1 << 2;
const WRITE: u16 = 1 << 6;
const BLOCK: u16 = 1 << 7;
const BUSY: u16 = 1 << 0;
const KEY_VIOLATED: u16 = 1 << 1;
const ACCESS_VIOLATED: u16 = 1 << 2;
const WAIT: u16 = 1 << 3;
const LOCK: u16 = 1 << 4;

/// Cycles of the timing generator: byte or word, segment, mass (SLAS368, flash memory: tWord, tSeg Erase, tMass Erase).
const WORD_TICKS: u64 = 35;
const SEGMENT_TICKS: u64 = 4819;
const MASS_TICKS: u64 = 5297;

/// Segments: 512 bytes in the main memory, 128 in the information memory (SLAU049F 5.2).
const MAIN: u16 = 0x4000;
const INFO: u16 = 0x1000;
const INFO_LAST: u16 = 0x10FF;

/// What is to be done to the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Program { address: u16, byte: bool, value: u16 },
    Erase { first: u16, last: u16 },
}

/// How a write ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Fine,
    /// FCTLx without its password: PUC.
    Violation,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Flash {
    control: [u16; 3],
    busy_until_ps: u64,
    /// Work for the memory, with its length in ticks of the timing generator.
    pub work: Option<(Work, u64)>,
}

impl Flash {
    pub fn new() -> Flash {
        Flash {
            control: [0, 0x42, 0x18], // SLAU049F 5.4: FSSEL = MCLK, FN = 2; LOCK, WAIT
            busy_until_ps: 0,
            work: None,
        }
    }

    /// FCTL1 to FCTL3 by number 0 to 2.
    pub fn read(&self, register: usize, ps: u64) -> u16 {
        let busy = register == 2 && ps < self.busy_until_ps;
        READS_AS | self.control[register] | (if busy { BUSY } else { 0 })
    }

    pub fn write(&mut self, register: usize, value: u16, ps: u64) -> Written {
        if value & 0xFF00 != PASSWORD {
            self.control[2] |= KEY_VIOLATED;
            return Written::Violation;
        }
        let value = value & 0xFF;
        if register < 2 && ps < self.busy_until_ps {
            self.control[2] |= ACCESS_VIOLATED;
        } else if register == 2 {
            self.control[2] = value & (KEY_VIOLATED | ACCESS_VIOLATED | LOCK) | WAIT;
        } else {
            self.control[register] = value;
        }
        Written::Fine
    }

    pub fn violated(&self) -> bool {
        self.control[2] & ACCESS_VIOLATED != 0
    }

    /// The core writes to flash: programs, or starts an erasure by a dummy write. False: not allowed now.
    pub fn store(&mut self, address: u16, byte: bool, value: u16, ps: u64) -> bool {
        let mode = self.control[0];
        let (erases, mass) = (mode & ERASE != 0, mode & MASS != 0);
        let allowed = self.control[2] & LOCK == 0 && ps >= self.busy_until_ps && (INFO..=0xFFFF).contains(&address);
        let work = match (erases || mass, mode & (WRITE | BLOCK) != 0) {
            _ if !allowed => None,
            (true, false) => Some(erasure(address, erases, mass)),
            (false, true) => Some((Work::Program { address, byte, value }, WORD_TICKS)),
            _ => None,
        };
        self.work = work;
        if work.is_none() {
            self.control[2] |= ACCESS_VIOLATED;
            return false;
        }
        self.control[0] &= !(ERASE | MASS); // reset when the erasure ends (SLAU049F 5.3.2)
        true
    }

    /// The timing generator: its source, None for MCLK, and the divider.
    pub fn generator(&self) -> (Option<Source>, u64) {
        let source = match self.control[1] >> 6 & 3 {
            0 => Some(Source::Aclk),
            1 => None,
            _ => Some(Source::Smclk),
        };
        (source, u64::from(self.control[1] & 0x3F) + 1)
    }

    pub fn set_busy(&mut self, until_ps: u64) {
        self.busy_until_ps = until_ps;
    }
}

/// What MERAS and ERASE erase (SLAU049F table 5-1): a segment, the main memory, or all of it.
fn erasure(address: u16, erases: bool, mass: bool) -> (Work, u64) {
    let (first, last, ticks) = match (erases, mass, address <= INFO_LAST) {
        (true, true, _) => (INFO, 0xFFFF, MASS_TICKS),
        (false, _, _) => (MAIN, 0xFFFF, MASS_TICKS),
        (true, false, true) => (address & !0x7F, address | 0x7F, SEGMENT_TICKS),
        (true, false, false) => (address & !0x1FF, address | 0x1FF, SEGMENT_TICKS),
    };
    (Work::Erase { first, last }, ticks)
}
