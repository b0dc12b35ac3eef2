//! STM32L476 devices through the bus, without a core: registers, timing, pins.

use crate::l4_support::*;
use vboards::bus::{Bus, Width, DEBUGGER};
use vboards::soc::{Chip, Drive};

#[test]
fn resets_to_msi_at_4_mhz() {
    let mut rig = Rig::new();
    assert_eq!((0x63, 0), (rig.read(RCC), rig.read(RCC + 8)));
    assert_eq!(1_000_000, rig.chip.clock().ps(4));
    assert_eq!(0x600, rig.read(FLASH));
    assert_eq!(0xC000_0000, rig.read(FLASH + 0x14));
    assert_eq!((0xABFF_FFFF, 0xFFFF_FEBF), (rig.read(GPIOA), rig.read(GPIOB)));
    assert_eq!(0x415, rig.read(0xE004_2000) & 0xFFF);
    assert_eq!(Ok(1024), rig.chip.read(0x1FFF_75E0, Width::Half, 0, 0));
    assert_ne!(rig.read(0x1FFF_7590), rig.read(0x1FFF_7594));
}

#[test]
fn pll_makes_80_mhz() {
    let mut rig = Rig::fast();
    let t_ps = rig.now_ps();
    rig.pass(80);
    assert_eq!(t_ps + 1_000_000, rig.now_ps());
    assert!(rig.log().is_empty(), "{:?}", rig.log());
    // What runs SYSCLK cannot be switched off.
    rig.write(RCC, 0);
    assert_eq!(1 << 24 | 1, rig.read(RCC) & (1 << 24 | 1));
}

/// SystemInit and HAL_RCC_OscConfig of ST's package, in the order of their register accesses: MSI range, PLL off, PLL on;
/// HAL_PWREx_ControlVoltageScaling to range 2 and back.
#[test]
fn st_startup_ends() {
    let mut rig = Rig::new();
    rig.set(RCC, 1);
    rig.write(RCC + 8, 0);
    rig.clear(RCC, 0x0105_0008 | 1 << 19);
    rig.write(RCC + 0x0C, 0x1000);
    rig.clear(RCC, 1 << 18);
    rig.write(RCC + 0x18, 0);
    rig.write(PWR, 0x400);
    rig.wait(|rig| rig.read(PWR + 0x14) >> 10 & 1 == 0);
    rig.write(PWR, 0x200);
    assert_eq!(1, rig.read(PWR + 0x14) >> 10 & 1); // VOSF while the regulator follows
    rig.wait(|rig| rig.read(PWR + 0x14) >> 10 & 1 == 0);
    rig.set(RCC, 8); // MSIRGSEL
    let cr = rig.read(RCC);
    rig.write(RCC, cr & !0xF0 | 7 << 4); // 8 MHz
    rig.wait(|rig| rig.read(RCC) & 2 != 0);
    let t_ps = rig.now_ps();
    assert_eq!(t_ps + 1_000_000, rig.chip.clock().ps(rig.cycle + 8));
    rig.set(RCC, 1 << 8);
    rig.wait(|rig| rig.read(RCC) >> 10 & 1 == 1);
    rig.clear(RCC, 1 << 24);
    rig.wait(|rig| rig.read(RCC) >> 25 & 1 == 0);
    rig.write(RCC + 0x0C, 1 << 24 | 10 << 8 | 2); // HSI16 x 10 / 2
    rig.set(RCC, 1 << 24);
    rig.wait(|rig| rig.read(RCC) >> 25 & 1 == 1);
    rig.write(FLASH, 0x704);
    assert_eq!(4, rig.read(FLASH) & 7);
    rig.write(RCC + 8, 3);
    rig.wait(|rig| rig.read(RCC + 8) & 0xC == 0xC);
    let t_ps = rig.now_ps();
    assert_eq!(t_ps + 1_000_000, rig.chip.clock().ps(rig.cycle + 80));
}

#[test]
fn too_few_wait_states_are_told() {
    let mut rig = Rig::fast();
    rig.write(FLASH, 0x702);
    assert_eq!(
        vec!["08000000 flash needs 4 wait states at 80000000 Hz, ACR has 2"],
        rig.log()
    );
}

#[test]
fn ports_drive_pull_and_interrupt() {
    let mut rig = Rig::fast();
    rig.write(GPIOC, 0xFFFF_FFFD); // PC0 output: field 01
    rig.write(GPIOC, 0xFFFF_FFFD & !(3 << 8)); // PC4 input
    rig.chip.edges().clear();
    let t_ps = rig.now_ps();
    rig.write(GPIOC + 0x18, 1);
    rig.pass(80);
    rig.write(GPIOC + 0x28, 1);
    assert_eq!(vec![(t_ps, true), (t_ps + 1_000_000, false)], rig.edges(0x20));
    rig.write(GPIOC + 0x0C, 1 << 8); // pull-up on PC4
    assert_eq!(1 << 4, rig.read(GPIOC + 0x10));
    rig.write(GPIOC + 0x0C, 2 << 8); // pull-down
    assert_eq!(0, rig.read(GPIOC + 0x10));
    rig.write(SYSCFG + 0x0C, 2); // EXTI4: port C
    rig.write(EXTI + 0x08, 1 << 4);
    rig.set(EXTI, 1 << 4);
    rig.chip.edges().clear();
    let t_ps = rig.now_ps() + 1_000_001;
    rig.chip.outside.drives = vec![Drive {
        t_ps,
        pin: 0x24,
        level: true,
    }];
    rig.chip.outside_touched();
    rig.pass(80);
    assert_eq!(0, rig.irqs());
    rig.pass(1);
    assert_eq!(1 << 10, rig.irqs());
    assert_eq!(vec![(t_ps, true)], rig.edges(0x24));
    rig.write(EXTI + 0x14, 1 << 4);
    assert_eq!(0, rig.irqs());
}

/// TIM2 counts 32 bits; one compare far beyond 16 bits.
#[test]
fn tim2_is_wide() {
    let mut rig = Rig::fast();
    rig.write(TIM2 + 0x28, 79);
    rig.write(TIM2 + 0x14, 1);
    rig.write(TIM2 + 0x10, 0);
    assert_eq!(u32::MAX, rig.read(TIM2 + 0x2C));
    rig.write(TIM2 + 0x34, 100_000);
    rig.write(TIM2 + 0x0C, 2);
    let start = rig.cycle;
    rig.write(TIM2, 1);
    assert_eq!(start + 100_000 * 80, rig.chip.next_event());
    rig.pass(100_000 * 80);
    assert_eq!((1 << 28, 100_000), (rig.irqs(), rig.read(TIM2 + 0x24)));
}

/// 0x55 at 500 kbaud from PCLK1, as bits and as what the host receives; TEACK, TXE, TC.
#[test]
fn usart_sends_bits() {
    let mut rig = Rig::fast();
    rig.alternate(GPIOA, 2, 7);
    rig.write(USART2 + 0x0C, 160);
    rig.write(USART2, 0x0D);
    assert_eq!(1 << 21 | 1 << 22, rig.read(USART2 + 0x1C) & 0x0060_0000);
    rig.pass(80 * 100);
    rig.chip.edges().clear();
    let t_ps = rig.now_ps();
    rig.write(USART2 + 0x28, 0x55);
    assert_eq!(0x80, rig.read(USART2 + 0x1C) & 0xC0); // straight into the shift register
    rig.write(USART2 + 0x28, 0xFF);
    assert_eq!(0, rig.read(USART2 + 0x1C) & 0xC0);
    rig.pass(160 * 10);
    assert_eq!(0x80, rig.read(USART2 + 0x1C) & 0xC0);
    rig.pass(160 * 10);
    assert_eq!(0xC0, rig.read(USART2 + 0x1C) & 0xC0);
    let mut expected: Vec<(u64, bool)> = (0..10).map(|bit| (t_ps + bit * 2_000_000, bit % 2 == 1)).collect();
    expected.extend([(t_ps + 20_000_000, false), (t_ps + 22_000_000, true)]);
    assert_eq!(expected, rig.edges(0x02));
    let sent: Vec<(u64, u8)> = rig.chip.sent(2).unwrap().drain(..).collect();
    assert_eq!(vec![(t_ps + 20_000_000, 0x55), (t_ps + 40_000_000, 0xFF)], sent);
}

#[test]
fn usart_receives_and_overruns() {
    let mut rig = Rig::fast();
    rig.alternate(GPIOA, 3, 7);
    rig.write(USART2 + 0x0C, 160);
    rig.write(USART2, 0x35); // UE, RE, IDLEIE, RXNEIE
    let cycle = rig.cycle;
    rig.chip.feed(2, b"ab", cycle);
    rig.pass(160 * 10 - 1);
    assert_eq!(0, rig.irqs());
    rig.pass(1);
    assert_eq!(1 << 38, rig.irqs());
    assert_eq!(u32::from(b'a'), rig.read(USART2 + 0x24));
    assert_eq!(0, rig.irqs());
    rig.pass(160 * 10);
    assert_eq!(u32::from(b'b'), rig.read(USART2 + 0x24));
    rig.pass(160 * 10);
    assert_eq!(0x10, rig.read(USART2 + 0x1C) & 0x10); // IDLE
    rig.write(USART2 + 0x20, 0x10);
    assert_eq!((0, u64::MAX), (rig.irqs(), rig.chip.next_event()));
    let cycle = rig.cycle;
    rig.chip.feed(2, &[1, 2], cycle);
    rig.pass(160 * 21);
    assert_eq!(0x28, rig.read(USART2 + 0x1C) & 0x28); // the first was not read: ORE
    rig.write(USART2 + 0x20, 8);
    assert_eq!((0x20, 1), (rig.read(USART2 + 0x1C) & 0x28, rig.read(USART2 + 0x24)));
}

/// OVER8 halves the clocks of a bit: BRR 0x115 is USARTDIV 0x11A, 141 clocks (RM0351 40.5.4).
#[test]
fn oversampling_by_8() {
    let mut rig = Rig::fast();
    rig.alternate(GPIOA, 2, 7);
    rig.write(USART2 + 0x0C, 0x115);
    rig.write(USART2, 0x8009);
    rig.pass(80 * 100);
    rig.chip.edges().clear();
    rig.write(USART2 + 0x28, 0xFF);
    rig.pass(141 * 10);
    let edges = rig.edges(0x02);
    assert_eq!(141 * 12_500, edges[1].0 - edges[0].0);
}

/// LPUART1 at 9600 baud from the 32.768 kHz crystal: BRR = 256 * 32768 / 9600 = 873, a bit of 104.07 us.
#[test]
fn lpuart_runs_from_lse() {
    let mut rig = Rig::with_lse();
    rig.alternate(GPIOC, 1, 8);
    rig.set(RCC + 0x88, 3 << 10);
    rig.write(LPUART1 + 0x0C, 873);
    rig.write(LPUART1, 9);
    rig.pass_ps(2_000_000_000);
    rig.chip.edges().clear();
    rig.write(LPUART1 + 0x28, 0xFF);
    rig.pass_ps(1_200_000_000);
    let edges = rig.edges(0x21);
    let bit_ps = 873 * SECOND_PS / (256 * 32_768);
    assert!((bit_ps..=bit_ps + 1).contains(&(edges[1].0 - edges[0].0)));
    assert_eq!(1, rig.chip.sent(6).unwrap().len());
}

/// 10 MHz: a byte takes 64 cycles of 80 MHz; the FIFO makes bytes follow without a gap.
#[test]
fn spi_exchanges_bytes() {
    let mut rig = Rig::fast();
    rig.alternate(GPIOB, 3, 5);
    rig.alternate(GPIOA, 7, 5);
    rig.write(SPI1 + 4, 0x1700); // 8 bits, FRXTH
    rig.write(SPI1, 0x0354); // master, /8, enabled, software NSS
    let t_ps = rig.now_ps();
    rig.write_wide(SPI1 + 0x0C, Width::Byte, 0x10);
    assert_eq!(0x82, rig.read(SPI1 + 8));
    rig.write_wide(SPI1 + 0x0C, Width::Byte, 0x20);
    assert_eq!(0x0882, rig.read(SPI1 + 8)); // one byte waits: FTLVL 1
    rig.pass(64);
    assert_eq!(0x0283, rig.read(SPI1 + 8));
    assert_eq!(Ok(0x01), rig.chip.read(SPI1 + 0x0C, Width::Byte, rig.cycle, 0));
    rig.pass(64);
    assert_eq!(Ok(0x11), rig.chip.read(SPI1 + 0x0C, Width::Byte, rig.cycle, 0));
    assert_eq!(2, rig.read(SPI1 + 8));
    assert_eq!(
        vec![(0x10, t_ps + 800_000), (0x20, t_ps + 1_600_000)],
        rig.chip.outside.seen
    );
}

/// A 16-bit write of DR with 8-bit frames sends two bytes; a 16-bit read takes two; a full FIFO overruns.
#[test]
fn spi_packs_data() {
    let mut rig = Rig::fast();
    rig.alternate(GPIOA, 5, 5);
    rig.alternate(GPIOA, 7, 5);
    rig.write(SPI1 + 4, 0x0700); // RXNE at half
    rig.write(SPI1, 0x0344);
    rig.write_wide(SPI1 + 0x0C, Width::Half, 0x2010);
    rig.pass(16);
    assert_eq!(0, rig.read(SPI1 + 8) & 1); // one byte is not half
    rig.pass(16);
    assert_eq!(1, rig.read(SPI1 + 8) & 1);
    assert_eq!(Ok(0x1101), rig.chip.read(SPI1 + 0x0C, Width::Half, rig.cycle, 0));
    for byte in 0..5 {
        rig.write_wide(SPI1 + 0x0C, Width::Byte, byte);
        rig.pass(16);
    }
    assert_eq!(0x640, rig.read(SPI1 + 8) & 0x640); // OVR, FIFO full
}

#[test]
fn a_probed_spi_shows_its_lines() {
    let mut rig = Rig::fast();
    rig.alternate(GPIOB, 3, 5);
    rig.alternate(GPIOA, 7, 5);
    rig.write(SPI1 + 4, 0x1700);
    rig.write(SPI1, 0x0354);
    rig.chip.watch(0x13);
    rig.chip.edges().clear();
    rig.write_wide(SPI1 + 0x0C, Width::Byte, 0xA5);
    rig.pass(64);
    let edges: Vec<(u64, u16, bool)> = rig.chip.edges().iter().map(|e| (e.t_ps, e.pin, e.level)).collect();
    let rising: Vec<u64> = edges.iter().filter(|e| e.1 == 0x13 && e.2).map(|e| e.0).collect();
    assert_eq!(8, rising.len());
    let mosi_at = |t_ps: u64| edges.iter().rfind(|e| e.1 == 7 && e.0 < t_ps).map_or(false, |e| e.2);
    let byte = rising
        .iter()
        .fold(0u8, |byte, &t_ps| byte << 1 | u8::from(mosi_at(t_ps)));
    assert_eq!(0xA5, byte);
}

#[test]
fn what_is_not_there() {
    let mut rig = Rig::new();
    rig.clear(RCC + 0x4C, 1);
    assert_eq!(0, rig.read(GPIOA));
    assert_eq!(0, rig.read(0x4000_7400));
    assert_eq!(
        vec![
            "08000000 GPIOA 0x48000000 has its clock off, read as 0x0",
            "08000000 DAC1 0x40007400 is not modelled, read as 0x0",
        ],
        rig.log()
    );
    assert!(rig.chip.read(0x4001_0800, Width::Word, 5, DEBUGGER).is_err());
    assert!(rig.chip.write(0xFFFF_FFD8, Width::Word, 0, 5, 0x0800_0100).is_err());
    assert_eq!(None, rig.chip.fault());
    assert!(rig.chip.read(0x4001_0800, Width::Word, 5, 0x0800_0100).is_err());
    assert!(rig
        .chip
        .fault()
        .unwrap()
        .contains("unmapped register 0x40010800 at PC 0x08000100"));
}

#[test]
fn narrow_writes_and_bit_band() {
    let mut rig = Rig::fast();
    rig.write_wide(TIM2 + 0x2C, Width::Byte, 0x12); // APB: the byte on all lanes
    assert_eq!(0x1212_1212, rig.read(TIM2 + 0x2C));
    rig.write_wide(FLASH + 1, Width::Byte, 0x06); // AHB: only its own lane
    assert_eq!(0x604, rig.read(FLASH));
    let alias = 0x4200_0000 + (RCC + 0x4C - 0x4000_0000) * 32 + 4 * 2;
    rig.write(alias, 0);
    assert_eq!((0, 0), (rig.read(RCC + 0x4C) & 4, rig.read(alias)));
}
