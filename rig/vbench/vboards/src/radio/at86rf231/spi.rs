//! SPI of the AT86RF231: register, frame buffer and SRAM access (data sheet 6.2, table 6-2), and its registers.

use super::regs::{self, irq, State};
use super::{timing, At86rf231, Kind, BUFFER_BYTES};
use crate::radio::Radio;
use crate::rng::{draw, Purpose};

/// Where the chip is in an SPI access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    /// /SEL is high.
    Idle,
    Command,
    RegisterRead(u8),
    RegisterWrite(u8),
    FrameRead(usize),
    FrameWrite(usize),
    SramAddress {
        write: bool,
    },
    SramRead(usize),
    SramWrite(usize),
    /// A register access is over until /SEL goes high (6.2.1).
    Done,
}

impl At86rf231 {
    /// Pin /SEL.
    pub(super) fn set_sel(&mut self, level: bool, t_ps: u64) {
        self.advance(t_ps);
        if level && matches!(self.port, Port::FrameRead(_)) {
            self.guarded = false; // 11.8: a frame buffer read gives the buffer free
        }
        self.selected = !level;
        self.port = if level { Port::Idle } else { Port::Command };
        self.cancel(Kind::Byte);
        self.cancel(Kind::TxUnderrun);
        self.update_pins();
    }

    /// The byte that the chip shifts out from `t_ps` on; None when it does not drive MISO.
    pub(super) fn shift_out(&mut self, t_ps: u64) -> Option<u8> {
        self.advance(t_ps);
        if !self.selected {
            return None;
        }
        if matches!(self.state, State::Sleep | State::Reset) {
            return Some(0);
        }
        self.store_bytes();
        Some(match self.port {
            Port::Command => self.phy_status(),
            Port::RegisterRead(register) => self.read_register(register),
            Port::FrameRead(index) | Port::SramRead(index) => self.buffer.get(index).copied().unwrap_or(0),
            _ => 0,
        })
    }

    /// The byte that the master has shifted in, complete at `t_ps`.
    pub(super) fn shift_in(&mut self, byte: u8, t_ps: u64) {
        self.advance(t_ps);
        if matches!(self.state, State::Sleep | State::Reset) {
            if self.selected {
                self.note(10, || "radio: SPI access in SLEEP or reset, ignored".into());
            }
            return;
        }
        self.port = match self.port {
            Port::Idle => Port::Idle,
            Port::Command => match byte >> 5 {
                0b100 | 0b101 => Port::RegisterRead(byte & 0x3F),
                0b110 | 0b111 => Port::RegisterWrite(byte & 0x3F),
                0b001 => Port::FrameRead(0),
                0b011 => Port::FrameWrite(0),
                0b000 => Port::SramAddress { write: false },
                _ => Port::SramAddress { write: true },
            },
            Port::RegisterRead(_) | Port::Done => Port::Done,
            Port::RegisterWrite(register) => {
                self.write_register(register, byte);
                Port::Done
            }
            Port::FrameRead(index) => {
                if !self.has_arrived(index) {
                    self.raise(irq::TRX_UR);
                }
                Port::FrameRead(self.frame_next(index))
            }
            Port::SramRead(index) => Port::SramRead(index + 1),
            Port::FrameWrite(index) => {
                self.write_buffer(index, byte);
                Port::FrameWrite(index + 1)
            }
            Port::SramWrite(index) => {
                self.write_buffer(index, byte);
                Port::SramWrite(index + 1)
            }
            Port::SramAddress { write } => self.sram(byte, write),
        };
        match self.port {
            Port::FrameRead(_) => self.await_byte(),
            Port::FrameWrite(_) => self.await_write(),
            _ => {}
        }
    }

    /// Addresses above the frame buffer belong to the AES unit (11.1).
    fn sram(&mut self, address: u8, write: bool) -> Port {
        if address >= 0x80 {
            self.note(12, || "radio: the AES unit is not modelled, it reads 0".into());
            return Port::Done;
        }
        if write {
            Port::SramWrite(usize::from(address))
        } else {
            Port::SramRead(usize::from(address))
        }
    }

    /// A frame buffer read gives PHR, PSDU and one byte of LQI (6.2.2).
    fn frame_next(&self, index: usize) -> usize {
        let lqi = usize::from(self.buffer[0] & 0x7F) + 1;
        if index >= lqi {
            BUFFER_BYTES
        } else {
            index + 1
        }
    }

    fn write_buffer(&mut self, index: usize, byte: u8) {
        match self.buffer.get_mut(index) {
            Some(place) => *place = byte,
            None => self.raise(irq::TRX_UR), // 9.3: more than a frame holds
        }
        self.written(index, byte);
    }

    /// First byte of an access (6.3.1, table 6-3).
    fn phy_status(&mut self) -> u8 {
        match self.reg(regs::TRX_CTRL_1) >> 2 & 3 {
            1 => self.trx_status(),
            2 => self.phy_rssi(),
            3 => self.irq_status,
            _ => 0,
        }
    }

    fn trx_status(&self) -> u8 {
        u8::from(self.cca_done) << 7 | u8::from(self.cca_idle) << 6 | self.status()
    }

    fn receiving(&self) -> bool {
        matches!(
            self.state,
            State::RxOn | State::BusyRx | State::RxAackOn | State::BusyRxAack
        )
    }

    /// RX_CRC_VALID, RND_VALUE, RSSI (8.3.4, 11.2).
    fn phy_rssi(&mut self) -> u8 {
        let valid = u8::from(self.rx_crc_valid) << 7;
        if !self.receiving() {
            return valid;
        }
        let noise = draw(
            self.seed,
            Purpose::RadioNoise,
            &[u64::from(self.board)],
            self.noise_drawn,
        );
        self.noise_drawn += 1;
        let level = self.ether.level_dbm(&self.waveform(), self.now_ps, self.now_ps + 1);
        let above = level.unwrap_or(i32::MIN / 2) - regs::RSSI_BASE_DBM;
        let rssi = if above < 0 { 0 } else { (above / 3 + 1).min(28) as u8 };
        valid | ((noise & 3) as u8) << 5 | rssi
    }

    fn read_register(&mut self, register: u8) -> u8 {
        match register {
            regs::TRX_STATUS => self.trx_status(),
            regs::TRX_STATE => self.trac << 5 | self.reg(register) & 0x1F,
            regs::PHY_RSSI => self.phy_rssi(),
            regs::IRQ_STATUS => {
                let bits = self.irq_status;
                self.irq_status = 0;
                self.update_pins();
                bits
            }
            // 9.4.4: AVDD_OK and DVDD_OK.
            regs::VREG_CTRL => {
                let analog_on = !matches!(self.state, State::POn | State::TrxOff | State::Sleep | State::Reset);
                self.reg(register) & !0x44 | 0x04 | u8::from(analog_on) << 6
            }
            regs::BATMON => self.reg(register) | 0x20, // 9.5.5: 3.3 V is above every threshold
            _ => self.reg(register),
        }
    }

    fn write_register(&mut self, register: u8, value: u8) {
        match register {
            regs::TRX_STATUS | regs::PHY_RSSI | regs::IRQ_STATUS | regs::PART_NUM..=regs::MAN_ID_1 => {}
            regs::TRX_STATE => {
                self.regs[usize::from(register)] = value & 0x1F;
                self.command(value & 0x1F);
            }
            regs::PHY_ED_LEVEL => {
                if self.receiving() {
                    self.after(timing::CCA_MANUAL, Kind::ManualEdEnd);
                }
            }
            regs::PHY_CC_CCA => self.write_channel(value),
            // The calibration start bits clear themselves (9.7.4, 9.8).
            regs::PLL_CF | regs::PLL_DCU | regs::FTN_CTRL => self.regs[usize::from(register)] = value & 0x7F,
            _ => {
                self.regs[usize::from(register)] = value;
                if regs::is_kept_only(register) && !regs::RESET.contains(&(register, value)) {
                    self.note(0x100 | u32::from(register), || {
                        let what = "is not modelled, a write has no effect";
                        format!("radio: register 0x{:02x} {} (0x{:02x})", register, what, value)
                    });
                }
                if matches!(register, regs::TRX_CTRL_1 | regs::IRQ_MASK | regs::ANT_DIV) {
                    self.update_pins();
                }
            }
        }
    }

    fn write_channel(&mut self, value: u8) {
        if value & 0x1F != self.channel() {
            if let Some(since) = self.listening_since {
                self.listening_since = Some(since.max(self.later(timing::CHANNEL)));
            }
        }
        self.regs[usize::from(regs::PHY_CC_CCA)] = value & 0x7F;
        if value & 0x80 != 0 && self.receiving() {
            self.cca_done = false;
            self.cca_idle = false;
            self.cancel(Kind::ManualCcaEnd);
            self.after(timing::CCA_MANUAL, Kind::ManualCcaEnd);
        }
    }
}
