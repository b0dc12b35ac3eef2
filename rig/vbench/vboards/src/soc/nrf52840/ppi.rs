//! PPI (PS "PPI"): 20 channels between any event and any two tasks, 12 fixed ones, 6 groups.
//!
//! A task comes at the next edge of 16 MHz after its event: "PPI tasks are synchronised to 16 MHz" (PS "PPI"), and the event
//! reaches the PPI within 62.5 ns (tEVTSET: nRF5340 PS, "POWER"). That both together are one period is an assumption, unverified.

use super::interface::{At, Interface, Peripheral};

const CHANNELS: usize = 20;
const ALL: usize = 32;
const GROUPS: usize = 6;

const RADIO: u32 = 0x4000_1000;
const TIMER0: u32 = 0x4000_8000;
const RTC0: u32 = 0x4000_B000;
const AAR: u32 = 0x4000_F000;
/// Events and tasks of channels 20 to 31 (PS "PPI", pre-programmed channels).
const FIXED: [(u32, u32); 12] = [
    (TIMER0 + 0x140, RADIO),
    (TIMER0 + 0x140, RADIO + 0x004),
    (TIMER0 + 0x144, RADIO + 0x010),
    (RADIO + 0x128, AAR),
    (RADIO + 0x100, AAR),
    (RADIO + 0x104, AAR + 0x004),
    (RADIO + 0x104, TIMER0 + 0x044),
    (RADIO + 0x10C, TIMER0 + 0x048),
    (RTC0 + 0x140, RADIO),
    (RTC0 + 0x140, RADIO + 0x004),
    (RTC0 + 0x140, TIMER0 + 0x00C),
    (RTC0 + 0x140, TIMER0),
];

/// The interconnect.
#[derive(Clone, Debug)]
pub struct Ppi {
    interface: Interface,
    enabled: u32,
    event: [u32; ALL],
    task: [u32; ALL],
    fork: [u32; ALL],
    groups: [u32; GROUPS],
}

impl Default for Ppi {
    fn default() -> Ppi {
        let (mut event, mut task) = ([0; ALL], [0; ALL]);
        for (index, &(from, to)) in FIXED.iter().enumerate() {
            (event[CHANNELS + index], task[CHANNELS + index]) = (from, to);
        }
        Ppi {
            interface: Interface::new(0, &[]),
            enabled: 0,
            event,
            task,
            fork: [0; ALL],
            groups: [0; GROUPS],
        }
    }
}

impl Ppi {
    /// Addresses of the tasks that an event, by its address, leads to.
    pub fn tasks(&self, event: u32, into: &mut Vec<u32>) {
        let mut left = self.enabled;
        while left != 0 {
            let channel = left.trailing_zeros() as usize;
            left &= left - 1;
            if self.event[channel] == event {
                into.extend(
                    [self.task[channel], self.fork[channel]]
                        .iter()
                        .filter(|&&task| task != 0),
                );
            }
        }
    }
}

impl Peripheral for Ppi {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, _at: At) -> Option<()> {
        let group = *self.groups.get(task as usize / 2)?;
        if task % 2 == 0 {
            self.enabled |= group;
        } else {
            self.enabled &= !group;
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        let index = |first: u32, step: u32| ((offset - first) / step) as usize;
        Some(match offset {
            0x500 | 0x504 | 0x508 => self.enabled,
            0x510..=0x5AC if offset & 4 == 0 => self.event[index(0x510, 8)],
            0x510..=0x5AC => self.task[index(0x510, 8)],
            0x800..=0x814 => self.groups[index(0x800, 4)],
            0x910..=0x98C => self.fork[index(0x910, 4)],
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, _at: At) -> Option<()> {
        let index = |first: u32, step: u32| ((offset - first) / step) as usize;
        match offset {
            0x500 => self.enabled = value,
            0x504 => self.enabled |= value,
            0x508 => self.enabled &= !value,
            0x510..=0x5AC if offset & 4 == 0 => self.event[index(0x510, 8)] = value,
            0x510..=0x5AC => self.task[index(0x510, 8)] = value,
            0x800..=0x814 => self.groups[index(0x800, 4)] = value,
            0x910..=0x98C => self.fork[index(0x910, 4)] = value,
            _ => return None,
        }
        Some(())
    }
}
