//! ARMv7-M core as built into the Cortex-M3.
use crate::bus::Bus;

/// A core that cannot go on: what happened and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// Instruction that could not be handled.
    pub pc: u32,
    /// Address of the access that failed, if there was one.
    pub address: Option<u32>,
    pub cycle: u64,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    Lockup,
    BadVectorTable,
}
impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// Why the core returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It ran until the asked cycle (or the bus's horizon).
    Ran,
    /// It sleeps (WFI, WFE, sleep on exit) and nothing wakes it now.
    Sleeping,
    /// The firmware wrote SYSRESETREQ; the chip is to reset its devices and call [`Cpu::reset`].
    ResetRequested,
    /// BKPT with the given number; only when [`Cpu::halt_on_bkpt`] is set. PC is on the BKPT.
    Breakpoint(u8),
    /// It is in lockup: nothing but a reset helps.
    Fault(Fault),
}

/// The core, its flash array, its RAM and its private peripherals.
pub struct Cpu {
    /// Cycles since construction; never goes back, not even at a reset.
    pub cycles: u64,
    /// R0..R12, SP, LR, PC (address of the next instruction) whenever the core is not running.
    pub regs: [u32; 16],
    /// Instructions executed since construction.
    pub instructions: u64,
    /// True: BKPT ends a run with [`Step::Breakpoint`]. False: it is a fault, as on a chip without debugger.
    pub halt_on_bkpt: bool,
    /// Address and PC of the last access that no device answered.
    pub last_bus_fault: Option<(u32, u32)>,
}

impl Cpu {
    pub fn new(_flash_base: u32, _flash: Vec<u8>, _ram_base: u32, _ram_bytes: usize) -> Cpu { todo!() }
    /// A further RAM (SRAM2 of the STM32L476).
    pub fn add_ram(&mut self, _base: u32, _bytes: usize) { todo!() }
    /// Core reset: SP and PC from the vector table at 0. RAM and `cycles` stay as they are.
    pub fn reset(&mut self) { todo!() }
    /// One instruction or one exception entry. Ignores the horizon.
    pub fn step<B: Bus>(&mut self, _bus: &mut B) -> Step { todo!() }
    /// Runs until `cycles >= min(until_cycle, bus.horizon())`, sleep, fault or reset request.
    pub fn run_until<B: Bus>(&mut self, _bus: &mut B, _until_cycle: u64) -> Step { todo!() }
    /// Levels of the interrupt lines (bit n = IRQ n). `run_until` and `step` call it themselves after `bus.irq_changed()`.
    pub fn set_irq_levels(&mut self, _levels: u128) { todo!() }
    /// Sets the NMI line pending.
    pub fn pend_nmi(&mut self) { todo!() }
    /// In WFI/WFE and nothing that wakes it pends.
    pub fn sleeping(&self) -> bool { todo!() }
    /// SCR.SLEEPDEEP is set: on STM32 the sleep is Stop or Standby.
    pub fn sleep_deep(&self) -> bool { todo!() }
    /// Sets the event register, as the RXEV input (EXTI event mode) does: wakes WFE.
    pub fn signal_event(&mut self) { todo!() }
    /// While sleeping: time passes to `cycle`; SysTick and DWT count.
    pub fn skip_to(&mut self, _cycle: u64) { todo!() }
    /// As `skip_to`, with the core's clock stopped (Stop mode): SysTick and DWT do not count.
    pub fn skip_halted(&mut self, _cycle: u64) { todo!() }
    /// Cycle of the next SysTick underflow that would pend its exception, if any.
    pub fn next_event(&self) -> Option<u64> { todo!() }
    /// Reads flash or RAM; false if some byte is neither.
    pub fn read_memory(&self, _address: u32, _into: &mut [u8]) -> bool { todo!() }
    /// Writes flash or RAM (debugger, loader, flash controller); false, and nothing written, if some byte is neither.
    pub fn write_memory(&mut self, _address: u32, _from: &[u8]) -> bool { todo!() }
    /// Program counter, also inside a bus callback's aftermath.
    pub fn pc(&self) -> u32 { self.regs[15] }
    pub fn xpsr(&self) -> u32 { todo!() }
    pub fn set_xpsr(&mut self, _value: u32) { todo!() }
}
