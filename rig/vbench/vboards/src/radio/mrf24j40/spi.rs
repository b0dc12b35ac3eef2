//! SPI of the MRF24J40: short and long addresses (DS39776C, 2.14), and what its registers do.
//!
//! Mode 0, most significant bit first. Short: 0, address of 6 bits, 1 to write; long: 1, address of 10 bits, 1 to write and
//! four bits that do not count. A long access continues with the next address as long as /CS is low: undocumented, RIOT and
//! Linux rely on it.

use super::regs::{self, bbreg6, intstat, rxflush, softrst, txncon, State};
use super::{timing, Kind, Mrf24j40};
use crate::radio::Radio;

/// Where the chip is in an SPI access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    /// /CS is high, or a short access is over.
    Idle,
    Command,
    ShortRead(u8),
    ShortWrite(u8),
    /// First byte of a long address.
    LongAddress(u8),
    LongRead(usize),
    LongWrite(usize),
}

impl Mrf24j40 {
    /// Pin /CS.
    pub(super) fn set_select(&mut self, level: bool, t_ps: u64) {
        self.advance(t_ps);
        self.selected = !level;
        self.port = if level { Port::Idle } else { Port::Command };
    }

    /// The byte that the chip shifts out from `t_ps` on. silicon: 0 during the address.
    pub(super) fn shift_out(&mut self, t_ps: u64) -> Option<u8> {
        self.advance(t_ps);
        if !self.selected {
            return None;
        }
        Some(match self.port {
            Port::ShortRead(value) => value,
            Port::LongRead(address) => self.read_long(address),
            _ => 0,
        })
    }

    /// The byte that the master has shifted in, complete at `t_ps`.
    pub(super) fn shift_in(&mut self, byte: u8, t_ps: u64) {
        self.advance(t_ps);
        if self.held {
            return self.note(1, || "radio: SPI access while RESET is low, ignored".into());
        }
        self.port = match self.port {
            Port::Command if byte & 0x80 != 0 => Port::LongAddress(byte),
            Port::Command if byte & 1 != 0 => Port::ShortWrite(byte >> 1),
            Port::Command => Port::ShortRead(self.read_short(byte >> 1)),
            Port::ShortWrite(register) => {
                self.write_short(register, byte);
                Port::Idle
            }
            Port::LongAddress(high) => {
                let address = usize::from(high & 0x7F) << 3 | usize::from(byte >> 5);
                if byte & 0x10 != 0 {
                    Port::LongWrite(address)
                } else {
                    Port::LongRead(address)
                }
            }
            Port::LongRead(address) => Port::LongRead((address + 1) % regs::LONG_BYTES),
            Port::LongWrite(address) => {
                self.write_long(address, byte);
                Port::LongWrite((address + 1) % regs::LONG_BYTES)
            }
            Port::Idle | Port::ShortRead(_) => Port::Idle,
        };
    }

    /// INTSTAT is cleared by being read. silicon: INT goes back with the last edge of the address byte.
    fn read_short(&mut self, register: u8) -> u8 {
        let value = self.reg(register);
        if register == regs::INTSTAT {
            self.short[usize::from(register)] = 0;
            self.update_pins();
        }
        value
    }

    fn read_long(&self, address: usize) -> u8 {
        match address {
            regs::RFSTATE => (self.state as u8) << 5,
            _ => self.long[address],
        }
    }

    fn write_short(&mut self, register: u8, value: u8) {
        let before = self.reg(register);
        match register {
            regs::TXSTAT | regs::INTSTAT => return,
            regs::SOFTRST => return self.soft_reset(value),
            regs::TXNCON => {
                self.keep(register, value & !(txncon::TXNTRIG | txncon::FPSTAT));
                if value & txncon::TXNTRIG != 0 {
                    self.trigger();
                }
                return;
            }
            // The FIFO's pointer goes to its start, its bytes stay (2.3, register 2-14): nothing that a reader sees.
            regs::RXFLUSH => return self.keep(register, value & !rxflush::RXFLUSH),
            regs::SLPACK => {
                self.keep(register, value & !regs::SLPACK_SLEEP);
                if value & regs::SLPACK_SLEEP != 0 {
                    self.sleep();
                }
                return;
            }
            regs::BBREG6 => {
                let ready = if value & bbreg6::RSSIMODE1 != 0 {
                    0
                } else {
                    before & bbreg6::RSSIRDY
                };
                self.keep(register, value & bbreg6::RSSIMODE2 | ready);
                if value & bbreg6::RSSIMODE1 != 0 {
                    self.measure_rssi();
                }
                return;
            }
            _ => self.keep(register, value),
        }
        match register {
            regs::INTCON => self.update_pins(),
            regs::RFCTL => self.rf_control(before, value),
            regs::WAKECON => self.wake_control(before, value),
            regs::BBREG0 | regs::BBREG1 => self.listen_again(),
            _ => self.remark_short(register, value),
        }
    }

    fn write_long(&mut self, address: usize, value: u8) {
        match address {
            regs::RFSTATE | regs::SLPCAL0 | 0x20A => return,
            regs::SLPCAL2 => {
                if value & regs::SLPCAL2_ENABLE != 0 {
                    self.long[address] = 0;
                    self.after(timing::SLEEP_CALIBRATION, Kind::SleepCalibrated);
                }
                return;
            }
            _ => self.long[address] = value,
        }
        match address {
            regs::SLPCON0 => self.update_pins(),
            regs::RFCON2 => self.listen_again(),
            regs::MAINCNT3 if value & 0x80 != 0 => {
                self.note(2, || "radio: timed sleep (STARTCNT) is not modelled".into());
            }
            _ => {}
        }
    }

    /// What is written and has no effect here.
    fn remark_short(&mut self, register: u8, value: u8) {
        let what = match register {
            regs::TXBCON0 | regs::TXG1CON | regs::TXG2CON if value & 1 != 0 => "beacon and GTS FIFOs are",
            regs::SECCR2 if value & 0xC0 != 0 => "upper layer security is",
            regs::ORDER if value != 0xFF => "beacon-enabled mode is",
            0x28 | 0x29 => "the half symbol timer is",
            _ => return,
        };
        self.note(0x100 | u32::from(register), || format!("radio: {} not modelled", what));
    }

    pub(super) fn keep(&mut self, register: u8, value: u8) {
        self.short[usize::from(register)] = value;
    }

    fn soft_reset(&mut self, value: u8) {
        if value & softrst::RSTMAC != 0 {
            self.load_reset_values();
            self.listen_again();
            self.update_pins();
        }
        // Baseband and power management: control registers retain their values (3.1), and no wait is needed.
        if value & softrst::RSTPWR != 0 && self.state == State::Sleep {
            self.note(3, || "radio: RSTPWR during sleep, ignored".into());
        }
    }

    /// Shows an interrupt; INTCON masks the pin alone. silicon: WAKEIF was read with its mask set.
    pub(super) fn interrupt(&mut self, bits: u8) {
        self.short[usize::from(regs::INTSTAT)] |= bits;
        self.update_pins();
    }

    pub(super) fn sleep_calibrated(&mut self) {
        let [low, high, top, _] = timing::SLEEP_CALIBRATION_TICKS.to_le_bytes();
        self.long[regs::SLPCAL0] = low;
        self.long[regs::SLPCAL0 + 1] = high;
        self.long[regs::SLPCAL2] = regs::SLPCAL2_READY | top;
    }

    /// INT: active while something unmasked is shown (2.9, 3.3): high with INTEDGE, else low.
    pub(super) fn update_pins(&mut self) {
        let active = self.reg(regs::INTSTAT) & !self.reg(regs::INTCON) != 0;
        self.drive_interrupt(active == (self.long[regs::SLPCON0] & regs::SLPCON0_INTEDGE != 0));
    }

    pub(super) fn woke(&mut self) {
        self.interrupt(intstat::WAKEIF);
    }
}
