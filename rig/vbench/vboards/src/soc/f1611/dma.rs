//! The DMA controller: three channels (SLAU049F chapter 8). The transfers themselves are made by
//! [`super::F1611::serve`], which has the memory.
//!
//! Not modelled: the priority ROUNDROBIN, DMAONFETCH, the level-sensitive external trigger DMAE0, NMI abort.

/// DMAxCTL.
const REQ: u16 = 1 << 0;
const IE: u16 = 1 << 2;
const IFG: u16 = 1 << 3;
const EN: u16 = 1 << 4;
const SOURCE_BYTE: u16 = 1 << 6;
const TARGET_BYTE: u16 = 1 << 7;

/// What may start a channel (SLAU049F table 8-2; SLAS368).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trigger {
    Software,
    /// CCIFG of a block: timer (0 = A), block.
    Timer(usize, usize),
    UsartRx(usize),
    UsartTx(usize),
    Adc,
    Other,
}

/// A channel's registers: DMAxCTL, DMAxSA, DMAxDA, DMAxSZ, and the working copies.
#[derive(Clone, Debug, Default)]
struct Channel {
    control: u16,
    registers: [u16; 3],
    now: [u16; 3],
}

/// One transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: u16,
    pub from_byte: bool,
    pub to: u16,
    pub to_byte: bool,
}

/// The controller.
#[derive(Clone, Debug, Default)]
pub struct Dma {
    control: [u16; 2],
    channels: [Channel; 3],
}

impl Dma {
    /// Offsets from 0x0122 (DMACTL0, DMACTL1) and from 0x01E0.
    pub fn read(&self, address: u16) -> u16 {
        match address {
            0x0122 => self.control[0],
            0x0124 => self.control[1],
            _ => {
                let channel = &self.channels[usize::from((address - 0x01E0) >> 3)];
                match address >> 1 & 3 {
                    0 => channel.control,
                    3 => channel.now[2],
                    register => channel.registers[usize::from(register) - 1],
                }
            }
        }
    }

    pub fn write(&mut self, address: u16, value: u16) {
        match address {
            0x0122 => self.control[0] = value,
            0x0124 => self.control[1] = value,
            _ => {
                let channel = &mut self.channels[usize::from((address - 0x01E0) >> 3)];
                match address >> 1 & 3 {
                    0 => {
                        if value & EN != 0 && channel.control & EN == 0 {
                            channel.now = channel.registers;
                        }
                        channel.control = value;
                    }
                    register => {
                        channel.registers[usize::from(register) - 1] = value;
                        channel.now[usize::from(register) - 1] = value;
                    }
                }
            }
        }
    }

    fn trigger(&self, channel: usize) -> Trigger {
        match self.control[0] >> (4 * channel) & 15 {
            0 => Trigger::Software,
            1 => Trigger::Timer(0, 2),
            2 => Trigger::Timer(1, 2),
            3 => Trigger::UsartRx(0),
            4 => Trigger::UsartTx(0),
            6 => Trigger::Adc,
            7 => Trigger::Timer(0, 0),
            8 => Trigger::Timer(1, 0),
            9 => Trigger::UsartRx(1),
            10 => Trigger::UsartTx(1),
            _ => Trigger::Other,
        }
    }

    /// The channel that may go, lowest first, with its trigger; `up` tells whether a trigger is up.
    pub fn ready(&self, up: impl Fn(Trigger) -> bool) -> Option<(usize, Trigger)> {
        (0..self.channels.len())
            .filter(|&index| self.channels[index].control & EN != 0 && self.channels[index].now[2] != 0)
            .map(|index| (index, self.trigger(index)))
            .find(|&(index, trigger)| self.channels[index].control & REQ != 0 || up(trigger))
    }

    /// How many transfers a trigger of the channel makes: one, or the complete block.
    pub fn burst(&self, index: usize) -> u16 {
        match self.channels[index].control >> 12 & 3 {
            0 => 1,
            _ => self.channels[index].now[2],
        }
    }

    /// Takes the next transfer of a channel.
    pub fn step(&mut self, index: usize) -> Move {
        let channel = &mut self.channels[index];
        let control = channel.control;
        let made = Move {
            from: channel.now[0],
            from_byte: control & SOURCE_BYTE != 0,
            to: channel.now[1],
            to_byte: control & TARGET_BYTE != 0,
        };
        channel.now[0] = moved(made.from, control >> 8 & 3, made.from_byte);
        channel.now[1] = moved(made.to, control >> 10 & 3, made.to_byte);
        channel.now[2] -= 1;
        channel.control &= !REQ;
        if channel.now[2] == 0 {
            channel.control |= IFG;
            channel.now = channel.registers;
            if control >> 14 & 1 == 0 {
                channel.control &= !EN; // the modes that do not repeat
            }
        }
        made
    }

    /// Blocks of a timer that enabled channels wait for.
    pub fn waits_for(&self, timer: usize) -> u16 {
        let channels = (0..self.channels.len()).filter(|&index| self.channels[index].control & EN != 0);
        channels.fold(0, |blocks, index| match self.trigger(index) {
            Trigger::Timer(known, block) if known == timer => blocks | 1 << block,
            _ => blocks,
        })
    }

    pub fn request(&self) -> bool {
        self.channels
            .iter()
            .any(|channel| channel.control & (IE | IFG) == IE | IFG)
    }
}

/// An address after a transfer: unchanged, down or up by the size of what was moved.
fn moved(address: u16, mode: u16, byte: bool) -> u16 {
    let size = if byte { 1 } else { 2 };
    match mode {
        2 => address.wrapping_sub(size),
        3 => address.wrapping_add(size),
        _ => address,
    }
}
