//! Every row of the cycle tables of SLAU049F, section 3.4.4, written down here a second time, against the core.

use vboards::core::msp430::{Cpu, Kind, Memory, Peripherals, Step, CPUOFF, GIE, NMI, PC, SP, SR, Z};

/// A chip that takes note of accesses and asks for one interrupt.
#[derive(Default)]
pub struct Chip {
    accesses: Vec<(char, u16, u64)>,
    requests: u16,
}

impl Peripherals for Chip {
    fn read(&mut self, address: u16, _byte: bool, cycle: u64, _pc: u16) -> u16 {
        self.accesses.push(('r', address, cycle));
        0
    }
    fn write(&mut self, address: u16, _byte: bool, _value: u16, cycle: u64, _pc: u16) {
        self.accesses.push(('w', address, cycle));
    }
    fn requests(&self) -> u16 {
        self.requests
    }
    fn accepted(&mut self, number: u16, _cycle: u64) {
        self.requests &= !(1 << number);
    }
    fn horizon(&self) -> u64 {
        u64::MAX
    }
}

pub const CODE: u16 = 0x4400;

/// A core that is about to run `code`; R5 points into the RAM, R6 too.
pub fn core(code: &[u16]) -> Cpu {
    let mut mem = Memory::new();
    mem.map(0x11, 0x38, Kind::Ram);
    mem.map(0x40, 0xFF, Kind::Flash);
    for (index, &word) in code.iter().enumerate() {
        mem.set_word(CODE + 2 * index as u16, word);
    }
    for address in (0x1200..0x1400).step_by(2) {
        mem.set_word(address, 0x4800);
    }
    let mut cpu = Cpu::new(mem);
    cpu.regs[PC] = CODE;
    cpu.regs[SP] = 0x3000;
    cpu.regs[5] = 0x1200;
    cpu.regs[6] = 0x1280;
    cpu
}

/// Cycles and length in words of one instruction.
fn run(code: &[u16]) -> (u64, u16) {
    let mut cpu = core(code);
    assert_eq!(Step::Ran, cpu.step(&mut Chip::default()), "{:04x?}", code);
    (cpu.cycles, (cpu.regs[PC].wrapping_sub(CODE)) / 2)
}

/// Source field (register, As) and extension words of each addressing mode of the tables.
const SOURCES: [(&str, u16, u16, &[u16]); 7] = [
    ("Rn", 5, 0, &[]),
    ("@Rn", 5, 2, &[]),
    ("@Rn+", 5, 3, &[]),
    ("#N", 0, 3, &[0x4800]),
    ("x(Rn)", 5, 1, &[0x0010]),
    ("EDE", 0, 1, &[0xCE00]),
    ("&EDE", 2, 1, &[0x1210]),
];
/// Destination field (register, Ad) and extension words. EDE is close to the code's own address plus 0xCE80.
const TARGETS: [(&str, u16, u16, &[u16]); 5] = [
    ("Rm", 6, 0, &[]),
    ("PC", 0, 0, &[]),
    ("x(Rm)", 6, 1, &[0x0010]),
    ("EDE", 0, 1, &[0xCE80]),
    ("&EDE", 2, 1, &[0x1290]),
];

/// Table 3-16, cycles of format I by source and destination.
const FORMAT_1: [[u64; 5]; 7] = [
    [1, 2, 4, 4, 4],
    [2, 2, 5, 5, 5],
    [2, 3, 5, 5, 5],
    [2, 3, 5, 5, 5],
    [3, 3, 6, 6, 6],
    [3, 3, 6, 6, 6],
    [3, 3, 6, 6, 6],
];

/// Format I: all twelve instructions cost the same, as words and as bytes.
#[test]
fn two_operands() {
    for (source, expected) in SOURCES.iter().zip(FORMAT_1) {
        for (target, &cycles) in TARGETS.iter().zip(expected.iter()) {
            for operation in 4..16u16 {
                for byte in 0..2 {
                    let opcode = operation << 12 | source.1 << 8 | target.2 << 7 | byte << 6 | source.2 << 4 | target.1;
                    let code = [&[opcode], source.3, target.3].concat();
                    let (taken, length) = run(&code);
                    assert_eq!(cycles, taken, "{:04x}: {}, {}", opcode, source.0, target.0);
                    if target.0 != "PC" {
                        assert_eq!(code.len() as u16, length, "{:04x}: {}, {}", opcode, source.0, target.0);
                    }
                }
            }
        }
    }
}

/// Table 3-15, cycles of format II: RRA RRC SWPB SXT, PUSH, CALL; 0: not allowed.
const FORMAT_2: [[u64; 3]; 7] = [
    [1, 3, 4],
    [3, 4, 4],
    [3, 5, 5],
    [0, 4, 5],
    [4, 5, 5],
    [4, 5, 5],
    [4, 5, 5],
];

/// Format II.
#[test]
fn one_operand() {
    for (source, expected) in SOURCES.iter().zip(FORMAT_2) {
        let groups: [&[u16]; 3] = [&[0, 1, 2, 3], &[4], &[5]];
        for (operations, cycles) in groups.iter().zip(expected) {
            for operation in operations.iter().filter(|_| cycles > 0) {
                let opcode = 0x1000 | operation << 7 | source.2 << 4 | source.1;
                let (taken, length) = run(&[&[opcode], source.3].concat());
                assert_eq!(cycles, taken, "{:04x}: {}", opcode, source.0);
                if *operation < 5 {
                    assert_eq!(1 + source.3.len() as u16, length, "{:04x}: {}", opcode, source.0);
                }
            }
        }
    }
}

/// Constants of the generators cost what registers cost (section 3.2.4): `ADD #1, R6`, `MOV #8, &EDE`, `PUSH #4`.
#[test]
fn generated_constants() {
    for (register, mode) in [(3, 0), (3, 1), (3, 2), (3, 3), (2, 2), (2, 3)] {
        assert_eq!((1, 1), run(&[0x5006 | register << 8 | mode << 4]));
        assert_eq!((4, 2), run(&[0x4082 | register << 8 | mode << 4, 0x1290]));
        assert_eq!((3, 1), run(&[0x1200 | register | mode << 4]));
    }
}

/// Format III: every jump takes two cycles, taken or not.
#[test]
fn jumps() {
    for condition in 0..8u16 {
        for flags in [0, Z] {
            let mut cpu = core(&[0x2000 | condition << 10 | 0x010]);
            cpu.regs[SR] = flags;
            cpu.step(&mut Chip::default());
            assert_eq!(2, cpu.cycles);
        }
    }
}

/// Table 3-14: an interrupt takes 6 cycles until its first instruction, RETI 5, a reset 4. The interrupt clears SR and
/// pushes PC and SR; RETI brings both back.
#[test]
fn interrupts() {
    let mut cpu = core(&[0x4303]); // nop
    cpu.mem.set_word(0xFFE0 + 2 * 6, 0x5000);
    cpu.mem.set_word(0x5000, 0x1300); // reti
    cpu.regs[SR] = GIE | CPUOFF | Z;
    let mut chip = Chip {
        requests: 1 << 6,
        ..Chip::default()
    };
    assert_eq!(Step::Ran, cpu.step(&mut chip));
    assert_eq!(
        (6, 0x5000, 0, 0x2FFC),
        (cpu.cycles, cpu.regs[PC], cpu.regs[SR], cpu.regs[SP])
    );
    assert_eq!((CODE, GIE | CPUOFF | Z), (cpu.mem.word(0x2FFE), cpu.mem.word(0x2FFC)));
    assert_eq!(Step::Ran, cpu.step(&mut chip));
    assert_eq!(
        (6 + 5, CODE, GIE | CPUOFF | Z),
        (cpu.cycles, cpu.regs[PC], cpu.regs[SR])
    );
    cpu.mem.set_word(0xFFFE, CODE);
    cpu.reset();
    assert_eq!((6 + 5 + 4, CODE, 0), (cpu.cycles, cpu.regs[PC], cpu.regs[SR]));
}

/// The highest request wins (table 2-1), and the non-maskable one does not ask for GIE.
#[test]
fn priorities() {
    let mut cpu = core(&[0x4303]);
    let all = 1 << 3 | 1 << 9 | 1 << NMI;
    assert_eq!(Some(NMI), cpu.acceptable(all));
    assert_eq!(None, cpu.acceptable(1 << 3 | 1 << 9));
    cpu.regs[SR] = GIE;
    assert_eq!(Some(9), cpu.acceptable(1 << 3 | 1 << 9));
}

/// A store to a register falls into the last cycle, the read of the same register into the one before.
#[test]
fn stamps_of_accesses() {
    let mut chip = Chip::default();
    let mut cpu = core(&[0xE3F2, 0x0031]); // xor.b #-1, &0x0031: 4 cycles
    cpu.step(&mut chip);
    assert_eq!(vec![('r', 0x31, 2), ('w', 0x31, 3)], chip.accesses);
    let mut chip = Chip::default();
    let mut cpu = core(&[0x4292, 0x0170, 0x0172]); // mov &TAR, &TACCR0: 6 cycles
    cpu.step(&mut chip);
    assert_eq!(vec![('r', 0x170, 2), ('w', 0x172, 5)], chip.accesses);
}

/// PUSH.B moves the stack pointer by a word and writes its low byte only; `@SP+` as a byte moves it by a word (3.2.2).
#[test]
fn bytes_on_the_stack() {
    let mut cpu = core(&[0x1246, 0x4174]); // push.b r6; mov.b @sp+, r4
    cpu.mem.set_word(0x2FFE, 0xAA55);
    cpu.step(&mut Chip::default());
    assert_eq!((0x2FFE, 0xAA80), (cpu.regs[SP], cpu.mem.word(0x2FFE)));
    cpu.step(&mut Chip::default());
    assert_eq!((0x3000, 0x0080), (cpu.regs[SP], cpu.regs[4]));
}
