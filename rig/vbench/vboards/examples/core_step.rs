//! Runs test vectors through the ARMv7-M core, for the comparison with another emulator in `rig/vbench/tests/core_oracle`.
//!
//! `core_step m3|m4|m4f` reads vectors on standard input and answers each on standard output, all of it words of 32
//! bits, little endian:
//!
//! ```text
//! vector: address of the code, address of its end, code (5), R0..R14, xPSR, S0..S31, FPSCR, RAM window (64)
//! answer: 0 or 1 for a fault, CFSR, BFAR, R0..R15, xPSR, masks, S0..S31, FPSCR, RAM window (64)
//! ```
//!
//! An end of 0 means one instruction; otherwise it runs to the end, a fault, or 16 instructions. Before the vectors
//! comes the flash, 1 MiB for 0x08000000. The RAM is 4 KiB at 0x20000000, the window in it at 0x20000400. Every vector
//! starts from a core reset; what it writes elsewhere in RAM is cleared, its code stays in the flash.

use std::io::{self, Read, Write};

use vboards::bus::{Bus, BusError, Width};
use vboards::core::v7m::{Cpu, Model, Step};

const FLASH: u32 = 0x0800_0000;
const FLASH_BYTES: usize = 1 << 20;
const RAM: u32 = 0x2000_0000;
const RAM_BYTES: usize = 4096;
const WINDOW: u32 = RAM + 0x400;
const WINDOW_WORDS: usize = 64;
const CODE_WORDS: usize = 5;
const VECTOR_WORDS: usize = 2 + CODE_WORDS + 15 + 1 + 32 + 1 + WINDOW_WORDS;
/// Instructions of a vector that has an end.
const LIMIT: u32 = 16;
const CPACR: u32 = 0xE000_ED88;
/// CONTROL.FPCA as `Cpu::set_masks` takes it.
const FPCA: u32 = 4 << 24;
const CFSR: u32 = 0xE000_ED28;
const BFAR: u32 = 0xE000_ED38;

/// A chip without devices.
struct NoDevices;

impl Bus for NoDevices {
    fn read(&mut self, _: u32, _: Width, _: u64, _: u32) -> Result<u32, BusError> {
        Err(BusError)
    }
    fn write(&mut self, _: u32, _: Width, _: u32, _: u64, _: u32) -> Result<(), BusError> {
        Err(BusError)
    }
    fn wait_cycles(&self, _: u32) -> u32 {
        0
    }
    fn irq_levels(&self) -> u128 {
        0
    }
    fn irq_changed(&mut self) -> bool {
        false
    }
    fn flash_wait_states(&self) -> u32 {
        0
    }
    fn flash_prefetch(&self) -> bool {
        true
    }
    fn horizon(&self) -> u64 {
        u64::MAX
    }
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes
        .chunks_exact(4)
        .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        .collect()
}

/// Puts the state of the vector into the core, but for the code.
fn set_state(cpu: &mut Cpu, vector: &[u32]) {
    let (core, rest) = vector.split_at(16);
    let (float, window) = rest.split_at(33);
    cpu.write_memory(RAM, &[0; RAM_BYTES]);
    cpu.write_memory(WINDOW, &bytes(window));
    cpu.reset();
    cpu.regs[..15].copy_from_slice(&core[..15]);
    cpu.set_xpsr(core[15]);
    // Access to floating point, and no new context at the first use of it.
    cpu.write_private(CPACR, Width::Word, 0xF << 20);
    cpu.set_masks(FPCA);
    cpu.float_registers().copy_from_slice(&float[..32]);
    cpu.set_fpscr(float[32]);
}

/// Runs a vector; true if it ends in a fault or another exception.
fn run(cpu: &mut Cpu, end: u32) -> bool {
    for _ in 0..if end == 0 { 1 } else { LIMIT } {
        let step = cpu.step(&mut NoDevices);
        if matches!(step, Step::Fault(_)) || cpu.xpsr() & 0x1FF != 0 {
            return true;
        }
        if cpu.pc() == end {
            break;
        }
    }
    false
}

fn answer(cpu: &mut Cpu, faulted: bool) -> Vec<u8> {
    let mut answer = vec![u32::from(faulted)];
    answer.extend([CFSR, BFAR].map(|register| cpu.read_private(register, Width::Word)));
    answer.extend(cpu.regs);
    answer.extend([cpu.xpsr(), cpu.masks()]);
    answer.extend(*cpu.float_registers());
    answer.push(cpu.fpscr());
    let mut answer = bytes(&answer);
    let mut window = [0; 4 * WINDOW_WORDS];
    cpu.read_memory(WINDOW, &mut window);
    answer.extend(window);
    answer
}

fn main() -> Result<(), String> {
    let model = match std::env::args().nth(1).as_deref() {
        Some("m3") => Model::CORTEX_M3,
        Some("m4") => Model::CORTEX_M4,
        Some("m4f") => Model::CORTEX_M4F,
        _ => return Err("name a core: m3, m4 or m4f".to_string()),
    };
    let mut input = io::BufReader::new(io::stdin());
    let mut out = io::BufWriter::new(io::stdout());
    let mut flash = vec![0; FLASH_BYTES];
    input
        .read_exact(&mut flash)
        .map_err(|e| format!("no flash on standard input: {}", e))?;
    let mut cpu = Cpu::with_model(model, FLASH, flash, RAM, RAM_BYTES);
    let mut vector = [0; 4 * VECTOR_WORDS];
    while input.read_exact(&mut vector).is_ok() {
        let words = words(&vector);
        let (address, end) = (words[0], words[1]);
        if !cpu.write_memory(address, &vector[8..8 + 4 * CODE_WORDS]) {
            return Err(format!("code at {:08x} does not fit into the flash", address));
        }
        set_state(&mut cpu, &words[2 + CODE_WORDS..]);
        cpu.regs[15] = address;
        let faulted = run(&mut cpu, end);
        out.write_all(&answer(&mut cpu, faulted)).map_err(|e| e.to_string())?;
    }
    out.flush().map_err(|e| e.to_string())
}
