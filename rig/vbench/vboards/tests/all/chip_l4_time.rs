//! STM32L476: what runs from slow clocks (LPTIM, RTC, watchdog), and Stop mode.

use crate::l4_support::*;
use vboards::soc::Chip;

/// One period of LSE, rounded up.
const LSE_PS: u64 = SECOND_PS / 32_768 + 1;

fn lptim1_from_lse() -> Rig {
    let mut rig = Rig::with_lse();
    rig.set(RCC + 0x88, 3 << 18);
    rig
}

/// The register sequence of RIOT's rtt on an LPTIM (cpu/stm32/periph/rtt_all.c): enable, ARR and CMP with their OK flags,
/// continuous start; an alarm sets CMP and waits for CMPOK.
#[test]
fn lptim_as_riot_uses_it() {
    let mut rig = lptim1_from_lse();
    rig.write(LPTIM1 + 0x0C, 0);
    rig.write(LPTIM1 + 0x08, 1); // CMPMIE
    rig.write(LPTIM1 + 0x10, 1);
    rig.write(LPTIM1 + 0x18, 0xFFFF);
    rig.wait(|rig| rig.read(LPTIM1) >> 4 & 1 == 1);
    rig.write(LPTIM1 + 0x04, 0x18);
    rig.set(LPTIM1 + 0x10, 4);
    rig.pass_ps(100 * LSE_PS);
    let count = rig.read(LPTIM1 + 0x1C);
    assert!((97..=99).contains(&count), "{}", count);
    rig.write(LPTIM1 + 0x14, 1000);
    rig.wait(|rig| rig.read(LPTIM1) >> 3 & 1 == 1);
    let t_ps = rig.now_ps();
    let left = u64::from(1000 - rig.read(LPTIM1 + 0x1C));
    assert_eq!(0, rig.irqs());
    rig.pass_ps(left * LSE_PS);
    assert_eq!(1 << 65, rig.irqs());
    assert_eq!((1, 1000), (rig.read(LPTIM1) & 3, rig.read(LPTIM1 + 0x1C)));
    assert!(rig.now_ps() - t_ps > (left - 2) * LSE_PS);
    rig.write(LPTIM1 + 0x04, 1);
    assert_eq!(0, rig.irqs());
    // Free running: it wraps every two seconds and matches again.
    rig.pass_ps(2 * SECOND_PS);
    assert_eq!(1 << 65, rig.irqs());
    assert_eq!(3, rig.read(LPTIM1) & 3); // ARRM as well
}

#[test]
fn a_single_count_ends() {
    let mut rig = lptim1_from_lse();
    rig.write(LPTIM1 + 0x08, 2); // ARRMIE
    rig.write(LPTIM1 + 0x10, 1);
    rig.write(LPTIM1 + 0x18, 99);
    rig.wait(|rig| rig.read(LPTIM1) >> 4 & 1 == 1);
    rig.write(LPTIM1 + 0x10, 3);
    rig.pass_ps(90 * LSE_PS);
    assert_eq!(0, rig.irqs());
    rig.pass_ps(20 * LSE_PS);
    assert_eq!((1 << 65, 0), (rig.irqs(), rig.read(LPTIM1 + 0x1C)));
    assert_eq!(1, rig.read(LPTIM1 + 0x10) & 7);
    rig.write(LPTIM1 + 4, 2);
    assert_eq!(u64::MAX, rig.chip.next_event());
}

/// Prescaled PCLK1: 80 MHz / 128 is 1.6 us.
#[test]
fn lptim_from_the_bus_clock() {
    let mut rig = Rig::fast();
    rig.write(LPTIM1 + 0x0C, 7 << 9);
    rig.write(LPTIM1 + 0x10, 1);
    rig.write(LPTIM1 + 0x18, 0xFFFF);
    rig.wait(|rig| rig.read(LPTIM1) >> 4 & 1 == 1);
    rig.write(LPTIM1 + 0x10, 5);
    rig.pass(2 + 128 * 1000);
    assert_eq!(1000, rig.read(LPTIM1 + 0x1C));
}

/// 31 December 2023, 23:59:58, a Sunday, with the register sequence of RIOT's rtc (cpu/stm32/periph/rtc_all.c).
fn rtc() -> Rig {
    let mut rig = Rig::with_lse();
    rig.set(RCC + 0x90, 0x8100); // RTCSEL LSE, RTCEN
    rig.write(RTC + 0x24, 0xCA);
    rig.write(RTC + 0x24, 0x53);
    rig.set(RTC + 0x0C, 0x80);
    rig.wait(|rig| rig.read(RTC + 0x0C) & 0x40 != 0);
    rig.write(RTC + 0x10, 0x007F_00FF);
    rig.write(RTC, 0x0023_5958);
    rig.write(RTC + 4, 0x0023_F231);
    rig.clear(RTC + 0x0C, 0x80);
    rig.wait(|rig| rig.read(RTC + 0x0C) & 0x40 == 0);
    rig.wait(|rig| rig.read(RTC + 0x0C) & 0x20 != 0);
    rig
}

#[test]
fn the_calendar_carries() {
    let mut rig = rtc();
    assert_eq!((0x0023_5958, 0x0023_F231), (rig.read(RTC), rig.read(RTC + 4)));
    rig.pass_ps(3 * SECOND_PS / 2);
    let subsecond = rig.read(RTC + 0x28);
    assert!((120..=128).contains(&subsecond), "{}", subsecond);
    assert_eq!((0x0023_5959, 0x0023_F231), (rig.read(RTC), rig.read(RTC + 4)));
    rig.pass_ps(SECOND_PS);
    assert_eq!((0, 0x0024_2101), (rig.read(RTC), rig.read(RTC + 4))); // a Monday
    assert_eq!(0x10, rig.read(RTC + 0x0C) & 0x10); // INITS
    rig.pass_ps(59 * 86_400 * SECOND_PS);
    assert_eq!(0, rig.read(RTC));
    assert_eq!(0x0024_8229, rig.read(RTC + 4)); // 29 February, a Thursday
}

/// Reading TR freezes DR until DR is read (RM0351 38.3.8).
#[test]
fn time_and_date_belong_together() {
    let mut rig = rtc();
    assert_eq!(0x0023_5958, rig.read(RTC));
    rig.pass_ps(3 * SECOND_PS);
    assert_eq!(0x0023_F231, rig.read(RTC + 4));
    assert_eq!((1, 0x0024_2101), (rig.read(RTC), rig.read(RTC + 4)));
}

#[test]
fn an_alarm_interrupts_through_exti() {
    let mut rig = rtc();
    rig.clear(RTC + 8, 1 << 8);
    rig.wait(|rig| rig.read(RTC + 0x0C) & 1 == 1);
    rig.write(RTC + 0x1C, 0x0100_0002); // 1st, 00:00:02
    rig.write(EXTI + 8, 1 << 18);
    rig.set(EXTI, 1 << 18);
    rig.set(RTC + 8, 0x1100); // ALRAIE, ALRAE
    rig.pass_ps(39 * SECOND_PS / 10);
    assert_eq!(0, rig.irqs());
    rig.pass_ps(SECOND_PS / 10);
    assert_eq!((1 << 41, 2), (rig.irqs(), rig.read(RTC)));
    rig.clear(RTC + 0x0C, 1 << 8);
    rig.write(EXTI + 0x14, 1 << 18);
    assert_eq!(0, rig.irqs());
}

/// HAL_RTCEx_SetWakeUpTimer_IT: WUTWF, WUTR, clock RTCCLK/16: (2047 + 1) * 16 / 32768 Hz is one second.
#[test]
fn the_wakeup_timer_repeats() {
    let mut rig = rtc();
    rig.clear(RTC + 8, 1 << 10);
    rig.wait(|rig| rig.read(RTC + 0x0C) & 4 != 0);
    rig.write(RTC + 0x14, 2047);
    rig.write(EXTI + 8, 1 << 20);
    rig.set(EXTI, 1 << 20);
    rig.set(RTC + 8, 0x4400);
    let start_ps = rig.now_ps();
    for second in 1..=3 {
        let due_ps = start_ps + second * SECOND_PS;
        let left_ps = due_ps - 1_000_000 - rig.now_ps();
        rig.pass_ps(left_ps);
        assert_eq!(0, rig.irqs());
        rig.pass_ps(2_000_000);
        assert_eq!(1 << 3, rig.irqs());
        rig.clear(RTC + 0x0C, 1 << 10);
        rig.write(EXTI + 0x14, 1 << 20);
    }
}

#[test]
fn the_backup_domain_is_locked_and_outlives_a_reset() {
    let mut rig = rtc();
    rig.write(RTC + 0x50, 0x1234);
    rig.clear(PWR, 1 << 8);
    rig.write(RTC + 0x50, 0x4321);
    let cycle = rig.cycle;
    rig.chip.reset(cycle);
    rig.write(RCC + 0x58, 1 << 28);
    assert_eq!(0x1234, rig.read(RTC + 0x50));
    assert_eq!(0x0023_5958, rig.read(RTC));
    assert_eq!(1 << 28, rig.read(RCC + 0x94) & 1 << 28); // SFTRSTF
    assert_eq!(3, rig.read(RCC + 0x90) & 3);
    rig.set(PWR, 1 << 8);
    rig.write(RCC + 0x90, 1 << 16); // BDRST
    rig.write(RCC + 0x90, 0);
    assert_eq!(0, rig.read(RTC + 0x50));
}

/// Stop 2 with LPTIM1 from LSE: TIM2 stands still, LPTIM1 counts on and wakes; SYSCLK is MSI afterwards.
#[test]
fn stop_2_ends_with_lptim1() {
    let mut rig = lptim1_from_lse();
    rig.write(TIM2 + 0x28, 79);
    rig.write(TIM2 + 0x14, 1);
    rig.write(TIM2, 1);
    rig.write(LPTIM1 + 0x08, 1);
    rig.write(LPTIM1 + 0x10, 1);
    rig.write(LPTIM1 + 0x18, 0xFFFF);
    rig.wait(|rig| rig.read(LPTIM1) >> 4 & 1 == 1);
    rig.write(LPTIM1 + 0x14, 32_768);
    rig.wait(|rig| rig.read(LPTIM1) >> 3 & 1 == 1);
    rig.set(LPTIM1 + 0x10, 4);
    rig.set(PWR, 2);
    let before = rig.read(TIM2 + 0x24);
    let start_ps = rig.now_ps();
    assert!(rig.chip.take_irqs().map_or(true, |irqs| irqs == 0));
    let cycle = rig.cycle;
    assert!(rig.chip.sleep_deep(cycle));
    let mut woken = None;
    while woken.is_none() {
        rig.cycle = rig.chip.next_event();
        assert_ne!(u64::MAX, rig.cycle, "nothing wakes it");
        let cycle = rig.cycle;
        rig.chip.advance(cycle);
        woken = rig.chip.take_irqs();
    }
    assert_eq!(Some(1 << 65), woken);
    let slept_ps = rig.now_ps() - start_ps;
    assert!((SECOND_PS..SECOND_PS + 200_000_000).contains(&slept_ps), "{}", slept_ps);
    assert_eq!(before, rig.read(TIM2 + 0x24));
    assert_eq!(0, rig.read(RCC + 8) & 0xC);
    assert_eq!(0, rig.read(RCC) & 1 << 24);
    let t_ps = rig.now_ps();
    rig.pass(4);
    assert_eq!(t_ps + 1_000_000, rig.now_ps()); // MSI, 4 MHz
}

/// MSI in PLL mode follows LSE: 122 * 32768 Hz.
#[test]
fn msi_follows_lse() {
    let mut rig = Rig::new();
    rig.set(PWR, 1 << 8);
    rig.set(RCC + 0x90, 1);
    rig.pass_ps(3 * SECOND_PS);
    rig.set(RCC, 4);
    let t_ps = rig.now_ps();
    rig.pass(3_997_696);
    assert_eq!(t_ps + SECOND_PS, rig.now_ps());
}

/// Limits count MSI by its range: 80 MHz from 48 MHz are allowed where PLL mode makes 80.0085 MHz of them, 84 are not.
#[test]
fn limits_count_msi_by_its_range() {
    for (times, remarks) in [
        (20, vec![]),
        (
            21,
            vec!["08000000 SYSCLK is 84000000 Hz, at this core voltage it may be 80000000 Hz at most"],
        ),
    ] {
        let mut rig = Rig::new();
        rig.set(PWR, 1 << 8);
        rig.set(RCC + 0x90, 1);
        rig.pass_ps(3 * SECOND_PS);
        rig.write(FLASH, 0x704);
        let cr = rig.read(RCC);
        rig.write(RCC, cr & !0xF0 | 11 << 4 | 1 << 3 | 1 << 2); // range 11, PLL mode
        rig.write(RCC + 0x0C, 1 << 24 | times << 8 | 5 << 4 | 1); // MSI / 6 * N / 2
        rig.set(RCC, 1 << 24);
        rig.wait(|rig| rig.read(RCC) >> 25 & 1 == 1);
        rig.write(RCC + 8, 3);
        rig.wait(|rig| rig.read(RCC + 8) >> 2 & 3 == 3);
        assert_eq!(remarks, rig.log());
    }
}
