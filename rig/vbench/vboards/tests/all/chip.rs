//! STM32F103 peripherals through the bus, without a core: registers, timing, pins.

use crate::chip_support::*;
use vboards::bus::{Bus, Width, DEBUGGER};
use vboards::soc::{Chip, Drive};

#[test]
fn clock_tree() {
    let mut rig = Rig::fast();
    let t_ps = rig.chip.clock().ps(rig.cycle);
    assert_eq!(t_ps + 1_000_000, rig.chip.clock().ps(rig.cycle + 72));
    rig.write(RCC + 4, 0x001F_0482); // AHB /2
    assert_eq!(t_ps + 1_000_000, rig.chip.clock().ps(rig.cycle + 36));
    assert_eq!(0, rig.chip.log().entries().len());
    // The source in use cannot be switched off.
    rig.write(RCC, 0x81);
    assert_eq!(0x0101_0081, rig.read(RCC) & 0x0101_0081);
}

#[test]
fn an_early_switch_waits_for_its_source() {
    let mut rig = Rig::new();
    rig.write(RCC, 0x1_0081);
    rig.write(RCC + 4, 1);
    assert_eq!(0, rig.read(RCC + 4) >> 2 & 3);
    rig.pass(16_001); // 2 ms
    assert_eq!(1, rig.read(RCC + 4) >> 2 & 3);
}

#[test]
fn what_is_not_there() {
    let mut rig = Rig::new();
    rig.write(RCC + 0x18, 0);
    assert_eq!(0, rig.read(GPIOA)); // clock off: reads 0
    rig.write(GPIOA, 0x33);
    assert_eq!(0, rig.read(0x4001_8000)); // SDIO: on the chip, not in the model
    rig.read(0x4001_8000);
    let texts: Vec<String> = rig
        .chip
        .log()
        .entries()
        .iter()
        .map(|entry| format!("{:08x} {} {}", entry.pc, entry.times, entry.text))
        .collect();
    assert_eq!(
        vec![
            "08000000 1 GPIOA 0x40010800 has its clock off, read as 0x0",
            "08000000 1 GPIOA 0x40010800 has its clock off, write of 0x33 ignored",
            "08000000 2 SDIO 0x40018000 is not modelled, read as 0x0",
        ],
        texts
    );
    assert!(rig.chip.read(0x4800_0000, Width::Word, 5, 0x0800_0100).is_err());
    assert_eq!(
        Some("board 0: read of unmapped register 0x48000000 at PC 0x08000100, t = 625000 ps"),
        rig.chip.fault()
    );
}

/// Neither a debugger's look at an address without a device nor the stack of an erased chip ends the run; a store does.
#[test]
fn strays_are_those_of_the_firmware() {
    let mut rig = Rig::new();
    assert!(rig.chip.read(0x4800_0000, Width::Word, 5, DEBUGGER).is_err());
    assert!(rig.chip.write(0xFFFF_FFD8, Width::Word, 0, 6, 0x0800_0100).is_err());
    assert_eq!(None, rig.chip.fault());
    assert!(rig.chip.write(0xDFFF_FFFC, Width::Word, 0, 7, 0x0800_0100).is_err());
    assert!(rig
        .chip
        .fault()
        .unwrap()
        .starts_with("board 0: write to unmapped register 0xdffffffc at PC 0x08000100"));
}

/// A loop on a register that is not modelled ends the run after a second and three times 16 bits of reads; a loop that
/// gives up before, or that does something else for a while, does not.
#[test]
fn a_firmware_that_hangs_is_told() {
    let sdio = 0x4001_8000; // on the chip, not in the model
    let mut rig = Rig::new();
    for _ in 0..0x1_0000 {
        rig.cycle += 10;
        rig.read(sdio);
    }
    rig.cycle += 8_000_000;
    for _ in 0..1_000_000 {
        rig.cycle += 6;
        rig.read(sdio);
    }
    assert_eq!(None, rig.chip.fault());
    for _ in 0..400_000 {
        rig.cycle += 6;
        rig.read(sdio);
    }
    let text = rig.chip.fault().unwrap().to_string();
    assert!(
        text.starts_with(
            "board 0: the firmware hangs at PC 0x08000000: it has read 0x0 from SDIO 0x40018000, which is not modelled, "
        ),
        "{}",
        text
    );
    assert_eq!(0, rig.chip.horizon());
}

/// Polling a modelled register for ever is the firmware's right: one remark.
#[test]
fn a_dull_register_is_a_remark() {
    let mut rig = Rig::new();
    for _ in 0..2_000_000 {
        rig.cycle += 20;
        rig.read(USART1);
    }
    assert_eq!((None, 1), (rig.chip.fault(), rig.chip.log().entries().len()));
    let text = &rig.chip.log().entries()[0].text;
    assert!(
        text.starts_with("USART1 0x40013800 is polled and has read 0xc0 for "),
        "{}",
        text
    );
}

#[test]
fn port_levels_and_bit_banding() {
    let mut rig = Rig::new();
    rig.write(GPIOB + 4, 0x4444_4434); // PB9 output
    rig.write(GPIOB + 0x10, 1 << 9);
    rig.pass(8);
    rig.write(GPIOB + 0x10, 1 << 25 | 1 << 9); // set wins
    rig.write(GPIOB + 0x14, 1 << 9);
    assert_eq!(vec![(0, true), (1_000_000, false)], rig.edges(0x19));
    let alias = 0x4200_0000 + (GPIOB + 0x0C - 0x4000_0000) * 32 + 9 * 4;
    rig.write(alias, 1);
    assert_eq!((1 << 9, 1), (rig.read(GPIOB + 8), rig.read(alias)));
    rig.write(GPIOB + 4, 0x4444_4484); // input with pull-up: ODR bit 9 is set
    assert_eq!(1 << 9, rig.read(GPIOB + 8));
    rig.write(GPIOB + 0x0C, 0);
    assert_eq!(0, rig.read(GPIOB + 8));
}

#[test]
fn an_edge_outside_becomes_an_interrupt() {
    let mut rig = Rig::new();
    rig.write(AFIO + 0x0C, 2); // EXTI4: port C
    rig.write(EXTI + 8, 1 << 4);
    rig.write(EXTI, 1 << 4);
    rig.chip.outside.drives = vec![Drive {
        t_ps: 1_000_001,
        pin: 0x24,
        level: true,
    }];
    rig.chip.outside_touched();
    assert_eq!(9, rig.chip.next_event()); // first cycle at or after the edge
    rig.pass(8);
    assert_eq!(0, rig.irqs());
    rig.pass(1);
    assert_eq!(1 << 10, rig.irqs());
    assert_eq!(vec![(1_000_001, true)], rig.edges(0x24));
    rig.write(EXTI + 0x14, 1 << 4);
    assert_eq!(0, rig.irqs());
}

#[test]
fn timer_update_compare_and_one_pulse() {
    let mut rig = Rig::fast();
    rig.write(TIM2 + 0x28, 71); // 72 MHz, twice PCLK1: 1 us
    rig.write(TIM2 + 0x2C, 999);
    rig.write(TIM2 + 0x14, 1);
    rig.write(TIM2 + 0x10, 0);
    rig.write(TIM2 + 0x34, 250);
    rig.write(TIM2 + 0x0C, 0x3);
    let start = rig.cycle;
    rig.write(TIM2, 1);
    assert_eq!(start + 250 * 72, rig.chip.next_event());
    rig.pass(250 * 72);
    assert_eq!(
        (1 << 28, 2, 250),
        (rig.irqs(), rig.read(TIM2 + 0x10), rig.read(TIM2 + 0x24))
    );
    rig.write(TIM2 + 0x10, !2);
    assert_eq!(start + 1000 * 72, rig.chip.next_event());
    rig.pass(750 * 72);
    // CCR2 to CCR4 are 0 and match there too.
    assert_eq!((0x1D, 0), (rig.read(TIM2 + 0x10), rig.read(TIM2 + 0x24)));
    rig.write(TIM2 + 0x0C, 0);
    assert_eq!(u64::MAX, rig.chip.next_event()); // free running without interrupts: no event
    rig.pass(72 * 5_000_000_123);
    assert_eq!(123, rig.read(TIM2 + 0x24));
    rig.write(TIM2, 9); // one pulse
    rig.pass(72 * 2000);
    assert_eq!((8, 0), (rig.read(TIM2), rig.read(TIM2 + 0x24)));
}

#[test]
fn one_timer_counts_the_updates_of_another() {
    for us in [
        65_535u64,
        65_536,
        65_537,
        1_000_000,
        300_000_000,
        4_294_967_295,
        4_294_967_299,
    ] {
        let mut rig = Rig::fast();
        rig.write(TIM2 + 0x28, 71);
        rig.write(TIM2 + 4, 0x20);
        rig.write(TIM2 + 0x14, 1);
        rig.write(TIM3 + 8, 0x17); // external clock from ITR1, TIM2
        rig.write(TIM3, 1);
        rig.write(TIM2, 1);
        rig.pass(us * 72);
        let (high, low) = (rig.read(TIM3 + 0x24), rig.read(TIM2 + 0x24));
        assert_eq!(us as u32, high << 16 | low);
    }
}

#[test]
fn input_capture() {
    let mut rig = Rig::fast();
    rig.write(TIM3 + 0x28, 71);
    rig.write(TIM3 + 0x14, 1);
    rig.write(TIM3 + 0x10, 0);
    rig.write(TIM3 + 0x1C, 1); // CC3 is an input
    rig.write(TIM3 + 0x20, 0x100);
    rig.write(TIM3 + 0x0C, 8);
    rig.write(TIM3, 1);
    let t_ps = rig.chip.clock().ps(rig.cycle) + 123_500_000;
    rig.chip.outside.drives = vec![Drive {
        t_ps,
        pin: 0x10,
        level: true,
    }];
    rig.chip.outside_touched();
    rig.pass(72 * 1000);
    assert_eq!(1 << 29, rig.irqs());
    assert_eq!((8, 123), (rig.read(TIM3 + 0x10) & 8, rig.read(TIM3 + 0x3C)));
    assert_eq!(0, rig.irqs());
}

/// 0x55 at 500 kbaud: edges every 2 us, start bit to stop bit; TXE, TC and the record of what was sent.
#[test]
fn usart_sends_bits() {
    let mut rig = Rig::fast();
    rig.write(GPIOA + 4, 0x4444_44B4); // PA9 AF push-pull
    rig.write(USART1 + 8, 144); // 72 MHz / 500 kHz
    rig.write(USART1 + 0x0C, 0x200C);
    rig.pass(72 * 100);
    rig.chip.edges().clear();
    let t_ps = rig.chip.clock().ps(rig.cycle);
    rig.read(USART1);
    rig.write(USART1 + 4, 0x55);
    rig.write(USART1 + 4, 0xFF);
    assert_eq!(0, rig.read(USART1) & 0xC0);
    rig.pass(144 * 10);
    assert_eq!(0x80, rig.read(USART1) & 0xC0);
    rig.pass(144 * 10);
    assert_eq!(0xC0, rig.read(USART1) & 0xC0);
    let mut expected: Vec<(u64, bool)> = (0..10).map(|bit| (t_ps + bit * 2_000_000, bit % 2 == 1)).collect();
    expected.extend([(t_ps + 20_000_000, false), (t_ps + 22_000_000, true)]);
    assert_eq!(expected, rig.edges(0x09));
    let sent: Vec<(u64, u8)> = rig.chip.sent(1).unwrap().drain(..).collect();
    assert_eq!(vec![(t_ps + 20_000_000, 0x55), (t_ps + 40_000_000, 0xFF)], sent);
}

#[test]
fn usart_receives() {
    let mut rig = Rig::fast();
    rig.write(GPIOA + 4, 0x4444_4444);
    rig.write(USART1 + 8, 144);
    rig.write(USART1 + 0x0C, 0x2034); // UE, RE, RXNEIE, IDLEIE
    let cycle = rig.cycle;
    rig.chip.feed(1, b"ab", cycle);
    rig.pass(144 * 10 - 1);
    assert_eq!(0, rig.irqs());
    rig.pass(1);
    assert_eq!(1 << 37, rig.irqs());
    assert_eq!(u32::from(b'a'), rig.read(USART1 + 4));
    assert_eq!(0, rig.irqs());
    rig.pass(144 * 10);
    assert_eq!(u32::from(b'b'), rig.read(USART1 + 4));
    rig.pass(144 * 10);
    assert_eq!(0x10, rig.read(USART1) & 0x10); // IDLE
    rig.read(USART1 + 4);
    assert_eq!((0, u64::MAX), (rig.irqs(), rig.chip.next_event()));
    let (cycle, bytes) = (rig.cycle, [1u8; 2]);
    rig.chip.feed(1, &bytes, cycle);
    rig.pass(144 * 21);
    assert_eq!(0x28, rig.read(USART1) & 0x28); // the first was not read: ORE
}

/// 9 MHz: a byte takes 64 cycles of 72 MHz; the buffer makes two of them follow without a gap.
#[test]
fn spi_exchanges_bytes() {
    let mut rig = Rig::fast();
    rig.write(GPIOA, 0xB4B4_4444); // PA5, PA7 AF push-pull
    rig.write(SPI1, 0x0354); // master, BR = 2 (/8), enabled, software NSS
    let t_ps = rig.chip.clock().ps(rig.cycle);
    rig.write(SPI1 + 0x0C, 0x10);
    assert_eq!(0x82, rig.read(SPI1 + 8));
    rig.write(SPI1 + 0x0C, 0x20);
    assert_eq!(0x80, rig.read(SPI1 + 8));
    rig.pass(64);
    assert_eq!((0x83, 0x01), (rig.read(SPI1 + 8), rig.read(SPI1 + 0x0C)));
    rig.pass(63);
    assert_eq!(0x82, rig.read(SPI1 + 8));
    rig.pass(1);
    assert_eq!((0x03, 0x11), (rig.read(SPI1 + 8), rig.read(SPI1 + 0x0C)));
    let first = rig.chip.clock().ps(rig.cycle - 64);
    assert_eq!(
        vec![(0x10, first), (0x20, rig.chip.clock().ps(rig.cycle))],
        rig.chip.outside.seen
    );
    assert_eq!(888_889, first - t_ps + 1);
}

#[test]
fn a_probed_spi_shows_its_lines() {
    let mut rig = Rig::fast();
    rig.write(GPIOA, 0xB4B4_4444);
    rig.write(SPI1, 0x0354);
    rig.chip.watch(0x05);
    rig.chip.edges().clear();
    rig.write(SPI1 + 0x0C, 0xA5);
    rig.pass(64);
    let edges: Vec<(u64, u16, bool)> = rig.chip.edges().iter().map(|e| (e.t_ps, e.pin, e.level)).collect();
    let rising: Vec<u64> = edges.iter().filter(|e| e.1 == 5 && e.2).map(|e| e.0).collect();
    assert_eq!(8, rising.len());
    let mosi_at = |t_ps: u64| edges.iter().rfind(|e| e.1 == 7 && e.0 < t_ps).map_or(false, |e| e.2);
    let byte = rising
        .iter()
        .fold(0u8, |byte, &t_ps| byte << 1 | u8::from(mosi_at(t_ps)));
    assert_eq!(0xA5, byte);
}

#[test]
fn narrow_writes() {
    let mut rig = Rig::new();
    // APB: the byte appears on all lanes, so a 16-bit register takes it in both halves.
    rig.chip.write(TIM2 + 0x2C, Width::Byte, 0x12, 0, 0).unwrap();
    assert_eq!(0x1212, rig.read(TIM2 + 0x2C));
    // AHB: only its own lane.
    rig.chip.write(RCC + 5, Width::Byte, 0x04, 0, 0).unwrap();
    assert_eq!(0x0400, rig.read(RCC + 4));
    assert_eq!(Ok(0x04), rig.chip.read(RCC + 5, Width::Byte, 0, 0));
}

#[test]
fn identity() {
    let mut rig = Rig::new();
    assert_eq!(Ok(512), rig.chip.read(0x1FFF_F7E0, Width::Half, 0, 0));
    assert_ne!(rig.read(0x1FFF_F7E8), rig.read(0x1FFF_F7EC));
    assert_eq!(0x414, rig.read(0xE004_2000) & 0xFFF);
}
