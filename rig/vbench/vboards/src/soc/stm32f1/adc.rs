//! ADC1 to ADC3 (RM0008 chapter 11): calibration and conversions of the regular group take their time; every value is
//! half of full scale.
//!
//! Not modelled: the injected group, the analog watchdog, dual mode, triggers other than SWSTART, values.

const SR_EOC: u32 = 1 << 1;
const SR_STRT: u32 = 1 << 4;
const CR1_EOCIE: u32 = 1 << 5;
const CR1_SCAN: u32 = 1 << 8;
const CR2_ADON: u32 = 1 << 0;
const CR2_CONT: u32 = 1 << 1;
const CR2_CAL: u32 = 1 << 2;
const CR2_RSTCAL: u32 = 1 << 3;
const CR2_DMA: u32 = 1 << 8;
const CR2_ALIGN: u32 = 1 << 11;
const CR2_SWSTART: u32 = 1 << 22;

/// tCAL, 83 cycles of ADCCLK (DS5792 table 59).
const CALIBRATION_CYCLES: u64 = 83;
/// Resetting the calibration registers: not in the data sheet; taken as one cycle of ADCCLK (unverified).
const RESET_CALIBRATION_CYCLES: u64 = 1;
/// Half cycles of a conversion beside the sampling: 12.5 (11.6).
const CONVERSION_HALVES: u64 = 25;
/// Half cycles of sampling by SMPx: 1.5 7.5 13.5 28.5 41.5 55.5 71.5 239.5 (11.12.4).
const SAMPLING_HALVES: [u64; 8] = [3, 15, 27, 57, 83, 111, 143, 479];
/// What every channel reads.
const VALUE: u32 = 0x800;

/// One ADC. Times are cycles of HCLK.
#[derive(Clone, Debug, Default)]
pub struct Adc {
    /// Cycles of HCLK per cycle of ADCCLK.
    clock_div: u64,
    sr: u32,
    cr1: u32,
    cr2: u32,
    regs: [u32; 12],
    calibrated_at: Option<u64>,
    converted_at: Option<u64>,
    /// Conversions left in the group.
    left: u32,
}

impl Adc {
    pub fn new(clock_div: u64) -> Adc {
        Adc {
            clock_div,
            ..Adc::default()
        }
    }

    pub fn set_clock_div(&mut self, clock_div: u64) {
        self.clock_div = clock_div;
    }

    pub fn reset(&mut self) {
        *self = Adc::new(self.clock_div);
    }

    pub fn postpone(&mut self, cycles: u64) {
        for at in [&mut self.calibrated_at, &mut self.converted_at].into_iter().flatten() {
            *at += cycles;
        }
    }

    pub fn next_event(&self) -> Option<u64> {
        [self.calibrated_at, self.converted_at].iter().flatten().copied().min()
    }

    /// Handles what is due by `cycle`.
    pub fn fire(&mut self, cycle: u64) {
        if self.calibrated_at.map_or(false, |at| at <= cycle) {
            self.calibrated_at = None;
            self.cr2 &= !(CR2_CAL | CR2_RSTCAL);
        }
        if let Some(at) = self.converted_at.filter(|&at| at <= cycle) {
            self.converted_at = None;
            self.sr |= SR_EOC;
            self.left = self.left.saturating_sub(1);
            if self.left == 0 && self.cr2 & CR2_CONT != 0 {
                self.left = self.length();
            }
            if self.left > 0 {
                self.converted_at = Some(at + self.conversion_cycles());
            }
        }
    }

    /// SMPR1 (0x0C) to JSQR (0x38), which only hold what was written.
    fn setting(&self, offset: u32) -> u32 {
        self.regs[offset as usize / 4 - 3]
    }

    /// Conversions of the regular group: one, or L + 1 with SCAN.
    fn length(&self) -> u32 {
        if self.cr1 & CR1_SCAN != 0 {
            (self.setting(0x2C) >> 20 & 15) + 1
        } else {
            1
        }
    }

    fn conversion_cycles(&self) -> u64 {
        // SQR3 names the first channel; the others are charged with its sampling time.
        let channel = self.setting(0x34) & 31;
        let sampling = if channel < 10 {
            self.setting(0x10) >> (3 * channel) & 7
        } else {
            self.setting(0x0C) >> (3 * (channel - 10).min(7)) & 7
        };
        (SAMPLING_HALVES[sampling as usize] + CONVERSION_HALVES) * self.clock_div / 2
    }

    fn start(&mut self, cycle: u64) {
        self.sr |= SR_STRT;
        self.left = self.length();
        self.converted_at = Some(cycle + self.conversion_cycles());
    }

    pub fn irq(&self) -> bool {
        self.cr1 & CR1_EOCIE != 0 && self.sr & SR_EOC != 0
    }

    pub fn dma_request(&self) -> bool {
        self.cr2 & CR2_DMA != 0 && self.sr & SR_EOC != 0
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.sr,
            0x04 => self.cr1,
            0x08 => self.cr2,
            0x0C..=0x38 => self.setting(offset),
            0x3C..=0x48 => 0,
            0x4C => {
                self.sr &= !SR_EOC;
                if self.cr2 & CR2_ALIGN != 0 {
                    VALUE << 4
                } else {
                    VALUE
                }
            }
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        match offset {
            0x00 => self.sr &= value,
            0x04 => self.cr1 = value & 0xC0_FFFF,
            0x08 => self.write_cr2(value, cycle),
            0x0C..=0x38 => self.regs[offset as usize / 4 - 3] = value,
            0x3C..=0x4C => {}
            _ => return None,
        }
        Some(())
    }

    /// Writing ADON = 1 again, with no other bit changed, starts a conversion (11.12.3).
    fn write_cr2(&mut self, value: u32, cycle: u64) {
        let value = value & 0xFE_F90F;
        let was_on = self.cr2 & CR2_ADON != 0;
        let again = was_on && (value ^ self.cr2) & !CR2_SWSTART == 0 && value & CR2_SWSTART == 0;
        self.cr2 = value & !CR2_SWSTART | self.cr2 & (CR2_CAL | CR2_RSTCAL);
        if value & CR2_ADON == 0 {
            self.converted_at = None;
            return;
        }
        if value & (CR2_CAL | CR2_RSTCAL) != 0 && self.calibrated_at.is_none() {
            let takes = if value & CR2_CAL != 0 {
                CALIBRATION_CYCLES
            } else {
                RESET_CALIBRATION_CYCLES
            };
            self.calibrated_at = Some(cycle + takes * self.clock_div);
        }
        if again || value & CR2_SWSTART != 0 {
            self.start(cycle);
        }
    }
}
