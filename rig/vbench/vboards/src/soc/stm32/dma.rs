//! The DMA controller of the STM32F1 (RM0008 chapter 13) and L4 (RM0351 chapter 11): up to 7 channels.
//!
//! The registers and the order of the transfers are here; a transfer itself is [`super::transfer::move_datum`],
//! because the memories are the core's. The chip hands over the request lines with [`Dma::set_requests`] and [`Dma::pulse`].

use super::transfer::Transfer;
use crate::bus::Width;

const CCR_EN: u32 = 1 << 0;
const CCR_TEIE: u32 = 1 << 3;
const CCR_DIR: u32 = 1 << 4;
const CCR_CIRC: u32 = 1 << 5;
const CCR_PINC: u32 = 1 << 6;
const CCR_MINC: u32 = 1 << 7;
const CCR_MEM2MEM: u32 = 1 << 14;
const GIF: u32 = 1;
const TCIF: u32 = 2;
const HTIF: u32 = 4;
const TEIF: u32 = 8;

/// The longest that an instruction lets a transfer wait until [`Dma::due`] is asked; longer was a clock that stood still.
const LONGEST_LAG: u64 = 64;

#[derive(Clone, Copy, Debug, Default)]
struct Channel {
    ccr: u32,
    cndtr: u32,
    cpar: u32,
    cmar: u32,
    /// What CNDTR, CPAR and CMAR were when the channel was enabled; the pointers move on from there.
    count: u32,
    peripheral: u32,
    memory: u32,
}

/// One controller. Channels count from 0.
#[derive(Clone, Debug)]
pub struct Dma {
    channels: Vec<Channel>,
    isr: u32,
    /// CSELR of the L4: which request each channel listens to; stays 0 on the F1.
    cselr: u32,
    has_cselr: bool,
    requests: u32,
    pulses: u32,
    free_at: u64,
    /// The channel whose next transfer follows at `free_at`, whatever the devices ask for.
    follows: Option<usize>,
    /// Some channel is enabled.
    in_use: bool,
}

fn width(field: u32) -> Width {
    match field & 3 {
        0 => Width::Byte,
        1 => Width::Half,
        _ => Width::Word,
    }
}

impl Dma {
    /// A controller with `channels` channels; with a request selection register, or not.
    pub fn new(channels: usize, has_cselr: bool) -> Dma {
        Dma {
            channels: vec![Channel::default(); channels],
            isr: 0,
            cselr: 0,
            has_cselr,
            requests: 0,
            pulses: 0,
            free_at: 0,
            follows: None,
            in_use: false,
        }
    }

    pub fn reset(&mut self) {
        *self = Dma::new(self.channels.len(), self.has_cselr);
    }

    /// Some channel is enabled: only then do request lines matter.
    pub fn in_use(&self) -> bool {
        self.in_use
    }

    fn enabled_changed(&mut self) {
        self.in_use = self.channels.iter().any(|channel| channel.ccr & CCR_EN != 0);
    }

    /// The request that `channel` listens to (CSELR; L4 only).
    pub fn selection(&self, channel: usize) -> u32 {
        self.cselr >> (4 * channel) & 15
    }

    /// Levels of the request lines, bit n = channel n.
    pub fn set_requests(&mut self, levels: u32) {
        self.requests = levels;
    }

    /// A device gives one request to `channel`, which holds until it is served.
    pub fn pulse(&mut self, channel: usize) {
        if self.channels[channel].ccr & CCR_EN != 0 {
            self.pulses |= 1 << channel;
        }
    }

    fn wants(&self, index: usize) -> bool {
        let channel = &self.channels[index];
        let asked = (self.requests | self.pulses) >> index & 1 == 1 || channel.ccr & CCR_MEM2MEM != 0;
        channel.ccr & CCR_EN != 0 && channel.cndtr > 0 && asked
    }

    /// The channel to be served next: highest PL, then lowest number (RM0008 13.3.2).
    fn chosen(&self) -> Option<usize> {
        if !self.in_use {
            return None;
        }
        (0..self.channels.len())
            .filter(|&index| self.wants(index))
            .max_by_key(|&index| (self.channels[index].ccr >> 12 & 3, std::cmp::Reverse(index)))
    }

    /// Cycle of the next transfer. It may lie in the past: `Chip::serve` makes it, so it is not an event of `Chip::advance`,
    /// but ends a run of the core (`Bus::horizon`) and its sleep (`Chip::next_event`).
    pub fn next_event(&self) -> Option<u64> {
        self.chosen().map(|_| self.free_at)
    }

    /// The transfer that is due by `cycle`. Tell [`Dma::done`] when it is over.
    pub fn due(&self, cycle: u64) -> Option<Transfer> {
        let index = self.chosen().filter(|_| self.free_at <= cycle)?;
        let start = match self.follows {
            Some(next) if next == index && cycle - self.free_at <= LONGEST_LAG => self.free_at,
            _ => cycle,
        };
        Some(self.transfer(index, start))
    }

    /// The transfer from memory to memory that follows the one that is done.
    pub fn follows(&self) -> Option<Transfer> {
        self.follows.map(|index| self.transfer(index, self.free_at))
    }

    fn transfer(&self, index: usize, start: u64) -> Transfer {
        let channel = &self.channels[index];
        let (peripheral, memory) = (
            (channel.peripheral, width(channel.ccr >> 8)),
            (channel.memory, width(channel.ccr >> 10)),
        );
        let (from, to) = if channel.ccr & CCR_DIR != 0 {
            (memory, peripheral)
        } else {
            (peripheral, memory)
        };
        Transfer {
            channel: index,
            from: from.0,
            from_width: from.1,
            to: to.0,
            to_width: to.1,
            start,
        }
    }

    /// A transfer took place and ends at `end`, or failed for want of an answer: then the channel stops (13.3.5).
    pub fn done(&mut self, transfer: &Transfer, worked: bool, end: u64) {
        self.free_at = end;
        self.count(transfer.channel, worked);
        let is_free = |&index: &usize| self.channels[index].ccr & CCR_MEM2MEM != 0;
        self.follows = self.chosen().filter(is_free);
    }

    fn count(&mut self, index: usize, worked: bool) {
        self.pulses &= !(1 << index);
        if !worked {
            self.channels[index].ccr &= !CCR_EN;
            self.enabled_changed();
            return self.flag(index, TEIF);
        }
        let channel = &mut self.channels[index];
        if channel.ccr & CCR_PINC != 0 {
            channel.peripheral = channel.peripheral.wrapping_add(width(channel.ccr >> 8).bytes() as u32);
        }
        if channel.ccr & CCR_MINC != 0 {
            channel.memory = channel.memory.wrapping_add(width(channel.ccr >> 10).bytes() as u32);
        }
        channel.cndtr -= 1;
        let (left, half) = (channel.cndtr, channel.count / 2);
        if left == 0 && channel.ccr & CCR_CIRC != 0 {
            channel.cndtr = channel.count;
            channel.peripheral = channel.cpar;
            channel.memory = channel.cmar;
        }
        if left == half {
            self.flag(index, HTIF);
        }
        if left == 0 {
            self.flag(index, TCIF);
        }
    }

    fn flag(&mut self, index: usize, bits: u32) {
        self.isr |= (bits | GIF) << (4 * index);
    }

    /// Whether the interrupt line of a channel is active.
    pub fn irq(&self, index: usize) -> bool {
        let enabled = self.channels[index].ccr & (TCIF | HTIF | CCR_TEIE);
        self.isr >> (4 * index) & enabled != 0
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        match offset {
            0x00 => return Some(self.isr),
            0x04 => return Some(0),
            0xA8 if self.has_cselr => return Some(self.cselr),
            _ => {}
        }
        let channel = self.channels.get(offset.checked_sub(8)? as usize / 20)?;
        Some(match (offset - 8) % 20 {
            0 => channel.ccr,
            4 => channel.cndtr,
            8 => channel.cpar,
            12 => channel.cmar,
            _ => 0,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => return Some(()),
            0x04 => {
                for index in 0..self.channels.len() {
                    let clear = value >> (4 * index) & 15;
                    let all = if clear & GIF != 0 { 15 } else { clear };
                    self.isr &= !(all << (4 * index));
                    if self.isr >> (4 * index) & (TCIF | HTIF | TEIF) == 0 {
                        self.isr &= !(GIF << (4 * index));
                    }
                }
                return Some(());
            }
            0xA8 if self.has_cselr => {
                self.cselr = value & 0x0FFF_FFFF;
                return Some(());
            }
            _ => {}
        }
        let index = offset.checked_sub(8)? as usize / 20;
        let channel = self.channels.get_mut(index)?;
        let enabled = channel.ccr & CCR_EN != 0;
        match (offset - 8) % 20 {
            0 => {
                channel.ccr = value & 0x7FFF;
                if !enabled && value & CCR_EN != 0 {
                    channel.count = channel.cndtr;
                    channel.peripheral = channel.cpar;
                    channel.memory = channel.cmar;
                    self.pulses &= !(1 << index);
                }
                self.enabled_changed();
            }
            // Only while the channel is off (13.4.4 to 13.4.6).
            _ if enabled => {}
            4 => channel.cndtr = value & 0xFFFF,
            8 => channel.cpar = value,
            12 => channel.cmar = value,
            _ => {}
        }
        Some(())
    }
}
