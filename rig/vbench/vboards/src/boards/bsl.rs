//! The bootstrap loader of the MSP430F161x, at the level of its protocol: no instruction of the boot ROM runs.
//!
//! Sources: SLAU319 (MSP430 Programming With the Bootloader), "ROM BSL", and SLAA089D (Features of the MSP430 Bootstrap
//! Loader): synchronisation, frames, commands, protection by the 32 bytes of the vectors. Times of the answers are
//! estimates: the loader's own time between bytes is unverified.

use crate::core::msp430::{Cpu, Kind};

const SYNC: u8 = 0x80;
const ACK: u8 = 0x90;
const NAK: u8 = 0xA0;
const HEADER: u8 = 0x80;
/// Header, command, two lengths, and the checksum.
const FRAME_AROUND: usize = 6;

/// Commands (SLAU319, table of core commands).
const PASSWORD: u8 = 0x10;
const WRITE: u8 = 0x12;
const READ: u8 = 0x14;
const ERASE: u8 = 0x16;
const MASS_ERASE: u8 = 0x18;
const LOAD_PC: u8 = 0x1A;
const ERASE_CHECK: u8 = 0x1C;
const VERSION: u8 = 0x1E;
const CHANGE_RATE: u8 = 0x20;
/// LH of the erase commands: main memory instead of a segment.
const MAIN_MEMORY: u16 = 0xA504;

/// 0x0FF0 to 0x0FFF of the boot ROM: chip identity F16C (SLAS368), version 1.61 at 0x0FFA (unverified for the F1611).
const IDENTITY: (u16, [u8; 2]) = (0x0FF0, [0xF1, 0x6C]);
const LOADER_VERSION: (u16, [u8; 2]) = (0x0FFA, [0x01, 0x61]);
const VECTORS: u16 = 0xFFE0;
const WDTCTL: u16 = 0x0120;

/// 9600 baud, 8E1: 11 bits a byte; the change-rate command doubles it (SLAU319).
const RATE_HZ: u64 = 9600;
const BITS: u64 = 11;
const PS_PER_S: u64 = 1_000_000_000_000;
/// Flash at the loader's timing of about 330 kHz: 35 cycles a word, 4819 a segment, 12 times 5297 for all of it (SLAS368;
/// SLAA089D on the cumulative time of a mass erasure).
const WORD_PS: u64 = 106_000_000;
const SEGMENT_PS: u64 = 14_600_000_000;
const MASS_PS: u64 = 192_600_000_000;

/// What becomes of the processor after a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    Stay,
    /// The loader jumps to an address.
    Jump(u16),
    /// A reset: the user's program starts.
    Reset,
}

/// The loader's state.
#[derive(Clone, Debug, Default)]
pub struct Bsl {
    frame: Vec<u8>,
    synced: bool,
    unlocked: bool,
    /// 9600 shifted left by this.
    rate_shift: u32,
    /// When its line is free again.
    pub busy_ps: u64,
}

impl Bsl {
    fn byte_ps(&self) -> u64 {
        BITS * PS_PER_S / (RATE_HZ << self.rate_shift)
    }

    /// Writes what the boot ROM shows of itself.
    pub fn identify(cpu: &mut Cpu) {
        for (address, bytes) in [IDENTITY, LOADER_VERSION] {
            cpu.mem.set_byte(address, bytes[0]);
            cpu.mem.set_byte(address + 1, bytes[1]);
        }
    }

    /// Bytes from the host, the first one from `ps` on; answers with the end of their stop bits go to `sent`.
    pub fn receive(&mut self, bytes: &[u8], ps: u64, cpu: &mut Cpu, sent: &mut impl Extend<(u64, u8)>) -> Next {
        self.busy_ps = self.busy_ps.max(ps);
        let mut next = Next::Stay;
        for &byte in bytes {
            self.busy_ps += self.byte_ps();
            let (answer, step) = self.byte(byte, cpu);
            if step != Next::Stay {
                next = step;
            }
            for byte in answer {
                self.busy_ps += self.byte_ps();
                sent.extend([(self.busy_ps, byte)]);
            }
        }
        next
    }

    fn byte(&mut self, byte: u8, cpu: &mut Cpu) -> (Vec<u8>, Next) {
        if !self.synced {
            self.synced = byte == SYNC;
            self.frame.clear();
            return (if self.synced { vec![ACK] } else { vec![] }, Next::Stay);
        }
        self.frame.push(byte);
        let length = self.frame.get(2).map_or(0, |&length| usize::from(length));
        if self.frame[0] != HEADER || self.frame.len() < 4 || self.frame.len() < FRAME_AROUND + length {
            self.synced = self.frame[0] == HEADER;
            return (if self.synced { vec![] } else { vec![NAK] }, Next::Stay);
        }
        self.synced = false;
        let frame = std::mem::take(&mut self.frame);
        let whole = checksum(&frame[..length + 4]) == [frame[length + 4], frame[length + 5]];
        if !whole || frame[2] != frame[3] || length < 4 {
            return (vec![NAK], Next::Stay);
        }
        let word = |at: usize| u16::from_le_bytes([frame[at], frame[at + 1]]);
        let next = match frame[1] {
            LOAD_PC if self.unlocked => Next::Jump(word(4)),
            WRITE if self.unlocked && word(4) == WDTCTL => Next::Reset,
            _ => Next::Stay,
        };
        (
            self.command(frame[1], word(4), word(6), &frame[8..length + 4], cpu),
            next,
        )
    }

    /// Carries a command out; its answer.
    fn command(&mut self, command: u8, address: u16, length: u16, data: &[u8], cpu: &mut Cpu) -> Vec<u8> {
        let done = match command {
            PASSWORD => {
                let vectors: Vec<u8> = (VECTORS..=0xFFFF).map(|address| cpu.mem.byte(address)).collect();
                self.unlocked |= data == vectors;
                self.unlocked
            }
            MASS_ERASE => {
                self.erase(0x1000, 0xFFFF, cpu);
                self.busy_ps += MASS_PS;
                true
            }
            VERSION => return answer(&read(0x0FF0, 16, cpu)),
            CHANGE_RATE if length <= 2 => {
                self.rate_shift = u32::from(length); // after the answer, which at this level has no rate of its own
                true
            }
            _ if !self.unlocked => false,
            WRITE => self.write(address, data, cpu),
            READ => return answer(&read(address, length, cpu)),
            ERASE if length == MAIN_MEMORY => {
                self.erase(0x4000, 0xFFFF, cpu);
                self.busy_ps += SEGMENT_PS;
                true
            }
            ERASE => {
                let size = if address < 0x1100 { 0x7F } else { 0x1FF };
                self.erase(address & !size, address | size, cpu);
                self.busy_ps += SEGMENT_PS;
                true
            }
            ERASE_CHECK => read(address, length, cpu).iter().all(|&byte| byte == 0xFF),
            LOAD_PC => true,
            _ => false,
        };
        vec![if done { ACK } else { NAK }]
    }

    fn erase(&self, first: u16, last: u16, cpu: &mut Cpu) {
        for address in (first..=last).filter(|address| *address >= 0x1000) {
            if cpu.mem.kind(address) == Kind::Flash {
                cpu.mem.set_byte(address, 0xFF);
            }
        }
    }

    /// Writes a block and checks it, as the loader does for flash.
    fn write(&mut self, address: u16, data: &[u8], cpu: &mut Cpu) -> bool {
        let mut right = true;
        for (offset, &byte) in data.iter().enumerate() {
            let at = address.wrapping_add(offset as u16);
            match cpu.mem.kind(at) {
                Kind::Ram => cpu.mem.set_byte(at, byte),
                Kind::Flash if at >= 0x1000 => {
                    cpu.mem.set_byte(at, cpu.mem.byte(at) & byte);
                    self.busy_ps += WORD_PS / 2;
                }
                _ => {}
            }
            right &= cpu.mem.kind(at) == Kind::Device || cpu.mem.byte(at) == byte;
        }
        right
    }
}

fn read(address: u16, length: u16, cpu: &Cpu) -> Vec<u8> {
    (0..length)
        .map(|offset| cpu.mem.byte(address.wrapping_add(offset)))
        .collect()
}

/// A data frame.
fn answer(data: &[u8]) -> Vec<u8> {
    let mut frame = vec![HEADER, 0, data.len() as u8, data.len() as u8];
    frame.extend(data);
    let sum = checksum(&frame);
    frame.extend(sum);
    frame
}

/// The complement of the exclusive or of all words.
fn checksum(bytes: &[u8]) -> [u8; 2] {
    let fold = |start: usize| bytes.iter().skip(start).step_by(2).fold(0, |sum, byte| sum ^ byte);
    [!fold(0), !fold(1)]
}
