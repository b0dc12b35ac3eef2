//! A firmware that uses the STM32F103's devices as drivers do (tests/data/drivers.c), on the complete board.

use vboards::bench::{Bench, Outcome};

const IMAGE: &[u8] = include_bytes!("../data/drivers.elf");
const FOREVER: u64 = 60_000_000_000_000;

fn run(slice_ps: u64) -> (String, u64, u64, String) {
    let mut bench = Bench::new(1);
    bench.set_slice(slice_ps);
    bench.add_board("iotlab-m3", "drivers.elf", IMAGE, 0).unwrap();
    assert_eq!(Ok(Outcome::Idle), bench.run(FOREVER));
    let bytes: Vec<u8> = bench
        .uart_read(0, 1, usize::MAX)
        .unwrap()
        .iter()
        .map(|byte| byte.1)
        .collect();
    (
        String::from_utf8(bytes).unwrap(),
        bench.now_ps(),
        bench.edge_hash(),
        bench.log_text(),
    )
}

/// Every busy-wait ends, Stop and Standby are left at the RTC's alarm, the watchdog resets; then all is quiet.
#[test]
fn every_driver_gets_what_it_waits_for() {
    let (text, now_ps, _, log) = run(u64::MAX);
    assert_eq!(
        "stop ok\nflash ok\ndma ok\ndma sends\ni2c ok\nadc ok\nwatchdog ok\nstandby ok\n",
        text
    );
    let remark = log.split_once(" board=0 pc=").expect("a remark").1;
    assert_eq!(
        "0x080004f4 times=3 I2C1: no device is modelled at address 0x1e\n",
        remark
    );
    // LSE 3 s, Stop 100 ms, page erase 30 ms, watchdog 20 ms, Standby 98 ms, the serial lines.
    assert!(now_ps > 3_240_000_000_000 && now_ps < 3_300_000_000_000, "{}", now_ps);
}

#[test]
fn slices_do_not_show() {
    assert_eq!(run(u64::MAX), run(777_777));
}
