//! Runs test vectors through the MSP430 core, for the comparison with mspdebug's simulator in
//! `rig/vbench/tests/test_msp430_oracle.py`.
//!
//! The argument is a file with the 65 536 bytes of the memory, all of it RAM but the registers' pages below 0x0200. A
//! vector is one line on standard input, all numbers in hexadecimal: `<R0>..<R15> <code words at R0>...`. One
//! instruction runs. The answer is a line with `<R0>..<R15> <cycles>`, or `skip` if it touches a register of a chip or is
//! no instruction; then the memory is as before. The last line is the memory.

use std::error::Error;
use std::fmt::Write as _;
use std::io::{self, BufRead, Write};
use vboards::core::msp430::{Cpu, Kind, Memory, Peripherals, Step, CG, PC};

/// Registers that only tell that they were touched.
#[derive(Default)]
struct Touched(bool);

impl Peripherals for Touched {
    fn read(&mut self, _address: u16, _byte: bool, _cycle: u64, _pc: u16) -> u16 {
        self.0 = true;
        0
    }
    fn write(&mut self, _address: u16, _byte: bool, _value: u16, _cycle: u64, _pc: u16) {
        self.0 = true;
    }
    fn requests(&self) -> u16 {
        0
    }
    fn accepted(&mut self, _number: u16, _cycle: u64) {}
    fn horizon(&self) -> u64 {
        u64::MAX
    }
}

fn run(mem: &mut Memory, line: &str) -> Result<String, Box<dyn Error>> {
    let numbers = line
        .split_whitespace()
        .map(|text| u16::from_str_radix(text, 16))
        .collect::<Result<Vec<u16>, _>>()?;
    let mut cpu = Cpu::new(mem.clone());
    cpu.regs
        .copy_from_slice(numbers.get(..16).ok_or("a line has 16 registers")?);
    cpu.regs[CG] = 0;
    for (index, &word) in numbers[16..].iter().enumerate() {
        cpu.mem.set_word(cpu.regs[PC].wrapping_add(2 * index as u16), word);
    }
    let mut touched = Touched::default();
    if cpu.step(&mut touched) != Step::Ran || touched.0 {
        return Ok("skip".to_string());
    }
    let mut answer = String::new();
    for register in cpu.regs {
        write!(answer, "{:04x} ", register)?;
    }
    write!(answer, "{}", cpu.cycles)?;
    *mem = cpu.mem;
    Ok(answer)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: msp430_step memory.bin")?;
    let bytes = std::fs::read(path)?;
    let mut mem = Memory::new();
    mem.map(0x02, 0xFF, Kind::Ram);
    for (address, &byte) in bytes.iter().enumerate().take(0x1_0000) {
        mem.set_byte(address as u16, byte);
    }
    let mut out = io::BufWriter::new(io::stdout());
    for line in io::stdin().lock().lines() {
        writeln!(out, "{}", run(&mut mem, &line?)?)?;
    }
    for address in 0..=0xFFFF {
        write!(out, "{:02x}", mem.byte(address))?;
    }
    writeln!(out)?;
    Ok(())
}
