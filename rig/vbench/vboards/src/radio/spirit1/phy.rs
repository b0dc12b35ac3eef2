//! Carrier, data rate, filter and power from the registers, in integers.
//!
//! Formulas: library, SPIRIT_Radio.c (SpiritRadioGetInfo, SpiritRadioGetCenterFrequency) and SPIRIT_Regs.h.

use super::regs;
use super::timing::PS_PER_S;
use super::Spirit1;
use crate::air::{Modulation, Waveform};

/// Channel filter at 26 MHz in hundreds of Hz for exponents 0, 1 and 2; every further one halves (library, CHFLT).
const FILTER_100HZ: [[u32; 9]; 3] = [
    [8001, 7951, 7684, 7368, 7051, 6709, 6423, 5867, 5414],
    [4509, 4259, 4032, 3808, 3621, 3417, 3254, 2945, 2703],
    [2247, 2124, 2011, 1900, 1807, 1706, 1624, 1471, 1350],
];
/// Sensitivity up to a data rate: -118 dBm (data sheet, page 1) holds for the slowest; the others are unverified.
const SENSITIVITY: [(u32, i32); 5] = [
    (1_200, -118),
    (10_000, -112),
    (50_000, -107),
    (150_000, -102),
    (500_000, -97),
];
/// Crystals above this are divided by 2 (library, DOUBLE_XTAL_THR).
const DOUBLE_XTAL_HZ: u64 = 30_000_000;

impl Spirit1 {
    /// The digital clock: the crystal's, halved while XO_RCO_TEST.PD_CLKDIV is 0.
    pub(super) fn digital_hz(&self) -> u64 {
        self.xtal_hz >> u32::from(self.reg(regs::XO_RCO_TEST) & 0x08 == 0)
    }

    /// Centre of the channel in Hz: fXO * SYNT / 2^18 / (B / 2) / D, plus the offset, plus CHNUM spacings of fXO / 2^15.
    pub(super) fn centre_hz(&self) -> u64 {
        let byte = |register| u64::from(self.reg(register));
        let word = (byte(regs::SYNT3) & 0x1F) << 21
            | byte(regs::SYNT3 + 1) << 13
            | byte(regs::SYNT3 + 2) << 5
            | byte(regs::SYNT3 + 3) >> 3;
        let band = match self.reg(regs::SYNT3 + 3) & 7 {
            1 => 6,
            2 => 8,
            3 => 12,
            4 => 16,
            _ => 32,
        };
        let divider = 1 + (byte(regs::SYNTH_CONFIG1) >> 7);
        let base = (self.xtal_hz * word) / ((band / 2 * divider) << 18);
        let offset =
            (u16::from(self.reg(regs::FC_OFFSET1)) << 12 | u16::from(self.reg(regs::FC_OFFSET1 + 1)) << 4) as i16;
        let offset_hz = (i64::from(offset >> 4) * self.xtal_hz as i64) >> 18;
        let spacing = (byte(regs::CHSPACE) * byte(regs::CHNUM) * self.xtal_hz) >> 15;
        (base as i64 + offset_hz) as u64 + spacing
    }

    /// Numerator and denominator of the duration of a bit in ps: 2^28 / (fclk * (256 + M) * 2^E) seconds.
    fn bit_ratio(&self) -> (u128, u128) {
        let (mantissa, exponent) = (self.reg(regs::MOD1), self.reg(regs::MOD0) & 0x0F);
        let rate = u128::from(self.digital_hz() * (256 + u64::from(mantissa))) << exponent;
        (u128::from(PS_PER_S) << 28, rate)
    }

    /// Duration of eight bits.
    pub(super) fn byte_ps(&self) -> u64 {
        let (num, den) = self.bit_ratio();
        (8 * num / den) as u64
    }

    /// Duration of some bits.
    pub(super) fn bits_ps(&self, bits: u64) -> u64 {
        bits * self.byte_ps() / 8
    }

    fn bit_rate_bps(&self) -> u32 {
        let (num, den) = self.bit_ratio();
        (u128::from(PS_PER_S) * den / num) as u32
    }

    /// fXO * floor((8 + M) * 2^(E - 1)) / 2^18.
    fn deviation_hz(&self) -> u32 {
        let fdev = self.reg(regs::FDEV0);
        let steps = (u64::from(fdev & 7) + 8) << (fdev >> 4) >> 1;
        ((self.xtal_hz * steps) >> 18) as u32
    }

    /// Width of the channel filter in kHz.
    fn filter_khz(&self) -> u32 {
        let (mantissa, exponent) = (self.reg(regs::CHFLT) >> 4, self.reg(regs::CHFLT) & 0x0F);
        let column = FILTER_100HZ[usize::from(exponent.min(2))];
        let at_26_mhz = column[usize::from(mantissa.min(8))] >> exponent.saturating_sub(2);
        (u64::from(at_26_mhz) * self.digital_hz() / 260_000_000) as u32
    }

    /// Bytes of preamble and of sync word: 1 to 32 and 1 to 4 (library, PCKTCTRL2).
    pub(super) fn header_bytes(&self) -> (u64, u64) {
        let control = u64::from(self.reg(regs::PCKTCTRL2));
        ((control >> 3) + 1, (control >> 1 & 3) + 1)
    }

    /// What the chip sends: SYNC1 goes first (library, "format: 0x|SYNC1|SYNC2|SYNC3|SYNC4|").
    pub(super) fn waveform(&self) -> Waveform {
        let (preamble, sync) = self.header_bytes();
        let sync_word = (0..sync as u8).fold(0, |word, n| word << 8 | u32::from(self.reg(regs::SYNC4 + 3 - n)));
        let (bit_rate_bps, deviation_hz) = (self.bit_rate_bps(), self.deviation_hz());
        Waveform {
            modulation: Modulation::Fsk {
                bit_rate_bps,
                deviation_hz,
                sync_word,
                sync_bytes: sync as u8,
            },
            centre_khz: (self.centre_hz() / 1000) as u32,
            width_khz: (2 * deviation_hz + bit_rate_bps) / 1000, // Carson's rule
            shr_ps: self.bits_ps(8 * (preamble + sync)),
            phr_ps: 0,
            byte_ps: self.byte_ps(),
        }
    }

    /// The band that the receiver sees.
    pub(super) fn band(&self) -> Waveform {
        Waveform {
            width_khz: self.filter_khz(),
            ..self.waveform()
        }
    }

    /// Whether the receiver can follow a carrier: the same sync word, a rate within 1 %, a deviation within a factor of 2, a
    /// centre within a quarter of the channel filter. The tolerances are assumptions of this model, unverified.
    pub(super) fn matches(&self, other: &Waveform) -> bool {
        let own = self.waveform();
        match (own.modulation, other.modulation) {
            (
                Modulation::Fsk {
                    bit_rate_bps,
                    deviation_hz,
                    sync_word,
                    sync_bytes,
                },
                Modulation::Fsk {
                    bit_rate_bps: rate,
                    deviation_hz: deviation,
                    sync_word: word,
                    sync_bytes: bytes,
                },
            ) => {
                (word, bytes) == (sync_word, sync_bytes)
                    && rate.abs_diff(bit_rate_bps) <= bit_rate_bps / 100
                    && deviation <= 2 * deviation_hz
                    && deviation_hz <= 2 * deviation
                    && own.centre_khz.abs_diff(other.centre_khz) <= self.filter_khz() / 4
            }
            _ => false,
        }
    }

    pub(super) fn sensitivity_dbm(&self) -> i32 {
        let rate = self.bit_rate_bps();
        SENSITIVITY.iter().find(|row| rate <= row.0).map_or(-97, |row| row.1)
    }

    /// Output power of the level that PA_POWER0 selects: the library's curve for 868 MHz, level = 23.45 - 2.04 dBm, above level
    /// 40 27.66 - 1.95 dBm. Level 0 leaves the output open (unverified).
    pub(super) fn power_dbm(&self) -> i32 {
        let slot = self.reg(regs::PA_POWER0) & 7;
        let level = i32::from(self.reg(regs::PA_POWER8 + 7 - slot) & 0x7F);
        match level {
            0 => -100,
            1..=40 => (2345 - 100 * level) / 204,
            _ => (2766 - 100 * level) / 195,
        }
    }

    /// Modulations and crystals that the model does not have.
    pub(super) fn check_settings(&mut self) {
        if self.reg(regs::MOD0) & 0x20 != 0 {
            self.note(1, || "radio: ASK and OOK are not modelled, sent as FSK".into());
        }
        if self.reg(regs::MOD0) & 0x80 != 0 {
            self.note(2, || {
                "radio: CW (unmodulated carrier) is not modelled, sent as a packet".into()
            });
        }
        if self.reg(regs::PCKTCTRL1) & 0x0C != 0 || self.reg(regs::PCKTCTRL3) & 0x30 != 0 {
            self.note(4, || "radio: direct modes and PN9 are not modelled, packets go".into());
        }
        if self.reg(regs::PCKTCTRL3) >> 6 == 2 {
            self.note(5, || {
                "radio: Wireless M-Bus packets are not modelled, Basic ones go".into()
            });
        }
        if self.xtal_hz > DOUBLE_XTAL_HZ && self.digital_hz() > DOUBLE_XTAL_HZ {
            self.note(6, || {
                "radio: the clock divider is off with a crystal above 30 MHz".into()
            });
        }
    }
}
