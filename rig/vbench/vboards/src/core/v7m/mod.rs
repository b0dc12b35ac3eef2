//! ARMv7-M core as built into the Cortex-M3 and the Cortex-M4, with its private peripherals and a cycle model.
//!
//! A chip owns a [`Cpu`] and lends it a [`Bus`] for every run:
//!
//! ```text
//! loop {
//!     fire the chip's events that are due at cpu.cycles;
//!     match cpu.run_until(&mut bus, next_event) {
//!         Step::Ran => {}
//!         Step::Sleeping => cpu.skip_to(min(next_event, cpu.next_event())),
//!         Step::ResetRequested | Step::Fault(_) | Step::Breakpoint(_) => the chip decides,
//!     }
//! }
//! ```
//!
//! The result does not depend on where `run_until` is cut: it stops between instructions and keeps all its state.
//! Not here: the MPU (MPU_TYPE reads 0, as on a part without one), FPB and data watchpoints; ITM and TPIU are silent.

mod access;
mod alu;
mod contention;
mod control;
mod debug;
mod decode16;
mod decode32;
mod decode_control;
mod decode_dsp;
mod decode_float;
mod decode_mem;
mod dsp;
mod exceptions;
mod execute;
mod fault;
mod float;
mod float_context;
mod loadstore;
mod memory;
mod model;
mod nvic;
mod ops;
mod registers;
mod run;
mod scb;
mod softfloat;
mod systick;
pub mod timing;

pub use fault::{Fault, FaultKind};
pub use memory::Memory;
pub use model::Model;

use memory::Ram;

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
    /// A debugger has halted it.
    Halted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sleep {
    Awake,
    /// WFI or sleep on exit.
    Interrupt,
    /// WFE.
    Event,
}

/// The core, its flash array, its RAM and its private peripherals.
pub struct Cpu {
    /// Cycles since construction; never goes back, not even at a reset.
    pub cycles: u64,
    /// R0..R12, SP, LR, PC (address of the next instruction) whenever the core is not running.
    pub regs: [u32; 16],
    /// Instructions executed since construction, those skipped in IT blocks included.
    pub instructions: u64,
    /// True: BKPT ends a run with [`Step::Breakpoint`]. False: it is a fault, as on a chip without debugger.
    pub halt_on_bkpt: bool,
    /// Address and PC of the last access that nothing answered.
    pub last_bus_fault: Option<(u32, u32)>,

    // Where the run loop is. Inside it `regs[15]` reads as an instruction sees it and `pc` is the next instruction.
    pc: u32,
    /// `instructions` when the last exception was entered: equal as long as its handler has not begun.
    entered_at: u64,
    limit: u64,
    /// Something about exceptions or sleep changed since they were last looked at.
    dirty: bool,
    n: bool,
    z: bool,
    c: bool,
    v: bool,
    q: bool,
    /// The four GE flags of the DSP extension.
    ge: u8,
    thumb: bool,
    it: u8,
    // Special registers. `other_sp` is the stack pointer that is not in use.
    ipsr: u16,
    control: u32,
    other_sp: u32,
    basepri: u8,
    primask: bool,
    faultmask: bool,
    as_user: bool,
    exclusive: bool,
    event: bool,
    sleep: Sleep,
    halted: bool,
    reset_requested: bool,
    fault: Option<Fault>,
    // Timing: flash lines, the last load (for pipelining), the write buffer.
    fetch: timing::FlashFetch,
    load_end: u64,
    load_into: u8,
    buffer_free_at: u64,
    /// No access from here on waits for the write buffer or for another master.
    busy_until: u64,
    holds: contention::Holds,
    /// Addresses of the instruction that runs, and of the one before.
    current: u32,
    before: u32,

    mem: Memory,
    debug: debug::Debug,
    nvic: nvic::Nvic,
    systick: systick::SysTick,
    scb: scb::Scb,
    float: float::Float,
    timing: timing::TimingModel,
    model: Model,
}

impl Cpu {
    /// A Cortex-M3 after power-on reset. The flash is also visible at address 0.
    pub fn new(flash_base: u32, flash: Vec<u8>, ram_base: u32, ram_bytes: usize) -> Cpu {
        Cpu::with_model(Model::CORTEX_M3, flash_base, flash, ram_base, ram_bytes)
    }

    /// As [`Cpu::new`] with another processor of the family.
    pub fn with_model(model: Model, flash_base: u32, flash: Vec<u8>, ram_base: u32, ram_bytes: usize) -> Cpu {
        let mut cpu = Cpu {
            cycles: 0,
            regs: [0; 16],
            instructions: 0,
            halt_on_bkpt: false,
            last_bus_fault: None,
            pc: 0,
            entered_at: u64::MAX,
            limit: 0,
            dirty: true,
            n: false,
            z: false,
            c: false,
            v: false,
            q: false,
            ge: 0,
            thumb: true,
            it: 0,
            ipsr: 0,
            control: 0,
            other_sp: 0,
            basepri: 0,
            primask: false,
            faultmask: false,
            as_user: false,
            exclusive: false,
            event: false,
            sleep: Sleep::Awake,
            halted: false,
            reset_requested: false,
            fault: None,
            fetch: timing::FlashFetch::new(),
            load_end: 0,
            load_into: 0,
            buffer_free_at: 0,
            busy_until: 0,
            holds: contention::Holds::default(),
            current: 0,
            before: 0,
            mem: Memory::new(flash_base, flash, ram_base, ram_bytes),
            debug: debug::Debug::default(),
            nvic: nvic::Nvic::new(),
            systick: systick::SysTick::new(),
            scb: scb::Scb::new(),
            float: float::Float::new(),
            timing: model.timing,
            model,
        };
        cpu.set_timing(model.timing);
        cpu.reset();
        cpu
    }

    /// Another timing than the model's, for studies of how much depends on it.
    pub fn set_timing(&mut self, timing: timing::TimingModel) {
        self.timing = timing;
        self.fetch.refill_unaligned = timing.refill_unaligned;
        self.fetch.branch_keeps_line = timing.branch_keeps_line != 0;
        self.fetch.fetch_ahead = timing.fetch_ahead;
        self.fetch.branch_waits = timing.branch_waits != 0;
    }

    pub fn timing(&self) -> timing::TimingModel {
        self.timing
    }

    /// A further RAM (SRAM2 of the STM32L476, say).
    pub fn add_ram(&mut self, base: u32, bytes: usize) {
        self.mem.more_ram.push(Ram {
            base,
            bytes: vec![0; bytes],
        });
    }

    /// Core reset: SP and PC from the vector table at 0. Memory, `cycles` and `instructions` stay as they are.
    ///
    /// An image without vectors leaves the core in [`Step::Fault`]. The levels of the interrupt lines are forgotten: the
    /// chip calls [`Cpu::set_irq_levels`], or reports a change, if some are high after its own reset.
    pub fn reset(&mut self) {
        self.nvic = nvic::Nvic::new();
        self.systick = systick::SysTick::new();
        let demcr = self.scb.demcr;
        self.scb = scb::Scb::new();
        self.float = float::Float::new();
        self.scb.demcr = demcr; // C1.6.5: only a power-on reset clears it
        self.regs = [0; 16];
        self.regs[14] = u32::MAX;
        self.other_sp = 0;
        (self.ipsr, self.control, self.basepri) = (0, 0, 0);
        (self.primask, self.faultmask, self.exclusive, self.event) = (false, false, false, false);
        (self.halted, self.reset_requested, self.fault) = (false, false, None);
        self.sleep = Sleep::Awake;
        self.last_bus_fault = None;
        self.set_apsr(0);
        self.it = 0;
        self.fetch.flush();
        let mut vectors = [0; 8];
        let found = self.mem.read(0, &mut vectors);
        let [s0, s1, s2, s3, p0, p1, p2, p3] = vectors;
        self.regs[13] = u32::from_le_bytes([s0, s1, s2, s3]) & !3;
        let entry = u32::from_le_bytes([p0, p1, p2, p3]);
        self.regs[15] = entry & !1;
        self.pc = self.regs[15];
        self.thumb = entry & 1 != 0;
        if !found || entry == 0 || entry == u32::MAX {
            self.lock_up(FaultKind::VectorTable, None);
        }
        self.debug_reset();
        self.attend();
    }

    /// Levels of the interrupt lines (bit n = IRQ n). `run_until` and `step` take them over themselves when
    /// [`crate::bus::Bus::irq_changed`] says so.
    pub fn set_irq_levels(&mut self, levels: u128) {
        if self.nvic.set_levels(levels) {
            self.event |= self.scb.scr & scb::SCR_SEVONPEND != 0;
        }
        self.attend();
    }

    /// Makes NMI pending (clock security system).
    pub fn pend_nmi(&mut self) {
        self.pend(nvic::NMI);
    }

    /// In WFI or WFE and nothing that wakes it pends, halted by a debugger, or locked up and waiting for one.
    pub fn sleeping(&self) -> bool {
        if self.debug_halted() || self.fault.is_some() && self.debug_attached() {
            return true;
        }
        self.sleep != Sleep::Awake && self.fault.is_none() && !self.wakes_now()
    }

    fn wakes_now(&self) -> bool {
        self.wakes() || self.sleep == Sleep::Event && self.event
    }

    /// SCR.SLEEPDEEP is set: on an STM32 the sleep is Stop or Standby.
    pub fn sleep_deep(&self) -> bool {
        !self.debug_halted() && self.scb.scr & scb::SCR_SLEEPDEEP != 0
    }

    /// Sets the event register, as the RXEV input does (EXTI in event mode): wakes WFE.
    pub fn signal_event(&mut self) {
        self.event = true;
        self.attend();
    }

    /// While sleeping: time passes to `cycle`; SysTick and CYCCNT count.
    pub fn skip_to(&mut self, cycle: u64) {
        self.cycles = self.cycles.max(cycle);
        self.advance_systick();
    }

    /// As [`Cpu::skip_to`] with the core's clock stopped (Stop mode): SysTick and CYCCNT stand still.
    pub fn skip_halted(&mut self, cycle: u64) {
        let skipped = cycle.saturating_sub(self.cycles);
        self.cycles += skipped;
        self.systick.postpone(skipped);
        self.scb.postpone(skipped);
    }

    /// Cycle of the next SysTick underflow that pends its exception, if any.
    pub fn next_event(&self) -> Option<u64> {
        if self.debug_halted() {
            return None;
        }
        match self.systick.next_interrupt() {
            u64::MAX => None,
            cycle => Some(cycle),
        }
    }

    fn advance_systick(&mut self) {
        if self.systick.advance(self.cycles) {
            self.pend(nvic::SYSTICK);
        }
    }

    /// Address of the next instruction (while the core is not running).
    pub fn pc(&self) -> u32 {
        self.regs[15]
    }

    /// Reads flash or RAM; false if some byte is neither.
    pub fn read_memory(&self, address: u32, into: &mut [u8]) -> bool {
        self.mem.read(address, into)
    }

    /// Writes RAM as another bus master does (DMA); false, and nothing written, if some byte is none.
    pub fn write_ram(&mut self, address: u32, from: &[u8]) -> bool {
        matches!(self.mem.place(address, from.len()), Some(memory::Place::Ram(..))) && self.mem.write(address, from)
    }

    /// The complete flash.
    pub fn flash(&self) -> &[u8] {
        &self.mem.flash
    }

    /// The supply comes back: the flash holds what it held, the RAMs hold anything.
    pub fn power_up(&mut self, flash: &[u8], ram: &mut dyn FnMut() -> u8) {
        self.write_memory(self.mem.flash_base, flash);
        let more = self.mem.more_ram.iter_mut().flat_map(|ram| ram.bytes.iter_mut());
        self.mem.ram.iter_mut().chain(more).for_each(|byte| *byte = ram());
        self.reset();
    }

    /// Puts a chip's caches between flash and core.
    pub fn set_flash_cache(&mut self, cache: Box<dyn timing::LineCache>) {
        self.fetch.cache = Some(cache);
    }

    /// The chip's control register of its caches has been written.
    pub fn control_flash_cache(&mut self, register: u32) {
        if let Some(cache) = self.fetch.cache.as_mut() {
            cache.control(register);
        }
    }

    /// Writes flash or RAM (debugger, loader, flash controller); false, and nothing written, if some byte is neither.
    pub fn write_memory(&mut self, address: u32, from: &[u8]) -> bool {
        self.fetch.flush();
        self.mem.write(address, from)
    }
}
