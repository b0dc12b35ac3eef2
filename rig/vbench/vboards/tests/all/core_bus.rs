//! What the chip sees of the core: device accesses with their cycle and pc, bit-band, the horizon, faults.

use crate::core_support::*;
use vboards::core::v7m::Step;

#[test]
fn a_store_carries_its_last_cycle_and_its_pc() {
    let mut rig = Rig::new(&[
        0xbf00, // nop
        0xbf00, // nop
        0x6001, // str r1, [r0]
        0x6001, // str r1, [r0]
        0x6802, // ldr r2, [r0]
        0xbe01, // bkpt 1
    ]);
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (REGISTER, 5);
    rig.run_to(1);
    assert_eq!(
        vec![(REGISTER, 5, 3, CODE + 4), (REGISTER, 5, 4, CODE + 6)],
        rig.bus.writes
    );
    // A load does not pipeline with the store before it.
    assert_eq!(vec![(REGISTER, 7, CODE + 8)], rig.bus.reads);
    assert_eq!(5, rig.cpu.regs[2]);
}

#[test]
fn bus_waits_are_hidden_by_the_write_buffer_until_the_next_access() {
    let mut rig = Rig::new(&[
        0x6001, // str r1, [r0]
        0x6001, // str r1, [r0]
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbe01, // bkpt 1
    ]);
    rig.bus.wait = 3;
    rig.cpu.regs[0] = REGISTER;
    let cycles = rig.cycles_to_bkpt();
    // First store: ends at 1, is in the register at 4. The second waits for the buffer: in the register at 8.
    assert_eq!(vec![4, 8], rig.bus.writes.iter().map(|w| w.2).collect::<Vec<_>>());
    assert_eq!(1 + 4 + 5, cycles);
}

#[test]
fn a_device_load_waits_in_full() {
    let mut rig = Rig::new(&[
        0x6801, // ldr r1, [r0]
        0xbe01, // bkpt 1
    ]);
    rig.bus.wait = 3;
    rig.cpu.regs[0] = REGISTER;
    assert_eq!(2 + 3, rig.cycles_to_bkpt());
}

#[test]
fn bit_band_aliases_reach_ram_and_devices() {
    let mut rig = Rig::new(&[
        0x6001, // str r1, [r0]
        0x6802, // ldr r2, [r0]
        0x6843, // ldr r3, [r0, #4]
        0x6021, // str r1, [r4]
        0x6825, // ldr r5, [r4]
        0xbe01, // bkpt 1
    ]);
    // Bit 9 of the word at RAM + 4, and bit 17 of the device register.
    rig.cpu.regs[0] = 0x2200_0000 + 4 * 32 + 9 * 4;
    rig.cpu.regs[1] = 1;
    rig.cpu.regs[4] = 0x4200_0000 + 4 * 32 + 17 * 4;
    rig.set_word(RAM + 4, 0x8000_0001);
    rig.bus.register = 0x100;
    rig.run_to(1);
    assert_eq!(0x8000_0201, rig.word(RAM + 4));
    assert_eq!((1, 0), (rig.cpu.regs[2], rig.cpu.regs[3]));
    assert_eq!(0x0002_0100, rig.bus.register);
    assert_eq!(1, rig.cpu.regs[5]);
}

#[test]
fn a_write_can_shorten_the_run() {
    let mut rig = Rig::new(&[
        0x6001, // str r1, [r0]
        0xe7fe, // b .
    ]);
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (HORIZON, 50);
    assert_eq!(Step::Ran, rig.cpu.run_until(&mut rig.bus, 100_000));
    assert!((50..53).contains(&rig.cpu.cycles), "{}", rig.cpu.cycles);
    rig.bus.horizon = 200;
    assert_eq!(Step::Ran, rig.cpu.run_until(&mut rig.bus, 100));
    assert!((100..103).contains(&rig.cpu.cycles), "{}", rig.cpu.cycles);
}

#[test]
fn a_write_to_flash_goes_to_the_flash_controller() {
    let mut rig = Rig::new(&[
        0x8001, // strh r1, [r0]
        0xbe01, // bkpt 1
    ]);
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (CODE + 0x500, 0x1234);
    rig.run_to(1);
    assert_eq!((CODE + 0x500, 0x1234), (rig.bus.writes[0].0, rig.bus.writes[0].1));
    assert_eq!(0, rig.word(CODE + 0x500));
}

#[test]
fn an_access_nobody_answers_is_a_precise_fault() {
    let mut rig = Rig::new(&[
        0xbf00, // nop
        0x6801, // ldr r1, [r0]
        0xbe01, // bkpt 1
    ]);
    rig.cpu.regs[0] = 0x6000_0000;
    rig.run_to(3);
    assert_eq!(Some((0x6000_0000, CODE + 2)), rig.cpu.last_bus_fault);
    assert_eq!(CODE + 2, rig.word(STACK - 32 + 24));
}

#[test]
fn a_fault_inside_hard_fault_is_a_lockup_with_a_readable_report() {
    let mut rig = Rig::new(&[
        0x6801, // ldr r1, [r0]
    ]);
    rig.handler(
        3,
        &[
            0x6801, // ldr r1, [r0]
        ],
    );
    rig.cpu.regs[0] = 0x6000_0000;
    match rig.run() {
        Step::Fault(fault) => {
            assert_eq!(HANDLERS + 3 * HANDLER_BYTES, fault.pc);
            assert_eq!(Some(0x6000_0000), fault.address);
            let text = fault.to_string();
            assert!(text.contains("locked up at pc 0x080010c0"), "{text}");
            assert!(text.contains("0x60000000: data access without an answer"), "{text}");
        }
        step => panic!("{step:?}"),
    }
    // It stays so until a reset.
    assert!(matches!(rig.run(), Step::Fault(_)));
    rig.cpu.reset();
    rig.put(
        CODE,
        &[
            0xbe09, // bkpt 9
        ],
    );
    rig.run_to(9);
}

#[test]
fn a_bus_fault_goes_to_its_own_handler_when_enabled() {
    let mut rig = Rig::new(&[
        0x600a, // str r2, [r1]
        0x6801, // ldr r1, [r0]
    ]);
    (rig.cpu.regs[0], rig.cpu.regs[1], rig.cpu.regs[2]) = (0x6000_0000, 0xE000_ED24, 1 << 17);
    rig.run_to(5);
}

#[test]
fn a_reset_request_is_reported() {
    let mut rig = Rig::new(&[
        0x6001, // str r1, [r0]
        0xe7fe, // b .
    ]);
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (0xE000_ED0C, 0x05FA_0004);
    assert_eq!(Step::ResetRequested, rig.run());
    rig.cpu.reset();
    assert_eq!(CODE, rig.cpu.pc());
    assert_eq!(STACK, rig.cpu.regs[13]);
}

#[test]
fn a_second_ram_can_be_added() {
    let mut rig = Rig::new(&[
        0x6001, // str r1, [r0]
        0x8842, // ldrh r2, [r0, #2]
        0xbe01, // bkpt 1
    ]);
    rig.cpu.add_ram(0x1000_0000, 1024);
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (0x1000_0010, 0xCAFE_BABE);
    rig.run_to(1);
    assert_eq!(0xCAFE, rig.cpu.regs[2]);
}

#[test]
fn the_cut_of_a_run_changes_nothing() {
    let code: &[u16] = &[
        // loop:
        0x3001, // adds r0, #1
        0x6008, // str r0, [r1]
        0x680a, // ldr r2, [r1]
        0x28c8, // cmp r0, #200
        0xd1fa, // bne loop
        0xbe01, // bkpt 1
    ];
    let run = |quantum: u64| {
        let mut rig = Rig::new(code);
        rig.bus.flash_wait = 2;
        rig.bus.wait = 2;
        rig.cpu.regs[1] = REGISTER;
        let mut until = quantum;
        while let Step::Ran = rig.cpu.run_until(&mut rig.bus, until) {
            until += quantum;
        }
        (rig.bus.writes, rig.cpu.cycles)
    };
    assert_eq!(run(1_000_000), run(1));
    assert_eq!(run(1_000_000), run(17));
}
