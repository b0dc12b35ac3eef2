//! Cycle counts of short sequences against tables worked out by hand from the Cortex-M3 TRM (table 3-1, section 3.3.3).

use crate::core_support::*;

/// Cycles of `code` at zero wait states, with R0 = RAM, R1 = 4, R2 = CODE + 0x80 (a BKPT, odd) and the rest 0.
fn cycles(code: &[u16]) -> u64 {
    let mut rig = Rig::new(code);
    rig.put(
        CODE + 0x80,
        &[
            0xbe01, // bkpt 1
        ],
    );
    let end = CODE + 2 * code.len() as u32;
    rig.put(
        end,
        &[
            0xbe01, // bkpt 1
        ],
    );
    (rig.cpu.regs[0], rig.cpu.regs[1], rig.cpu.regs[2]) = (RAM, 4, (CODE + 0x80) | 1);
    rig.cycles_to_bkpt()
}

#[test]
fn single_instructions() {
    let table: &[(&[u16], u64, &str)] = &[
        (
            &[
                0x1963, // adds r3, r4, r5
            ],
            1,
            "ADD",
        ),
        (
            &[
                0x4363, // muls r3, r4
            ],
            1,
            "MUL",
        ),
        (
            &[
                0xfb04, 0x6305, // mla r3, r4, r5, r6
            ],
            2,
            "MLA",
        ),
        (
            &[
                0xfba5, 0x3406, // umull r3, r4, r5, r6
            ],
            3,
            "UMULL of small numbers, 3 to 5",
        ),
        (
            &[
                0xfbb4, 0xf3f1, // udiv r3, r4, r1
            ],
            2,
            "UDIV of zero, 2 to 12",
        ),
        (
            &[
                0x6803, // ldr r3, [r0]
            ],
            2,
            "LDR",
        ),
        (
            &[
                0x6003, // str r3, [r0]
            ],
            1,
            "STR, immediate offset",
        ),
        (
            &[
                0x5043, // str r3, [r0, r1]
            ],
            2,
            "STR, register offset",
        ),
        (
            &[
                0xe9d0, 0x3400, // ldrd r3, r4, [r0]
            ],
            3,
            "LDRD, 1 + N",
        ),
        (
            &[
                0xe9c0, 0x3400, // strd r3, r4, [r0]
            ],
            3,
            "STRD, 1 + N",
        ),
        (
            &[
                0xe890, 0x0078, // ldmia r0, {r3, r4, r5, r6}
            ],
            5,
            "LDM, 1 + N",
        ),
        (
            &[
                0xb438, // push {r3, r4, r5}
            ],
            4,
            "PUSH, 1 + N",
        ),
        (
            &[
                0x4710, // bx r2
            ],
            3,
            "BX, 1 + P",
        ),
        (
            &[
                0xe03e, // b . + 0x80
            ],
            2,
            "B, 1 + P, known in decode",
        ),
        (
            &[
                0xd03e, // beq . + 0x80
            ],
            1,
            "B not taken",
        ),
        (
            &[
                0xb3f3, // cbz r3, . + 0x80
            ],
            3,
            "CBZ taken",
        ),
        (
            &[
                0xbbf3, // cbnz r3, . + 0x80
            ],
            1,
            "CBNZ not taken",
        ),
        (
            &[
                0xf3bf, 0x8f4f, // dsb
            ],
            1,
            "DSB with an empty write buffer",
        ),
    ];
    for &(code, expected, name) in table {
        assert_eq!(expected, cycles(code), "{name}");
    }
}

#[test]
fn loads_pipeline_as_the_manual_says() {
    let table: &[(&[u16], u64, &str)] = &[
        (
            &[
                0x6803, // ldr r3, [r0]
                0x6844, // ldr r4, [r0, #4]
            ],
            3,
            "LDR R0,[R1]; LDR R1,[R2]: three",
        ),
        (
            &[
                0x5843, // ldr r3, [r0, r1]
                0x6143, // str r3, [r0, #20]
            ],
            3,
            "LDR R0,[R1,R2]; STR R0,[R3,#20]: three",
        ),
        (
            &[
                0x5843, // ldr r3, [r0, r1]
                0x5044, // str r4, [r0, r1]
            ],
            3,
            "LDR R0,[R1,R2]; STR R1,[R3,R2]: three",
        ),
        (
            &[
                0x5843, // ldr r3, [r0, r1]
                0x6804, // ldr r4, [r0]
                0x6845, // ldr r5, [r0, #4]
            ],
            4,
            "three loads: four",
        ),
        (
            &[
                0x6803, // ldr r3, [r0]
                0xbf00, // nop
                0x6804, // ldr r4, [r0]
            ],
            5,
            "nothing pipelines across another instruction",
        ),
    ];
    for &(code, expected, name) in table {
        assert_eq!(expected, cycles(code), "{name}");
    }
}

#[test]
fn an_address_that_is_being_loaded_stops_the_pipeline() {
    let mut rig = Rig::new(&[
        0x6803, // ldr r3, [r0]
        0x681c, // ldr r4, [r3]
        0xbe01, // bkpt 1
    ]);
    rig.cpu.regs[0] = RAM;
    rig.set_word(RAM, RAM + 8);
    assert_eq!(4, rig.cycles_to_bkpt());
}

#[test]
fn a_counting_loop() {
    // 10 x (SUBS 1) + 9 x (BNE taken 2) + 1 x (BNE not taken 1).
    let mut rig = Rig::new(&[
        0x3801, // loop: subs r0, #1
        0xd1fd, // bne loop
        0xbe01, // bkpt 1
    ]);
    rig.cpu.regs[0] = 10;
    assert_eq!(10 + 18 + 1, rig.cycles_to_bkpt());
}

#[test]
fn flash_wait_states() {
    // Four NOPs a line of eight bytes; a line takes three cycles at two wait states, so straight code is held up only
    // before the first line (2), and the prefetch hides the rest.
    let mut rig = Rig::new(&[
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbf00, // nop
        0xbe01, // bkpt 1
    ]);
    rig.bus.flash_wait = 2;
    assert_eq!(2 + 12, rig.cycles_to_bkpt());

    // Four-byte instructions use up a line in two cycles: one cycle short at each of the later two lines, and the
    // BKPT's line is another one.
    let mut rig = Rig::new(&[
        0xeb00, 0x0001, // add.w r0, r0, r1
        0xeb00, 0x0001, // add.w r0, r0, r1
        0xeb00, 0x0001, // add.w r0, r0, r1
        0xeb00, 0x0001, // add.w r0, r0, r1
        0xeb00, 0x0001, // add.w r0, r0, r1
        0xeb00, 0x0001, // add.w r0, r0, r1
        0xbe01, // bkpt 1
    ]);
    rig.bus.flash_wait = 2;
    assert_eq!(2 + 6 + 3, rig.cycles_to_bkpt());

    // A taken branch to another line waits in full, a literal load from flash too.
    let mut rig = Rig::new(&[
        0xe03e, // b . + 0x80
    ]);
    rig.put(
        CODE + 0x80,
        &[
            0xbe01, // bkpt 1
        ],
    );
    rig.bus.flash_wait = 2;
    assert_eq!(2 + 2 + 2, rig.cycles_to_bkpt());
    let mut rig = Rig::new(&[
        0x4810, // ldr r0, [pc, #64]
        0xbf00, // nop
        0xbe01, // bkpt 1
    ]);
    rig.bus.flash_wait = 2;
    assert_eq!(2 + 2 + 2 + 1, rig.cycles_to_bkpt());
}

#[test]
fn exception_entry_and_return() {
    // SVC 1, entry 12; BX 1, return 10.
    let mut rig = Rig::new(&[
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
    assert_eq!(13, rig.cycles_to_bkpt());
    rig.cpu.regs[15] += 2;
    assert_eq!(1 + 10, rig.cycles_to_bkpt());
}

#[test]
fn cyccnt_counts_cycles() {
    let mut rig = Rig::new(&[
        0x6001, // str r1, [r0]
        0x6013, // str r3, [r2]
        0x6854, // ldr r4, [r2, #4]
        0xbf00, // nop
        0xbf00, // nop
        0x6855, // ldr r5, [r2, #4]
        0xbe01, // bkpt 1
    ]);
    (rig.cpu.regs[0], rig.cpu.regs[1]) = (0xE000_EDFC, 1 << 24);
    (rig.cpu.regs[2], rig.cpu.regs[3]) = (0xE000_1000, 1);
    rig.run_to(1);
    assert_eq!((3, 4), (rig.cpu.regs[4], rig.cpu.regs[5] - rig.cpu.regs[4]));
}

/// A loop in flash at two wait states: each taken branch fetches its line again, and waits for a fetch that is under way.
#[test]
fn branches_in_flash() {
    for (pad, pass) in [(0, 6), (1, 6), (2, 6), (3, 7)] {
        let mut code = vec![0xbf00; pad];
        code.extend([0x3801, 0xd1fd, 0xbe01]); // loop: subs r0, #1; bne loop; bkpt 1
        let cycles = |passes| {
            let mut rig = Rig::new(&code);
            rig.bus.flash_wait = 2;
            rig.cpu.regs[0] = passes;
            rig.cycles_to_bkpt()
        };
        assert_eq!(10 * pass, cycles(30) - cycles(20), "{} halfwords before", pad);
    }
}

#[test]
fn what_costs_a_cycle_more() {
    let table: &[(&[u16], u64, &str)] = &[
        (&[0x1c04, 0x6823], 1 + 2 + 1, "adds r4, r0, #0; ldr r3, [r4]"),
        (&[0x1c04, 0x6803], 1 + 2, "adds r4, r0, #0; ldr r3, [r0]"),
        (&[0x1c04, 0x6023], 1 + 1 + 1, "adds r4, r0, #0; str r3, [r4]"),
        (&[0x6003, 0x6803], 1 + 2 + 1, "str r3, [r0]; ldr r3, [r0]"),
        (
            &[0x1c04, 0xbf08, 0x6803],
            1 + 1,
            "adds r4, r0, #0; it eq; ldreq r3, [r0]: IT folds, not executed",
        ),
        (
            &[0xf100, 0x0400, 0xbf08, 0xbf00],
            1 + 1 + 1,
            "add.w r4, r0, #0; it eq; nopeq: IT does not fold",
        ),
    ];
    for &(code, expected, name) in table {
        assert_eq!(expected, cycles(code), "{name}");
    }
}

/// Changes of the timing model change what they name, and refuse what is not there.
#[test]
fn timing_changes() {
    use vboards::core::v7m::timing::TimingModel;
    use vboards::timing_changes::TimingChanges;
    let mut changes = TimingChanges::default();
    changes.set("refill", 3).unwrap();
    changes.set("flash_wait_states", 4).unwrap();
    let expected = TimingModel {
        refill: 3,
        flash_wait_states: Some(4),
        ..TimingModel::CORTEX_M3
    };
    assert_eq!(expected, changes.applied(TimingModel::CORTEX_M3));

    let refused = changes.set("refil", 3).unwrap_err();
    assert!(
        refused.contains("\"refil\"") && refused.contains("exception_entry"),
        "{}",
        refused
    );
    assert!(changes.set("refill", 21).unwrap_err().contains("at most 20"));
    assert_eq!(expected, changes.applied(TimingModel::CORTEX_M3));
}
