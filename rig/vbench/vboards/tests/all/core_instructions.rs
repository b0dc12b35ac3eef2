//! Instructions whose effect goes beyond registers and flags of one step (those are compared with Unicorn in
//! `rig/vbench/tests/test_core_oracle.py`): IT blocks, multiple loads, traps.

use crate::core_support::*;
use vboards::core::v7m::Step;

const CCR: u32 = 0xE000_ED14;
const CFSR: u32 = 0xE000_ED28;

/// An additional instruction sequence that loads a system register's address is tiresome; tests poke through the core.
fn cfsr(rig: &mut Rig) -> u32 {
    rig.put(
        CODE + 0x200,
        &[
            0x6808, // ldr r0, [r1]
            0xbeff, // bkpt 0xFF
        ],
    );
    rig.cpu.regs[1] = CFSR;
    rig.cpu.regs[15] = CODE + 0x200;
    rig.run_to(0xFF);
    rig.cpu.regs[0]
}

#[test]
fn additions_set_all_flags() {
    let mut rig = Rig::new(&[
        0x1888, // adds r0, r1, r2
        0xbe01, // bkpt 1
        0x1a48, // subs r0, r1, r1
        0xbe02, // bkpt 2
    ]);
    (rig.cpu.regs[1], rig.cpu.regs[2]) = (0x7FFF_FFFF, 1);
    rig.run_to(1);
    assert_eq!((0x8000_0000, 0b1001), (rig.cpu.regs[0], rig.n_z_c_v()));
    rig.run_to(2);
    assert_eq!((0, 0b0110), (rig.cpu.regs[0], rig.n_z_c_v()));
}

#[test]
fn an_it_block_runs_its_true_half_and_leaves_flags_alone() {
    let mut rig = Rig::new(&[
        0x2805, // cmp r0, #5
        0xbf0b, // itete eq
        0x3101, // addeq r1, r1, #1
        0x3201, // addne r2, r2, #1
        0x2300, // moveq r3, #0
        0x2407, // movne r4, #7
        0xbe01, // bkpt 1
    ]);
    rig.cpu.regs[..5].copy_from_slice(&[5, 10, 20, 30, 40]);
    rig.run_to(1);
    assert_eq!([5, 11, 20, 0, 40], rig.cpu.regs[..5]);
    assert_eq!(0b0110, rig.n_z_c_v());
    assert_eq!(0, rig.cpu.xpsr() & 0x0600_FC00);
}

#[test]
fn an_interrupt_inside_an_it_block_returns_into_it() {
    let mut rig = Rig::new(&[
        0x4280, // cmp r0, r0
        0xbf1c, // itt ne
        0x602f, // strne r7, [r5]
        0x3101, // addne r1, r1, #1
        0xbf02, // ittt eq
        0x602f, // streq r7, [r5]
        0x3201, // addeq r2, r2, #1
        0x3301, // addeq r3, r3, #1
        0xbe01, // bkpt 1
    ]);
    rig.handler(
        16,
        &[
            0x2000, // movs r0, #0
            0x6028, // str r0, [r5]
            0x2801, // cmp r0, #1
            0x4770, // bx lr
        ],
    );
    (rig.cpu.regs[5], rig.cpu.regs[6], rig.cpu.regs[7]) = (LINES, REGISTER, 1);
    rig.set_word(RAM, 1);
    rig.put(
        CODE - 0x20,
        &[
            0x4c01, // ldr r4, [pc, #4]
            0x6027, // str r7, [r4]
            0xe00c, // b . + 0x1c
            0xbf00, // nop
            0xe100, 0xe000, // .word 0xE000E100
        ],
    );
    rig.cpu.regs[15] = CODE - 0x20;
    rig.run_to(1);
    assert_eq!((0, 1, 1), (rig.cpu.regs[1], rig.cpu.regs[2], rig.cpu.regs[3]));
    assert_eq!(vec![1, 0], rig.bus.writes.iter().map(|w| w.1).collect::<Vec<_>>());
}

#[test]
fn load_multiple_with_the_base_in_its_list_keeps_the_loaded_value() {
    let mut rig = Rig::new(&[
        0xc803, // ldmia r0, {r0, r1}
        0xbe01, // bkpt 1
        0xe92d, 0x4007, // stmdb sp!, {r0, r1, r2, lr}
        0xe8bd, 0x00f0, // ldmia.w sp!, {r4, r5, r6, r7}
        0xbe02, // bkpt 2
    ]);
    rig.cpu.regs[0] = RAM;
    rig.set_word(RAM, 111);
    rig.set_word(RAM + 4, 222);
    rig.run_to(1);
    assert_eq!([111, 222], rig.cpu.regs[..2]);
    (rig.cpu.regs[2], rig.cpu.regs[14]) = (333, 444);
    rig.run_to(2);
    assert_eq!([111, 222, 333, 444], rig.cpu.regs[4..8]);
    assert_eq!(STACK, rig.cpu.regs[13]);
}

#[test]
fn an_unaligned_word_is_fine_but_not_in_a_multiple() {
    let mut rig = Rig::new(&[
        0xf8c0, 0x1001, // str r1, [r0, #1]
        0xf8d0, 0x2001, // ldr r2, [r0, #1]
        0xbe01, // bkpt 1
        0xc818, // ldmia r0!, {r3, r4}
    ]);
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (RAM + 2, 0xAABB_CCDD);
    rig.run_to(1);
    assert_eq!(0xAABB_CCDD, rig.cpu.regs[2]);
    rig.run_to(3);
    assert_eq!(3, rig.exception());
    assert_eq!(1 << 24, cfsr(&mut rig));
}

#[test]
fn division_by_zero_is_zero_unless_trapped() {
    let mut rig = Rig::new(&[
        0xfbb1, 0xf0f2, // udiv r0, r1, r2
        0xbe01, // bkpt 1
        0x601c, // str r4, [r3]
        0xfbb1, 0xf0f2, // udiv r0, r1, r2
    ]);
    (rig.cpu.regs[1], rig.cpu.regs[3], rig.cpu.regs[4]) = (9, CCR, 0x210);
    rig.run_to(1);
    assert_eq!(0, rig.cpu.regs[0]);
    rig.run_to(3);
    assert_eq!(1 << 25, cfsr(&mut rig));
}

#[test]
fn undefined_and_floating_point_instructions_trap() {
    for (code, bit) in [
        (&[0xde00][..], 16),
        (&[0xee00, 0x0a10][..], 19),
        (&[0xfa81, 0xf042][..], 16),
    ] {
        let mut rig = Rig::new(code);
        rig.run_to(3);
        assert_eq!(CODE, rig.word(STACK - 32 + 24), "stacked return address");
        assert_eq!(1 << bit, cfsr(&mut rig), "{code:x?}");
    }
}

#[test]
fn a_branch_to_an_even_address_is_an_invalid_state() {
    let mut rig = Rig::new(&[
        0x4700, // bx r0
    ]);
    rig.cpu.regs[0] = CODE + 0x100;
    rig.run_to(3);
    assert_eq!(CODE + 0x100, rig.word(STACK - 32 + 24));
    assert_eq!(1 << 17, cfsr(&mut rig));
}

#[test]
fn code_runs_from_ram_and_from_the_flash_alias() {
    let mut rig = Rig::new(&[
        0x4788, // blx r1
        0xbe01, // bkpt 1
    ]);
    rig.put(
        RAM + 0x100,
        &[
            0x3001, // adds r0, #1
            0x4710, // bx r2
        ],
    );
    rig.cpu.regs[1] = RAM + 0x101;
    rig.cpu.regs[2] = (CODE + 2 - FLASH) | 1;
    rig.run_to(1);
    assert_eq!(1, rig.cpu.regs[0]);
    // Self-modified code in RAM is decoded again.
    rig.put(
        RAM + 0x100,
        &[
            0x3009, // adds r0, #9
        ],
    );
    rig.cpu.regs[15] = CODE;
    rig.run_to(1);
    assert_eq!(10, rig.cpu.regs[0]);
}

#[test]
fn rewritten_flash_is_decoded_anew() {
    let mut rig = Rig::new(&[
        0x2001, // movs r0, #1
        0xbe01, // bkpt 1
    ]);
    rig.run_to(1);
    rig.put(
        CODE,
        &[
            0x2002, // movs r0, #2
        ],
    );
    rig.cpu.regs[15] = CODE;
    rig.run_to(1);
    assert_eq!(2, rig.cpu.regs[0]);
}

#[test]
fn exclusives_fail_after_an_exception() {
    let mut rig = Rig::new(&[
        0xe850, 0x1f00, // ldrex r1, [r0]
        0xe840, 0x3200, // strex r2, r3, [r0]
        0xe850, 0x1f00, // ldrex r1, [r0]
        0xdf00, // svc 0
        0xe840, 0x3400, // strex r4, r3, [r0]
        0xbe01, // bkpt 1
    ]);
    rig.handler(
        11,
        &[
            0x4770, // bx lr
        ],
    );
    (rig.cpu.regs[0], rig.cpu.regs[3], rig.cpu.regs[2], rig.cpu.regs[4]) = (RAM, 7, 9, 9);
    rig.run_to(1);
    assert_eq!((0, 1), (rig.cpu.regs[2], rig.cpu.regs[4]));
    assert_eq!(7, rig.word(RAM));
}

#[test]
fn an_image_without_vectors_is_reported() {
    let mut cpu = vboards::core::v7m::Cpu::new(FLASH, vec![0xFF; 64], RAM, 64);
    let mut rig = Rig::new(&[]);
    match cpu.step(&mut rig.bus) {
        Step::Fault(fault) => assert!(fault.to_string().contains("no vector table"), "{fault}"),
        step => panic!("{step:?}"),
    }
}
