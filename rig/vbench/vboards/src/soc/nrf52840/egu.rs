//! EGU0 to EGU5 (PS "EGU"): a task, an event, an interrupt, 16 times.

use super::interface::{At, Interface, Peripheral};

const CHANNELS: u32 = 16;

/// One event generator.
#[derive(Clone, Debug)]
pub struct Egu(Interface);

impl Default for Egu {
    fn default() -> Egu {
        Egu(Interface::new((1 << CHANNELS) - 1, &[]))
    }
}

impl Peripheral for Egu {
    fn interface(&self) -> &Interface {
        &self.0
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.0
    }

    fn task(&mut self, task: u32, _at: At) -> Option<()> {
        (task < CHANNELS).then(|| self.0.raise(task))
    }

    fn read(&mut self, _offset: u32, _at: At) -> Option<u32> {
        None
    }

    fn write(&mut self, _offset: u32, _value: u32, _at: At) -> Option<()> {
        None
    }
}
