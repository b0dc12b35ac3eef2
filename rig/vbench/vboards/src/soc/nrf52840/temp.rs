//! TEMP (PS "TEMP"): the chip is at 25 degrees.

use super::interface::{At, Interface, Peripheral};
use crate::air::US;

const DATARDY: u32 = 0;
/// tTEMP of PS "TEMP", electrical specification; Nordic's model of the nRF52833 has it (BabbleSim ext_nRF_hw_models b0d807af, NHW_config.52833.h).
const MEASURE_PS: u64 = 36 * US;
/// In quarters of a degree.
const QUARTERS: u32 = 25 * 4;

/// The sensor.
#[derive(Clone, Debug)]
pub struct Temp {
    interface: Interface,
    ready_ps: Option<u64>,
    value: u32,
    trim: [u32; 21],
}

impl Default for Temp {
    fn default() -> Temp {
        Temp {
            interface: Interface::new(1, &[]),
            ready_ps: None,
            value: 0,
            trim: [0; 21],
        }
    }
}

impl Peripheral for Temp {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, at: At) -> Option<()> {
        match task {
            0 => self.ready_ps = Some(at.ps + MEASURE_PS),
            1 => self.ready_ps = None,
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        match offset {
            0x508 => Some(self.value),
            0x520..=0x570 => Some(self.trim[(offset as usize - 0x520) / 4]),
            _ => None,
        }
    }

    fn write(&mut self, offset: u32, value: u32, _at: At) -> Option<()> {
        match offset {
            0x520..=0x570 => self.trim[(offset as usize - 0x520) / 4] = value,
            _ => return None,
        }
        Some(())
    }

    fn next_ps(&self) -> Option<u64> {
        self.ready_ps
    }

    fn fire(&mut self, at: At) {
        if self.ready_ps.map_or(false, |ready_ps| ready_ps <= at.ps) {
            self.ready_ps = None;
            self.value = QUARTERS;
            self.interface.raise(DATARDY);
        }
    }
}
