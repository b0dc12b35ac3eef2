//! Oscillators and PLLs of the STM32L476: frequencies, when they are ready.
//!
//! Times: DS10198 (STM32L476xx data sheet) section 6.3.8 and 6.3.9, typical values, from memory of rev 4: unverified.

/// `num / den` hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    pub num: u64,
    pub den: u64,
}

impl Rate {
    pub const fn of(hz: u64) -> Rate {
        Rate { num: hz, den: 1 }
    }

    /// Divided further.
    pub fn over(self, divider: u64) -> Rate {
        Rate {
            num: self.num,
            den: self.den * divider,
        }
    }

    /// In whole hertz, at least 1.
    pub fn hz(self) -> u64 {
        (self.num / self.den).max(1)
    }
}

/// HSI16 (RM0351 6.2.2).
pub const HSI16: Rate = Rate::of(16_000_000);
/// LSI, typical (RM0351 6.2.7).
pub const LSI: Rate = Rate::of(32_000);
/// MSI by range (RM0351 6.4.1).
const MSI_HZ: [u64; 12] = [
    100_000, 200_000, 400_000, 800_000, 1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000, 24_000_000, 32_000_000,
    48_000_000,
];
/// MSI in PLL mode is that many times LSE (DS10198: 98.304 kHz to 48.005 MHz).
const MSI_TIMES_LSE: [u64; 12] = [3, 6, 12, 24, 31, 61, 122, 244, 488, 732, 977, 1465];
/// CR: MSI follows LSE (6.4.1).
pub const CR_MSIPLLEN: u32 = 1 << 2;
/// tSU(MSI) by range (DS10198).
const MSI_START_PS: [u64; 12] = [
    10_000_000, 5_000_000, 4_000_000, 3_000_000, 3_000_000, 3_000_000, 3_000_000, 3_000_000, 2_500_000, 2_500_000,
    2_500_000, 2_500_000,
];
/// tSU(HSI16) 0.8 us and tSTAB 3 us.
const HSI_START_PS: u64 = 3_800_000;
/// tSU(HSE) = 2 ms; with HSEBYP none.
const HSE_START_PS: u64 = 2_000_000_000;
/// tSU(LSE) = 2 s.
const LSE_START_PS: u64 = 2_000_000_000_000;
/// tSU(LSI) = 80 us and tSTAB 125 us.
const LSI_START_PS: u64 = 125_000_000;
/// tLOCK = 15 us.
const PLL_LOCK_PS: u64 = 15_000_000;

/// The registers that oscillators obey.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    pub cr: u32,
    pub pllcfgr: u32,
    pub sai_cfgr: [u32; 2],
    pub msi_range: u32,
    pub lse_on: bool,
    pub lsi_on: bool,
}

/// When something will be stable; None: it is off.
type Ready = Option<u64>;

/// All of them.
#[derive(Clone, Debug)]
pub struct Oscillators {
    hse_hz: u64,
    lse_hz: u64,
    msi: Ready,
    hsi: Ready,
    hse: Ready,
    lse: Ready,
    lsi: Ready,
    /// PLL, PLLSAI1, PLLSAI2.
    plls: [Ready; 3],
}

fn is_ready(ready: Ready, now_ps: u64) -> bool {
    ready.map_or(false, |at| now_ps >= at)
}

fn switch(ready: &mut Ready, on: bool, now_ps: u64, start_ps: u64) {
    match (on, *ready) {
        (true, None) => *ready = Some(now_ps + start_ps),
        (false, _) => *ready = None,
        _ => {}
    }
}

impl Oscillators {
    pub fn new(hse_hz: u64, lse_hz: u64) -> Oscillators {
        Oscillators {
            hse_hz,
            lse_hz,
            msi: Some(0),
            hsi: None,
            hse: None,
            lse: None,
            lsi: None,
            plls: [None; 3],
        }
    }

    /// After a system reset: MSI runs, LSE continues, LSI too if it was on.
    pub fn after_reset(&self, lsi_on: bool) -> Oscillators {
        Oscillators {
            lse: self.lse,
            lsi: self.lsi.filter(|_| lsi_on),
            ..Oscillators::new(self.hse_hz, self.lse_hz)
        }
    }

    /// Takes over what the registers ask for.
    pub fn update(&mut self, settings: &Settings, now_ps: u64) {
        let on = |bit: u32| settings.cr >> bit & 1 == 1;
        let range = settings.msi_range.min(11) as usize;
        switch(&mut self.msi, on(0), now_ps, MSI_START_PS[range]);
        switch(&mut self.hsi, on(8) || on(9), now_ps, HSI_START_PS);
        let hse_start_ps = if on(18) { 0 } else { HSE_START_PS };
        switch(&mut self.hse, on(16) && self.hse_hz > 0, now_ps, hse_start_ps);
        switch(&mut self.lse, settings.lse_on && self.lse_hz > 0, now_ps, LSE_START_PS);
        switch(&mut self.lsi, settings.lsi_on, now_ps, LSI_START_PS);
        let input = match settings.pllcfgr & 3 {
            1 => self.msi,
            2 => self.hsi,
            3 => self.hse,
            _ => None,
        };
        for (index, bit) in [24, 26, 28].iter().enumerate() {
            match (on(*bit), input) {
                (true, Some(from)) => switch(&mut self.plls[index], true, from.max(now_ps), PLL_LOCK_PS),
                _ => self.plls[index] = None,
            }
        }
    }

    /// The oscillator that runs after Stop is there at once.
    pub fn skip_start(&mut self, hsi: bool, now_ps: u64) {
        let woken = if hsi { &mut self.hsi } else { &mut self.msi };
        *woken = Some(now_ps);
    }

    /// MSI; in PLL mode it follows LSE.
    pub fn msi(&self, settings: &Settings) -> Rate {
        let range = settings.msi_range.min(11) as usize;
        if settings.cr & CR_MSIPLLEN != 0 && self.lse.is_some() {
            return Rate::of(MSI_TIMES_LSE[range] * self.lse_hz);
        }
        Rate::of(MSI_HZ[range])
    }

    pub fn hse(&self) -> Rate {
        Rate::of(self.hse_hz.max(1))
    }

    pub fn hse_ready(&self, now_ps: u64) -> bool {
        is_ready(self.hse, now_ps)
    }

    pub fn lse(&self, now_ps: u64) -> Option<Rate> {
        Some(Rate::of(self.lse_hz)).filter(|_| is_ready(self.lse, now_ps))
    }

    pub fn lsi(&self, now_ps: u64) -> Option<Rate> {
        Some(LSI).filter(|_| is_ready(self.lsi, now_ps))
    }

    pub fn hsi_kernel(&self, now_ps: u64) -> Option<Rate> {
        Some(HSI16).filter(|_| is_ready(self.hsi, now_ps))
    }

    /// VCO of a PLL: input / M * N (6.4.4); the SAI PLLs share source and M.
    fn vco(&self, settings: &Settings, configuration: u32) -> Rate {
        let input = match settings.pllcfgr & 3 {
            1 => self.msi(settings),
            2 => HSI16,
            _ => self.hse(),
        };
        let m = u64::from(settings.pllcfgr >> 4 & 7) + 1;
        Rate {
            num: input.num * u64::from(configuration >> 8 & 0x7F),
            den: input.den * m,
        }
    }

    pub fn pll_r(&self, settings: &Settings) -> Rate {
        let divider = 2 * (u64::from(settings.pllcfgr >> 25 & 3) + 1);
        self.vco(settings, settings.pllcfgr).over(divider)
    }

    pub fn pll_q(&self, settings: &Settings, now_ps: u64) -> Option<Rate> {
        let divider = 2 * (u64::from(settings.pllcfgr >> 21 & 3) + 1);
        let on = settings.pllcfgr & 1 << 20 != 0 && is_ready(self.plls[0], now_ps);
        Some(self.vco(settings, settings.pllcfgr).over(divider)).filter(|_| on)
    }

    pub fn sai1_q(&self, settings: &Settings, now_ps: u64) -> Option<Rate> {
        let configuration = settings.sai_cfgr[0];
        let divider = 2 * (u64::from(configuration >> 21 & 3) + 1);
        let on = configuration & 1 << 20 != 0 && is_ready(self.plls[1], now_ps);
        Some(self.vco(settings, configuration).over(divider)).filter(|_| on)
    }

    fn all(&self) -> [Ready; 8] {
        let [pll, sai1, sai2] = self.plls;
        [self.lsi, self.lse, self.msi, self.hsi, self.hse, pll, sai1, sai2]
    }

    /// Ready flags in the order of CIFR: LSI, LSE, MSI, HSI, HSE, PLL, PLLSAI1, PLLSAI2.
    pub fn ready_flags(&self, now_ps: u64) -> u32 {
        let flags = self.all();
        let bits = flags.iter().enumerate();
        bits.fold(0, |all, (bit, &ready)| all | u32::from(is_ready(ready, now_ps)) << bit)
    }

    /// Ready flags as CR shows them.
    pub fn cr_flags(&self, now_ps: u64) -> u32 {
        let flags = self.ready_flags(now_ps);
        [(2, 1), (3, 10), (4, 17), (5, 25), (6, 27), (7, 29)]
            .iter()
            .fold(0, |all, &(from, to)| all | (flags >> from & 1) << to)
    }

    /// Whether the source that CFGR.SW names is stable.
    pub fn source_ready(&self, source: u32, now_ps: u64) -> bool {
        is_ready(
            [self.msi, self.hsi, self.hse, self.plls[0]][source as usize & 3],
            now_ps,
        )
    }

    pub fn next_ready(&self, now_ps: u64) -> Option<u64> {
        self.all().iter().flatten().copied().filter(|&at| at > now_ps).min()
    }
}
