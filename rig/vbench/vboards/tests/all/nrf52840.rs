//! nRF52840 devices through the bus, without a program: registers, timing, pins. Times from the Product Specification.

use crate::nrf52840_support::*;
use vboards::bus::{Bus, BusError, Width};
use vboards::soc::Chip;

const COMPARE0: u32 = 0x140;

/// A channel of the PPI from an event to a task.
fn connect(rig: &mut Rig, channel: u32, event: u32, task: u32) {
    rig.write(PPI + 0x510 + 8 * channel, event);
    rig.write(PPI + 0x514 + 8 * channel, task);
    rig.write(PPI + 0x504, 1 << channel);
}

#[test]
fn factory_words_name_the_chip() {
    let (mut rig, mut other) = (Rig::new(0), Rig::new(1));
    assert_eq!(0x52840, rig.read(0x1000_0100));
    assert_eq!((4096, 256), (rig.read(0x1000_0010), rig.read(0x1000_0014)));
    assert_eq!(u32::from_le_bytes(*b"VIRT"), rig.read(0x1000_0064));
    assert_ne!(rig.read(0x1000_0060), other.read(0x1000_0060));
    assert_eq!(u32::MAX, rig.read(0x1000_1200)); // UICR.PSELRESET, erased
}

/// HFXO takes 0.36 ms; until then the clock is HFINT's, which is off by the board's draw.
#[test]
fn hfclk_changes_from_hfint_to_hfxo() {
    let mut rig = Rig::new(0);
    rig.write(CLOCK, 1);
    assert_eq!(1 << 16, rig.read(CLOCK + 0x40C));
    let started_ps = rig.await_event(CLOCK + 0x100);
    assert!((360 * US..361 * US).contains(&started_ps), "{}", started_ps);
    assert_eq!(1 << 16 | 1, rig.read(CLOCK + 0x40C));
}

#[test]
fn timer_compares_captures_and_clears() {
    let mut rig = Rig::clocked(0);
    rig.write(TIMER0 + 0x508, 3);
    rig.write(TIMER0 + 0x510, 4); // 1 MHz
    rig.write(TIMER0 + 0x540, 100);
    rig.write(TIMER0 + 0x200, 1); // COMPARE0_CLEAR
    rig.write(TIMER0 + 0x304, 1 << 16);
    rig.write(TIMER0, 1);
    let begin_ps = rig.now_ps();
    let first_ps = rig.await_event(TIMER0 + COMPARE0);
    assert_eq!(100 * US, first_ps - begin_ps);
    let second_ps = rig.await_event(TIMER0 + COMPARE0);
    assert_eq!(100 * US, second_ps - first_ps);
    rig.pass(37 * US);
    rig.write(TIMER0 + 0x44, 1);
    assert_eq!(37, rig.read(TIMER0 + 0x544));
    rig.pass(63 * US);
    assert_eq!(1 << 8, rig.chip.irq_levels());
    rig.write(TIMER0 + COMPARE0, 0);
    assert_eq!(0, rig.chip.irq_levels());
}

/// A compare value that the counter has just passed comes after a full turn.
#[test]
fn timer_of_16_bits_wraps() {
    let mut rig = Rig::clocked(0);
    rig.write(TIMER0 + 0x510, 4);
    rig.write(TIMER0, 1);
    rig.pass(10 * US);
    let from_ps = rig.now_ps();
    rig.write(TIMER0 + 0x540, 10);
    let fired_ps = rig.await_event(TIMER0 + COMPARE0);
    assert_eq!(65_536 * US, fired_ps - from_ps);
}

#[test]
fn rtc_counts_lfclk() {
    let mut rig = Rig::clocked(0);
    rig.write(RTC0 + 0x508, 31); // 1024 Hz
    rig.write(RTC0 + 0x540, 4);
    rig.write(RTC0 + 0x304, 1 << 16);
    rig.write(RTC0, 1);
    let begin_ps = rig.now_ps();
    let fired_ps = rig.await_event(RTC0 + COMPARE0);
    // Four ticks of 32 edges, and at most one edge until the counter starts.
    let edge_ps = 1_000_000_000_000 / 32_768;
    let least_ps = 4 * 32 * edge_ps;
    assert!((least_ps..=least_ps + edge_ps + 100_000).contains(&(fired_ps - begin_ps)));
    assert_eq!(4, rig.read(RTC0 + 0x504));
    rig.write(RTC0 + 8, 1);
    assert_eq!(0, rig.read(RTC0 + 0x504));
}

/// A pin follows an event one period of 16 MHz later, without the core: the probe that costs nothing.
#[test]
fn ppi_puts_an_event_on_a_pin() {
    let mut rig = Rig::clocked(0);
    rig.write(GPIOTE + 0x510, 3 | 13 << 8 | 3 << 16); // task on P0.13, toggle
    connect(&mut rig, 0, TIMER0 + COMPARE0, GPIOTE);
    rig.write(TIMER0 + 0x510, 0); // 16 MHz
    rig.write(TIMER0 + 0x540, 1000);
    rig.edges(13);
    rig.write(TIMER0, 1);
    let begin_ps = rig.now_ps();
    rig.pass(100 * US);
    assert_eq!(vec![(begin_ps + 62_500_000 + 62_500, true)], rig.edges(13));
}

#[test]
fn ppi_forks_and_groups() {
    let mut rig = Rig::clocked(0);
    connect(&mut rig, 3, EGU0 + 0x100, EGU0 + 4);
    rig.write(PPI + 0x910 + 12, EGU0 + 8);
    rig.write(PPI + 0x508, 1 << 3);
    rig.write(PPI + 0x800, 1 << 3);
    connect(&mut rig, 4, EGU0 + 0x10C, PPI);
    rig.write(EGU0, 1);
    rig.pass(US);
    assert_eq!((0, 0), (rig.read(EGU0 + 0x104), rig.read(EGU0 + 0x108)));
    rig.write(EGU0 + 12, 1); // enables the group
    rig.pass(US);
    rig.write(EGU0, 1);
    rig.pass(US);
    assert_eq!((1, 1), (rig.read(EGU0 + 0x104), rig.read(EGU0 + 0x108)));
}

#[test]
fn pins_set_clear_and_interrupt() {
    let mut rig = Rig::new(0);
    rig.write(P0 + DIRSET, 1 << 20);
    rig.write(P1 + DIRSET, 1 << 5);
    rig.write(P0 + OUTSET, 1 << 20 | 1 << 21);
    rig.write(P1 + OUTSET, 1 << 5);
    rig.pass(US);
    rig.write(P1 + OUTCLR, 1 << 5);
    assert_eq!(vec![true, false], rig.edges(37).iter().map(|e| e.1).collect::<Vec<_>>());
    assert_eq!((0b0000_0000_0001_0000, 0), (rig.chip.net(1), rig.chip.net(2)));
    rig.write(GPIOTE + 0x510, 1 | 20 << 8 | 2 << 16); // an event at its falling edge
    rig.write(GPIOTE + 0x304, 1);
    rig.write(P0 + OUTCLR, 1 << 20);
    assert_eq!(1 << 6, rig.chip.irq_levels());
}

/// 115200 baud is 0x01D7E000 (PS "UARTE", BAUDRATE); ENDTX comes with the end of the last byte.
#[test]
fn uarte_sends_from_ram_and_receives_into_it() {
    let mut rig = Rig::clocked(0);
    rig.set_ram(0x100, b"ab");
    for (offset, value) in [
        (0x50C, 6),
        (0x514, 8),
        (0x524, 0x01D7_E000),
        (0x500, 8),
        (0x544, RAM + 0x100),
        (0x548, 2),
        (0x534, RAM + 0x200),
        (0x538, 3),
        (0x200, 1 << 5), // ENDRX_STARTRX
    ] {
        rig.write(UARTE0 + offset, value);
    }
    let begin_ps = rig.now_ps();
    rig.write(UARTE0 + 8, 1);
    let end_ps = rig.await_event(UARTE0 + 0x120);
    let expected_ps = 20 * 1_000_000_000_000 / 115_204;
    assert!((end_ps - begin_ps).abs_diff(expected_ps) < 100_000);
    let sent: Vec<u8> = rig.chip.sent(1).unwrap().iter().map(|byte| byte.1).collect();
    assert_eq!(b"ab".to_vec(), sent);
    assert_eq!(2, rig.read(UARTE0 + 0x54C));
    rig.write(UARTE0, 1);
    assert!(rig.chip.feed(1, b"wxyz", rig.cycle));
    rig.pass(1_000 * US);
    assert_eq!(1, rig.read(UARTE0 + 0x110));
    assert_eq!(3, rig.read(UARTE0 + 0x53C));
    assert_eq!(b"zxy".to_vec(), rig.ram(0x200, 3)); // the fourth byte began the buffer again
    assert!(rig.log().is_empty(), "{:?}", rig.log());
}

#[test]
fn flash_is_written_by_words_and_erased_by_pages() {
    let mut rig = Rig::new(0);
    rig.write(0x8000, 0);
    assert_eq!(vec!["NVMC: a write to flash without CONFIG.WEN, ignored"], rig.log());
    rig.write(NVMC + 0x504, 1);
    rig.write(0x8000, 0x1234_5678);
    rig.write(0x8000, 0xFFFF_0000);
    assert_eq!(0, rig.read(NVMC + 0x400));
    let mut word = [0; 4];
    rig.cpu.read_memory(0x8000, &mut word);
    assert_eq!(0x1234_0000, u32::from_le_bytes(word));
    rig.pass(82 * US);
    assert_eq!(1, rig.read(NVMC + 0x400));
    let narrow = rig.chip.write(0x8000, Width::Half, 0, rig.cycle, 0x100);
    assert_eq!(Err(BusError), narrow);
    rig.write(NVMC + 0x504, 2);
    rig.write(NVMC + 0x508, 0x8000);
    rig.pass(84_000 * US);
    assert_eq!(0, rig.read(NVMC + 0x400));
    rig.pass(1_100 * US);
    rig.cpu.read_memory(0x8000, &mut word);
    assert_eq!((1, [0xFF; 4]), (rig.read(NVMC + 0x400), word));
}

#[test]
fn what_is_not_modelled_is_told() {
    let mut rig = Rig::new(0);
    rig.write(0x4001_C500, 1); // PWM0
    assert_eq!(0, rig.read(0x4000_7500)); // SAADC
    let log = rig.log();
    assert_eq!("PWM0 0x4001c500 is not modelled, write of 0x1 ignored", log[0]);
    assert_eq!("SAADC 0x40007500 is not modelled, read as 0x0", log[1]);
    assert!(rig.chip.read(0x4002_B000, Width::Word, 0, 0x100).is_err());
}

/// A reset forgets the devices and tells its reason; GPREGRET stays.
#[test]
fn reset_has_a_reason() {
    let mut rig = Rig::clocked(0);
    rig.write(CLOCK + 0x51C, 0x5A);
    rig.write(TIMER0 + 0x540, 7);
    rig.chip.reset(rig.cycle);
    assert_eq!((4, 0x5A), (rig.read(CLOCK + 0x400), rig.read(CLOCK + 0x51C)));
    assert_eq!((0, 1 << 16), (rig.read(TIMER0 + 0x540), rig.read(CLOCK + 0x40C)));
}

/// The watchdog resets the chip unless its reload register is written; it pauses while the core sleeps, if told so.
#[test]
fn watchdog_bites() {
    const WDT: u32 = 0x4001_0000;
    let mut rig = Rig::clocked(0);
    rig.write(WDT + 0x504, 32_767); // 1 s
    rig.write(WDT + 0x50C, 0);
    rig.write(WDT, 1);
    rig.pass(900_000 * US);
    rig.write(WDT + 0x600, 0x6E52_4635);
    rig.pass(900_000 * US);
    assert!(!rig.chip.take_reset());
    rig.chip.sleep_deep(rig.cycle);
    rig.pass(5_000_000 * US);
    rig.chip.wake(rig.cycle);
    rig.pass(90_000 * US);
    assert!(!rig.chip.take_reset());
    rig.pass(20_000 * US);
    assert!(rig.chip.take_reset());
    assert_eq!(2, rig.read(CLOCK + 0x400));
}

/// Without EasyDMA six bytes wait for the firmware (PS "UART", reception).
#[test]
fn uart_has_a_fifo() {
    let mut rig = Rig::clocked(0);
    for (offset, value) in [(0x514, 8), (0x524, 0x1000_0000), (0x500, 4)] {
        rig.write(UARTE0 + offset, value);
    }
    rig.write(UARTE0, 1);
    assert!(rig.chip.feed(1, b"abcdefg", rig.cycle));
    rig.pass(100 * US);
    let mut read = Vec::new();
    while rig.read(UARTE0 + 0x108) == 1 {
        rig.write(UARTE0 + 0x108, 0);
        read.push(rig.read(UARTE0 + 0x518) as u8);
    }
    assert_eq!(b"abcdef".to_vec(), read);
    assert_eq!(1, rig.read(UARTE0 + 0x124)); // ERROR: overrun
}
