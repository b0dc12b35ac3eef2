//! A STM32L476 without a core, a cycle counter, and a slave that adds one to the byte before.

use vboards::bus::{Bus, Width};
use vboards::soc::stm32l4::{Config, Stm32l4};
use vboards::soc::{Chip, Drive, Outside};
use vboards::trace::Pin;

pub const RCC: u32 = 0x4002_1000;
pub const FLASH: u32 = 0x4002_2000;
pub const PWR: u32 = 0x4000_7000;
pub const GPIOA: u32 = 0x4800_0000;
pub const GPIOB: u32 = 0x4800_0400;
pub const GPIOC: u32 = 0x4800_0800;
pub const SYSCFG: u32 = 0x4001_0000;
pub const EXTI: u32 = 0x4001_0400;
pub const USART2: u32 = 0x4000_4400;
pub const LPUART1: u32 = 0x4000_8000;
pub const SPI1: u32 = 0x4001_3000;
pub const TIM2: u32 = 0x4000_0000;
pub const LPTIM1: u32 = 0x4000_7C00;
pub const RTC: u32 = 0x4000_2800;
pub const DMA1: u32 = 0x4002_0000;

/// One second in picoseconds.
pub const SECOND_PS: u64 = 1_000_000_000_000;

#[derive(Default)]
pub struct World {
    pub last: u8,
    pub seen: Vec<(u8, u64)>,
    pub drives: Vec<Drive>,
}

impl Outside for World {
    fn pin(&mut self, _: Pin, _: bool, _: u64) {}
    fn spi_out(&mut self, _: usize, _: u64) -> Option<u8> {
        Some(self.last.wrapping_add(1))
    }
    fn spi_in(&mut self, _: usize, byte: u8, t_ps: u64) {
        self.last = byte;
        self.seen.push((byte, t_ps));
    }
    fn next_event(&self) -> Option<u64> {
        self.drives.first().map(|drive| drive.t_ps)
    }
    fn advance(&mut self, _: u64) {}
    fn take_drives(&mut self, into: &mut Vec<Drive>) {
        into.append(&mut self.drives);
    }
    fn take_notes(&mut self) -> Vec<(u32, String)> {
        Vec::new()
    }
}

pub struct Rig {
    pub chip: Stm32l4<World>,
    pub cycle: u64,
}

impl Rig {
    /// After reset: MSI at 4 MHz; every clock gate open.
    pub fn new() -> Rig {
        let config = Config {
            seed: 1,
            board: 0,
            hse_hz: 8_000_000,
            lse_hz: 32_768,
            clock: Default::default(),
            rest: [0; 8],
            strict: true,
        };
        let mut rig = Rig {
            chip: Stm32l4::new(config, World::default()),
            cycle: 0,
        };
        for (offset, value) in [
            (0x48, 0x1103),
            (0x4C, 0x0004_20FF),
            (0x58, 0xF2FE_CA3F),
            (0x5C, 0x25),
            (0x60, 0x0107_7C01),
        ] {
            rig.write(RCC + offset, value);
        }
        rig
    }

    /// 80 MHz: MSI 4 MHz x 40 / 2, 4 wait states, caches and prefetch on.
    pub fn fast() -> Rig {
        let mut rig = Rig::new();
        rig.write(FLASH, 0x704);
        rig.write(RCC + 0x0C, 1 << 24 | 40 << 8 | 1);
        rig.set(RCC, 1 << 24);
        rig.wait(|rig| rig.read(RCC) >> 25 & 1 == 1);
        rig.write(RCC + 8, 3);
        rig.wait(|rig| rig.read(RCC + 8) >> 2 & 3 == 3);
        rig
    }

    /// With LSE running and RTC and BDCR open for writes.
    pub fn with_lse() -> Rig {
        let mut rig = Rig::fast();
        rig.set(PWR, 1 << 8);
        rig.set(RCC + 0x90, 1);
        rig.pass_ps(3 * SECOND_PS);
        assert_eq!(3, rig.read(RCC + 0x90) & 3);
        rig
    }

    pub fn read(&mut self, address: u32) -> u32 {
        self.chip.read(address, Width::Word, self.cycle, 0x0800_0000).unwrap()
    }

    pub fn write(&mut self, address: u32, value: u32) {
        self.write_wide(address, Width::Word, value);
    }

    pub fn write_wide(&mut self, address: u32, width: Width, value: u32) {
        self.chip.write(address, width, value, self.cycle, 0x0800_0000).unwrap();
    }

    pub fn set(&mut self, address: u32, bits: u32) {
        let old = self.read(address);
        self.write(address, old | bits);
    }

    pub fn clear(&mut self, address: u32, bits: u32) {
        let old = self.read(address);
        self.write(address, old & !bits);
    }

    pub fn pass(&mut self, cycles: u64) {
        self.cycle += cycles;
        self.chip.advance(self.cycle);
    }

    pub fn now_ps(&self) -> u64 {
        self.chip.clock().ps(self.cycle)
    }

    pub fn pass_ps(&mut self, ps: u64) {
        let until_ps = self.now_ps() + ps;
        // The clock may change on the way.
        while self.now_ps() < until_ps {
            let next = self.chip.next_event().max(self.cycle + 1);
            self.cycle = self.chip.clock().tick_at(until_ps).min(next);
            self.chip.advance(self.cycle);
        }
    }

    /// Polls as firmware does, some cycles a turn. What does not come within a million turns never comes.
    pub fn wait(&mut self, mut condition: impl FnMut(&mut Rig) -> bool) {
        for _ in 0..1_000_000 {
            if condition(self) {
                return;
            }
            self.pass(8);
        }
        panic!("the firmware would hang here");
    }

    pub fn irqs(&self) -> u128 {
        self.chip.irq_levels()
    }

    pub fn edges(&mut self, pin: Pin) -> Vec<(u64, bool)> {
        let edges = self.chip.edges().drain(..);
        edges.filter(|e| e.pin == pin).map(|e| (e.t_ps, e.level)).collect()
    }

    /// Gives a pin its alternate function.
    pub fn alternate(&mut self, port: u32, pin: u32, function: u32) {
        let (register, shift) = (port + 0x20 + 4 * (pin / 8), 4 * (pin % 8));
        let old = self.read(register);
        self.write(register, old & !(15 << shift) | function << shift);
        let old = self.read(port);
        self.write(port, old & !(3 << (2 * pin)) | 2 << (2 * pin));
    }

    pub fn log(&self) -> Vec<String> {
        self.chip
            .log()
            .entries()
            .iter()
            .map(|entry| format!("{:08x} {}", entry.pc, entry.text))
            .collect()
    }
}
