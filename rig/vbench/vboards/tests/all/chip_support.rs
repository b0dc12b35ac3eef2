//! An STM32F103 without a core, a slave on its SPIs, and levels that a test puts on its pins.

use vboards::bus::{Bus, Width};
use vboards::soc::stm32f1::{Config, Stm32f1};
use vboards::soc::{Chip, Drive, Outside};
use vboards::trace::Pin;

pub const RCC: u32 = 0x4002_1000;
pub const FLASH: u32 = 0x4002_2000;
pub const GPIOA: u32 = 0x4001_0800;
pub const GPIOB: u32 = 0x4001_0C00;
pub const AFIO: u32 = 0x4001_0000;
pub const EXTI: u32 = 0x4001_0400;
pub const TIM2: u32 = 0x4000_0000;
pub const TIM3: u32 = 0x4000_0400;
pub const USART1: u32 = 0x4001_3800;
pub const SPI1: u32 = 0x4001_3000;

/// A slave that adds one to the byte before, and levels that a test puts on pins.
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

/// A chip and a cycle counter.
pub struct Rig {
    pub chip: Stm32f1<World>,
    pub cycle: u64,
}

impl Rig {
    pub fn new() -> Rig {
        let config = Config {
            seed: 1,
            board: 0,
            hse_hz: 16_000_000,
            clock: Default::default(),
            rest: [0; 7],
            strict: true,
        };
        let mut rig = Rig {
            chip: Stm32f1::new(config, World::default()),
            cycle: 0,
        };
        rig.write(RCC + 0x18, 0x527D); // AFIO, ports A to E, SPI1, USART1, TIM1's bit left off
        rig.write(RCC + 0x1C, 0x3);
        rig
    }

    /// 72 MHz from the crystal: /2, x9, APB1 /2.
    pub fn fast() -> Rig {
        let mut rig = Rig::new();
        rig.write(FLASH, 0x12);
        rig.write(RCC, 0x1_0081);
        rig.cycle += 8 * 2001; // tSU(HSE) at 8 MHz
        assert_eq!(1, rig.read(RCC) >> 17 & 1);
        rig.write(RCC + 4, 0x001F_0400);
        rig.write(RCC, 0x101_0081);
        rig.cycle += 8 * 201;
        assert_eq!(1, rig.read(RCC) >> 25 & 1);
        rig.write(RCC + 4, 0x001F_0402);
        assert_eq!(2, rig.read(RCC + 4) >> 2 & 3);
        rig
    }

    pub fn read(&mut self, address: u32) -> u32 {
        self.chip.read(address, Width::Word, self.cycle, 0x0800_0000).unwrap()
    }

    pub fn write(&mut self, address: u32, value: u32) {
        self.chip
            .write(address, Width::Word, value, self.cycle, 0x0800_0000)
            .unwrap();
    }

    pub fn pass(&mut self, cycles: u64) {
        self.cycle += cycles;
        self.chip.advance(self.cycle);
    }

    pub fn irqs(&self) -> u128 {
        self.chip.irq_levels()
    }

    pub fn edges(&mut self, pin: Pin) -> Vec<(u64, bool)> {
        self.chip
            .edges()
            .drain(..)
            .filter(|e| e.pin == pin)
            .map(|e| (e.t_ps, e.level))
            .collect()
    }
}
