//! Exceptions: entry, return, priorities, masks, tail-chaining, sleep.

use crate::core_support::*;
use vboards::core::v7m::Step;

const ISER: u32 = 0xE000_E100;
const IPR: u32 = 0xE000_E400;
const ICSR: u32 = 0xE000_ED04;
const SCR: u32 = 0xE000_ED10;
const SYSTICK: u32 = 0xE000_E010;

/// A rig whose first four interrupts are enabled, with these priorities (0..=15, IRQ 0 first).
fn interrupts(code: &[u16], priorities: [u8; 4]) -> Rig {
    let mut rig = Rig::new(code);
    poke(&mut rig, ISER, 15);
    poke(&mut rig, IPR, u32::from_le_bytes(priorities.map(|p| p << 4)));
    rig
}

/// Writes a private peripheral register by running a store.
fn poke(rig: &mut Rig, address: u32, value: u32) {
    let regs = rig.cpu.regs;
    rig.put(
        CODE + 0x300,
        &[
            0x6001, // str r1, [r0]
            0xbeee, // bkpt 0xEE
        ],
    );
    (rig.cpu.regs[0], rig.cpu.regs[1], rig.cpu.regs[15]) = (address, value, CODE + 0x300);
    rig.run_to(0xEE);
    rig.cpu.regs = regs;
}

fn peek(rig: &mut Rig, address: u32) -> u32 {
    let regs = rig.cpu.regs;
    rig.put(
        CODE + 0x300,
        &[
            0x6801, // ldr r1, [r0]
            0xbeee, // bkpt 0xEE
        ],
    );
    (rig.cpu.regs[0], rig.cpu.regs[15]) = (address, CODE + 0x300);
    rig.run_to(0xEE);
    let value = rig.cpu.regs[1];
    rig.cpu.regs = regs;
    value
}

#[test]
fn entry_stacks_a_frame_and_return_restores_it() {
    let mut rig = Rig::new(&[
        0xdf07, // svc 7
        0xbe01, // bkpt 1
    ]);
    rig.handler(
        11,
        &[
            0xbe02, // bkpt 2
            0x2000, // movs r0, #0
            0x2100, // movs r1, #0
            0x4684, // mov r12, r0
            0x2800, // cmp r0, #0
            0x4770, // bx lr
        ],
    );
    rig.cpu.regs[..4].copy_from_slice(&[10, 11, 12, 13]);
    (rig.cpu.regs[12], rig.cpu.regs[14]) = (112, 114);
    rig.run_to(2);
    assert_eq!((11, 0xFFFF_FFF9), (rig.exception(), rig.cpu.regs[14]));
    let frame = STACK - 32;
    assert_eq!(frame, rig.cpu.regs[13]);
    let words: Vec<u32> = (0..8).map(|i| rig.word(frame + 4 * i)).collect();
    assert_eq!(vec![10, 11, 12, 13, 112, 114, CODE + 2, 0x0100_0000], words);
    rig.run_to(1);
    assert_eq!([10, 11, 12, 13], rig.cpu.regs[..4]);
    assert_eq!(
        (112, 114, STACK),
        (rig.cpu.regs[12], rig.cpu.regs[14], rig.cpu.regs[13])
    );
    assert_eq!((0, 0), (rig.exception(), rig.n_z_c_v()));
}

#[test]
fn an_odd_stack_is_aligned_to_eight_and_put_back() {
    let mut rig = Rig::new(&[
        0xb081, // sub sp, #4
        0xdf00, // svc 0
        0xbe01, // bkpt 1
    ]);
    rig.handler(
        11,
        &[
            0xbe02, // bkpt 2
            0x4770, // bx lr
        ],
    );
    rig.run_to(2);
    assert_eq!(STACK - 40, rig.cpu.regs[13]);
    assert_eq!(1 << 9, rig.word(STACK - 40 + 28) & 1 << 9);
    rig.run_to(1);
    assert_eq!(STACK - 4, rig.cpu.regs[13]);
}

#[test]
fn thread_mode_on_the_process_stack() {
    let mut rig = Rig::new(&[
        0xf380, 0x8809, // msr psp, r0
        0x2102, // movs r1, #2
        0xf381, 0x8814, // msr control, r1
        0xf3bf, 0x8f6f, // isb
        0xb402, // push {r1}
        0xdf00, // svc 0
        0xbe01, // bkpt 1
    ]);
    rig.handler(
        11,
        &[
            0xbe02, // bkpt 2
            0x4770, // bx lr
        ],
    );
    rig.cpu.regs[0] = RAM + 0x800;
    rig.run_to(2);
    assert_eq!((0xFFFF_FFFD, STACK), (rig.cpu.regs[14], rig.cpu.regs[13]));
    assert_eq!(RAM + 0x7FC - 36, rig.cpu.psp());
    rig.run_to(1);
    assert_eq!((RAM + 0x7FC, STACK), (rig.cpu.regs[13], rig.cpu.msp()));
}

#[test]
fn a_stronger_interrupt_preempts_a_weaker_one() {
    let mut rig = interrupts(
        &[
            0x6001, // str r1, [r0]
            0xbe01, // bkpt 1
        ],
        [8, 4, 8, 8],
    );
    rig.handler(
        16,
        &[
            0xbe10, // bkpt 0x10
            0x2202, // movs r2, #2
            0x6002, // str r2, [r0]
            0xbe11, // bkpt 0x11
            0x2200, // movs r2, #0
            0x6002, // str r2, [r0]
            0x4770, // bx lr
        ],
    );
    rig.handler(
        17,
        &[
            0xbe20, // bkpt 0x20
            0x6003, // str r3, [r0]
            0x4770, // bx lr
        ],
    );
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (LINES, 1);
    rig.run_to(0x10);
    rig.run_to(0x20);
    assert_eq!(0xFFFF_FFF1, rig.cpu.regs[14]);
    rig.cpu.regs[3] = 0;
    rig.run_to(0x11);
    assert_eq!(16, rig.exception());
    rig.run_to(1);
    assert_eq!(STACK, rig.cpu.regs[13]);
}

#[test]
fn equal_priorities_tail_chain_in_order_of_number() {
    let mut rig = interrupts(
        &[
            0x6001, // str r1, [r0]
            0xbf00, // nop
            0xbe01, // bkpt 1
        ],
        [8, 8, 2, 8],
    );
    for irq in 0..4u16 {
        // Each handler lowers its own line and logs its number.
        rig.handler(
            16 + u32::from(irq),
            &[
                0xbe10 | irq, // bkpt 0x10 + irq
                0x6802,       // ldr r2, [r0]
                0xf022,
                0x0200 | 1 << irq, // bic r2, r2, #(1 << irq)
                0x6002,            // str r2, [r0]
                0x4770,            // bx lr
            ],
        );
    }
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (LINES, 0b1111);
    rig.run_to(0x12);
    let in_first = rig.cpu.cycles;
    rig.run_to(0x10);
    // LDR 2, BIC 1, STR 1, BX 1, tail-chain 6, BKPT 1.
    assert_eq!(2 + 1 + 1 + 1 + 6 + 1, rig.cpu.cycles - in_first);
    assert_eq!(0xFFFF_FFF9, rig.cpu.regs[14]);
    assert_eq!(STACK - 32, rig.cpu.regs[13]);
    rig.run_to(0x11);
    rig.run_to(0x13);
    rig.run_to(1);
    assert_eq!(STACK, rig.cpu.regs[13]);
}

#[test]
fn a_line_that_stays_high_interrupts_again() {
    let mut rig = interrupts(
        &[
            0x6001, // str r1, [r0]
            0xe7fe, // b .
        ],
        [1; 4],
    );
    rig.handler(
        16,
        &[
            0xbe10, // bkpt 0x10
            0x4770, // bx lr
        ],
    );
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (LINES, 1);
    rig.run_to(0x10);
    rig.run_to(0x10);
    (rig.bus.lines, rig.bus.changed) = (0, true);
    assert_eq!(Step::Ran, rig.run());
}

#[test]
fn primask_holds_interrupts_but_not_the_wake_up() {
    let mut rig = interrupts(
        &[
            0xb672, // cpsid i
            0xbf30, // wfi
            0xbe01, // bkpt 1
            0xb662, // cpsie i
            0xbe02, // bkpt 2
        ],
        [1; 4],
    );
    assert_eq!(Step::Sleeping, rig.run());
    assert!(rig.cpu.sleeping());
    let asleep = rig.cpu.cycles;
    rig.cpu.skip_to(asleep + 500);
    (rig.bus.lines, rig.bus.changed) = (2, true);
    rig.run_to(1);
    assert!((500..510).contains(&(rig.cpu.cycles - asleep)));
    rig.run_to(17);
}

#[test]
fn basepri_holds_weak_interrupts_only() {
    let mut rig = interrupts(
        &[
            0xf382, 0x8811, // msr basepri, r2
            0xbf30, // wfi
            0xbe01, // bkpt 1
        ],
        [5, 4, 5, 5],
    );
    rig.cpu.regs[2] = 0x50;
    assert_eq!(Step::Sleeping, rig.run());
    rig.cpu.set_irq_levels(1);
    assert!(rig.cpu.sleeping(), "a held interrupt does not wake");
    rig.cpu.set_irq_levels(3);
    assert!(!rig.cpu.sleeping());
    rig.run_to(17);
}

#[test]
fn faultmask_holds_everything_and_ends_with_the_handler() {
    let mut rig = interrupts(
        &[
            0xb671, // cpsid f
            0x6001, // str r1, [r0]
            0xbe01, // bkpt 1
            0xb661, // cpsie f
            0xbe02, // bkpt 2
        ],
        [0; 4],
    );
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (LINES, 1);
    rig.run_to(1);
    rig.run_to(16);
}

#[test]
fn pendsv_waits_for_stronger_work() {
    let mut rig = interrupts(
        &[
            0x6001, // str r1, [r0]
            0xbe01, // bkpt 1
        ],
        [4; 4],
    );
    poke(&mut rig, 0xE000_ED20, 0xF0 << 16);
    rig.handler(
        16,
        &[
            0x2200, // movs r2, #0
            0x6002, // str r2, [r0]
            0x601c, // str r4, [r3]
            0xbe10, // bkpt 0x10
            0x4770, // bx lr
        ],
    );
    rig.handler(
        14,
        &[
            0xbe14, // bkpt 0x14
            0x4770, // bx lr
        ],
    );
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (LINES, 1);
    (rig.cpu.regs[3], rig.cpu.regs[4]) = (ICSR, 1 << 28);
    rig.run_to(0x10);
    rig.run_to(0x14);
    rig.run_to(1);
}

#[test]
fn systick_wakes_a_sleeping_core() {
    let mut rig = Rig::new(&[
        0xbf30, // sleep: wfi
        0xe7fd, // b sleep
    ]);
    rig.handler(
        15,
        &[
            0x3701, // adds r7, #1
            0x4770, // bx lr
        ],
    );
    poke(&mut rig, SYSTICK + 4, 999);
    poke(&mut rig, SYSTICK + 8, 0);
    poke(&mut rig, SYSTICK, 7);
    let start = rig.cpu.next_event().expect("SysTick counts");
    for _ in 0..5 {
        assert_eq!(Step::Sleeping, rig.run());
        let wake = rig.cpu.next_event().expect("SysTick counts");
        rig.cpu.skip_to(wake);
        assert!(!rig.cpu.sleeping());
    }
    assert_eq!(start + 4 * 1000, rig.cpu.cycles);
    assert_eq!(Step::Sleeping, rig.run());
}

#[test]
fn a_stopped_clock_does_not_tick() {
    let mut rig = Rig::new(&[
        0xbf30, // wfi
        0xbe01, // bkpt 1
    ]);
    poke(&mut rig, SYSTICK + 4, 999);
    poke(&mut rig, SYSTICK, 7);
    poke(&mut rig, SCR, 4);
    assert!(rig.cpu.sleep_deep());
    assert_eq!(Step::Sleeping, rig.run());
    let due = rig.cpu.next_event().expect("SysTick counts");
    rig.cpu.skip_halted(rig.cpu.cycles + 50_000);
    assert!(rig.cpu.sleeping());
    assert_eq!(Some(due + 50_000), rig.cpu.next_event());
}

#[test]
fn sleep_on_exit_goes_back_to_sleep() {
    let mut rig = interrupts(
        &[
            0xbf30, // wfi
            0xbe01, // bkpt 1
        ],
        [1; 4],
    );
    poke(&mut rig, SCR, 2);
    rig.handler(
        16,
        &[
            0x2200, // movs r2, #0
            0x6002, // str r2, [r0]
            0x3701, // adds r7, #1
            0x4770, // bx lr
        ],
    );
    rig.cpu.regs[0] = LINES;
    for handled in 1..4 {
        assert_eq!(Step::Sleeping, rig.run());
        (rig.bus.lines, rig.bus.changed) = (1, true);
        assert_eq!(Step::Sleeping, rig.run());
        assert_eq!(handled, rig.cpu.regs[7]);
    }
}

#[test]
fn wfe_needs_an_event() {
    let mut rig = Rig::new(&[
        0xbf40, // sev
        0xbf20, // wfe
        0xbe01, // bkpt 1
        0xbf20, // wfe
        0xbe02, // bkpt 2
    ]);
    rig.run_to(1);
    assert_eq!(Step::Sleeping, rig.run());
    rig.cpu.signal_event();
    assert!(!rig.cpu.sleeping());
    rig.run_to(2);
}

#[test]
fn icsr_shows_and_clears_what_pends() {
    let mut rig = interrupts(
        &[
            0xb672, // cpsid i
            0xbe01, // bkpt 1
        ],
        [3; 4],
    );
    rig.run_to(1);
    rig.cpu.set_irq_levels(4);
    assert_eq!(18 << 12 | 1 << 22 | 1 << 11, peek(&mut rig, ICSR));
    poke(&mut rig, ICSR, 1 << 26);
    assert_eq!(1 << 26, peek(&mut rig, ICSR) & 1 << 26);
    poke(&mut rig, ICSR, 1 << 25);
    assert_eq!(0, peek(&mut rig, ICSR) & 1 << 26);
}

#[test]
fn svc_in_a_masked_section_is_a_hard_fault() {
    let mut rig = Rig::new(&[
        0xb672, // cpsid i
        0xdf00, // svc 0
    ]);
    rig.run_to(3);
    assert_eq!(1 << 30, peek(&mut rig, 0xE000_ED2C));
}

#[test]
fn user_code_may_not_touch_the_private_peripherals() {
    let mut rig = Rig::new(&[
        0x2101, // movs r1, #1
        0xf381, 0x8814, // msr control, r1
        0xb672, // cpsid i
        0xf3ef, 0x8210, // mrs r2, primask
        0x6803, // ldr r3, [r0]
    ]);
    rig.cpu.regs[0] = ICSR;
    rig.run_to(3);
    assert_eq!(0, rig.cpu.regs[2]);
    assert_eq!(Some(ICSR), rig.cpu.last_bus_fault.map(|fault| fault.0));
}

#[test]
fn nmi_beats_all_masks() {
    let mut rig = Rig::new(&[
        0xb672, // cpsid i
        0xb671, // cpsid f
        0xbe01, // bkpt 1
    ]);
    rig.run_to(1);
    rig.cpu.pend_nmi();
    rig.run_to(2);
}

#[test]
fn a_stack_overflow_is_reported_where_it_happens() {
    let mut rig = Rig::new(&[
        0x4685, // mov sp, r0
        0xdf00, // svc 0
    ]);
    rig.cpu.regs[0] = RAM - 0x100;
    // The failed entry is taken over by HardFault (B1.5.12), whose handler has no stack either.
    rig.handler(
        3,
        &[
            0xb401, // push {r0}
        ],
    );
    match rig.run() {
        Step::Fault(fault) => assert!(fault.to_string().contains("unwritable stack"), "{fault}"),
        step => panic!("{step:?}"),
    }
}

#[test]
fn a_late_exception_takes_over_the_frame_of_the_one_being_entered() {
    // Both pend at once while the weaker goes first: PRIMASK is not what holds the stronger back, SysTick comes late.
    let mut rig = interrupts(
        &[
            0x6001, // str r1, [r0] (raises line 0)
            0xbe01, // bkpt 1
        ],
        [8, 0, 0, 0],
    );
    poke(&mut rig, SYSTICK + 4, 1_000_000);
    poke(&mut rig, SYSTICK + 8, 0);
    poke(&mut rig, SYSTICK, 7);
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (LINES, 1);
    // SysTick becomes due while IRQ 0 is being stacked.
    let due = rig.cpu.next_event().expect("SysTick runs");
    rig.cpu.skip_to(due - 8);
    let stack = rig.cpu.msp();
    rig.run_to(15);
    assert_eq!(stack - 32, rig.cpu.msp(), "one frame only");
    assert_eq!(0xFFFF_FFF9, rig.cpu.regs[14]);
    assert_eq!(1 << 16, peek(&mut rig, ISER + 0x100) << 16, "IRQ 0 pends again");
}
