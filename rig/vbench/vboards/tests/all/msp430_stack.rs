//! PUSH and CALL with an operand in memory by SP: SP goes down before the address is formed.
//!
//! mspdebug's simulator forms the address first and so is not an oracle here (`rig/vbench/tests/test_msp430_oracle.py` leaves these out).
//! mspgcc's images, which run on hardware, store a pointer at 56(SP) and call through 58(SP): CALL X(SP) is proved by them.
//! The other rows follow mspsim, which treats all modes alike; no image and no measurement is known for them.

use crate::msp430_cycles::{core, Chip, CODE};
use vboards::core::msp430::{Cpu, Step, PC, SP};

const STACK: u16 = 0x3000;

/// A core after one instruction; the stack holds 0x5000 + the distance from SP, below and above it.
fn after(code: &[u16]) -> Cpu {
    let mut cpu = core(code);
    for distance in (-8i16..=64).step_by(2) {
        cpu.mem.set_word(
            STACK.wrapping_add(distance as u16),
            0x5000u16.wrapping_add(distance as u16),
        );
    }
    assert_eq!(Step::Ran, cpu.step(&mut Chip::default()), "{:04x?}", code);
    cpu
}

/// What mspgcc compiles: `mov r15, 56(sp)`, `call 58(sp)`.
#[test]
fn a_call_through_a_pointer_on_the_stack() {
    let mut cpu = core(&[0x4F81, 56, 0x1291, 58]);
    cpu.regs[15] = 0x4800;
    for _ in 0..2 {
        assert_eq!(Step::Ran, cpu.step(&mut Chip::default()));
    }
    assert_eq!((0x4800, STACK - 2), (cpu.regs[PC], cpu.regs[SP]));
    assert_eq!(CODE + 8, cpu.mem.word(STACK - 2)); // where it returns to
}

/// The target of each mode: a word below what SP was before.
#[test]
fn call() {
    for (code, target, stack, returns) in [
        (&[0x1291, 0][..], 0x4FFE, STACK - 2, CODE + 4),
        (&[0x1291, 2], 0x5000, STACK - 2, CODE + 4),
        (&[0x12A1], 0x4FFE, STACK - 2, CODE + 2),
        (&[0x12B1], 0x4FFE, STACK, CODE + 2),
    ] {
        let cpu = after(code);
        assert_eq!((target, stack), (cpu.regs[PC], cpu.regs[SP]), "{:04x?}", code);
        assert_eq!(returns, cpu.mem.word(stack), "{:04x?}", code);
    }
}

#[test]
fn push() {
    for (code, pushed, stack) in [
        (&[0x1211, 4][..], 0x5002, STACK - 2),
        (&[0x1221], 0x4FFE, STACK - 2),
        (&[0x1231], 0x4FFE, STACK),
    ] {
        let cpu = after(code);
        assert_eq!((pushed, stack), (cpu.mem.word(stack), cpu.regs[SP]), "{:04x?}", code);
    }
}

/// The register itself and other registers are as before: `push sp`, `call r5`, `call @r5`.
#[test]
fn other_operands() {
    let cpu = after(&[0x1201]);
    assert_eq!((STACK, STACK - 2), (cpu.mem.word(STACK - 2), cpu.regs[SP]));
    assert_eq!((0x1200, STACK - 2), (after(&[0x1285]).regs[PC], STACK - 2));
    assert_eq!(0x4800, after(&[0x12A5]).regs[PC]);
}
