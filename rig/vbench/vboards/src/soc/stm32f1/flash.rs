//! Flash interface (PM0075): access control, the lock, programming and erasing. The array itself is the core's.

const KEY1: u32 = 0x4567_0123;
const KEY2: u32 = 0xCDEF_89AB;
const CR_PG: u32 = 1 << 0;
const CR_PER: u32 = 1 << 1;
const CR_MER: u32 = 1 << 2;
const CR_STRT: u32 = 1 << 6;
const CR_LOCK: u32 = 1 << 7;
const CR_ERRIE: u32 = 1 << 10;
const CR_EOPIE: u32 = 1 << 12;
const SR_BSY: u32 = 1 << 0;
const SR_PGERR: u32 = 1 << 2;
const SR_EOP: u32 = 1 << 5;

/// tprog, 40 to 70 us, 52.5 typical (DS5792 table 30).
const PROGRAM_PS: u64 = 52_500_000;
/// tERASE of a page and tME, 20 to 40 ms, no typical value (DS5792 table 30): the middle.
const ERASE_PS: u64 = 30_000_000_000;
/// Page of a high-density device (PM0075, 2.1).
pub const PAGE_BYTES: u32 = 2048;

/// Option bytes as delivered: RDP off, nothing protected, each with its complement (PM0075, 2.5, tables 8 and 9).
pub const OPTION_BYTES: [u32; 4] = [0x00FF_5AA5, 0x00FF_00FF, 0x00FF_00FF, 0x00FF_00FF];

/// Work on the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Program { address: u32, value: u16 },
    ErasePage { address: u32 },
    EraseAll,
}

/// Flash interface registers.
#[derive(Clone, Debug)]
pub struct FlashInterface {
    acr: u32,
    cr: u32,
    sr: u32,
    ar: u32,
    key_step: u8,
    /// A wrong key was written: locked until the next reset (PM0075, 2.3.1).
    dead: bool,
    /// To be done by who has the array.
    pub work: Option<Work>,
    /// When the running operation is over.
    busy_until_ps: Option<u64>,
}

impl Default for FlashInterface {
    fn default() -> FlashInterface {
        FlashInterface {
            acr: 0x30,
            cr: CR_LOCK,
            sr: 0,
            ar: 0,
            key_step: 0,
            dead: false,
            work: None,
            busy_until_ps: None,
        }
    }
}

impl FlashInterface {
    /// Wait states (ACR.LATENCY; values above 2 are reserved).
    pub fn latency(&self) -> u32 {
        (self.acr & 7).min(2)
    }

    /// ACR.PRFTBE.
    pub fn prefetch(&self) -> bool {
        self.acr & 0x10 != 0
    }

    /// What deserves a remark at `hclk_hz`: 0 wait states to 24 MHz, 1 to 48 MHz, 2 above (PM0075, 3.1).
    pub fn complaint(&self, hclk_hz: u64) -> Option<String> {
        let needed = match hclk_hz {
            hz if hz <= 24_000_000 => 0,
            hz if hz <= 48_000_000 => 1,
            _ => 2,
        };
        if self.latency() < needed {
            return Some(format!(
                "flash needs {} wait states at {} Hz, ACR has {}",
                needed,
                hclk_hz,
                self.latency()
            ));
        }
        None
    }

    /// A write into the array: a halfword with PG set, or a bus error (PM0075, 2.3.3). False: the bus error.
    pub fn program(&mut self, address: u32, halfword: Option<u16>) -> bool {
        match halfword {
            Some(value) if self.cr & (CR_PG | CR_LOCK) == CR_PG && self.idle() => {
                self.work = Some(Work::Program { address, value });
                true
            }
            _ => false,
        }
    }

    fn idle(&self) -> bool {
        self.work.is_none() && self.busy_until_ps.is_none()
    }

    /// The work was done on the array, or refused: the cell was not erased. Returns when BSY falls.
    pub fn begun(&mut self, work: Work, done: bool, now_ps: u64) -> u64 {
        if !done {
            self.sr |= SR_PGERR;
            return now_ps;
        }
        let takes_ps = match work {
            Work::Program { .. } => PROGRAM_PS,
            _ => ERASE_PS,
        };
        self.busy_until_ps = Some(now_ps + takes_ps);
        now_ps + takes_ps
    }

    pub fn next_event(&self) -> Option<u64> {
        self.busy_until_ps
    }

    /// Lets time pass to `now_ps`.
    pub fn sync(&mut self, now_ps: u64) {
        if self.busy_until_ps.map_or(false, |at| at <= now_ps) {
            self.busy_until_ps = None;
            self.cr &= !CR_STRT;
            self.sr |= SR_EOP;
        }
    }

    /// Level of the interrupt line FLASH (position 4).
    pub fn irq(&self) -> bool {
        self.cr & CR_EOPIE != 0 && self.sr & SR_EOP != 0 || self.cr & CR_ERRIE != 0 && self.sr & SR_PGERR != 0
    }

    pub fn read(&mut self, offset: u32, now_ps: u64) -> Option<u32> {
        self.sync(now_ps);
        Some(match offset {
            0x00 => self.acr & 0x1F | (self.acr & 0x10) << 1, // PRFTBS follows PRFTBE
            0x04 | 0x08 => 0,
            0x0C => self.sr | if self.idle() { 0 } else { SR_BSY },
            0x10 => self.cr,
            0x14 => self.ar,
            0x1C => 0x03FF_FFFC, // OBR: option bytes as delivered
            0x20 => 0xFFFF_FFFF,
            _ => return None,
        })
    }

    /// None also for work on the option bytes: it is not modelled.
    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<()> {
        self.sync(now_ps);
        match offset {
            0x00 => self.acr = value & 0x1F,
            0x04 => self.key(value),
            0x08 => return None,
            0x0C => self.sr &= !(value & 0x34), // EOP, WRPRTERR, PGERR: write 1 to clear
            0x10 => return self.write_cr(value),
            0x14 if self.idle() => self.ar = value,
            0x14 => {}
            _ => return None,
        }
        Some(())
    }

    fn key(&mut self, value: u32) {
        self.key_step = match (self.key_step, value) {
            (0, KEY1) => 1,
            (1, KEY2) if !self.dead => {
                self.cr &= !CR_LOCK;
                0
            }
            _ => {
                self.dead = true;
                0
            }
        };
    }

    fn write_cr(&mut self, value: u32) -> Option<()> {
        if self.cr & CR_LOCK != 0 {
            return Some(());
        }
        if value & CR_LOCK != 0 {
            self.cr = CR_LOCK;
            return Some(());
        }
        self.cr = value & 0x1677;
        if value & CR_STRT != 0 && self.idle() {
            self.work = match value & (CR_PER | CR_MER) {
                CR_PER => Some(Work::ErasePage { address: self.ar }),
                0 => None,
                _ => Some(Work::EraseAll),
            };
        }
        // OPTPG, OPTER
        if value & 0x30 != 0 {
            None
        } else {
            Some(())
        }
    }
}
