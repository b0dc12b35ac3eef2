//! NVMC (PS "NVMC"): writes and erases flash and UICR.
//!
//! The core stands while the flash that it runs from is written. Not modelled: READYNEXT's buffer (the next write waits),
//! counters of the cache, wear.

use super::interface::{At, Interface, Peripheral};
use super::{FLASH_BYTES, UICR_BASE, UICR_BYTES};
use crate::air::US;

const WRITE: u32 = 1;
const ERASE: u32 = 2;
pub const PAGE: u32 = 4096;
/// tWRITE, tERASEPAGE of PS "NVMC", electrical specification, greatest (quoted from v1.11 in public firmware; Nordic's model of
/// the nRF52833 has 42 us, 87.5 ms and 173 ms); tERASEALL and the set-up of tERASEPAGEPARTIAL are remembered, unverified.
const WRITE_PS: u64 = 41 * US;
const ERASE_PAGE_PS: u64 = 85_000 * US;
const ERASE_ALL_PS: u64 = 169_000 * US;
const PARTIAL_PS: u64 = 1_080 * US;

/// What the core's memories are to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    Write { address: u32, word: u32 },
    Erase { address: u32, bytes: u32 },
}

/// The controller.
#[derive(Clone, Debug)]
pub struct Nvmc {
    interface: Interface,
    config: u32,
    partial_ms: u32,
    cache_config: u32,
    /// Done when the flash is ready.
    busy_until: u64,
    /// Erased so far of the page of a partial erase.
    partial: (u32, u64),
    pub jobs: Vec<Job>,
    pub cache_changed: bool,
    /// The access port is protected, and so is UICR.
    pub keeps_uicr: bool,
    /// Why a write did nothing.
    pub refusal: Option<&'static str>,
}

impl Default for Nvmc {
    fn default() -> Nvmc {
        Nvmc {
            interface: Interface::new(0, &[]),
            config: 0,
            partial_ms: 10,
            cache_config: 0,
            busy_until: 0,
            partial: (u32::MAX, 0),
            jobs: Vec::new(),
            cache_changed: true,
            keeps_uicr: false,
            refusal: None,
        }
    }
}

impl Nvmc {
    /// End of what continues, if it has not ended by now.
    pub fn busy_until(&self, now_ps: u64) -> Option<u64> {
        Some(self.busy_until).filter(|&until| until > now_ps)
    }

    pub fn cache_config(&self) -> u32 {
        self.cache_config
    }

    fn begin(&mut self, at: At, span_ps: u64, job: Job) {
        self.busy_until = self.busy_until.max(at.ps) + span_ps;
        self.jobs.push(job);
    }

    /// The core writes a word of flash or UICR.
    pub fn program(&mut self, address: u32, word: u32, at: At) {
        if self.config & 3 == WRITE {
            self.begin(at, WRITE_PS, Job::Write { address, word });
        } else {
            self.refusal = Some("a write to flash without CONFIG.WEN, ignored");
        }
    }

    fn erase(&mut self, at: At, span_ps: u64, address: u32, bytes: u32) {
        if self.config & 3 == ERASE {
            self.begin(at, span_ps, Job::Erase { address, bytes });
        } else {
            self.refusal = Some("an erase without CONFIG.EEN, ignored");
        }
    }

    /// Flash and UICR, whatever CONFIG has.
    pub fn erase_all(&mut self, at: At) {
        let bytes = FLASH_BYTES as u32;
        self.begin(at, ERASE_ALL_PS, Job::Erase { address: 0, bytes });
        let (address, bytes) = (UICR_BASE, UICR_BYTES);
        self.begin(at, 0, Job::Erase { address, bytes });
    }

    /// Each call erases for some milliseconds; a page is erased when they add up to tERASEPAGE.
    fn erase_partially(&mut self, at: At, address: u32) {
        if self.config & 7 != 4 && self.config & 3 != ERASE {
            self.refusal = Some("a partial erase without CONFIG.EEN, ignored");
            return;
        }
        let span_ps = u64::from(self.partial_ms) * 1_000 * US;
        let before = if self.partial.0 == address { self.partial.1 } else { 0 };
        self.partial = (address, before + span_ps);
        self.busy_until = self.busy_until.max(at.ps) + PARTIAL_PS + span_ps;
        if self.partial.1 >= ERASE_PAGE_PS {
            self.partial = (u32::MAX, 0);
            self.jobs.push(Job::Erase { address, bytes: PAGE });
        }
    }
}

impl Peripheral for Nvmc {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, _task: u32, _at: At) -> Option<()> {
        None
    }

    fn read(&mut self, offset: u32, at: At) -> Option<u32> {
        Some(match offset {
            0x400 | 0x408 => u32::from(at.ps >= self.busy_until),
            0x504 => self.config,
            0x508 | 0x50C | 0x510 | 0x514 | 0x518 => 0,
            0x51C => self.partial_ms,
            0x540 => self.cache_config,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, at: At) -> Option<()> {
        match offset {
            0x504 => self.config = value & 7,
            0x508 | 0x510 => self.erase(at, ERASE_PAGE_PS, value & !(PAGE - 1), PAGE),
            0x50C if value & 1 == 1 && self.config & 3 == ERASE => self.erase_all(at),
            0x50C if value & 1 == 1 => self.refusal = Some("an erase without CONFIG.EEN, ignored"),
            // PS "NVMC", access port protection behaviour (quoted by Nordic in devzone 67643).
            0x514 if value & 1 == 1 && self.keeps_uicr => {
                self.refusal = Some("ERASEUICR while the access port is protected, ignored");
            }
            0x514 if value & 1 == 1 => self.erase(at, ERASE_PAGE_PS, UICR_BASE, UICR_BYTES),
            0x50C | 0x514 => {}
            0x518 => self.erase_partially(at, value & !(PAGE - 1)),
            0x51C => self.partial_ms = value & 0x7F,
            0x540 => {
                self.cache_config = value & 0x101;
                self.cache_changed = true;
            }
            _ => return None,
        }
        Some(())
    }
}
