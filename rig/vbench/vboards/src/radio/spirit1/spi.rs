//! SPI of the SPIRIT1: a header byte, an address or a command, data; the state comes back meanwhile (data sheet, section
//! on the SPI; library, MCU_Interface.h: WRITE_HEADER 0x00, READ_HEADER 0x01, COMMAND_HEADER 0x80).

use super::regs::{self, irq, State};
use super::Spirit1;

/// Where the chip is in an SPI access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    /// CSn is high.
    Idle,
    Header,
    Address {
        read: bool,
    },
    Command,
    Read(u8),
    Write(u8),
}

impl Spirit1 {
    pub(super) fn set_csn(&mut self, level: bool) {
        self.port = if level { Port::Idle } else { Port::Header };
    }

    /// Nothing answers in SHUTDOWN and in power-on reset.
    fn deaf(&self) -> bool {
        self.state == State::Shutdown || self.port == Port::Idle
    }

    /// The byte that the chip shifts out; None when it does not drive SDO.
    pub(super) fn shift_out(&mut self) -> Option<u8> {
        if self.deaf() {
            return None;
        }
        Some(match self.port {
            Port::Header => self.state_1(),
            Port::Address { .. } | Port::Command => self.state_0(),
            Port::Read(regs::FIFO) => self.read_fifo(),
            Port::Read(register) => self.read_register(register),
            Port::Idle | Port::Write(_) => 0,
        })
    }

    /// The byte that the master has shifted in.
    pub(super) fn shift_in(&mut self, byte: u8) {
        if self.deaf() {
            if self.port != Port::Idle {
                self.note(50, || "radio: SPI access in SHUTDOWN or power-on reset, ignored".into());
            }
            return;
        }
        self.port = match self.port {
            Port::Idle => Port::Idle,
            Port::Header => match byte {
                0x80..=0xFF => Port::Command,
                _ => Port::Address { read: byte & 1 == 1 },
            },
            Port::Address { read: true } => Port::Read(byte),
            Port::Address { read: false } => Port::Write(byte),
            Port::Command => {
                self.command(byte);
                Port::Header // another access may follow (data sheet, section on commands)
            }
            Port::Read(register) => Port::Read(register.saturating_add(1)),
            Port::Write(register) => {
                self.write_register(register, byte);
                Port::Write(register.saturating_add(1))
            }
        };
    }

    /// MC_STATE1: 5 in the upper half, antenna 0, TX FIFO full, RX FIFO empty, no error of the RC oscillator's calibration.
    fn state_1(&self) -> u8 {
        let full = self.tx_fifo.len() == super::fifo::DEPTH;
        0x50 | u8::from(full) << 2 | u8::from(self.rx_fifo.len() == 0) << 1
    }

    /// MC_STATE0: the state and XO_ON.
    fn state_0(&self) -> u8 {
        let off = matches!(
            self.state,
            State::Shutdown | State::Standby | State::Sleep | State::PmSetup | State::XoSettling
        );
        (self.state as u8) << 1 | u8::from(!off)
    }

    fn read_fifo(&mut self) -> u8 {
        let byte = self.rx_fifo.pop();
        if byte.is_none() {
            self.raise(irq::RX_FIFO_ERROR);
        }
        self.watch_fifos();
        byte.unwrap_or(0)
    }

    fn read_register(&mut self, register: u8) -> u8 {
        match register {
            regs::MC_STATE1 => self.state_1(),
            regs::MC_STATE0 => self.state_0(),
            regs::TX_PCKT_INFO => self.tx_info,
            regs::LINK_QUALIF1 => u8::from(self.sense) << 7 | self.reg(register) & 0x7F,
            regs::RSSI_LEVEL => self.rssi, // of the last packet, or from when the receiver went off (unverified)
            regs::CALIBR_OUT0 => regs::VCO_WORD,
            regs::FIFO_STATUS1 => self.tx_fifo.len() as u8,
            regs::FIFO_STATUS0 => self.rx_fifo.len() as u8,
            regs::DEVICE_INFO0 => regs::VERSION,
            regs::IRQ_STATUS3..=regs::IRQ_STATUS0 => {
                let shift = 8 * u32::from(regs::IRQ_STATUS0 - register);
                let bits = (self.irq_status >> shift) as u8;
                self.irq_status &= !(0xFF << shift); // reading clears
                bits
            }
            _ => self.reg(register),
        }
    }

    fn write_register(&mut self, register: u8, value: u8) {
        match register {
            regs::FIFO => {
                if !self.tx_fifo.push(value) {
                    self.raise(irq::TX_FIFO_ERROR);
                }
                self.watch_fifos();
            }
            regs::MC_STATE1..=regs::IRQ_STATUS0 => {} // read only
            _ => {
                self.regs[usize::from(register)] = value;
                if (regs::FIFO_RX_ALMOST_FULL..=regs::FIFO_TX_ALMOST_EMPTY).contains(&register) {
                    self.watch_fifos();
                }
                if matches!(register, regs::RSSI_TH) {
                    self.carrier_sense();
                }
            }
        }
    }
}
