//! The debug block as a debug port uses it (ARM DDI 0403E, part C).

use crate::core_support::*;
use vboards::bus::Width;
use vboards::core::v7m::{Model, Step};

const DHCSR: u32 = 0xE000_EDF0;
const DCRSR: u32 = 0xE000_EDF4;
const DCRDR: u32 = 0xE000_EDF8;
const DEMCR: u32 = 0xE000_EDFC;
const DFSR: u32 = 0xE000_ED30;
const FP_CTRL: u32 = 0xE000_2000;
const FP_COMP0: u32 = 0xE000_2008;
const AIRCR: u32 = 0xE000_ED0C;
const KEY: u32 = 0xA05F_0000;
const DEBUGEN: u32 = 1;
const HALT: u32 = 2;
const STEP: u32 = 4;
const MASKINTS: u32 = 8;
const S_HALT: u32 = 1 << 17;
const S_RESET_ST: u32 = 1 << 25;

fn write(rig: &mut Rig, address: u32, value: u32) {
    rig.cpu.debug_write(&mut rig.bus, address, Width::Word, value).unwrap();
}

fn read(rig: &mut Rig, address: u32) -> u32 {
    rig.cpu.debug_read(&mut rig.bus, address, Width::Word).unwrap()
}

fn control(rig: &mut Rig, bits: u32) {
    write(rig, DHCSR, KEY | DEBUGEN | bits);
}

fn register(rig: &mut Rig, number: u32) -> u32 {
    write(rig, DCRSR, number);
    read(rig, DCRDR)
}

fn set_register(rig: &mut Rig, number: u32, value: u32) {
    write(rig, DCRDR, value);
    write(rig, DCRSR, 1 << 16 | number);
}

/// Counts R0 up for ever.
fn counter() -> Rig {
    Rig::new(&[
        0x3001, // adds r0, #1
        0xe7fd, // b .-2
    ])
}

#[test]
fn a_halted_core_stands_and_shows_and_takes_its_registers() {
    let mut rig = counter();
    rig.run();
    control(&mut rig, HALT);
    assert_ne!(0, read(&mut rig, DHCSR) & S_HALT);
    let count = register(&mut rig, 0);
    assert!(count > 1000);
    rig.run();
    assert_eq!(count, register(&mut rig, 0));
    set_register(&mut rig, 0, 7);
    control(&mut rig, 0);
    rig.run();
    control(&mut rig, HALT);
    let after = register(&mut rig, 0);
    assert!((7..count + 100).contains(&after), "{}", after);
}

#[test]
fn masks_and_floating_point_registers_have_numbers_of_their_own() {
    // REGSEL (C1.6.3): 20 CONTROL and the masks, 33 FPSCR, 64 on S0..S31.
    const MASKS: u32 = 20;
    const FPSCR: u32 = 33;
    const S0: u32 = 64;
    for (model, float) in [(Model::CORTEX_M4F, true), (Model::CORTEX_M3, false)] {
        let mut rig = Rig::with_model(model, &[0xe7fe]); // b .
        control(&mut rig, HALT);
        for number in 0..32 {
            set_register(&mut rig, S0 + number, 0x3F80_0000 + number);
        }
        set_register(&mut rig, FPSCR, 0xFFFF_FFFF);
        set_register(&mut rig, MASKS, 0x0701_FF01);
        for number in 0..32 {
            let wanted = if float { 0x3F80_0000 + number } else { 0 };
            assert_eq!(wanted, register(&mut rig, S0 + number));
        }
        assert_eq!(
            if float { 0xF7C0_009F } else { 0 },
            register(&mut rig, FPSCR),
            "reserved bits"
        );
        let control = if float { 7 } else { 3 };
        assert_eq!(
            control << 24 | 0x0001_F001,
            register(&mut rig, MASKS),
            "four bits of priority"
        );
    }
}

#[test]
fn without_the_key_nothing_halts() {
    let mut rig = counter();
    write(&mut rig, DHCSR, DEBUGEN | HALT);
    assert_eq!(0, read(&mut rig, DHCSR) & (DEBUGEN | S_HALT));
    assert_eq!(Step::Ran, rig.run());
}

#[test]
fn a_step_is_one_instruction_and_masked_interrupts_wait() {
    let mut rig = counter();
    control(&mut rig, HALT);
    write(&mut rig, 0xE000_E100, 1);
    rig.cpu.set_irq_levels(1);
    let pc = register(&mut rig, 15);
    control(&mut rig, STEP | MASKINTS);
    assert_eq!(Step::Halted, rig.run());
    assert_eq!(pc + 2, register(&mut rig, 15));
    control(&mut rig, HALT); // C_MASKINTS changes only while halted
    control(&mut rig, STEP);
    assert_eq!(Step::Halted, rig.run());
    assert_eq!(16, rig.exception());
}

#[test]
fn hardware_breakpoints_and_bkpt_halt_before_the_instruction() {
    let mut rig = Rig::new(&[
        0x3001, // adds r0, #1
        0x3001, // adds r0, #1
        0x3001, // adds r0, #1
        0xbe07, // bkpt 7
    ]);
    control(&mut rig, HALT);
    write(&mut rig, FP_CTRL, 3);
    write(&mut rig, FP_COMP0, CODE | 2 << 30 | 1); // the upper halfword
    control(&mut rig, 0);
    assert_eq!(Step::Halted, rig.run());
    assert_eq!((CODE + 2, 1), (register(&mut rig, 15), register(&mut rig, 0)));
    assert_eq!(2, read(&mut rig, DFSR) & 2);
    write(&mut rig, FP_COMP0, 0);
    control(&mut rig, 0);
    assert_eq!(Step::Halted, rig.run());
    assert_eq!((CODE + 6, 3), (register(&mut rig, 15), register(&mut rig, 0)));
}

#[test]
fn vector_catch_holds_the_core_on_its_first_instruction_after_reset() {
    let mut rig = counter();
    rig.run();
    control(&mut rig, HALT);
    write(&mut rig, DEMCR, 1);
    write(&mut rig, AIRCR, 0x05FA_0004);
    assert!(rig.cpu.reset_requested());
    rig.cpu.reset();
    assert_eq!((CODE, 0), (register(&mut rig, 15), register(&mut rig, 0)));
    let status = read(&mut rig, DHCSR);
    assert_eq!(S_HALT | S_RESET_ST, status & (S_HALT | S_RESET_ST));
    assert_eq!(0, read(&mut rig, DHCSR) & S_RESET_ST, "reading clears it");
}

#[test]
fn a_core_that_locked_up_can_be_halted_and_set_going_again() {
    let mut rig = counter();
    rig.put(CODE, &[0xde00]); // udf
    rig.handler(3, &[0xde00]);
    assert!(matches!(rig.run(), Step::Fault(_)));
    control(&mut rig, HALT);
    assert!(rig.cpu.debug_halted());
    rig.put(CODE, &[0x3001]);
    write(&mut rig, DEMCR, 1);
    rig.cpu.reset();
    control(&mut rig, 0);
    assert_eq!(Step::Ran, rig.run());
    assert!(rig.cpu.regs[0] > 1000);
}

#[test]
fn memory_reads_and_writes_of_all_widths_pass_the_core_by() {
    let mut rig = counter();
    let before = rig.cpu.cycles;
    for (width, value) in [(Width::Word, 0x1234_5678), (Width::Half, 0xBEEF), (Width::Byte, 0x5A)] {
        rig.cpu.debug_write(&mut rig.bus, RAM + 8, width, value).unwrap();
        assert_eq!(Ok(value), rig.cpu.debug_read(&mut rig.bus, RAM + 8, width));
    }
    assert_eq!(Ok(0x1234_BE5A), rig.cpu.debug_read(&mut rig.bus, RAM + 8, Width::Word));
    assert!(rig.cpu.debug_read(&mut rig.bus, 0x6000_0000, Width::Word).is_err());
    assert_eq!(before, rig.cpu.cycles);
}
