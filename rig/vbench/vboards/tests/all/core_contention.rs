//! What accesses of the core wait for DMA, against cycles worked out by hand: RM0008 13.3, AN2548 rev 2, 3.1.

use crate::chip_support::Rig as ChipRig;
use crate::core_support::*;
use vboards::core::v7m::timing::TimingModel;
use vboards::soc::Chip;

const DMA1: u32 = 0x4002_0000;
const LDR: [u16; 1] = [0x6803]; // ldr r3, [r0]
const STR: [u16; 1] = [0x6003]; // str r3, [r0]
const STR_STR: [u16; 2] = [0x6003, 0x6043]; // str r3, [r0]; str r3, [r0, #4]
const ADDS: [u16; 2] = [0x1963, 0x1963]; // adds r3, r4, r5, twice

/// Code, R0, where DMA is, at which cycle, for how many, the code's cycles, and what that is.
type Case = (&'static [u16], u32, u32, u64, u64, u64, &'static str);

/// Cycles of `code`, with R0 = `from`, while another master reaches `address` at cycle `at` of it.
fn cycles(code: &[u16], from: u32, address: u32, at: u64, hold: u64) -> u64 {
    let mut rig = Rig::new(code);
    rig.put(CODE + 2 * code.len() as u32, &[0xbe01]);
    rig.cpu.set_timing(TimingModel {
        dma_hold: hold,
        ..TimingModel::CORTEX_M3
    });
    rig.cpu.regs[0] = from;
    let end = rig.cpu.hold_slave(&rig.bus, address, rig.cpu.cycles + at);
    assert_eq!(at + 1, end - rig.cpu.cycles);
    rig.cycles_to_bkpt()
}

#[test]
fn an_access_waits_where_dma_has_the_same_slave() {
    let table: &[Case] = &[
        (&LDR, RAM, RAM + 0x800, 2, 1, 3, "LDR in the cycle of DMA"),
        (&LDR, RAM, RAM + 0x800, 1, 1, 2, "LDR a cycle later"),
        (&LDR, RAM, RAM + 0x800, 3, 1, 2, "LDR a cycle earlier"),
        (&LDR, RAM, RAM + 0x800, 2, 0, 2, "DMA that costs nothing"),
        (&LDR, RAM, RAM + 0x800, 3, 2, 4, "DMA for two cycles, from its first on"),
        (&LDR, RAM, REGISTER, 2, 1, 2, "DMA on the AHB of the devices"),
        (&LDR, REGISTER, RAM, 2, 1, 2, "LDR from a device, DMA in RAM"),
        (&LDR, REGISTER, REGISTER, 2, 1, 3, "both at devices"),
        (&LDR, CODE, RAM, 2, 1, 2, "a literal"),
        (&STR, RAM, RAM, 1, 1, 1, "a store waits in the buffer"),
        (&STR_STR, RAM, RAM, 1, 1, 3, "the next one waits for it"),
        (&STR_STR, RAM, RAM, 5, 1, 2, "two stores before DMA comes"),
        (&ADDS, RAM, RAM, 1, 1, 2, "no access"),
    ];
    for &(code, from, address, at, hold, expected, text) in table {
        assert_eq!(expected, cycles(code, from, address, at, hold), "{}", text);
    }
}

/// Transfers from RAM to RAM take five cycles each, however long the instructions are in between; each has the RAM twice.
#[test]
fn memory_to_memory_keeps_its_pace() {
    for stride in [1, 2, 3, 7, 11] {
        let mut rig = ChipRig::new();
        let mut cpu = vboards::core::v7m::Cpu::new(0x0800_0000, vec![0; 0x400], 0x2000_0000, 0x1000);
        rig.write(0x4002_1014, 1); // RCC_AHBENR: DMA1
        for (offset, value) in [(12, 200), (16, 0x2000_0100), (20, 0x2000_0104), (8, 0x4A01)] {
            rig.write(DMA1 + offset, value);
        }
        let start = rig.cycle;
        while rig.cycle < start + 462 {
            rig.pass(stride);
            cpu.cycles = rig.cycle;
            rig.chip.serve(&mut cpu);
            rig.chip.serve(&mut cpu);
            rig.chip.serve(&mut cpu);
        }
        let moved = u64::from(200 - rig.read(DMA1 + 12));
        let begun = (rig.cycle - start - stride) / 5 + 1;
        assert_eq!(begun, moved, "{} cycles an instruction", stride);
    }
}
