//! A Saleae Logic16 with its original FPGA and the old bitstream (libsigrok 0.5.2, saleae-logic16/protocol.c).

use super::{Answer, Device, Order, Request};
use crate::abi::{ERROR_PIPE, ERROR_TIMEOUT};
use crate::layout::Layout;
use crate::run::Start;

const ABORT_ASYNC: u8 = 2;
const READ_EEPROM: u8 = 7;
const ABORT_SYNC: u8 = 0x7d;
const FPGA_UPLOAD_INIT: u8 = 0x7e;
const FPGA_WRITE_REGISTER: u8 = 0x80;
const FPGA_READ_REGISTER: u8 = 0x81;
// Registers of the old bitstream and their bits.
const VERSION: u8 = 0;
const STATUS_CONTROL: u8 = 1;
const CHANNELS_LOW: usize = 2;
const CHANNELS_HIGH: usize = 3;
const DIVISOR: usize = 4;
const MODE: usize = 10;
const VERSION_OLD: u8 = 0x10;
const STATUS_RUNNING: u8 = 0x01;
const STATUS_ALWAYS: u8 = 0x08;
const STATUS_OVERFLOW: u8 = 0x20;
const MODE_160_MHZ: u8 = 0x01;
const COMMAND_ENDPOINT: u8 = 1;

pub struct Logic16 {
    registers: [u8; 256],
    reply: Vec<u8>,
    has_bitstream: bool,
    overflowed: bool,
}

impl Default for Logic16 {
    fn default() -> Logic16 {
        Logic16 {
            registers: [0; 256],
            reply: Vec::new(),
            has_bitstream: false,
            overflowed: false,
        }
    }
}

/// What `encrypt` of the driver makes is made plain, `plain` to cipher the other way: both directions of one cipher.
fn decrypt(data: &[u8]) -> Vec<u8> {
    let (mut plain_before, mut cipher_before) = (0x9bu8, 0x54u8);
    data.iter()
        .map(|&cipher| {
            let t = (cipher.wrapping_add(0x45) ^ 0x38).wrapping_add(0xb0) ^ 0x5a ^ plain_before;
            let plain = (t.wrapping_add(0x39) ^ 0x35).wrapping_add(0x05) ^ 0x2b ^ cipher_before;
            plain_before = plain;
            cipher_before = cipher;
            plain
        })
        .collect()
}

fn encrypt(data: &[u8]) -> Vec<u8> {
    let (mut plain_before, mut cipher_before) = (0x9bu8, 0x54u8);
    data.iter()
        .map(|&plain| {
            let t = ((plain ^ cipher_before ^ 0x2b).wrapping_sub(0x05) ^ 0x35).wrapping_sub(0x39);
            let cipher = ((t ^ plain_before ^ 0x5a).wrapping_sub(0xb0) ^ 0x38).wrapping_sub(0x45);
            plain_before = plain;
            cipher_before = cipher;
            cipher
        })
        .collect()
}

impl Logic16 {
    fn command(&mut self, command: &[u8]) -> Option<Order> {
        match command {
            [ABORT_SYNC, pattern, ..] => {
                self.reply = vec![!pattern];
                return Some(Order::Stop);
            }
            [ABORT_ASYNC, ..] => return Some(Order::Stop),
            // The contents are of no meaning to the driver: it hands them to the FPGA.
            [READ_EEPROM, _, _, address, length, ..] => {
                self.reply = (0..*length).map(|k| address.wrapping_add(k)).collect();
            }
            [FPGA_UPLOAD_INIT, ..] => {
                self.registers = [0; 256];
                self.has_bitstream = true;
            }
            [FPGA_READ_REGISTER, _, address, ..] => self.reply = vec![self.register(*address)],
            [FPGA_WRITE_REGISTER, _, registers @ ..] => {
                return registers
                    .chunks_exact(2)
                    .fold(None, |order, pair| self.write(pair[0], pair[1]).or(order));
            }
            _ => (), // the table of the LED, data of the bitstream, the start that its register's bit brings about
        }
        None
    }

    fn register(&self, address: u8) -> u8 {
        let overflow = if self.overflowed { STATUS_OVERFLOW } else { 0 };
        match (self.has_bitstream, address) {
            (false, _) => 0,
            (_, VERSION) => VERSION_OLD,
            (_, STATUS_CONTROL) => self.registers[usize::from(STATUS_CONTROL)] | STATUS_ALWAYS | overflow,
            _ => self.registers[usize::from(address)],
        }
    }

    fn write(&mut self, address: u8, value: u8) -> Option<Order> {
        let before = self.registers[usize::from(address)];
        self.registers[usize::from(address)] = value;
        if address != STATUS_CONTROL || value & !before & STATUS_RUNNING == 0 {
            return None;
        }
        self.overflowed = false;
        let channels = u16::from_le_bytes([self.registers[CHANNELS_LOW], self.registers[CHANNELS_HIGH]]);
        if channels == 0 {
            return None;
        }
        let fast = self.registers[MODE] & MODE_160_MHZ != 0;
        Some(Order::Start(Start {
            layout: Layout::Planes {
                bits: 16,
                highest_first: true,
                channels,
            },
            clock_hz: if fast { 160_000_000 } else { 100_000_000 },
            divider: u64::from(self.registers[DIVISOR]) + 1,
            header: None,
        }))
    }
}

impl Device for Logic16 {
    fn strings(&self) -> (&'static str, &'static str) {
        ("Saleae LLC", "Logic S/16")
    }

    fn stream_endpoint(&self) -> u8 {
        0x82
    }

    fn control(&mut self, _request: Request, _data: &mut [u8]) -> Answer {
        Err(ERROR_PIPE)
    }

    fn bulk_out(&mut self, endpoint: u8, data: &[u8]) -> Answer {
        match endpoint {
            COMMAND_ENDPOINT => Ok((data.len(), self.command(&decrypt(data)))),
            _ => Err(ERROR_PIPE),
        }
    }

    fn bulk_in(&mut self, endpoint: u8, data: &mut [u8]) -> Answer {
        if endpoint != 0x80 | COMMAND_ENDPOINT || self.reply.is_empty() {
            return Err(ERROR_TIMEOUT);
        }
        let reply = encrypt(&std::mem::take(&mut self.reply));
        super::fx2::answered(&reply, data)
    }

    fn overflow(&mut self) {
        self.overflowed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(device: &mut Logic16, command: &[u8], length: usize) -> Vec<u8> {
        device.bulk_out(1, &encrypt(command)).unwrap();
        let mut reply = vec![0; length];
        device.bulk_in(0x81, &mut reply).unwrap();
        decrypt(&reply)
    }

    #[test]
    fn the_cipher_is_its_own_inverse() {
        let plain: Vec<u8> = (0..=255).map(|k: u8| k.wrapping_mul(91)).collect();
        assert_eq!(decrypt(&encrypt(&plain)), plain);
        // the driver's `encrypt` of {0x7e}, by hand: 7e^54^2b=01, -05=fc, ^35=c9, -39=90; ^9b^5a=51, -b0=a1, ^38=99, -45=54
        assert_eq!(encrypt(&[0x7e]), [0x54]);
    }

    #[test]
    fn a_start_has_the_rate_and_the_channels_of_the_registers() {
        let mut device = Logic16::default();
        assert_eq!(asked(&mut device, &[ABORT_SYNC, 0x55], 1), [0xaa]);
        assert_eq!(asked(&mut device, &[FPGA_READ_REGISTER, 1, VERSION], 1), [0]);
        device.bulk_out(1, &encrypt(&[FPGA_UPLOAD_INIT])).unwrap();
        assert_eq!(asked(&mut device, &[FPGA_READ_REGISTER, 1, VERSION], 1), [0x10]);
        let settings = [FPGA_WRITE_REGISTER, 5, 2, 0xff, 3, 0x0f, 4, 3, 10, 0, 1, 0x41];
        match device.bulk_out(1, &encrypt(&settings)).unwrap().1 {
            Some(Order::Start(start)) => {
                assert_eq!(
                    start.layout,
                    Layout::Planes {
                        bits: 16,
                        highest_first: true,
                        channels: 0xfff
                    }
                );
                assert_eq!(start.rate_hz(), 25e6);
            }
            order => panic!("{:?}", order),
        }
        assert_eq!(asked(&mut device, &[FPGA_READ_REGISTER, 1, STATUS_CONTROL], 1), [0x49]);
    }
}
