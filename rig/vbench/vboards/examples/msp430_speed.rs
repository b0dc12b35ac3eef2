//! Prints how many instructions per second of processor time the MSP430 core runs: the best of several turns over one loop.

mod processor;

use processor::processor_ns;
use vboards::core::msp430::{Cpu, Kind, Memory, Peripherals, Step, PC, SP};

/// A chip with no registers.
struct Nothing;

impl Peripherals for Nothing {
    fn read(&mut self, _address: u16, _byte: bool, _cycle: u64, _pc: u16) -> u16 {
        0
    }
    fn write(&mut self, _address: u16, _byte: bool, _value: u16, _cycle: u64, _pc: u16) {}
    fn requests(&self) -> u16 {
        0
    }
    fn accepted(&mut self, _number: u16, _cycle: u64) {}
    fn horizon(&self) -> u64 {
        u64::MAX
    }
}

/// A checksum over a buffer with a call per byte: registers, memory, byte and word, jumps.
const LOOP: [u16; 22] = [
    0x4035, 0x1200, // mov #0x1200, r5
    0x4036, 0x0040, // mov #64, r6
    0x457A, // mov.b @r5+, r10
    0x12B0, 0x4420, // call #0x4420
    0x8316, // dec r6
    0x23FB, // jne to mov.b
    0x4A82, 0x1180, // mov r10, &0x1180
    0x5392, 0x1182, // inc &0x1182
    0x3FF2, // jmp to start
    0x4303, 0x4303, // nop
    0xEA0B, // 0x4420: xor r10, r11
    0x108B, // swpb r11
    0x5B0B, // add r11, r11
    0x630B, // adc r11
    0xC32B, // bic #2, r11
    0x4130, // ret
];
const TURNS: u64 = 8;
const TURN_CYCLES: u64 = 60_000_000;

fn main() -> Result<(), String> {
    let mut mem = Memory::new();
    mem.map(0x11, 0x38, Kind::Ram);
    mem.map(0x40, 0xFF, Kind::Flash);
    for (index, &word) in LOOP.iter().enumerate() {
        mem.set_word(0x4400 + 2 * index as u16, word);
    }
    let mut cpu = Cpu::new(mem);
    cpu.regs[PC] = 0x4400;
    cpu.regs[SP] = 0x3900;
    let mut best = 0;
    for _ in 0..TURNS {
        let before = cpu.instructions;
        let start_ns = processor_ns()?;
        assert_eq!(Step::Ran, cpu.run_until(&mut Nothing, cpu.cycles + TURN_CYCLES));
        let ns = (processor_ns()? - start_ns).max(1);
        best = best.max((cpu.instructions - before) * 1000 / ns);
    }
    println!("best of {}: {} MIPS", TURNS, best);
    Ok(())
}
