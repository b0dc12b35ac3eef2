//! Floating point of the Cortex-M4: access, new contexts, extended frames with lazy preservation, and what a Cortex-M3
//! and a Cortex-M4 without it make of the same code. The arithmetic is compared in `rig/vbench/tests/core_oracle`.

use crate::core_support::*;
use vboards::bus::Width;
use vboards::core::v7m::timing::TimingModel;
use vboards::core::v7m::{Model, Step};

const CPACR: u32 = 0xE000_ED88;
const CFSR: u32 = 0xE000_ED28;
const SHCSR: u32 = 0xE000_ED24;
const SHPR2: u32 = 0xE000_ED1C;
const FPCCR: u32 = 0xE000_EF34;
const FPCAR: u32 = 0xE000_EF38;
const FPDSCR: u32 = 0xE000_EF3C;
const FPCCR_LSPACT: u32 = 1;
const FPCCR_ASPEN: u32 = 1 << 31;
const CFSR_NOCP: u32 = 1 << 19;
const CFSR_UNDEFINSTR: u32 = 1 << 16;

fn rig(model: Model, code: &[u16]) -> Rig {
    let mut rig = Rig::with_model(model, code);
    rig.cpu.write_private(CPACR, Width::Word, 0xF << 20);
    // UsageFault on its own.
    rig.cpu.write_private(SHCSR, Width::Word, 1 << 18);
    rig
}

fn register(rig: &mut Rig, address: u32) -> u32 {
    rig.cpu.read_private(address, Width::Word)
}

const VADD: [u16; 2] = [0xee30, 0x0a80]; // vadd.f32 s0, s1, s0
const SADD8: [u16; 2] = [0xfa81, 0xf002]; // sadd8 r0, r1, r2

#[test]
fn what_a_core_has_not_is_a_usage_fault() {
    let table = [
        (Model::CORTEX_M3, VADD, CFSR_NOCP),
        (Model::CORTEX_M4, VADD, CFSR_NOCP),
        (Model::CORTEX_M3, SADD8, CFSR_UNDEFINSTR),
    ];
    for (model, code, reason) in table {
        let mut rig = rig(model, &code);
        rig.run_to(6);
        assert_eq!(reason, register(&mut rig, CFSR));
    }
    let mut m4 = rig(Model::CORTEX_M4, &[SADD8[0], SADD8[1], 0xbe01]);
    m4.run_to(1);
}

#[test]
fn access_is_denied_until_cpacr_grants_it() {
    let mut rig = rig(Model::CORTEX_M4F, &VADD);
    rig.cpu.write_private(CPACR, Width::Word, 0);
    rig.run_to(6);
    assert_eq!(CFSR_NOCP, register(&mut rig, CFSR));
}

#[test]
fn denied_access_comes_before_an_undefined_encoding() {
    let undefined = [0xeeb2, 0x8b00]; // VMOV immediate of doubles
    for (cpacr, reason) in [(0, CFSR_NOCP), (0xF << 20, CFSR_UNDEFINSTR)] {
        let mut rig = rig(Model::CORTEX_M4F, &undefined);
        rig.cpu.write_private(CPACR, Width::Word, cpacr);
        rig.run_to(6);
        assert_eq!(reason, register(&mut rig, CFSR));
        assert_eq!(0, rig.cpu.masks() >> 24 & 4, "no context begins");
    }
}

#[test]
fn a_new_context_begins_with_the_default_modes() {
    let mut rig = rig(
        Model::CORTEX_M4F,
        &[
            VADD[0], VADD[1], 0xbe01, // bkpt 1
            VADD[0], VADD[1], 0xbe02, // bkpt 2
        ],
    );
    rig.cpu.write_private(FPDSCR, Width::Word, 1 << 24);
    rig.cpu.set_fpscr(0xF000_0000);
    rig.run_to(1);
    assert_eq!(0xF100_0000, rig.cpu.fpscr(), "only the modes are new");
    assert_eq!(4, rig.cpu.masks() >> 24, "CONTROL.FPCA");
    // The context is there now: nothing is reset any more.
    rig.cpu.set_fpscr(0xF000_0000);
    rig.run_to(2);
    assert_eq!(0xF000_0000, rig.cpu.fpscr());
}

/// SVC in a context with floating point, and a handler with this code.
fn interrupted(handler: &[u16]) -> Rig {
    let mut rig = rig(
        Model::CORTEX_M4F,
        &[
            VADD[0], VADD[1], 0xdf00, // svc 0
            0xbe01, // bkpt 1
        ],
    );
    rig.handler(11, handler);
    for (number, register) in (100..).zip(rig.cpu.float_registers()) {
        *register = number;
    }
    rig
}

#[test]
fn a_frame_has_room_that_is_used_only_when_the_handler_computes() {
    let mut rig = interrupted(&[
        0xbe02, // bkpt 2
        VADD[0], VADD[1], 0xbe03, // bkpt 3
        0xee07, 0x0a90, // vmov s15, r0
        0x4770, // bx lr
    ]);
    let stack = rig.cpu.msp();
    rig.run_to(2);
    let frame = stack - 104;
    assert_eq!(frame, rig.cpu.msp());
    assert_eq!(0xFFFF_FFE9, rig.cpu.regs[14]);
    assert_eq!(frame + 32, register(&mut rig, FPCAR));
    assert_eq!(FPCCR_LSPACT, register(&mut rig, FPCCR) & FPCCR_LSPACT);
    assert_eq!(0, rig.word(frame + 32 + 4), "not stored yet");
    rig.run_to(3);
    assert_eq!(0, register(&mut rig, FPCCR) & FPCCR_LSPACT);
    assert_eq!(101, rig.word(frame + 32 + 4));
    rig.run_to(1);
    assert_eq!(stack, rig.cpu.msp());
    assert_eq!(115, rig.cpu.float_registers()[15], "restored");
    assert_eq!(4, rig.cpu.masks() >> 24, "CONTROL.FPCA");
}

#[test]
fn a_handler_without_floating_point_leaves_the_registers_alone() {
    let mut rig = interrupted(&[
        0x4770, // bx lr
    ]);
    let stack = rig.cpu.msp();
    rig.run_to(1);
    assert_eq!(stack, rig.cpu.msp());
    assert_eq!(0, register(&mut rig, FPCCR) & FPCCR_LSPACT);
    assert_eq!(0, rig.word(stack - 104 + 32 + 4), "never stored");
    assert_eq!(101, rig.cpu.float_registers()[1]);
}

#[test]
fn without_lazy_preservation_the_entry_stores_everything() {
    let mut rig = interrupted(&[
        0xbe02, // bkpt 2
    ]);
    rig.cpu.write_private(FPCCR, Width::Word, FPCCR_ASPEN);
    let stack = rig.cpu.msp();
    rig.run_to(2);
    assert_eq!(101, rig.word(stack - 104 + 32 + 4));
}

#[test]
fn a_frame_with_registers_that_may_not_be_used_is_a_usage_fault() {
    let mut entering = interrupted(&[
        0xbe02, // bkpt 2
    ]);
    entering.cpu.write_private(FPCCR, Width::Word, FPCCR_ASPEN);
    // SVCall below UsageFault, which is a HardFault otherwise.
    entering.cpu.write_private(SHPR2, Width::Word, 0x80 << 24);
    let stack = entering.cpu.msp();
    // VADD is over.
    while entering.cpu.pc() != CODE + 4 {
        entering.cpu.step(&mut entering.bus);
    }
    entering.cpu.write_private(CPACR, Width::Word, 0);
    entering.run_to(6);
    assert_eq!(CFSR_NOCP, register(&mut entering, CFSR));
    assert_eq!(0, entering.word(stack - 104 + 32 + 4), "nothing stored");

    let mut leaving = interrupted(&[
        VADD[0], VADD[1], // stores the registers
        0xbe02, 0x4770, // bkpt 2; bx lr
    ]);
    leaving.cpu.write_private(SHPR2, Width::Word, 0x80 << 24);
    leaving.run_to(2);
    leaving.cpu.write_private(CPACR, Width::Word, 0);
    leaving.run_to(6);
    assert_eq!(CFSR_NOCP, register(&mut leaving, CFSR));
}

#[test]
fn vector_of_floats_goes_to_memory_and_back() {
    let mut rig = rig(
        Model::CORTEX_M4F,
        &[
            0xed2d, 0x8b10, // vpush {d8-d15}
            0xecbd, 0x8b10, // vpop {d8-d15}
            0xbe01, // bkpt 1
        ],
    );
    for (number, register) in (7..).zip(rig.cpu.float_registers()) {
        *register = number;
    }
    let stack = rig.cpu.msp();
    rig.run_to(1);
    assert_eq!(stack, rig.cpu.msp());
    assert_eq!(7 + 16, rig.word(stack - 64));
    assert_eq!(7 + 31, rig.cpu.float_registers()[31]);
}

/// Cycles of one instruction on a core, at zero wait states.
fn cycles(model: Model, timing: Option<TimingModel>, code: &[u16]) -> u64 {
    let mut code = code.to_vec();
    code.push(0xbe01);
    let mut rig = rig(model, &code);
    if let Some(timing) = timing {
        rig.cpu.set_timing(timing);
    }
    rig.cpu.regs[0] = RAM;
    rig.cycles_to_bkpt()
}

#[test]
fn cycles_of_the_cortex_m4() {
    // M4 TRM (ARM DDI 0439), tables 3-1 and 7-1; the Cortex-M3 beside it.
    let table: &[(&[u16], u64)] = &[
        (&[0xfb01, 0x3302], 1),  // mla r3, r1, r2, r3
        (&[0xfba1, 0x3402], 1),  // umull r3, r4, r1, r2
        (&[0xfbe1, 0x3402], 1),  // umlal r3, r4, r1, r2
        (&[0xfb21, 0x3302], 1),  // smlad r3, r1, r2, r3
        (&VADD, 1),              // vadd.f32
        (&[0xee00, 0x0a81], 3),  // vmla.f32 s0, s1, s2
        (&[0xee80, 0x0a81], 14), // vdiv.f32 s0, s1, s2
        (&[0xeeb1, 0x0ac0], 14), // vsqrt.f32 s0, s0
        (&[0xed90, 0x0a00], 2),  // vldr s0, [r0]
        (&[0xed90, 0x0b00], 3),  // vldr d0, [r0]
        (&[0xec90, 0x0a04], 5),  // vldmia r0, {s0-s3}
        (&[0xf3ef, 0x8300], 1),  // mrs r3, apsr
    ];
    for (code, expected) in table {
        assert_eq!(*expected, cycles(Model::CORTEX_M4F, None, code), "{:x?}", code);
    }
    assert_eq!(2, cycles(Model::CORTEX_M3, None, &[0xfb01, 0x3302]));
}

#[test]
fn timing_can_be_varied_for_studies() {
    let slow = TimingModel {
        access: 3,
        refill_decoded: 3,
        ..TimingModel::CORTEX_M3
    };
    let load = [0x6803]; // ldr r3, [r0]
    let branch = [0xe7ff]; // b to the next instruction
    assert_eq!(2, cycles(Model::CORTEX_M3, None, &load));
    assert_eq!(2 + 3, cycles(Model::CORTEX_M3, Some(slow), &load));
    assert_eq!(1 + 1, cycles(Model::CORTEX_M3, None, &branch));
    assert_eq!(1 + 3, cycles(Model::CORTEX_M3, Some(slow), &branch));
}

#[test]
fn code_in_ram_may_change_under_the_cache() {
    let mut rig = Rig::new(&[]);
    let (adds, subs) = (0x3001, 0x3801); // adds r0, #1; subs r0, #1
    for (code, expected) in [(adds, 1), (subs, 0), (adds, 1)] {
        rig.put(RAM + 0x100, &[code, 0xbe01]);
        rig.cpu.regs[15] = RAM + 0x100;
        rig.run_to(1);
        assert_eq!(expected, rig.cpu.regs[0]);
    }
}

#[test]
fn a_step_from_an_even_address_faults() {
    let mut rig = Rig::new(&[
        0x4700, // bx r0
    ]);
    rig.cpu.regs[0] = CODE;
    assert_eq!(Step::Ran, rig.cpu.step(&mut rig.bus));
    assert_eq!(Step::Ran, rig.cpu.step(&mut rig.bus));
    assert_eq!(3, rig.exception(), "HardFault, escalated");
}
