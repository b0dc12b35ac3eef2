//! STM32F103 devices through the bus, without a core: backup domain, low power, watchdogs, I2C, ADC, flash, outputs.

use crate::chip_support::*;
use vboards::bus::{Bus, Width};
use vboards::core::v7m::Cpu;
use vboards::soc::{Chip, Drive};

const PWR: u32 = 0x4000_7000;
const BKP: u32 = 0x4000_6C00;
const RTC: u32 = 0x4000_2800;
const IWDG: u32 = 0x4000_3000;
const WWDG: u32 = 0x4000_2C00;
const I2C1: u32 = 0x4000_5400;
const ADC1: u32 = 0x4001_2400;
const DMA1: u32 = 0x4002_0000;
const CRC: u32 = 0x4002_3000;
const TIM1: u32 = 0x4001_2C00;
const UART4: u32 = 0x4000_4C00;
/// The chip starts on HSI.
const US: u64 = 8;
/// A period of LSE is 30517.578125 ns; so many cycles of HSI cover `edges` of them.
fn lse(edges: u64) -> u64 {
    edges * 8_000_000 / 32_768 + 1
}

/// A chip whose RTC counts LSE, every `prescaler` + 1st edge.
fn with_rtc(prescaler: u32) -> Rig {
    let mut rig = Rig::new();
    rig.write(RCC + 0x1C, 3 << 27);
    rig.write(PWR, 0x100);
    rig.write(RCC + 0x20, 1);
    rig.pass(3_000_000 * US); // tSU(LSE)
    assert_eq!(2, rig.read(RCC + 0x20) & 2);
    rig.write(RCC + 0x20, 0x8101);
    rig.pass(lse(1));
    configure(&mut rig, &[(0x0C, prescaler), (0x18, 0), (0x1C, 0)]);
    rig
}

fn configure(rig: &mut Rig, writes: &[(u32, u32)]) {
    rig.write(RTC + 4, 0x10);
    for &(offset, value) in writes {
        rig.write(RTC + offset, value);
    }
    rig.write(RTC + 4, 0);
    assert_eq!(0, rig.read(RTC + 4) & 0x20); // RTOFF
    rig.pass(lse(3) - 1);
    assert_eq!(0, rig.read(RTC + 4) & 0x20); // at least three edges
    rig.pass(lse(1));
    assert_eq!(0x20, rig.read(RTC + 4) & 0x20);
}

fn core() -> Cpu {
    let mut flash = vec![0xFF; 512 * 1024];
    flash[..8].copy_from_slice(&[0, 0, 1, 0x20, 1, 1, 0, 8]);
    Cpu::new(0x0800_0000, flash, 0x2000_0000, 64 * 1024)
}

#[test]
fn the_rtc_counts_and_flags() {
    let mut rig = with_rtc(3);
    let start = rig.read(RTC + 0x1C);
    rig.pass(lse(4 * 1000));
    assert_eq!(start + 1000, rig.read(RTC + 0x1C));
    rig.write(RTC + 4, 0);
    assert_eq!(0x20, rig.read(RTC + 4) & 0x2F); // RSF and the flags are cleared
    rig.pass(lse(1));
    assert_eq!(8, rig.read(RTC + 4) & 8);
    rig.pass(lse(4));
    assert_eq!(1, rig.read(RTC + 4) & 1);
    // ALR is reached for a whole count before the flag: 18.3.5.
    let now = rig.read(RTC + 0x1C);
    rig.write(RTC, 2);
    configure(&mut rig, &[(0x20, 0), (0x24, now + 10)]);
    assert_eq!(0, rig.irqs());
    while rig.read(RTC + 0x1C) < now + 10 {
        rig.pass(lse(1) / 8);
    }
    assert_eq!(0, rig.irqs());
    rig.pass(lse(3));
    assert_eq!((1 << 3, now + 10), (rig.irqs(), rig.read(RTC + 0x1C)));
    rig.pass(lse(1));
    assert_eq!(now + 11, rig.read(RTC + 0x1C));
    rig.write(RTC + 4, !2);
    assert_eq!(0, rig.irqs());
    // Overflow.
    rig.write(RTC, 4);
    configure(&mut rig, &[(0x18, 0xFFFF), (0x1C, 0xFFFF)]);
    rig.pass(lse(4));
    assert_eq!(
        (4, 1 << 3, 0),
        (rig.read(RTC + 4) & 4, rig.irqs(), rig.read(RTC + 0x1C))
    );
}

/// DBP protects the backup domain; it outlives a system reset, and BDRST ends it.
#[test]
fn the_backup_domain() {
    let mut rig = with_rtc(31);
    rig.write(BKP + 4, 0x1234);
    rig.write(BKP + 0xBC, 0x5678);
    rig.write(PWR, 0);
    rig.write(BKP + 4, 0);
    rig.write(RCC + 0x20, 0);
    assert_eq!((0x1234, 0x8103), (rig.read(BKP + 4), rig.read(RCC + 0x20)));
    rig.pass(lse(3200));
    let cycle = rig.cycle;
    rig.chip.reset(cycle);
    assert_eq!(5 << 26, rig.read(RCC + 0x24) & 0xF400_0000); // SFTRSTF, PINRSTF
    rig.write(RCC + 0x1C, 3 << 27);
    rig.pass(lse(3200));
    assert_eq!(
        (0x1234, 0x5678, 200),
        (rig.read(BKP + 4), rig.read(BKP + 0xBC), rig.read(RTC + 0x1C))
    );
    rig.write(PWR, 0x100);
    rig.write(RCC + 0x20, 1 << 16);
    rig.write(RCC + 0x20, 0);
    assert_eq!((0, 0), (rig.read(BKP + 4), rig.read(RTC + 0x1C)));
}

/// Stop: timers stand still, a pin wakes the chip, HSI runs it 3.6 us later.
#[test]
fn stop_stands_still_until_a_line_wakes() {
    let mut rig = Rig::fast();
    rig.write(RCC + 0x1C, 1 | 1 << 28);
    rig.write(TIM2 + 0x28, 71);
    rig.write(TIM2 + 0x14, 1);
    rig.write(TIM2 + 0x10, 0);
    rig.write(TIM2 + 0x0C, 1);
    rig.write(TIM2, 1);
    rig.write(AFIO + 0x0C, 2); // EXTI4: port C
    rig.write(EXTI + 8, 1 << 4);
    rig.write(EXTI, 1 << 4);
    rig.pass(72 * 100);
    let cycle = rig.cycle;
    let t_ps = rig.chip.clock().ps(cycle);
    assert!(rig.chip.sleep_deep(cycle));
    assert_eq!(u64::MAX, rig.chip.next_event());
    let at_ps = t_ps + 10_000_000_000;
    rig.chip.outside.drives = vec![Drive {
        t_ps: at_ps,
        pin: 0x24,
        level: true,
    }];
    rig.chip.outside_touched();
    rig.pass(72 * 10_000);
    assert_eq!(1 << 10, rig.irqs());
    let cycle = rig.cycle;
    let resume = rig.chip.wake(cycle);
    assert_eq!(29, resume - cycle); // 3.6 us of 8 MHz
    rig.cycle = resume;
    assert_eq!(0, rig.read(RCC + 4) & 0xC);
    assert_eq!(0x83, rig.read(RCC) & 0x0303_0083); // HSE and PLL are off
    assert_eq!(100, rig.read(TIM2 + 0x24));
    rig.pass(72 * 5); // a prescaler of 72 at 8 MHz (APB1 /2: twice PCLK1)
    assert_eq!(105, rig.read(TIM2 + 0x24));
    // A line that pends keeps the chip awake (5.3.5).
    let cycle = rig.cycle;
    assert!(!rig.chip.sleep_deep(cycle));
}

/// Standby: pins float, WKUP restarts the chip, the flags tell.
#[test]
fn standby_ends_in_a_reset() {
    let mut rig = Rig::new();
    rig.write(RCC + 0x1C, 1 << 28);
    rig.write(GPIOB + 4, 0x4444_4434);
    rig.write(GPIOB + 0x10, 1 << 9);
    rig.write(PWR, 2);
    rig.write(PWR + 4, 1 << 8);
    rig.chip.edges().clear();
    let cycle = rig.cycle;
    assert!(rig.chip.sleep_deep(cycle));
    assert_eq!(1, rig.edges(0x19).len());
    let t_ps = rig.chip.clock().ps(cycle) + 1_000_000;
    rig.chip.outside.drives = vec![Drive {
        t_ps,
        pin: 0x00,
        level: true,
    }];
    rig.chip.outside_touched();
    rig.pass(51 * US - 1);
    assert!(!rig.chip.take_reset());
    rig.pass(1); // 50 us
    assert!(rig.chip.take_reset());
    rig.write(RCC + 0x1C, 1 << 28);
    assert_eq!(3, rig.read(PWR + 4) & 3); // SBF, WUF
    rig.write(PWR, 0xC);
    assert_eq!(0, rig.read(PWR + 4) & 3);
}

#[test]
fn the_independent_watchdog() {
    let mut rig = Rig::new();
    rig.write(IWDG + 4, 3); // locked
    assert_eq!(0, rig.read(IWDG + 4));
    rig.write(IWDG, 0x5555);
    rig.write(IWDG + 4, 1);
    rig.write(IWDG + 8, 99);
    assert_eq!(3, rig.read(IWDG + 0xC));
    rig.pass(126 * US); // 5 cycles of LSI
    assert_eq!(0, rig.read(IWDG + 0xC));
    rig.write(IWDG, 0xCCCC);
    rig.pass(15_000 * US);
    rig.write(IWDG, 0xAAAA);
    rig.pass(19_900 * US);
    assert!(!rig.chip.take_reset());
    rig.pass(200 * US); // 100 * 8 / 40 kHz = 20 ms
    assert!(rig.chip.take_reset());
    assert_eq!(1 << 29, rig.read(RCC + 0x24) & 1 << 29);
    rig.write(RCC + 0x24, 1 << 24);
    assert_eq!(0, rig.read(RCC + 0x24) >> 24);
}

#[test]
fn the_window_watchdog() {
    let mut rig = Rig::new();
    rig.write(RCC + 0x1C, 1 << 11);
    rig.write(WWDG + 4, 0x200 | 0x50);
    rig.write(WWDG, 0xC8);
    rig.pass(8 * 4096);
    assert_eq!((1, 0xC0), (rig.irqs(), rig.read(WWDG))); // early wake-up at 0x40
    rig.write(WWDG, 0xCF);
    rig.write(WWDG + 8, 0);
    assert_eq!(0, rig.irqs());
    rig.pass(16 * 4096 - 1);
    assert!(!rig.chip.take_reset());
    rig.pass(1);
    assert!(rig.chip.take_reset());
    rig.write(RCC + 0x1C, 1 << 11);
    rig.write(WWDG + 4, 0x50);
    rig.write(WWDG, 0xFF);
    rig.write(WWDG, 0xFF); // before the window opens
    rig.pass(1);
    assert!(rig.chip.take_reset());
    assert_eq!(1 << 30, rig.read(RCC + 0x24) & 1 << 30);
}

/// 100 kHz: START after 10 us, the address is refused 90 us later, STOP takes 10 us; interrupts tell of it.
#[test]
fn an_empty_i2c_bus() {
    let mut rig = Rig::new();
    rig.write(RCC + 0x1C, 1 << 21);
    rig.write(I2C1 + 4, 0x308);
    rig.write(I2C1 + 0x1C, 40);
    rig.write(I2C1, 1);
    rig.write(I2C1, 0x101);
    rig.pass(80);
    assert_eq!(
        (1, 3, 1 << 31),
        (rig.read(I2C1 + 0x14), rig.read(I2C1 + 0x18), rig.irqs())
    );
    rig.write(I2C1 + 0x10, 0x3D);
    assert_eq!((0, 0), (rig.read(I2C1 + 0x14), rig.irqs()));
    rig.pass(719);
    assert_eq!(0, rig.read(I2C1 + 0x14));
    rig.pass(1);
    assert_eq!((0x400, 1 << 32), (rig.read(I2C1 + 0x14), rig.irqs()));
    rig.write(I2C1 + 0x14, !0x400);
    rig.write(I2C1, 0x201);
    assert_eq!(2, rig.read(I2C1 + 0x18) & 2);
    rig.pass(80);
    assert_eq!((0, 0, 1), (rig.read(I2C1 + 0x18), rig.irqs(), rig.read(I2C1) & 0xFFFF));
    let remarks = rig.chip.log().entries();
    assert_eq!(
        vec![(1, "I2C1: no device is modelled at address 0x1e")],
        remarks
            .iter()
            .map(|remark| (remark.times, &remark.text[..]))
            .collect::<Vec<_>>()
    );
}

/// 83 cycles of ADCCLK for the calibration, 1.5 + 12.5 for a conversion (ADCCLK = PCLK2 / 2).
#[test]
fn the_adc_takes_its_time() {
    let mut rig = Rig::new();
    rig.write(RCC + 0x18, 1 << 9);
    rig.write(ADC1 + 8, 1);
    rig.write(ADC1 + 8, 5);
    rig.pass(165);
    assert_eq!(4, rig.read(ADC1 + 8) & 4);
    rig.pass(1);
    assert_eq!(0, rig.read(ADC1 + 8) & 4);
    rig.write(ADC1 + 4, 0x20);
    rig.write(ADC1 + 8, 0x1E_0001);
    rig.write(ADC1 + 8, 0x5E_0001);
    rig.pass(27);
    assert_eq!(0, rig.irqs());
    rig.pass(1);
    assert_eq!((1 << 18, 0x800), (rig.irqs(), rig.read(ADC1 + 0x4C)));
    assert_eq!(0, rig.irqs());
}

/// CRC-32/MPEG-2 of four zero bytes.
#[test]
fn the_crc_unit() {
    let mut rig = Rig::new();
    rig.write(RCC + 0x14, 0x54);
    rig.write(CRC, 0);
    assert_eq!(0xC704_DD7B, rig.read(CRC));
    rig.write(CRC + 8, 1);
    assert_eq!(0xFFFF_FFFF, rig.read(CRC));
}

/// The lock, the halfword rule, erased cells only, BSY for as long as the data sheet states, and the core waits.
#[test]
fn the_flash_is_programmed_by_halfwords() {
    let mut rig = Rig::new();
    let mut cpu = core();
    let at = 0x0800_4000;
    let program = |rig: &mut Rig, cpu: &mut Cpu, width, value| {
        let result = rig.chip.write(at, width, value, rig.cycle, 0);
        cpu.cycles = rig.cycle;
        rig.chip.serve(cpu);
        result.is_ok()
    };
    assert!(!program(&mut rig, &mut cpu, Width::Half, 1)); // locked
    rig.write(FLASH + 4, 0x4567_0123);
    rig.write(FLASH + 4, 0xCDEF_89AB);
    rig.write(FLASH + 0x10, 1);
    assert!(!program(&mut rig, &mut cpu, Width::Word, 1));
    assert!(program(&mut rig, &mut cpu, Width::Half, 0x1234));
    assert_eq!(1, rig.read(FLASH + 0xC));
    assert_eq!(rig.cycle + 420, rig.chip.stalled_until()); // 52.5 us
    rig.pass(420);
    assert_eq!(0x20, rig.read(FLASH + 0xC));
    let mut bytes = [0; 2];
    assert!(cpu.read_memory(at, &mut bytes) && bytes == [0x34, 0x12]);
    assert!(program(&mut rig, &mut cpu, Width::Half, 0x5555));
    assert_eq!(0x24, rig.read(FLASH + 0xC)); // PGERR
    rig.write(FLASH + 0x10, 0x80);
    rig.write(FLASH + 4, 1); // a wrong key locks until the next reset
    rig.write(FLASH + 4, 0x4567_0123);
    rig.write(FLASH + 4, 0xCDEF_89AB);
    assert_eq!(0x80, rig.read(FLASH + 0x10));
    assert_eq!(0x00FF_5AA5, rig.read(0x1FFF_F800));
}

/// A circular channel serves USART1's receiver: half and complete, and round again.
#[test]
fn dma_in_a_circle() {
    let mut rig = Rig::new();
    let mut cpu = core();
    rig.write(RCC + 0x14, 1);
    rig.write(USART1 + 8, 16);
    rig.write(USART1 + 0x14, 0x40);
    rig.write(USART1 + 0x0C, 0x2004);
    let channel = DMA1 + 8 + 20 * 4;
    for (offset, value) in [(4, 2), (8, USART1 + 4), (12, 0x2000_0100), (0, 0xA7)] {
        rig.write(channel + offset, value);
    }
    let cycle = rig.cycle;
    rig.chip.feed(1, b"abc", cycle);
    let mut seen = Vec::new();
    for _ in 0..3 * 160 {
        rig.pass(1);
        cpu.cycles = rig.cycle;
        rig.chip.serve(&mut cpu);
        let isr = rig.read(DMA1) >> 16 & 15;
        if seen.last() != Some(&isr) {
            seen.push(isr);
        }
    }
    assert_eq!(vec![0, 5, 7], seen); // HT after the first, TC after the second
    assert_eq!(1 << 15, rig.irqs());
    let mut bytes = [0; 2];
    assert!(cpu.read_memory(0x2000_0100, &mut bytes));
    assert_eq!((b"cb", 1), (&bytes, rig.read(channel + 4)));
    rig.write(DMA1 + 4, 0x70_0000);
    rig.write(DMA1 + 4, 0xF << 16);
    assert_eq!(0, rig.irqs());
}

/// PWM mode 1 on the pin: up from the update to the match; the main output enable of TIM1 gates it.
#[test]
fn pwm_on_pins() {
    let mut rig = Rig::new();
    rig.write(RCC + 0x18, 0x0800 | 0x7D);
    rig.write(GPIOA + 4, 0x4444_444B); // PA8 AF push-pull
    rig.chip.edges().clear();
    rig.write(TIM1 + 0x2C, 99);
    rig.write(TIM1 + 0x34, 30);
    rig.write(TIM1 + 0x18, 0x60);
    rig.write(TIM1 + 0x20, 1);
    rig.write(TIM1 + 0x14, 1);
    let start = rig.chip.clock().ps(rig.cycle);
    rig.write(TIM1, 1);
    assert_eq!(0, rig.edges(0x08).len());
    rig.write(TIM1 + 0x44, 0x8000);
    rig.pass(250);
    let us = |cycles: u64| start + cycles * 125_000;
    assert_eq!(
        vec![
            (us(0), true),
            (us(30), false),
            (us(100), true),
            (us(130), false),
            (us(200), true),
            (us(230), false)
        ],
        rig.edges(0x08)
    );
    // Every third wrap is an update, with RCR = 2.
    rig.write(TIM1 + 0x30, 2);
    rig.write(TIM1 + 0x14, 1);
    rig.write(TIM1 + 0x10, 0);
    rig.write(TIM1 + 0x0C, 1);
    rig.pass(299);
    assert_eq!(0, rig.irqs());
    rig.pass(1);
    assert_eq!(1 << 25, rig.irqs());
}

/// USART1 goes to PB6 with its remap; UART4 is on PC10.
#[test]
fn remapped_and_further_usarts() {
    let mut rig = Rig::new();
    rig.write(GPIOB, 0x4B44_4444);
    rig.write(AFIO + 4, 4);
    rig.write(USART1 + 8, 16);
    rig.write(USART1 + 0x0C, 0x2008);
    rig.pass(160);
    rig.chip.edges().clear();
    rig.write(USART1 + 4, 0xFF);
    rig.pass(160);
    assert_eq!(2, rig.edges(0x16).len()); // the start bit
    rig.write(RCC + 0x1C, 1 << 19);
    rig.write(0x4001_1004, 0x4444_4B44);
    rig.write(UART4 + 8, 16);
    rig.write(UART4 + 0x0C, 0x2008);
    rig.pass(160);
    rig.write(UART4 + 4, 0x5A);
    rig.pass(160);
    assert_eq!(Some(0x5A), rig.chip.sent(4).unwrap().pop_front().map(|byte| byte.1));
}

/// A 16 bit transfer is two bytes to the slave, the second with its own answer.
#[test]
fn spi_with_16_bits() {
    let mut rig = Rig::fast();
    rig.write(GPIOA, 0xB4B4_4444);
    rig.write(SPI1, 0x0B54);
    rig.write(SPI1 + 0x0C, 0x1020);
    rig.pass(128);
    assert_eq!(0x0111, rig.read(SPI1 + 0x0C)); // one more than the byte before
    let seen: Vec<u8> = rig.chip.outside.seen.iter().map(|byte| byte.0).collect();
    assert_eq!(vec![0x10, 0x20], seen);
    let apart_ps = rig.chip.outside.seen[1].1 - rig.chip.outside.seen[0].1;
    assert_eq!(64_000, (apart_ps * 72 + 500) / 1000); // 64 cycles of 72 MHz
}
