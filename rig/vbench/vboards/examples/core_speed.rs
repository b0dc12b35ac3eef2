//! How fast the ARMv7-M core runs code, CPU bound, with cycles, flash and interrupts modelled.
//!
//! ```text
//! cargo run --release --example core_speed -p vboards [-- <image: vectors first, to 0x08000000>]
//! ```
//!
//! Without an image it runs four typical loops one after another, out of a flash with two wait states. Prints the
//! fastest of several runs, in processor time: what others take of the machine does not count.

mod processor;

use processor::processor_ns;
use std::fs;
use vboards::bus::{Bus, BusError, Width};
use vboards::core::v7m::Cpu;

const FLASH: u32 = 0x0800_0000;
const RAM: u32 = 0x2000_0000;
const RAM_BYTES: usize = 64 * 1024;
const RUNS: usize = 7;
const CYCLES_PER_RUN: u64 = 100_000_000;
/// The chip takes control back this often, as it does with timers running: 10 us at 72 MHz.
const HORIZON_CYCLES: u64 = 720;

/// R0 is a table in RAM.
#[rustfmt::skip]
const LOOPS: [u16; LOOP_HALVES] = [
    // CRC-16 of 16 bytes: ALU, IT, short branches
    0x2400, // movs r4, #0
    0xf241, 0x2534, // movw r5, #4660
    0x4606, // mov r6, r0
    0x5d31, // ldrb r1, [r6, r4]
    0x404d, // eors r5, r1
    0x2208, // movs r2, #8
    0x086d, // lsrs r5, r5, #1
    0xbf28, // it cs
    0xf485, 0x4520, // eorcs.w r5, r5, #40960
    0x3a01, // subs r2, #1
    0xd1f9, // bne.n bit
    0x3401, // adds r4, #1
    0x2c10, // cmp r4, #16
    0xd1f3, // bne.n crc
    0x2420, // movs r4, #32
    0x4601, // mov r1, r0
    0xf500, 0x7200, // add.w r2, r0, #512
    // copy and scale: loads, stores, shifted operands
    0xf851, 0x3b04, // ldr.w r3, [r1], #4
    0x684f, // ldr r7, [r1, #4]
    0xf842, 0x3b04, // str.w r3, [r2], #4
    0xeb03, 0x0387, // add.w r3, r3, r7, lsl #2
    0xf8c2, 0x3080, // str.w r3, [r2, #128]
    0x3c01, // subs r4, #1
    0xd1f4, // bne.n copy
    0x2400, // movs r4, #0
    0x2700, // movs r7, #0
    // dot product: indexed loads, MLA
    0xf850, 0x1024, // ldr.w r1, [r0, r4, lsl #2]
    0xf104, 0x0380, // add.w r3, r4, #128
    0xf850, 0x2023, // ldr.w r2, [r0, r3, lsl #2]
    0xfb01, 0x7702, // mla r7, r1, r2, r7
    0x3401, // adds r4, #1
    0x2c20, // cmp r4, #32
    0xdbf4, // blt.n dot
    0x2410, // movs r4, #16
    // calls, TBB, PUSH and POP
    0x4621, // mov r1, r4
    0xf000, 0xf805, // bl leaf
    0x3c01, // subs r4, #1
    0xd1fa, // bne.n calls
    0xf118, 0x0801, // adds.w r8, r8, #1
    0xe7ca, // b.n outer
    0xb510, // push {r4, lr}
    0xf001, 0x0103, // and.w r1, r1, #3
    0xe8df, 0xf001, // tbb [pc, r1]
    0x0302, 0x0504, // .word 0x05040302
    0xe002, // b.n leaf+0x16
    0xe002, // b.n leaf+0x18
    0xbf00, // nop
    0xe001, // b.n leaf+0x1a
    0x3701, // adds r7, #1
    0x4067, // eors r7, r4
    0xf3c7, 0x04c4, // ubfx r4, r7, #3, #5
    0x70c4, // strb r4, [r0, #3]
    0xbd10, // pop {r4, pc}
];
const LOOP_HALVES: usize = 70;

/// A chip without devices, which wants control back now and then.
struct Idle {
    horizon: u64,
}

impl Bus for Idle {
    fn read(&mut self, _: u32, _: Width, _: u64, _: u32) -> Result<u32, BusError> {
        Ok(0)
    }
    fn write(&mut self, _: u32, _: Width, _: u32, _: u64, _: u32) -> Result<(), BusError> {
        Ok(())
    }
    fn wait_cycles(&self, _: u32) -> u32 {
        2
    }
    fn irq_levels(&self) -> u128 {
        0
    }
    fn irq_changed(&mut self) -> bool {
        false
    }
    fn flash_wait_states(&self) -> u32 {
        2
    }
    fn flash_prefetch(&self) -> bool {
        true
    }
    fn horizon(&self) -> u64 {
        self.horizon
    }
}

/// A flash whose vectors lead to `LOOPS`.
fn loops() -> Vec<u8> {
    let mut flash = vec![0; 4096];
    let vectors = [RAM + RAM_BYTES as u32, (FLASH + 0x200) | 1];
    for (place, vector) in flash.chunks_exact_mut(4).zip(vectors) {
        place.copy_from_slice(&vector.to_le_bytes());
    }
    for (place, half) in flash[0x200..].chunks_exact_mut(2).zip(LOOPS) {
        place.copy_from_slice(&half.to_le_bytes());
    }
    flash
}

/// Instructions, cycles and nanoseconds of one run.
fn run(flash: &[u8]) -> Result<(u64, u64, u64), String> {
    let mut cpu = Cpu::new(FLASH, flash.to_vec(), RAM, RAM_BYTES);
    cpu.regs[0] = RAM;
    let mut chip = Idle {
        horizon: HORIZON_CYCLES,
    };
    let begin = processor_ns()?;
    while cpu.cycles < CYCLES_PER_RUN {
        cpu.run_until(&mut chip, u64::MAX);
        chip.horizon = cpu.cycles + HORIZON_CYCLES;
    }
    Ok((cpu.instructions, cpu.cycles, processor_ns()? - begin))
}

fn main() -> Result<(), String> {
    let flash = match std::env::args().nth(1) {
        Some(path) => fs::read(&path).map_err(|e| format!("cannot read the image {}: {}", path, e))?,
        None => loops(),
    };
    let mut best = 0;
    for _ in 0..RUNS {
        let (instructions, cycles, ns) = run(&flash)?;
        let mips = instructions * 1000 / ns;
        best = best.max(mips);
        println!(
            "{} MIPS ({} instructions, {} cycles, {} ms)",
            mips,
            instructions,
            cycles,
            ns / 1_000_000
        );
    }
    println!("best of {}: {} MIPS", RUNS, best);
    Ok(())
}
