//! GPIOTE (PS "GPIOTE"): tasks and events on pins.

use super::interface::{At, Interface, Peripheral};

pub const CHANNELS: usize = 8;
const OUT: u32 = 0;
const SET: u32 = 12;
const CLR: u32 = 24;
/// EVENTS_PORT.
const PORT: u32 = 31;
const MODE_EVENT: u32 = 1;
const MODE_TASK: u32 = 3;

/// All channels.
#[derive(Clone, Debug)]
pub struct Gpiote {
    interface: Interface,
    config: [u32; CHANNELS],
    level: [bool; CHANNELS],
}

impl Default for Gpiote {
    fn default() -> Gpiote {
        Gpiote {
            interface: Interface::new(0xFF | 1 << PORT, &[]),
            config: [0; CHANNELS],
            level: [false; CHANNELS],
        }
    }
}

impl Gpiote {
    fn mode(&self, channel: usize) -> u32 {
        self.config[channel] & 3
    }

    /// PSEL and PORT.
    fn pin(&self, channel: usize) -> u32 {
        self.config[channel] >> 8 & 63
    }

    fn polarity(&self, channel: usize) -> u32 {
        self.config[channel] >> 16 & 3
    }

    /// Pins of the channels in task mode, and their levels.
    pub fn outputs(&self) -> (u64, u64) {
        let tasks = (0..CHANNELS).filter(|&channel| self.mode(channel) == MODE_TASK);
        tasks.fold((0, 0), |(pins, levels), channel| {
            let pin = self.pin(channel);
            (pins | 1 << pin, levels | u64::from(self.level[channel]) << pin)
        })
    }

    /// Whether a channel makes events of edges.
    pub fn listens(&self) -> bool {
        (0..CHANNELS).any(|channel| self.mode(channel) == MODE_EVENT)
    }

    /// A net has changed.
    pub fn edge(&mut self, pin: u32, level: bool) {
        for channel in 0..CHANNELS {
            let matches = match self.polarity(channel) {
                1 => level,
                2 => !level,
                3 => true,
                _ => false,
            };
            if matches && self.mode(channel) == MODE_EVENT && self.pin(channel) == pin {
                self.interface.raise(channel as u32);
            }
        }
    }

    /// DETECT has risen.
    pub fn port_event(&mut self) {
        self.interface.raise(PORT);
    }

    fn out(&mut self, channel: usize) {
        self.level[channel] = match self.polarity(channel) {
            1 => true,
            2 => false,
            3 => !self.level[channel],
            _ => self.level[channel],
        };
    }
}

impl Peripheral for Gpiote {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, _at: At) -> Option<()> {
        let channel = |first: u32| (task - first) as usize;
        match task {
            OUT..=7 => self.out(channel(OUT)),
            SET..=19 => self.level[channel(SET)] = true,
            CLR..=31 => self.level[channel(CLR)] = false,
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        match offset {
            0x510..=0x52C => Some(self.config[(offset as usize - 0x510) / 4]),
            _ => None,
        }
    }

    /// OUTINIT is the level that a channel begins with when it is put in task mode.
    fn write(&mut self, offset: u32, value: u32, _at: At) -> Option<()> {
        match offset {
            0x510..=0x52C => {
                let channel = (offset as usize - 0x510) / 4;
                let is_new = self.mode(channel) != MODE_TASK || self.pin(channel) != value >> 8 & 63;
                if value & 3 == MODE_TASK && is_new {
                    self.level[channel] = value >> 20 & 1 == 1;
                }
                self.config[channel] = value & 0x0013_3F03;
            }
            _ => return None,
        }
        Some(())
    }
}
