//! Runs test vectors through the ARMv7-M core, for the comparison with another emulator in
//! `rig/tests/test_core_oracle.py`.
//!
//! A vector is one line on standard input, all numbers in hexadecimal:
//!
//! ```text
//! <address of the code> <code bytes> <instructions> <R0>..<R14> <xPSR> <bytes of the RAM window>
//! ```
//!
//! and the answer one line: `<R0>..<R15> <xPSR> <bytes of the RAM window>`, or `fault <CFSR>`.
//! All code is in flash before the first vector runs. Flash is 1 MiB at 0x08000000, the window lies at 0x20000400 in 4 KiB of RAM. Every vector starts from a core reset.

use std::fmt::Write as _;
use std::io::{self, BufRead, Write};

use vboards::bus::{Bus, BusError, Width};
use vboards::core::v7m::{Cpu, Step};

const FLASH: u32 = 0x0800_0000;
const FLASH_BYTES: usize = 1 << 20;
const RAM: u32 = 0x2000_0000;
const RAM_BYTES: usize = 4096;
const WINDOW: u32 = RAM + 0x400;

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
    fn horizon(&self) -> u64 {
        u64::MAX
    }
}

fn number(text: Option<&str>) -> Result<u32, String> {
    let text = text.ok_or("the line is too short")?;
    u32::from_str_radix(text, 16).map_err(|_| format!("'{text}' is not a 32-bit hexadecimal number"))
}

fn bytes(text: Option<&str>) -> Result<Vec<u8>, String> {
    let text = text.ok_or("the line is too short")?;
    let pairs = text
        .as_bytes()
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).unwrap_or(""));
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).map_err(|_| format!("'{pair}' is not a byte")))
        .collect()
}

fn load(cpu: &mut Cpu, line: &str) -> Result<(), String> {
    let mut fields = line.split_whitespace();
    let address = number(fields.next())?;
    if !cpu.write_memory(address, &bytes(fields.next())?) {
        return Err(format!("code at {address:08x} does not fit into the flash"));
    }
    Ok(())
}

fn run(cpu: &mut Cpu, line: &str) -> Result<String, String> {
    let mut fields = line.split_whitespace();
    let address = number(fields.next())?;
    let count = number(fields.nth(1))?;
    cpu.reset();
    for register in 0..15 {
        cpu.regs[register] = number(fields.next())?;
    }
    let psr = number(fields.next())?;
    let mut window = bytes(fields.next())?;
    cpu.set_xpsr(psr);
    cpu.regs[15] = address;
    if !cpu.write_memory(WINDOW, &window) {
        return Err(format!("a window of {} bytes does not fit into the RAM", window.len()));
    }
    for _ in 0..count {
        if let Step::Fault(fault) = cpu.step(&mut NoDevices) {
            return Ok(format!("fault {:x}", fault.cfsr));
        }
        if cpu.xpsr() & 0x1FF != 0 {
            return Ok(format!("fault exception {}", cpu.xpsr() & 0x1FF));
        }
    }
    cpu.read_memory(WINDOW, &mut window);
    let mut answer = String::new();
    for register in cpu.regs {
        write!(answer, "{register:x} ").map_err(|e| e.to_string())?;
    }
    write!(answer, "{:x} ", cpu.xpsr()).map_err(|e| e.to_string())?;
    for byte in window {
        write!(answer, "{byte:02x}").map_err(|e| e.to_string())?;
    }
    Ok(answer)
}

fn main() -> Result<(), String> {
    let mut flash = vec![0; FLASH_BYTES];
    flash[..8].copy_from_slice(&[0, 16, 0, 0x20, 1, 1, 0, 8]);
    let mut cpu = Cpu::new(FLASH, flash, RAM, RAM_BYTES);
    let mut out = io::BufWriter::new(io::stdout());
    let lines = io::stdin()
        .lock()
        .lines()
        .collect::<Result<Vec<_>, _>>()
        .map_err(|e| e.to_string())?;
    for (index, line) in lines.iter().enumerate() {
        load(&mut cpu, line).map_err(|e| format!("line {}: {e}", index + 1))?;
    }
    for (index, line) in lines.iter().enumerate() {
        let answer = run(&mut cpu, line).map_err(|e| format!("line {}: {e}", index + 1))?;
        writeln!(out, "{answer}").map_err(|e| e.to_string())?;
    }
    Ok(())
}
