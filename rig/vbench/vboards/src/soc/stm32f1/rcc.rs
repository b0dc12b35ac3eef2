//! Reset and clock control of the STM32F103xE (RM0008 chapter 7).
//!
//! Start-up times: STM32F103xC/D/E data sheet DS5792, section 5.3.6 to 5.3.8, typical (PLL: largest) values.

/// HSI (DS5792 table 24).
const HSI_HZ: u64 = 8_000_000;
/// tSU(HSI), 1 to 2 us.
const HSI_START_PS: u64 = 2_000_000;
/// tSU(HSE) = 2 ms (DS5792 table 22).
const HSE_START_PS: u64 = 2_000_000_000;
/// tLOCK of the PLL, at most 200 us (DS5792 table 28).
const PLL_LOCK_PS: u64 = 200_000_000;
/// tSU(LSI), at most 85 us (DS5792 table 25).
const LSI_START_PS: u64 = 85_000_000;
/// tSU(LSE) = 3 s (DS5792 table 23).
const LSE_START_PS: u64 = 3_000_000_000_000;

/// The crystal of the board, and LSI, 30 to 60 kHz, typically 40 (DS5792 table 25).
const LSE_HZ: u64 = 32_768;
pub const LSI_HZ: u64 = 40_000;

const CR_HSION: u32 = 1 << 0;
const CR_HSEON: u32 = 1 << 16;
const CR_HSEBYP: u32 = 1 << 18;
const CR_CSSON: u32 = 1 << 19;
const CR_PLLON: u32 = 1 << 24;
const CFGR_PLLSRC: u32 = 1 << 16;
const CFGR_PLLXTPRE: u32 = 1 << 17;
const BDCR_RTCEN: u32 = 1 << 15;
const BDCR_BDRST: u32 = 1 << 16;
const CSR_RMVF: u32 = 1 << 24;

/// Where a peripheral's clock enable and reset bits lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Always clocked.
    None,
    Ahb(u32),
    Apb1(u32),
    Apb2(u32),
}

/// An oscillator or PLL: when it will be stable, if it is on.
#[derive(Clone, Copy, Debug, Default)]
struct Source {
    ready_ps: Option<u64>,
}

impl Source {
    fn ready(self, now_ps: u64) -> bool {
        self.ready_ps.map_or(false, |at| now_ps >= at)
    }

    fn switch(&mut self, on: bool, now_ps: u64, start_ps: u64) {
        match (on, self.ready_ps) {
            (true, None) => self.ready_ps = Some(now_ps + start_ps),
            (false, _) => self.ready_ps = None,
            _ => {}
        }
    }
}

/// What a write to RCC asks of the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Nothing,
    /// Clocks may have changed.
    Clocks,
    /// Peripherals of a bus are held in reset, by their bits.
    ResetApb1(u32),
    ResetApb2(u32),
    /// The clock of the RTC may have changed.
    Backup,
    /// The backup domain is reset.
    ResetBackup,
}

/// Why the chip is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Software,
    Iwdg,
    Wwdg,
    Standby,
}

/// RCC.
#[derive(Clone, Debug)]
pub struct Rcc {
    hse_hz: u64,
    cr: u32,
    cfgr: u32,
    /// The source that runs SYSCLK: 0 HSI, 1 HSE, 2 PLL.
    active: u32,
    cir: u32,
    apb1rstr: u32,
    apb2rstr: u32,
    ahbenr: u32,
    apb1enr: u32,
    apb2enr: u32,
    bdcr: u32,
    csr: u32,
    hsi: Source,
    hse: Source,
    pll: Source,
    lsi: Source,
    lse: Source,
    lsi_forced: bool,
}

impl Rcc {
    /// RCC of a chip whose external oscillator runs at `hse_hz`, 0 for none.
    pub fn new(hse_hz: u64) -> Rcc {
        Rcc {
            hse_hz,
            cr: 0x80 | CR_HSION,
            cfgr: 0,
            active: 0,
            cir: 0,
            apb1rstr: 0,
            apb2rstr: 0,
            ahbenr: 0x14,
            apb1enr: 0,
            apb2enr: 0,
            bdcr: 0,
            csr: 0x0C00_0000, // power-on and pin reset
            hsi: Source { ready_ps: Some(0) },
            hse: Source::default(),
            pll: Source::default(),
            lsi: Source::default(),
            lse: Source::default(),
            lsi_forced: false,
        }
    }

    /// System reset, not power-on: clocks back to HSI, the backup domain and the flags of CSR kept. Every reset pulls
    /// NRST, so that PINRSTF joins the flag of the cause (7.1.1, figure 7).
    pub fn reset(&mut self, cause: Cause) {
        let flag = match cause {
            Cause::Software => 1 << 28,
            Cause::Iwdg => 1 << 29,
            Cause::Wwdg => 1 << 30,
            Cause::Standby => 0,
        };
        let (csr, bdcr, lse) = (self.csr & !1, self.bdcr, self.lse);
        *self = Rcc {
            csr: csr | flag | 1 << 26,
            bdcr,
            lse,
            ..Rcc::new(self.hse_hz)
        };
    }

    /// Stop mode ends: HSI runs the chip, HSE and PLL are off (5.3.5).
    pub fn leave_stop(&mut self, now_ps: u64) {
        self.cr = self.cr & !(CR_HSEON | CR_PLLON | CR_CSSON) | CR_HSION;
        self.cfgr &= !3;
        self.active = 0;
        self.hse = Source::default();
        self.pll = Source::default();
        self.hsi = Source { ready_ps: Some(now_ps) };
    }

    /// The independent watchdog was started: it forces LSI on (19.3).
    pub fn force_lsi(&mut self, now_ps: u64) {
        self.csr |= 1;
        self.lsi_forced = true;
        self.lsi.switch(true, now_ps, LSI_START_PS);
    }

    /// The clock of the RTC, if it runs: frequency, divider, and when it began to run.
    pub fn rtc_clock(&self) -> Option<(u64, u64, u64)> {
        if self.bdcr & BDCR_RTCEN == 0 {
            return None;
        }
        let (source, hz, divider) = match self.bdcr >> 8 & 3 {
            1 => (self.lse, LSE_HZ, 1),
            2 => (self.lsi, LSI_HZ, 1),
            3 => (self.hse, self.hse_hz, 128),
            _ => return None,
        };
        source
            .ready_ps
            .filter(|_| hz > 0)
            .map(|ready_ps| (hz, divider, ready_ps))
    }

    /// ADCCLK is PCLK2 divided by this.
    pub fn adc_div(&self) -> u64 {
        2 * (u64::from(self.cfgr >> 14 & 3) + 1)
    }

    pub fn enabled(&self, gate: Gate) -> bool {
        match gate {
            Gate::None => true,
            Gate::Ahb(bit) => self.ahbenr >> bit & 1 == 1,
            Gate::Apb1(bit) => self.apb1enr >> bit & 1 == 1,
            Gate::Apb2(bit) => self.apb2enr >> bit & 1 == 1,
        }
    }

    /// BDCR, which DBP protects. RTCSEL can be chosen once per reset of the domain (7.3.9).
    fn write_bdcr(&mut self, value: u32, now_ps: u64) -> Effect {
        if value & BDCR_BDRST != 0 {
            self.bdcr = BDCR_BDRST;
            self.lse = Source::default();
            return Effect::ResetBackup;
        }
        let chosen = self.bdcr >> 8 & 3;
        let select = if chosen != 0 { chosen } else { value >> 8 & 3 };
        self.bdcr = value & 0x8005 | select << 8;
        let lse_start_ps = if value & 4 != 0 { 0 } else { LSE_START_PS };
        self.lse.switch(value & 1 != 0, now_ps, lse_start_ps);
        Effect::Backup
    }

    fn pll_hz(&self) -> u64 {
        let input = match (self.cfgr & CFGR_PLLSRC != 0, self.cfgr & CFGR_PLLXTPRE != 0) {
            (false, _) => HSI_HZ / 2,
            (true, false) => self.hse_hz,
            (true, true) => self.hse_hz / 2,
        };
        input * u64::from((self.cfgr >> 18 & 15) + 2).min(16)
    }

    /// Frequency of SYSCLK.
    pub fn sysclk_hz(&self) -> u64 {
        match self.active {
            1 => self.hse_hz,
            2 => self.pll_hz(),
            _ => HSI_HZ,
        }
    }

    /// HCLK is SYSCLK divided by this (HPRE).
    pub fn ahb_div(&self) -> u64 {
        match self.cfgr >> 4 & 15 {
            field if field < 8 => 1,
            field if field < 12 => 2 << (field - 8),
            field => 64 << (field - 12),
        }
    }

    fn apb_div(field: u32) -> u64 {
        if field & 4 == 0 {
            1
        } else {
            2 << (field & 3)
        }
    }

    /// PCLK1 is HCLK divided by this.
    pub fn apb1_div(&self) -> u64 {
        Rcc::apb_div(self.cfgr >> 8)
    }

    /// PCLK2 is HCLK divided by this.
    pub fn apb2_div(&self) -> u64 {
        Rcc::apb_div(self.cfgr >> 11)
    }

    /// What deserves a remark about the present clocks.
    pub fn complaint(&self) -> Option<String> {
        let (sysclk, pclk1) = (self.sysclk_hz(), self.sysclk_hz() / self.ahb_div() / self.apb1_div());
        if sysclk > 72_000_000 {
            return Some(format!("SYSCLK is {} Hz, the STM32F103 goes to 72 MHz", sysclk));
        }
        if pclk1 > 36_000_000 {
            return Some(format!("PCLK1 is {} Hz, it may be 36 MHz at most", pclk1));
        }
        None
    }

    pub fn read(&self, offset: u32, now_ps: u64) -> Option<u32> {
        let flag = |source: Source, bit: u32| u32::from(source.ready(now_ps)) << bit;
        Some(match offset {
            0x00 => self.cr | flag(self.hsi, 1) | flag(self.hse, 17) | flag(self.pll, 25),
            0x04 => self.cfgr & !0xC | self.active << 2,
            0x08 => self.cir,
            0x0C => self.apb2rstr,
            0x10 => self.apb1rstr,
            0x14 => self.ahbenr,
            0x18 => self.apb2enr,
            0x1C => self.apb1enr,
            0x20 => self.bdcr | flag(self.lse, 1),
            0x24 => self.csr | flag(self.lsi, 1),
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<Effect> {
        match offset {
            0x00 => return Some(self.write_cr(value, now_ps)),
            0x04 => {
                let pll_bits = 0x003F_0000;
                let locked = self.cr & CR_PLLON != 0; // PLLSRC, PLLXTPRE, PLLMUL: only while the PLL is off
                let kept = if locked { self.cfgr & pll_bits } else { value & pll_bits };
                self.cfgr = value & 0x0740_FFF3 | kept;
                self.switch(now_ps);
                return Some(Effect::Clocks);
            }
            0x08 => self.cir = value & 0x1F00,
            0x0C => {
                self.apb2rstr = value;
                return Some(Effect::ResetApb2(value));
            }
            0x10 => {
                self.apb1rstr = value;
                return Some(Effect::ResetApb1(value));
            }
            0x14 => self.ahbenr = value & 0x557,
            0x18 => self.apb2enr = value & 0xFFFD,
            0x1C => self.apb1enr = value & 0x3AFE_C83F,
            0x20 => return Some(self.write_bdcr(value, now_ps)),
            0x24 => {
                if value & CSR_RMVF != 0 {
                    self.csr &= 1;
                }
                let on = value & 1 != 0 || self.lsi_forced;
                self.csr = self.csr & !1 | u32::from(on);
                self.lsi.switch(on, now_ps, LSI_START_PS);
                return Some(Effect::Backup); // LSI may be what the RTC counts
            }
            _ => return None,
        }
        Some(Effect::Nothing)
    }

    fn write_cr(&mut self, value: u32, now_ps: u64) -> Effect {
        let mut value = value & (CR_HSION | 0xF8 | CR_HSEON | CR_HSEBYP | CR_CSSON | CR_PLLON);
        // The source in use cannot be stopped (7.3.1).
        if self.active == 0 || (self.active == 2 && self.cfgr & CFGR_PLLSRC == 0) {
            value |= CR_HSION;
        }
        if self.active == 1 || (self.active == 2 && self.cfgr & CFGR_PLLSRC != 0) {
            value |= CR_HSEON;
        }
        if self.active == 2 {
            value |= CR_PLLON;
        }
        self.cr = value;
        self.hsi.switch(value & CR_HSION != 0, now_ps, HSI_START_PS);
        let hse_start_ps = if value & CR_HSEBYP != 0 { 0 } else { HSE_START_PS };
        self.hse
            .switch(value & CR_HSEON != 0 && self.hse_hz > 0, now_ps, hse_start_ps);
        let input_ready = if self.cfgr & CFGR_PLLSRC != 0 {
            self.hse.ready_ps
        } else {
            self.hsi.ready_ps
        };
        let pll_from_ps = input_ready.map(|at| at.max(now_ps));
        match (value & CR_PLLON != 0, pll_from_ps) {
            (true, Some(from_ps)) => self.pll.switch(true, from_ps, PLL_LOCK_PS),
            _ => self.pll.switch(false, now_ps, 0),
        }
        self.switch(now_ps);
        Effect::Clocks
    }

    /// SW takes effect when the source it names is stable.
    fn switch(&mut self, now_ps: u64) {
        let wanted = self.cfgr & 3;
        let source = match wanted {
            0 => self.hsi,
            1 => self.hse,
            2 => self.pll,
            _ => return,
        };
        if source.ready(now_ps) {
            self.active = wanted;
        }
    }

    /// True while SW names a source that is not yet stable: the switch is still to come.
    pub fn switch_pending(&self) -> Option<u64> {
        let source = match self.cfgr & 3 {
            wanted if wanted == self.active => return None,
            0 => self.hsi,
            1 => self.hse,
            2 => self.pll,
            _ => return None,
        };
        source.ready_ps
    }

    /// The awaited source is stable.
    pub fn complete_switch(&mut self, now_ps: u64) {
        self.switch(now_ps);
    }
}
