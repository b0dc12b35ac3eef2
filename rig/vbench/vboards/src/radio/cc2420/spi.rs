//! SPI of the CC2420 (section 13): strobes, registers, FIFOs and RAM, the status byte.

use super::regs::{self, battmon, fsctrl, main_bit, ram, status};
use super::{timing, Cc2420, State};

/// Where the chip is in an SPI access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Port {
    /// CSn is high.
    Idle,
    /// An address byte is due.
    Address,
    /// Half of a register is due; `high` is the upper one, once it is in.
    Register {
        address: u8,
        read: bool,
        high: Option<u8>,
    },
    TxFifo,
    RxFifo {
        read: bool,
    },
    /// The second address byte of a RAM access is due; the first gave these bits.
    RamAddress(u8),
    Ram {
        address: usize,
        write: bool,
    },
}

const READ: u8 = 0x40;
const RAM: u8 = 0x80;
const RAM_READ: u8 = 0x20;

impl Cc2420 {
    /// The byte that the chip shifts out; None when it does not drive SO.
    pub(super) fn shift_out(&mut self) -> Option<u8> {
        Some(match self.port {
            Port::Idle => return None,
            _ if !self.answers() => 0,
            Port::Register {
                address,
                read: true,
                high,
            } => {
                let value = self.read_register(address);
                high.map_or((value >> 8) as u8, |_| value as u8)
            }
            Port::RxFifo { read: true } => self.pop_rxfifo(),
            Port::Ram { address, .. } => self.read_ram(address),
            _ => self.status(),
        })
    }

    /// The byte that the master has shifted in.
    pub(super) fn shift_in(&mut self, byte: u8) {
        if self.port == Port::Idle {
            return;
        }
        if !self.answers() {
            self.note(1, || "radio: SPI access without supply or in reset, ignored".into());
            return;
        }
        self.port = match self.port {
            Port::Idle => Port::Idle,
            Port::Address => self.address(byte),
            Port::Register { address, read, high } => self.register(address, read, high, byte),
            Port::TxFifo => {
                self.push_txfifo(byte);
                Port::TxFifo
            }
            Port::RxFifo { read } => {
                if !read {
                    self.write_rxfifo(byte);
                }
                Port::RxFifo { read }
            }
            Port::RamAddress(low) => Port::Ram {
                address: usize::from(byte >> 6) << 7 | usize::from(low),
                write: byte & RAM_READ == 0,
            },
            Port::Ram { address, write } => {
                if write {
                    self.write_ram(address, byte);
                }
                Port::Ram {
                    address: (address + 1) % 0x200,
                    write,
                }
            }
        };
    }

    /// With supply and out of reset; the MAIN register is reached even while its own reset bit holds the chip.
    fn answers(&self) -> bool {
        self.vreg_up && self.resetn
    }

    fn held(&self) -> bool {
        self.reg(regs::MAIN) & main_bit::RESETN == 0
    }

    /// Acts on an address byte (13.3). Strobes and complete registers may follow each other with CSn low.
    fn address(&mut self, byte: u8) -> Port {
        let (address, read) = (byte & 0x3F, byte & READ != 0);
        if byte & RAM != 0 {
            return Port::RamAddress(byte & 0x7F);
        }
        match address {
            0x00..=0x0F => {
                if !self.held() {
                    self.strobe(address);
                }
                Port::Address
            }
            regs::TXFIFO if !read => Port::TxFifo,
            regs::RXFIFO => Port::RxFifo { read },
            _ => Port::Register {
                address,
                read,
                high: None,
            },
        }
    }

    fn register(&mut self, address: u8, read: bool, high: Option<u8>, byte: u8) -> Port {
        match high {
            None => Port::Register {
                address,
                read,
                high: Some(byte),
            },
            Some(high) => {
                if !read {
                    self.write_register(address, u16::from_be_bytes([high, byte]));
                }
                Port::Address
            }
        }
    }

    /// Table 5.
    pub(super) fn status(&self) -> u8 {
        let transmitting = matches!(
            self.state,
            State::TxCalibrate
                | State::TxPreamble
                | State::TxFrame
                | State::TxAckCalibrate
                | State::TxAckPreamble
                | State::TxAck
        );
        let mut byte = 0;
        for &(active, bit) in [
            (self.xosc_stable, status::XOSC16M_STABLE),
            (self.tx_underflow, status::TX_UNDERFLOW),
            (transmitting && self.tx.is_some(), status::TX_ACTIVE),
            (self.locked, status::LOCK),
            (self.rssi_valid(), status::RSSI_VALID),
        ]
        .iter()
        {
            byte |= if active { bit } else { 0 };
        }
        byte
    }

    fn read_register(&self, address: u8) -> u16 {
        let value = self.reg(address);
        let flag = |active: bool, bit: u16| if active { bit } else { 0 };
        match address {
            regs::RSSI => value & 0xFF00 | u16::from(self.rssi_val() as u8),
            regs::FSMSTATE => self.state as u16,
            regs::FSCTRL => {
                let calibrating = matches!(
                    self.state,
                    State::RxCalibrate | State::TxCalibrate | State::TxAckCalibrate
                ) && !self.locked;
                value
                    | flag(self.locked, fsctrl::CAL_DONE | fsctrl::LOCK_STATUS)
                    | flag(calibrating, fsctrl::CAL_RUNNING)
            }
            regs::BATTMON => {
                // Section 31: the monitor toggles at 1.25 V * (72 - BATTMON_VOLTAGE) / 27.
                let toggle_mv = 1250 * (72 - u32::from(value & battmon::VOLTAGE)) / 27;
                value | flag(value & battmon::EN != 0 && timing::SUPPLY_MV > toggle_mv, battmon::OK)
            }
            _ => value,
        }
    }

    fn write_register(&mut self, address: u8, value: u16) {
        let value = match address {
            _ if self.held() && address != regs::MAIN => return,
            _ if regs::READ_ONLY.contains(&address) => return,
            regs::RSSI => value & 0xFF00,
            regs::FSCTRL => value & !(fsctrl::CAL_DONE | fsctrl::CAL_RUNNING | fsctrl::LOCK_STATUS),
            regs::BATTMON => value & !battmon::OK,
            _ => value,
        };
        if address == regs::MAIN && value & main_bit::RESETN == 0 {
            self.reset();
        }
        self.regs[usize::from(address)] = value;
        if address == regs::MDMCTRL1 && value & 0xF != 0 {
            self.note(2, || {
                "radio: the test modes of TX_MODE and RX_MODE are not modelled, ignored".into()
            });
        }
        self.show_all();
    }

    fn clocked(&mut self) -> bool {
        if !self.xosc_stable {
            self.note(3, || {
                "radio: FIFO or RAM access without the crystal oscillator, ignored".into()
            });
        }
        self.xosc_stable
    }

    fn read_ram(&mut self, address: usize) -> u8 {
        if !self.clocked() || address >= ram::END {
            return 0;
        }
        self.ram[address]
    }

    /// A write past the FIFO's counter, as for a time stamp put into a frame in transmission (13.5).
    fn write_ram(&mut self, address: usize, byte: u8) {
        if !self.clocked() || address >= ram::END {
            return;
        }
        self.ram[address] = byte;
        if address < ram::RXFIFO {
            self.txfifo_changed();
        }
    }

    fn push_txfifo(&mut self, byte: u8) {
        if self.clocked() {
            self.write_txfifo(byte);
        }
    }

    fn pop_rxfifo(&mut self) -> u8 {
        if !self.clocked() {
            return 0;
        }
        let byte = match self.rxfifo.pop() {
            Some(place) => self.ram[ram::RXFIFO + place],
            None => {
                self.note(4, || "radio: read from an empty RXFIFO".into());
                0
            }
        };
        self.show_fifo();
        byte
    }

    /// Writing to the RXFIFO is for tests of the security operations (13.4).
    fn write_rxfifo(&mut self, byte: u8) {
        if self.clocked() {
            if let Some(place) = self.rxfifo.push() {
                self.ram[ram::RXFIFO + place] = byte;
                self.rxfifo.accept();
                self.show_fifo();
            }
        }
    }
}
