//! Reset and clock control of the STM32L476 (RM0351 chapter 6): registers, what runs, who is clocked.

mod oscillators;
mod registers;

pub use oscillators::Rate;
use oscillators::{Oscillators, Settings};

const CR_MSION: u32 = 1 << 0;
const CR_MSIRGSEL: u32 = 1 << 3;
const CR_HSION: u32 = 1 << 8;
const CR_HSEON: u32 = 1 << 16;
const CR_PLLON: u32 = 1 << 24;
const CFGR_STOPWUCK: u32 = 1 << 15;

/// Causes of a reset in CSR (6.4.29).
pub const SFTRSTF: u32 = 1 << 28;
pub const IWDGRSTF: u32 = 1 << 29;
pub const OBLRSTF: u32 = 1 << 25;

/// Not a cause that CSR shows: the chip comes out of Standby (PWR_SR1.SBF tells that).
pub const STANDBY: u32 = 1;

/// Clock gates: which enable register (0 AHB1, 1 AHB2, 2 AHB3, 4 APB1-1, 5 APB1-2, 6 APB2) and which bit.
pub type Gate = Option<(usize, u32)>;

/// What a write to RCC asks of the chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Nothing,
    /// Clocks may have changed.
    Clocks,
    /// Devices whose bits are set in reset register `bank` are held in reset.
    Reset {
        bank: usize,
        bits: u32,
    },
    /// The backup domain is reset: RTC, its clock, its registers.
    BackupReset,
    /// The clock of the RTC may have changed.
    RtcClock,
}

/// RCC.
#[derive(Clone, Debug)]
pub struct Rcc {
    cr: u32,
    icscr: u32,
    cfgr: u32,
    pllcfgr: u32,
    sai_cfgr: [u32; 2],
    /// The source that runs SYSCLK: 0 MSI, 1 HSI16, 2 HSE, 3 PLL.
    active: u32,
    cier: u32,
    cifr: u32,
    /// Ready flags that CIFR has seen.
    seen: u32,
    rstr: [u32; 7],
    enr: [u32; 7],
    smenr: [u32; 7],
    ccipr: u32,
    bdcr: u32,
    csr: u32,
    oscillators: Oscillators,
}

impl Rcc {
    /// RCC after power-on on a board whose external oscillators run at these frequencies, 0 for none.
    pub fn new(hse_hz: u64, lse_hz: u64) -> Rcc {
        Rcc {
            cr: 0x61,
            icscr: 0x1040_0080, // trims as reset, calibrations of a made-up chip (6.4.2)
            cfgr: 0,
            pllcfgr: 0x1000,
            sai_cfgr: [0x1000; 2],
            active: 0,
            cier: 0,
            cifr: 0,
            seen: 0,
            rstr: [0; 7],
            enr: [0x100, 0, 0, 0, 0, 0, 0],
            smenr: [0x0001_1303, 0x0005_32FF, 0x101, 0, 0xF2FE_CA3F, 0x25, 0x0167_7C01],
            ccipr: 0,
            bdcr: 0,
            csr: 0x0C00_0600, // power-on and pin reset; MSISRANGE 4 MHz
            oscillators: Oscillators::new(hse_hz, lse_hz),
        }
    }

    /// System reset: everything but the backup domain; `cause` is added to the flags of CSR.
    pub fn reset(&mut self, cause: u32) {
        let (csr, bdcr) = (self.csr, self.bdcr);
        let oscillators = self.oscillators.after_reset(csr & 1 != 0);
        *self = Rcc {
            csr: if cause == STANDBY { csr } else { csr | cause | 1 << 26 },
            bdcr,
            oscillators,
            ..Rcc::new(0, 0)
        };
    }

    pub fn enabled(&self, gate: Gate) -> bool {
        gate.map_or(true, |(bank, bit)| self.enr[bank] >> bit & 1 == 1)
    }

    fn settings(&self) -> Settings {
        Settings {
            cr: self.cr,
            pllcfgr: self.pllcfgr,
            sai_cfgr: self.sai_cfgr,
            msi_range: if self.cr & CR_MSIRGSEL != 0 {
                self.cr >> 4
            } else {
                self.csr >> 8
            } & 15,
            lse_on: self.bdcr & 1 != 0,
            lsi_on: self.csr & 1 != 0,
        }
    }

    /// Frequency of SYSCLK.
    pub fn sysclk(&self) -> Rate {
        self.sysclk_with(&self.settings())
    }

    /// Frequency of SYSCLK as limits count it: MSI by its range, also where PLL mode makes it 48.005 MHz of 48 (DS10198).
    fn nominal_sysclk(&self) -> Rate {
        let settings = self.settings();
        self.sysclk_with(&Settings {
            cr: settings.cr & !oscillators::CR_MSIPLLEN,
            ..settings
        })
    }

    fn sysclk_with(&self, settings: &Settings) -> Rate {
        match self.active {
            1 => oscillators::HSI16,
            2 => self.oscillators.hse(),
            3 => self.oscillators.pll_r(settings),
            _ => self.oscillators.msi(settings),
        }
    }

    /// HCLK is SYSCLK divided by this (HPRE, 6.4.3).
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

    /// HCLK as the wait states of the flash count it.
    pub fn nominal_hclk_hz(&self) -> u64 {
        self.nominal_sysclk().hz() / self.ahb_div()
    }

    /// Kernel clock of USART1 to 3, UART4, UART5, LPUART1 by index 0 to 5 (CCIPR); None: it does not run.
    pub fn usart_clock(&self, index: usize, now_ps: u64) -> Option<Rate> {
        let apb_div = if index == 0 { self.apb2_div() } else { self.apb1_div() };
        match self.ccipr >> (2 * index) & 3 {
            0 => Some(self.sysclk().over(self.ahb_div() * apb_div)),
            1 => Some(self.sysclk()),
            2 => self.oscillators.hsi_kernel(now_ps),
            _ => self.oscillators.lse(now_ps),
        }
    }

    /// Whether that kernel clock continues in Stop mode: HSI16 and LSE do (6.2.3, 6.2.6).
    pub fn usart_runs_in_stop(&self, index: usize) -> bool {
        self.ccipr >> (2 * index) & 2 != 0
    }

    /// Kernel clock of LPTIM1 and LPTIM2 by index 0, 1 (CCIPR).
    pub fn lptim_clock(&self, index: usize, now_ps: u64) -> Option<Rate> {
        match self.ccipr >> (18 + 2 * index) & 3 {
            0 => Some(self.sysclk().over(self.ahb_div() * self.apb1_div())),
            1 => self.oscillators.lsi(now_ps),
            2 => self.oscillators.hsi_kernel(now_ps),
            _ => self.oscillators.lse(now_ps),
        }
    }

    pub fn lptim_runs_in_stop(&self, index: usize) -> bool {
        self.ccipr >> (18 + 2 * index) & 1 != 0 // LSI and LSE
    }

    /// Clock of the RTC (BDCR.RTCSEL), if it is enabled and its source runs.
    pub fn rtc_clock(&self, now_ps: u64) -> Option<Rate> {
        if self.bdcr & 1 << 15 == 0 {
            return None;
        }
        match self.bdcr >> 8 & 3 {
            1 => self.oscillators.lse(now_ps),
            2 => self.oscillators.lsi(now_ps),
            3 => Some(self.oscillators.hse().over(32)).filter(|_| self.oscillators.hse_ready(now_ps)),
            _ => None,
        }
    }

    pub fn lsi(&self) -> Rate {
        oscillators::LSI
    }

    /// The watchdog switches LSI on by itself (chapter 36).
    pub fn force_lsi(&mut self, now_ps: u64) {
        self.csr |= 1;
        self.oscillators.update(&self.settings(), now_ps);
    }

    /// The 48 MHz clock of RNG and USB (CCIPR.CLK48SEL).
    pub fn clk48(&self, now_ps: u64) -> Option<Rate> {
        let settings = self.settings();
        match self.ccipr >> 26 & 3 {
            1 => self.oscillators.sai1_q(&settings, now_ps),
            2 => self.oscillators.pll_q(&settings, now_ps),
            3 => Some(self.oscillators.msi(&settings)).filter(|_| self.cr & CR_MSION != 0),
            _ => None,
        }
    }

    /// What deserves a remark about the present clocks.
    pub fn complaint(&self, range_2: bool) -> Option<String> {
        let hz = self.nominal_sysclk().hz();
        let limit = if range_2 { 26_000_000 } else { 80_000_000 };
        if hz > limit {
            return Some(format!(
                "SYSCLK is {} Hz, at this core voltage it may be {} Hz at most",
                hz, limit
            ));
        }
        None
    }

    /// Stop is entered: SYSCLK will be MSI or HSI16 (STOPWUCK), everything faster is off (5.3.6).
    pub fn stop(&mut self, now_ps: u64) {
        let wake_from_hsi = self.cfgr & CFGR_STOPWUCK != 0;
        self.cr &= !(CR_HSEON | CR_PLLON | 1 << 26 | 1 << 28 | CR_MSION | CR_HSION);
        self.cr |= if wake_from_hsi { CR_HSION } else { CR_MSION };
        self.active = u32::from(wake_from_hsi);
        self.cfgr = self.cfgr & !3 | self.active;
        self.oscillators.update(&self.settings(), now_ps);
        self.oscillators.skip_start(wake_from_hsi, now_ps); // the wake-up time of the chip includes it
    }

    /// Ready interrupt (6.4.7 to 6.4.9).
    pub fn irq(&self) -> bool {
        self.cier & self.cifr & 0x2FF != 0
    }

    /// An oscillator may have become ready: flags, the awaited switch. True if clocks changed.
    pub fn settle(&mut self, now_ps: u64) -> bool {
        let ready = self.oscillators.ready_flags(now_ps);
        let new = ready & !self.seen;
        self.cifr |= new & self.cier;
        self.seen = ready;
        let wanted = self.cfgr & 3;
        let switched = wanted != self.active && self.oscillators.source_ready(wanted, now_ps);
        if switched {
            self.active = wanted;
        }
        switched || new != 0
    }

    /// Instant at which the next oscillator becomes ready.
    pub fn next_event(&self, now_ps: u64) -> Option<u64> {
        self.oscillators.next_ready(now_ps)
    }
}
