//! What the peripherals of the nRF52 have in common: tasks, events, shortcuts, interrupt mask (PS "Peripheral interface").
//!
//! Event `n` is at 0x100 + 4 n, and bit n of INTEN is its interrupt; task `n` is at 4 n.

/// A shortcut: bit of SHORTS, event, task.
pub type Short = (u32, u32, u32);

/// An instant of the chip: cycle of its 64 MHz clock, and when that is.
#[derive(Clone, Copy, Debug, Default)]
pub struct At {
    pub cycle: u64,
    pub ps: u64,
}

/// The registers that every peripheral has.
#[derive(Clone, Debug)]
pub struct Interface {
    /// Events that exist.
    existing: u32,
    shortcuts: &'static [Short],
    events: u32,
    /// Events since [`Interface::take_fresh`].
    fresh: u32,
    inten: u32,
    shorts: u32,
}

impl Interface {
    pub const fn new(existing: u32, shortcuts: &'static [Short]) -> Interface {
        Interface {
            existing,
            shortcuts,
            events: 0,
            fresh: 0,
            inten: 0,
            shorts: 0,
        }
    }

    /// An event happens.
    pub fn raise(&mut self, event: u32) {
        self.events |= 1 << event;
        self.fresh |= 1 << event;
    }

    /// The lowest event that nothing has followed from yet.
    pub fn take_fresh(&mut self) -> Option<u32> {
        let event = self.fresh.trailing_zeros();
        self.fresh &= self.fresh.wrapping_sub(1);
        (event < 32).then_some(event)
    }

    /// The tasks that shortcuts make of an event.
    pub fn short_tasks(&self, event: u32) -> impl Iterator<Item = u32> {
        let shorts = self.shorts;
        self.shortcuts
            .iter()
            .filter(move |short| short.1 == event && shorts >> short.0 & 1 == 1)
            .map(|short| short.2)
    }

    /// Whether a shortcut is set, by its bit.
    pub fn has_short(&self, bit: u32) -> bool {
        self.shorts >> bit & 1 == 1
    }

    /// Whether an event matters to interrupts.
    pub fn interrupts(&self, event: u32) -> bool {
        self.inten >> event & 1 == 1
    }

    /// Level of the interrupt line.
    pub fn irq(&self) -> bool {
        self.events & self.inten != 0
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        match offset {
            0x000..=0x0FC => Some(0),
            0x100..=0x17C => {
                let event = (offset - 0x100) / 4;
                (self.existing >> event & 1 == 1).then_some(self.events >> event & 1)
            }
            0x200 if !self.shortcuts.is_empty() => Some(self.shorts),
            0x300 | 0x304 | 0x308 => Some(self.inten),
            _ => None,
        }
    }

    /// Writes one of these registers; None: it is another one.
    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x100..=0x17C => {
                let event = (offset - 0x100) / 4;
                if self.existing >> event & 1 == 0 {
                    return None;
                }
                self.events = self.events & !(1 << event) | (value & 1) << event;
            }
            0x200 if !self.shortcuts.is_empty() => {
                self.shorts = value & self.shortcuts.iter().fold(0, |all, short| all | 1 << short.0);
            }
            0x300 => self.inten = value & self.existing,
            0x304 => self.inten |= value & self.existing,
            0x308 => self.inten &= !value,
            _ => return None,
        }
        Some(())
    }
}

/// A device behind such registers.
pub trait Peripheral {
    fn interface(&self) -> &Interface;
    fn interface_mut(&mut self) -> &mut Interface;
    /// Carries out a task, by its number; None: there is none of this number.
    fn task(&mut self, task: u32, at: At) -> Option<()>;
    /// Reads a register of its own (those of [`Interface`] are served before).
    fn read(&mut self, offset: u32, at: At) -> Option<u32>;
    fn write(&mut self, offset: u32, value: u32, at: At) -> Option<()>;
    /// Its next event, if it counts cycles of the chip's clock.
    fn next_cycle(&self) -> Option<u64> {
        None
    }
    /// The same, if it has a time of its own.
    fn next_ps(&self) -> Option<u64> {
        None
    }
    /// What is due by an instant happens.
    fn fire(&mut self, _at: At) {}
}
