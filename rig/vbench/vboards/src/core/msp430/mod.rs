//! MSP430 (the 16-bit CPU of the x1xx family): 27 instructions, byte and word, with their exact cycles.
//!
//! Sources: SLAU049F, MSP430x1xx Family User's Guide, chapter 2 (reset, interrupts, operating modes) and chapter 3
//! (CPU). What the manual leaves open is named where it is decided.

mod alu;
mod execute;
mod memory;
mod operand;
mod run;
pub mod timing;

pub use memory::{Kind, Memory};

/// Program counter, stack pointer, status register, constant generator (SLAU049 3.2).
pub const PC: usize = 0;
pub const SP: usize = 1;
pub const SR: usize = 2;
pub const CG: usize = 3;

/// Bits of the status register (SLAU049 figure 3-6).
pub const C: u16 = 1 << 0;
pub const Z: u16 = 1 << 1;
pub const N: u16 = 1 << 2;
pub const GIE: u16 = 1 << 3;
pub const CPUOFF: u16 = 1 << 4;
pub const OSCOFF: u16 = 1 << 5;
pub const SCG0: u16 = 1 << 6;
pub const SCG1: u16 = 1 << 7;
pub const V: u16 = 1 << 8;
/// The bits that switch clocks.
pub const POWER: u16 = CPUOFF | OSCOFF | SCG0 | SCG1;
/// Bits 9 to 15 are reserved.
const SR_BITS: u16 = 0x01FF;

/// Lowest vector; request n has its vector at `VECTORS + 2 n` and a higher n wins (SLAU049 table 2-1).
pub const VECTORS: u16 = 0xFFE0;
/// Number of the reset vector, and of the non-maskable one.
pub const RESET: u16 = 15;
pub const NMI: u16 = 14;

/// What a core needs from the chip around it. Cycles are those of MCLK.
pub trait Peripherals {
    /// Reads a register; a word access has an even address.
    fn read(&mut self, address: u16, byte: bool, cycle: u64, pc: u16) -> u16;
    /// Writes a register, or to flash.
    fn write(&mut self, address: u16, byte: bool, value: u16, cycle: u64, pc: u16);
    /// Requests that are up, bit n = vector n.
    fn requests(&self) -> u16;
    /// The core takes request `number`; flags with one source are reset by that.
    fn accepted(&mut self, number: u16, cycle: u64);
    /// Cycle by which the core must hand control back. Read again after each access to a register.
    fn horizon(&self) -> u64;
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The limit, or the chip wants control.
    Ran,
    /// CPUOFF is set and nothing wakes the core.
    Sleeping,
    /// The bits [`POWER`] of the status register have changed.
    Power,
    /// The core cannot continue.
    Fault(String),
}

/// The core with its memories.
pub struct Cpu {
    pub regs: [u16; 16],
    pub mem: Memory,
    /// Cycles of MCLK so far.
    pub cycles: u64,
    pub instructions: u64,
    /// Address of the instruction that runs.
    at: u16,
    /// Cycle of its first fetch, and how many it takes.
    start: u64,
    length: u64,
    /// Cycle at which the hot loop looks around.
    limit: u64,
    /// Power bits that the chip knows of.
    power: u16,
    /// GIE was set by the instruction just done: the next one runs before any interrupt.
    shadow: bool,
    fault: Option<String>,
}

impl Cpu {
    pub fn new(mem: Memory) -> Cpu {
        Cpu {
            regs: [0; 16],
            mem,
            cycles: 0,
            instructions: 0,
            at: 0,
            start: 0,
            length: 0,
            limit: 0,
            power: 0,
            shadow: false,
            fault: None,
        }
    }

    /// PUC: the status register is cleared, the program counter loaded from the reset vector; the other registers keep
    /// what they hold (SLAU049 2.1.2).
    pub fn reset(&mut self) {
        self.regs[SR] = 0;
        self.regs[PC] = self.mem.word(VECTORS + 2 * RESET) & !1;
        self.cycles += timing::RESET;
        self.shadow = false;
        self.fault = None;
    }

    pub fn sleeping(&self) -> bool {
        self.regs[SR] & CPUOFF != 0
    }

    /// The bits of the status register that switch clocks; asking acknowledges [`Step::Power`].
    pub fn take_power(&mut self) -> u16 {
        self.power = self.regs[SR] & POWER;
        self.power
    }

    /// The request that the core would take now.
    pub fn acceptable(&self, requests: u16) -> Option<u16> {
        let masked = if self.regs[SR] & GIE != 0 {
            requests
        } else {
            requests & (1 << NMI | 1 << RESET)
        };
        if masked == 0 {
            None
        } else {
            Some(15 - masked.leading_zeros() as u16)
        }
    }
}
