//! A core with a few device registers, for the tests of the core.

use vboards::bus::{Bus, BusError, Width};
use vboards::core::v7m::{Cpu, Model, Step};

pub const FLASH: u32 = 0x0800_0000;
pub const RAM: u32 = 0x2000_0000;
pub const STACK: u32 = RAM + 0x1000;
/// Where the program begins.
pub const CODE: u32 = FLASH + 0x400;
/// Handler of exception n begins at `HANDLERS + n * HANDLER_BYTES`.
pub const HANDLERS: u32 = FLASH + 0x1000;
pub const HANDLER_BYTES: u32 = 0x40;
/// Writing here sets the interrupt lines to the value.
pub const LINES: u32 = 0x4000_0000;
/// Keeps what is written.
pub const REGISTER: u32 = 0x4000_0004;
/// Writing here makes the value the horizon.
pub const HORIZON: u32 = 0x4000_0008;

/// The device side: every access is recorded.
pub struct Devices {
    pub writes: Vec<(u32, u32, u64, u32)>,
    pub reads: Vec<(u32, u64, u32)>,
    pub lines: u128,
    pub changed: bool,
    pub register: u32,
    pub horizon: u64,
    pub wait: u32,
    pub flash_wait: u32,
}

impl Bus for Devices {
    fn read(&mut self, address: u32, _: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
        self.reads.push((address, cycle, pc));
        match address {
            REGISTER => Ok(self.register),
            LINES => Ok(self.lines as u32),
            _ => Err(BusError),
        }
    }
    fn write(&mut self, address: u32, _: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        self.writes.push((address, value, cycle, pc));
        match address {
            REGISTER => self.register = value,
            LINES => (self.lines, self.changed) = (u128::from(value), true),
            HORIZON => self.horizon = u64::from(value),
            FLASH..=0x0801_0000 => {}
            _ => return Err(BusError),
        }
        Ok(())
    }
    fn wait_cycles(&self, _: u32) -> u32 {
        self.wait
    }
    fn irq_levels(&self) -> u128 {
        self.lines
    }
    fn irq_changed(&mut self) -> bool {
        std::mem::take(&mut self.changed)
    }
    fn flash_wait_states(&self) -> u32 {
        self.flash_wait
    }
    fn flash_prefetch(&self) -> bool {
        true
    }
    fn horizon(&self) -> u64 {
        self.horizon
    }
}

pub struct Rig {
    pub cpu: Cpu,
    pub bus: Devices,
}

impl Rig {
    /// A core that starts at `code`; every exception has a handler of its own that is a BKPT with its number.
    pub fn new(code: &[u16]) -> Rig {
        Rig::with_model(Model::CORTEX_M3, code)
    }

    /// As `new` with another core.
    pub fn with_model(model: Model, code: &[u16]) -> Rig {
        let mut flash = vec![0; 0x2000];
        for exception in 0..64 {
            let vector = match exception {
                0 => STACK,
                1 => CODE | 1,
                _ => (HANDLERS + exception * HANDLER_BYTES) | 1,
            };
            flash[4 * exception as usize..][..4].copy_from_slice(&vector.to_le_bytes());
        }
        let bus = Devices {
            writes: Vec::new(),
            reads: Vec::new(),
            lines: 0,
            changed: false,
            register: 0,
            horizon: u64::MAX,
            wait: 0,
            flash_wait: 0,
        };
        let mut rig = Rig {
            cpu: Cpu::with_model(model, FLASH, flash, RAM, 0x2000),
            bus,
        };
        rig.cpu.halt_on_bkpt = true;
        rig.put(CODE, code);
        for exception in 2..64 {
            rig.handler(exception, &[0xbe00 | exception as u16]);
        }
        rig
    }

    /// Writes code anywhere.
    pub fn put(&mut self, address: u32, code: &[u16]) {
        let bytes: Vec<u8> = code.iter().flat_map(|half| half.to_le_bytes()).collect();
        assert!(self.cpu.write_memory(address, &bytes));
    }

    pub fn handler(&mut self, exception: u32, code: &[u16]) {
        assert!(2 * code.len() <= HANDLER_BYTES as usize);
        self.put(HANDLERS + exception * HANDLER_BYTES, code);
    }

    pub fn word(&self, address: u32) -> u32 {
        let mut bytes = [0; 4];
        assert!(self.cpu.read_memory(address, &mut bytes));
        u32::from_le_bytes(bytes)
    }

    pub fn set_word(&mut self, address: u32, value: u32) {
        assert!(self.cpu.write_memory(address, &value.to_le_bytes()));
    }

    /// Runs on, at most 100 000 cycles.
    pub fn run(&mut self) -> Step {
        let until = self.cpu.cycles + 100_000;
        self.cpu.run_until(&mut self.bus, until)
    }

    /// Runs to the next BKPT, which must have this number, and steps over it.
    pub fn run_to(&mut self, bkpt: u8) {
        assert_eq!(Step::Breakpoint(bkpt), self.run(), "pc 0x{:08x}", self.cpu.pc());
        self.cpu.regs[15] += 2;
    }

    /// Cycles of the code up to the next BKPT, without the BKPT's own.
    pub fn cycles_to_bkpt(&mut self) -> u64 {
        let before = self.cpu.cycles;
        assert!(matches!(self.run(), Step::Breakpoint(_)), "pc 0x{:08x}", self.cpu.pc());
        self.cpu.cycles - before - 1
    }

    pub fn n_z_c_v(&self) -> u32 {
        self.cpu.xpsr() >> 28
    }

    pub fn exception(&self) -> u32 {
        self.cpu.xpsr() & 0x1FF
    }
}
