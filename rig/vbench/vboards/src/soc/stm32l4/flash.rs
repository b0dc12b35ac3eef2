//! Flash interface (RM0351 chapter 3): access control, programming, erasing, option bytes.
//!
//! The array itself is the core's memory: [`Flash::take_job`] tells what is to be done to it, by the chip's `serve`.
//! Not modelled: fast programming of rows, read and write protection, ECC.

use crate::bus::Width;

const KEYS: [u32; 2] = [0x4567_0123, 0xCDEF_89AB];
const OPTION_KEYS: [u32; 2] = [0x0819_2A3B, 0x4C5D_6E7F];
const SR_EOP: u32 = 1 << 0;
const SR_OPERR: u32 = 1 << 1;
const SR_PROGERR: u32 = 1 << 3;
const SR_PGAERR: u32 = 1 << 5;
const SR_SIZERR: u32 = 1 << 6;
const SR_PGSERR: u32 = 1 << 7;
const SR_BSY: u32 = 1 << 16;
const ERRORS: u32 = 0xC3FA;
const CR_PG: u32 = 1 << 0;
const CR_PER: u32 = 1 << 1;
const CR_MER1: u32 = 1 << 2;
const CR_BKER: u32 = 1 << 11;
const CR_MER2: u32 = 1 << 15;
const CR_STRT: u32 = 1 << 16;
const CR_OPTSTRT: u32 = 1 << 17;
const CR_FSTPG: u32 = 1 << 18;
const CR_EOPIE: u32 = 1 << 24;
const CR_ERRIE: u32 = 1 << 25;
const CR_OBL_LAUNCH: u32 = 1 << 27;
const CR_OPTLOCK: u32 = 1 << 30;
const CR_LOCK: u32 = 1 << 31;

/// First address; the second bank begins in the middle (3.3.1, devices with 1 MiB).
pub const BASE: u32 = 0x0800_0000;
pub const BYTES: u32 = 0x0010_0000;
const BANK_BYTES: u32 = BYTES / 2;
const PAGE_BYTES: u32 = 2048;
/// OPTR as delivered (3.7.8): DUALBANK set, level 0, watchdogs by software.
const OPTR: u32 = 0xFFEF_F8AA;
/// tprog, tERASE, tME (DS10198 table "Flash memory characteristics", typical; from memory of rev 4: unverified).
const PROGRAM_PS: u64 = 81_690_000;
const ERASE_PS: u64 = 22_020_000_000;
const MASS_ERASE_PS: u64 = 22_130_000_000;

/// What is to be done to the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// A double word is to be programmed.
    Program { address: u32, words: [u32; 2] },
    /// Bytes are to become 0xFF.
    Erase { address: u32, bytes: u32 },
}

/// Flash interface.
#[derive(Clone, Debug)]
pub struct Flash {
    acr: u32,
    cr: u32,
    sr: u32,
    ecc: u32,
    optr: u32,
    /// Protection registers from PCROP1SR on, as storage.
    protection: [u32; 12],
    keys: [usize; 2],
    /// First half of a double word: address and data.
    half: Option<(u32, u32)>,
    job: Option<Job>,
    /// The operation that runs: when it ends, which bank.
    busy: Option<(u64, u32)>,
    /// The settings of the accelerator have changed.
    pub cache_changed: bool,
    /// OBL_LAUNCH: the chip is to be reset.
    pub reload: bool,
}

impl Default for Flash {
    fn default() -> Flash {
        Flash {
            acr: 0x600,
            cr: CR_LOCK | CR_OPTLOCK,
            sr: 0,
            ecc: 0,
            optr: OPTR,
            protection: [0; 12],
            keys: [0; 2],
            half: None,
            job: None,
            busy: None,
            cache_changed: true,
            reload: false,
        }
    }
}

impl Flash {
    /// System reset: option bytes stay.
    pub fn reset(&mut self) {
        *self = Flash {
            optr: self.optr,
            protection: self.protection,
            ..Flash::default()
        };
    }

    /// Wait states (ACR.LATENCY; values above 4 are reserved).
    pub fn latency(&self) -> u32 {
        (self.acr & 7).min(4)
    }

    /// ACR: prefetch (8), instruction cache (9), data cache (10), their resets (11, 12).
    pub fn acr(&self) -> u32 {
        self.acr
    }

    /// What deserves a remark at `hclk_hz` (3.3.3, table 9): each wait state is good for 16 MHz more in range 1; in range 2
    /// the steps end at 6, 12, 18, 26 MHz.
    pub fn complaint(&self, hclk_hz: u64, range_2: bool) -> Option<String> {
        let steps: &[u64] = if range_2 {
            &[6_000_000, 12_000_000, 18_000_000]
        } else {
            &[16_000_000, 32_000_000, 48_000_000, 64_000_000]
        };
        let needed = steps.iter().filter(|&&step| hclk_hz > step).count() as u32;
        if self.latency() >= needed {
            return None;
        }
        Some(format!(
            "flash needs {} wait states at {} Hz, ACR has {}",
            needed,
            hclk_hz,
            self.latency()
        ))
    }

    /// The job that has just begun, once.
    pub fn take_job(&mut self) -> Option<Job> {
        self.job.take()
    }

    pub fn has_job(&self) -> bool {
        self.job.is_some()
    }

    /// A double word could not be programmed: it was not erased (3.7.5, PROGERR).
    pub fn refuse(&mut self) {
        self.fail(SR_PROGERR);
    }

    /// Whether a fetch or load from `address` waits until the operation is over: it is in the same bank.
    pub fn blocks(&self, address: u32) -> bool {
        let offset = address.wrapping_sub(if address >= BASE { BASE } else { 0 });
        offset < BYTES
            && self
                .busy
                .map_or(false, |(_, bank)| bank >> (offset / BANK_BYTES) & 1 == 1)
    }

    pub fn next_event(&self) -> Option<u64> {
        self.busy.map(|(end_ps, _)| end_ps)
    }

    /// The operation is over.
    pub fn fire(&mut self, now_ps: u64) {
        if self.busy.map_or(false, |(end_ps, _)| end_ps <= now_ps) {
            self.busy = None;
            self.sr |= if self.cr & CR_EOPIE != 0 { SR_EOP } else { 0 };
        }
    }

    /// Level of the interrupt line (3.6, table 20).
    pub fn irq(&self) -> bool {
        self.cr & CR_EOPIE != 0 && self.sr & SR_EOP != 0 || self.cr & CR_ERRIE != 0 && self.sr & SR_OPERR != 0
    }

    fn fail(&mut self, error: u32) {
        self.sr |= error | if self.cr & CR_ERRIE != 0 { SR_OPERR } else { 0 };
        self.half = None;
    }

    fn start(&mut self, job: Option<Job>, banks: u32, end_ps: u64) {
        self.job = job;
        self.busy = Some((end_ps, banks));
    }

    fn bank_of(address: u32) -> u32 {
        1 << ((address - BASE) / BANK_BYTES)
    }

    /// The firmware writes into the array: half of a double word (3.3.7).
    pub fn program(&mut self, address: u32, width: Width, value: u32, now_ps: u64) {
        if self.busy.is_some() || self.cr & CR_LOCK != 0 || self.cr & CR_PG == 0 || self.sr & ERRORS != 0 {
            return self.fail(SR_PGSERR);
        }
        if width != Width::Word {
            return self.fail(SR_SIZERR);
        }
        match (address & 7, self.half.take()) {
            (0, None) => self.half = Some((address, value)),
            (4, Some((first, low))) if first + 4 == address => {
                let job = Job::Program {
                    address: first,
                    words: [low, value],
                };
                self.start(Some(job), Flash::bank_of(first), now_ps + PROGRAM_PS);
            }
            _ => self.fail(SR_PGAERR),
        }
    }

    fn erase(&mut self, now_ps: u64) {
        if self.cr & CR_PG != 0 || self.sr & ERRORS != 0 {
            return self.fail(SR_PGSERR);
        }
        let bank_address = |second: bool| if second { BASE + BANK_BYTES } else { BASE };
        let mass = (self.cr & CR_MER1 != 0, self.cr & CR_MER2 != 0);
        if self.cr & CR_PER != 0 {
            let page = self.cr >> 3 & 0xFF;
            let address = bank_address(self.cr & CR_BKER != 0) + page * PAGE_BYTES;
            let job = Job::Erase {
                address,
                bytes: PAGE_BYTES,
            };
            self.start(Some(job), Flash::bank_of(address), now_ps + ERASE_PS);
        } else if mass.0 || mass.1 {
            let job = Job::Erase {
                address: bank_address(!mass.0),
                bytes: if mass == (true, true) { BYTES } else { BANK_BYTES },
            };
            let banks = u32::from(mass.0) | u32::from(mass.1) << 1;
            self.start(Some(job), banks, now_ps + MASS_ERASE_PS);
        }
    }

    fn key(&mut self, which: usize, value: u32, keys: [u32; 2], lock: u32) {
        let step = self.keys[which];
        // A wrong key locks until the next reset (3.3.5).
        self.keys[which] = if step < 2 && value == keys[step] { step + 1 } else { 3 };
        if self.keys[which] == 2 {
            self.cr &= !lock;
            self.keys[which] = 0;
        }
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.acr,
            0x04 | 0x08 | 0x0C => 0,
            0x10 => self.sr | if self.busy.is_some() { SR_BSY } else { 0 },
            0x14 => self.cr,
            0x18 => self.ecc,
            0x20 => self.optr,
            0x24..=0x50 => self.protection[(offset as usize - 0x24) / 4],
            _ => return None,
        })
    }

    /// None also for fast programming: it is not modelled.
    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<()> {
        match offset {
            0x00 => {
                self.cache_changed |= (self.acr ^ value) & 0x1F00 != 0;
                self.acr = value & 0x7F07;
            }
            0x04 => {}
            0x08 if self.cr & CR_LOCK != 0 => self.key(0, value, KEYS, CR_LOCK),
            0x0C if self.cr & (CR_LOCK | CR_OPTLOCK) == CR_OPTLOCK => self.key(1, value, OPTION_KEYS, CR_OPTLOCK),
            0x08 | 0x0C => {}
            0x10 => self.sr &= !value,
            0x14 => return self.write_cr(value, now_ps),
            0x18 => self.ecc = value & 0x0100_0000,
            0x20 if self.cr & CR_OPTLOCK == 0 => self.optr = value,
            0x24..=0x50 if self.cr & CR_OPTLOCK == 0 => self.protection[(offset as usize - 0x24) / 4] = value,
            0x20..=0x50 => {}
            _ => return None,
        }
        Some(())
    }

    fn write_cr(&mut self, value: u32, now_ps: u64) -> Option<()> {
        if self.busy.is_some() || self.cr & CR_LOCK != 0 {
            return Some(()); // cannot be written (3.7.6)
        }
        let sets = value & (CR_LOCK | CR_OPTLOCK) | self.cr & CR_OPTLOCK;
        self.cr = value & 0x0704_8FFF | sets;
        if value & CR_STRT != 0 {
            self.erase(now_ps);
        }
        if value & CR_OPTSTRT != 0 && self.cr & CR_OPTLOCK == 0 {
            self.start(None, 0, now_ps + PROGRAM_PS);
        }
        self.reload |= value & CR_OBL_LAUNCH != 0 && self.cr & CR_OPTLOCK == 0;
        if value & CR_FSTPG != 0 {
            return None;
        }
        Some(())
    }
}
