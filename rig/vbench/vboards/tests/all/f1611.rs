//! The MSP430F1611 by its registers, in the order in which RIOT (cpu/msp430), Contiki (platform sky) and TinyOS (telosb)
//! use them. Every wait has an end, so a loop of theirs that would hang fails its test.

use std::collections::VecDeque;
use vboards::clock::ClockSpec;
use vboards::core::msp430::{Cpu, Peripherals, CPUOFF, PC, SCG0, SCG1};
use vboards::exact::Exact;
use vboards::soc::f1611::{memory, Config, F1611};
use vboards::soc::{Drive, Outside};
use vboards::trace::Pin;

/// Register addresses (TI header msp430x16x.h).
const IE1: u16 = 0x00;
const IFG1: u16 = 0x02;
const IFG2: u16 = 0x03;
const ME1: u16 = 0x04;
const ME2: u16 = 0x05;
const DCOCTL: u16 = 0x56;
const BCSCTL1: u16 = 0x57;
const BCSCTL2: u16 = 0x58;
const WDTCTL: u16 = 0x120;
const TAIV: u16 = 0x12E;
const TACTL: u16 = 0x160;
const TACCTL0: u16 = 0x162;
const TACCTL2: u16 = 0x166;
const TAR: u16 = 0x170;
const TACCR0: u16 = 0x172;
const TACCR2: u16 = 0x176;
const TBIV: u16 = 0x11E;
const TBCTL: u16 = 0x180;
const TBCCTL1: u16 = 0x184;
const TBCCTL6: u16 = 0x18E;
const TBR: u16 = 0x190;
const TBCCR1: u16 = 0x194;
const TBCCR6: u16 = 0x19E;
/// TACTL, TBCTL: ACLK, SMCLK, up, continuous, up/down, clear.
const ACLK: u16 = 0x100;
const SMCLK: u16 = 0x200;
const UP: u16 = 0x10;
const CONTINUOUS: u16 = 0x20;
const UP_DOWN: u16 = 0x30;
const CLEAR: u16 = 4;
/// TACCTLx: rising edge, input B, capture, interrupt, flag.
const RISING: u16 = 0x4000;
const BOTH: u16 = 0xC000;
const INPUT_B: u16 = 0x1000;
const CAPTURE: u16 = 0x100;
const CCIE: u16 = 0x10;
const CCIFG: u16 = 1;

const US: u64 = 1_000_000;
const MS: u64 = 1000 * US;
/// More polls than any wait here needs.
const PATIENCE: u32 = 200_000;

/// What is soldered on: levels to come, and an SPI slave that answers with the complement of the last byte.
#[derive(Default)]
struct Bench {
    drives: VecDeque<Drive>,
    due: Vec<Drive>,
    last: u8,
    received: Vec<(u64, u8)>,
}

impl Outside for Bench {
    fn pin(&mut self, _pin: Pin, _level: bool, _t_ps: u64) {}
    fn spi_out(&mut self, bus: usize, _t_ps: u64) -> Option<u8> {
        assert_eq!(0, bus);
        Some(!self.last)
    }
    fn spi_in(&mut self, _bus: usize, byte: u8, t_ps: u64) {
        self.last = byte;
        self.received.push((t_ps, byte));
    }
    fn next_event(&self) -> Option<u64> {
        self.drives.front().map(|drive| drive.t_ps)
    }
    fn advance(&mut self, t_ps: u64) {
        while self.drives.front().map_or(false, |drive| drive.t_ps <= t_ps) {
            self.due.extend(self.drives.pop_front());
        }
    }
    fn take_drives(&mut self, into: &mut Vec<Drive>) {
        into.append(&mut self.due);
    }
    fn take_notes(&mut self) -> Vec<(u32, String)> {
        Vec::new()
    }
}

/// A chip and a core that does nothing but count: an access takes four cycles.
struct Machine {
    chip: F1611<Bench>,
    cpu: Cpu,
}

impl Machine {
    fn new(seed: u64, steady_dco: bool) -> Machine {
        let config = Config {
            seed,
            board: 0,
            clock: ClockSpec::default(),
            exact: Exact {
                dco: steady_dco,
                dco_start: steady_dco,
                ..Exact::default()
            },
            rest: [0; 7],
            strict: false,
        };
        let mut cpu = Cpu::new(memory());
        cpu.regs[PC] = 0x4000;
        let mut machine = Machine {
            chip: F1611::new(config, Bench::default()),
            cpu,
        };
        machine.write(WDTCTL, 0x5A80);
        machine
    }

    fn access(&mut self) -> u64 {
        self.cpu.cycles += 4;
        self.chip.advance(self.now());
        self.cpu.cycles
    }

    fn now(&self) -> u64 {
        self.chip.local_ps(self.cpu.cycles)
    }

    fn read(&mut self, address: u16) -> u16 {
        let cycle = self.access();
        self.chip.read(address, address < 0x100, cycle, 0x4000)
    }

    fn write(&mut self, address: u16, value: u16) {
        let cycle = self.access();
        self.chip.write(address, address < 0x100, value, cycle, 0x4000);
        self.chip.serve(&mut self.cpu);
    }

    fn set(&mut self, address: u16, bits: u16) {
        let value = self.read(address);
        self.write(address, value | bits);
    }

    fn clear(&mut self, address: u16, bits: u16) {
        let value = self.read(address);
        self.write(address, value & !bits);
    }

    /// Polls until a bit is set.
    fn wait_for(&mut self, address: u16, bits: u16) {
        for _ in 0..PATIENCE {
            if self.read(address) & bits != 0 {
                return;
            }
        }
        panic!("bit 0x{:04x} of 0x{:04x} never comes", bits, address);
    }

    fn pass(&mut self, ps: u64) {
        let until = self.now() + ps;
        self.cpu.cycles = self.chip.cycle_at(until);
        self.chip.advance(until);
        self.chip.serve(&mut self.cpu);
    }

    /// SMCLK ticks of a long second, counted by Timer_A against ACLK on Timer_B.
    fn smclk_hz(&mut self) -> u64 {
        self.write(TBCTL, ACLK | CONTINUOUS | CLEAR);
        self.write(TACTL, SMCLK | CONTINUOUS | CLEAR);
        let start = self.now();
        let mut ticks = 0u64;
        let mut last = self.read(TAR);
        while self.now() < start + 250 * MS {
            self.pass(5 * MS);
            let count = self.read(TAR);
            ticks += u64::from(count.wrapping_sub(last));
            last = count;
        }
        ticks * 1_000_000_000_000 / (self.now() - start)
    }
}

fn close(expected: u64, actual: u64, per_mille: u64) {
    let most = expected * per_mille / 1000;
    assert!(
        expected.abs_diff(actual) <= most,
        "{} is not {} within {}",
        actual,
        expected,
        most
    );
}

/// RIOT's clock_init: a binary search of RSEL, DCO and MOD by captures of ACLK / 8 on TACCR2 ends at the target, whatever
/// the part. A step of MOD is about a third of a percent (a tap of 11 % in 32 steps), the wander is below a fifth of one.
#[test]
fn riot_calibrates_the_dco() {
    for seed in 1..=5 {
        let mut machine = Machine::new(seed, false);
        machine.write(BCSCTL1, 0x80 | 4 | 0x30);
        machine.write(BCSCTL2, 0);
        let target = (2_457_600u32 / 4096) as u16;
        machine.write(TACCTL2, INPUT_B | RISING | CAPTURE);
        machine.write(TACTL, SMCLK | CLEAR | CONTINUOUS);
        let settle = |machine: &mut Machine, register, base: u16, first: u16| {
            let (mut found, mut bit) = (0, first);
            while bit != 0 {
                machine.write(register, base | found | bit);
                let mut captured = [0; 2];
                for capture in captured.iter_mut() {
                    machine.wait_for(TACCTL2, CCIFG);
                    machine.clear(TACCTL2, CCIFG);
                    *capture = machine.read(TACCR2);
                }
                if captured[1].wrapping_sub(captured[0]) <= target {
                    found |= bit;
                }
                bit >>= 1;
            }
            machine.write(register, base | found);
        };
        settle(&mut machine, BCSCTL1, 0xB0, 4);
        settle(&mut machine, DCOCTL, 0, 0x80);
        machine.write(TACCTL2, 0);
        close(2_457_600, machine.smclk_hz(), 10);
    }
}

/// Contiki's msp430_sync_dco: one step of DCOCTL per capture of ACLK on TBCCR6 until the count is right or one off.
#[test]
fn contiki_synchronises_the_dco() {
    for seed in 1..=3 {
        let mut machine = Machine::new(seed, false);
        machine.write(BCSCTL1, 0x80 | 7);
        machine.write(DCOCTL, 0x60);
        machine.write(TBCTL, SMCLK | CLEAR);
        machine.write(TBCCTL6, INPUT_B | RISING | CAPTURE);
        machine.set(TBCTL, CONTINUOUS);
        let target = (3_900_000u32 / 32_768) as u16;
        let mut last = 0;
        for turn in 0..400 {
            machine.clear(TBCCTL6, CCIFG);
            machine.wait_for(TBCCTL6, CCIFG);
            let captured = machine.read(TBCCR6);
            let count = captured.wrapping_sub(last);
            last = captured;
            let control = machine.read(DCOCTL);
            if turn > 0 && count > target {
                machine.write(DCOCTL, control.wrapping_sub(1) & 0xFF);
            } else if turn > 0 && count < target {
                machine.write(DCOCTL, control.wrapping_add(1) & 0xFF);
            }
        }
        machine.write(TBCCTL6, 0);
        close(3_900_000, machine.smclk_hz(), 12); // a count of 119 is 0.84 %, and a step of MOD
    }
}

/// TinyOS's busyCalibrateDCO: 4 MHz (binary) by a binary search over RSEL, DCO and MOD, each tried over 8 ticks of ACLK.
#[test]
fn tinyos_calibrates_the_dco() {
    for seed in 1..=3 {
        let mut machine = Machine::new(seed, false);
        machine.write(TACTL, SMCLK | CONTINUOUS);
        machine.write(TBCTL, ACLK | CONTINUOUS);
        let (mut calibration, mut step) = (0u16, 0x800);
        while step != 0 {
            let tried = calibration | step;
            if tried < 0x800 {
                machine.write(BCSCTL1, 0x80 | tried >> 8);
                machine.write(DCOCTL, tried & 0xFF);
                let mut starts = [0; 2];
                for (index, start) in starts.iter_mut().enumerate() {
                    let tick = machine.read(TBR).wrapping_add(if index == 0 { 1 } else { 8 });
                    let mut polls = 0;
                    while machine.read(TBR) != tick {
                        polls += 1;
                        assert!(polls < PATIENCE);
                    }
                    *start = machine.read(TAR);
                }
                if starts[1].wrapping_sub(starts[0]) <= 8 * 128 {
                    calibration = tried;
                }
            }
            step >>= 1;
        }
        machine.write(BCSCTL1, 0x80 | calibration >> 8);
        machine.write(DCOCTL, calibration & 0xFF);
        close(4_194_304, machine.smclk_hz(), 10);
    }
}

/// A part without spread has the typical frequencies of the data sheet (SLAS272H 5.18, 3 V), and MOD mixes two taps.
#[test]
fn dco_frequencies() {
    for (range, tap, expected) in [(4, 3, 750_000), (7, 3, 3_200_000), (7, 7, 4_900_000), (0, 3, 130_000)] {
        let mut machine = Machine::new(1, true);
        machine.write(BCSCTL1, 0x80 | range);
        machine.write(DCOCTL, tap << 5);
        close(expected, machine.smclk_hz(), 3);
    }
    let mut machine = Machine::new(1, true);
    machine.write(BCSCTL1, 0x87);
    machine.write(DCOCTL, 3 << 5 | 16);
    // 16 periods at 3.2 MHz and 16 at 3.2 x 1.112 MHz
    close(2 * 3_200_000 * 1112 / 2112, machine.smclk_hz(), 1);
}

/// Sets USART1 up as Contiki's uart1 does: 115200 baud from SMCLK.
fn uart(machine: &mut Machine, divider: u16, modulation: u16) {
    machine.write(0x1B, 0xC0);
    for (address, value) in [
        (0x78, 0x11),
        (0x79, 0x20),
        (0x7C, divider & 0xFF),
        (0x7D, divider >> 8),
        (0x7B, modulation),
    ] {
        machine.write(address, value);
    }
    machine.set(ME2, 0x30);
    machine.write(0x78, 0x10);
}

/// The end of the stop bit comes after ten bits of UxBR ticks, and one more tick for each set bit of UxMCTL in turn
/// (SLAU049F 13.2.6): with UMCTL 0xFF that is 10, with 0x01 the start bit and the ninth.
#[test]
fn uart_bits_are_real() {
    for (modulation, ticks) in [(0, 100), (0xFF, 110), (0x01, 102)] {
        let mut machine = Machine::new(1, true);
        uart(&mut machine, 10, modulation);
        machine.write(0x7F, 0x55);
        machine.wait_for(IFG2, 0x20);
        machine.write(0x7F, 0xAA);
        machine.pass(MS);
        let sent: Vec<(u64, u8)> = machine.chip.sent(1).unwrap().iter().copied().collect();
        assert_eq!(vec![0x55, 0xAA], sent.iter().map(|byte| byte.1).collect::<Vec<_>>());
        close(ticks * 1_000_000 * US / 750_000, sent[1].0 - sent[0].0, 1);
    }
}

/// Bytes from the host set URXIFG1 one after the other; reading the buffer resets it; one too many sets OE.
#[test]
fn uart_receives() {
    let mut machine = Machine::new(1, true);
    uart(&mut machine, 6, 0);
    let now = machine.now();
    assert!(machine.chip.feed(1, b"ab", now));
    machine.wait_for(IFG2, 0x10);
    assert_eq!(u16::from(b'a'), machine.read(0x7E));
    assert_eq!(0, machine.read(IFG2) & 0x10);
    machine.wait_for(IFG2, 0x10);
    machine.chip.feed(1, b"c", machine.chip.local_ps(machine.cpu.cycles));
    machine.pass(MS);
    assert_eq!(0x20, machine.read(0x7A) & 0x20);
    assert_eq!(u16::from(b'c'), machine.read(0x7E));
}

/// SPI as Contiki's cc2420-arch sets it up: a byte takes 8 x UxBR ticks, the answer is there with URXIFG0.
#[test]
fn spi_exchanges_bytes() {
    let mut machine = Machine::new(1, true);
    for (address, value) in [(0x70, 0x17), (0x71, 0xA2), (0x74, 2), (0x75, 0), (0x73, 0)] {
        machine.write(address, value);
    }
    machine.set(ME1, 0x40);
    machine.set(0x1B, 0x0E);
    machine.clear(0x70, 1);
    for byte in [0x00, 0x3C, 0xFF] {
        let before = !machine.chip.outside.last;
        machine.wait_for(IFG1, 0x80);
        machine.write(0x77, byte);
        machine.wait_for(IFG1, 0x40);
        assert_eq!(u16::from(before), machine.read(0x76));
    }
    machine.write(0x77, 0x11);
    machine.write(0x77, 0x22);
    machine.pass(MS);
    let received = &machine.chip.outside.received;
    assert_eq!(
        vec![0, 0x3C, 0xFF, 0x11, 0x22],
        received.iter().map(|entry| entry.1).collect::<Vec<_>>()
    );
    close(16 * 1_000_000 * US / 750_000, received[4].0 - received[3].0, 1);
}

/// The start of a frame on P4.1 is captured by TBCCR1 on both edges, if the pin is selected; TBIV reads 2 and clears.
#[test]
fn sfd_is_captured() {
    let mut machine = Machine::new(1, true);
    machine.write(TBCTL, ACLK | CONTINUOUS | CLEAR);
    machine.write(TBCCTL1, BOTH | CAPTURE | CCIE);
    for (t_ps, level) in [(10 * MS, true), (20 * MS, false), (30 * MS, true)] {
        machine.chip.outside.drives.push_back(Drive { t_ps, pin: 0x41, level });
    }
    machine.chip.outside_touched();
    machine.pass(15 * MS);
    assert_eq!(0, machine.read(TBCCTL1) & CCIFG, "the pin is not selected");
    machine.write(0x1F, 0x02);
    machine.clear(TBCCTL1, CCIFG);
    machine.pass(10 * MS);
    assert_eq!(20 * 32_768 / 1000, u64::from(machine.read(TBCCR1)));
    assert_eq!(1 << 12, machine.chip.requests());
    assert_eq!(2, machine.read(TBIV));
    assert_eq!(0, machine.chip.requests());
    machine.pass(10 * MS);
    assert_eq!(30 * 32_768 / 1000, u64::from(machine.read(TBCCR1)));
}

/// Up mode counts TACCR0 + 1 ticks, up/down twice TACCR0; the flag of block 0 goes when its interrupt is taken, TAIV
/// holds the others in order.
#[test]
fn timer_modes() {
    for (mode, period) in [(UP, 100), (UP_DOWN, 198)] {
        let mut machine = Machine::new(1, true);
        machine.write(TACCR0, 99);
        machine.write(TACCTL0, CCIE);
        machine.write(TACTL, ACLK | mode | CLEAR);
        let mut instants = Vec::new();
        for _ in 0..4 {
            while machine.chip.requests() == 0 {
                let next = machine.chip.next_event_ps();
                let now = machine.now();
                machine.pass(next - now);
            }
            instants.push(machine.now());
            machine.chip.accepted(6, machine.cpu.cycles);
        }
        close(period * 1_000_000 * US / 32_768, instants[3] - instants[2], 1);
    }
    let mut machine = Machine::new(1, true);
    machine.write(TACCR2, 50);
    machine.write(TACCTL2, CCIE);
    machine.write(TACTL, ACLK | CONTINUOUS | CLEAR | 2);
    machine.pass(2_100 * MS);
    assert_eq!((4, 10, 0), (machine.read(TAIV), machine.read(TAIV), machine.read(TAIV)));
}

/// PWM on P1.2 (TA1, output mode 7): low from TACCR1 to TACCR0.
#[test]
fn timer_output() {
    let mut machine = Machine::new(1, true);
    machine.write(0x22, 4);
    machine.write(0x26, 4);
    machine.write(TACCR0, 327);
    machine.write(0x174, 109);
    machine.write(0x164, 0xE0);
    machine.write(TACTL, ACLK | UP | CLEAR);
    machine.pass(100 * MS);
    let edges: Vec<_> = machine
        .chip
        .edges()
        .iter()
        .filter(|edge| edge.pin == 0x12)
        .copied()
        .collect();
    let low = edges
        .windows(2)
        .find(|pair| !pair[0].level && pair[0].t_ps > 15 * MS)
        .unwrap();
    close((327 - 109) * 1_000_000 * US / 32_768, low[1].t_ps - low[0].t_ps, 1);
}

/// The watchdog: a write without password and a time-out are a PUC; in interval mode it asks for an interrupt.
#[test]
fn watchdog() {
    let mut machine = Machine::new(1, true);
    assert_eq!(0x6980, machine.read(WDTCTL));
    machine.write(WDTCTL, 0x0080);
    assert!(machine.chip.take_reset());
    machine.write(WDTCTL, 0x5A0C); // ACLK / 32768: a second
    machine.pass(990 * MS);
    assert!(!machine.chip.take_reset());
    machine.pass(20 * MS);
    assert!(machine.chip.take_reset());
    machine.chip.reset(machine.cpu.cycles);
    machine.write(WDTCTL, 0x5A1C | 3); // interval of 64 ticks
    machine.write(IFG1, 0);
    machine.write(IE1, 1);
    machine.pass(3 * MS);
    assert_eq!(1 << 10, machine.chip.requests());
    assert!(!machine.chip.take_reset());
}

/// Products and SUMEXT by SLAU049F table 7-2.
#[test]
fn multiplier() {
    let mut machine = Machine::new(1, true);
    let cases: [(u16, u16, u16, u32, u16); 5] = [
        (0x130, 0xFFFF, 0xFFFF, 0xFFFE_0001, 0),
        (0x134, 0xFFFF, 0xFFFF, 0xFFFC_0002, 1),
        (0x132, 0xFFFF, 0x0002, 0xFFFF_FFFE, 0xFFFF),
        (0x136, 0x0003, 0x0004, 0x0000_000A, 0),
        (0x136, 0xFFFF, 0x000B, 0xFFFF_FFFF, 0xFFFF),
    ];
    for (register, first, second, product, extension) in cases {
        machine.write(register, first);
        machine.write(0x138, second);
        let low = machine.read(0x13A);
        assert_eq!(product, u32::from(machine.read(0x13C)) << 16 | u32::from(low));
        assert_eq!(extension, machine.read(0x13E));
    }
}

/// Ports 1 and 2 flag the edge that IES selects; the flag asks for an interrupt while IE is set.
#[test]
fn port_interrupts() {
    let mut machine = Machine::new(1, true);
    machine.write(0x25, 0x09);
    machine.write(0x24, 0x08);
    for (t_ps, pin, level) in [(1, 0x10, true), (2, 0x13, true), (3, 0x10, false), (4, 0x13, false)] {
        machine.chip.outside.drives.push_back(Drive {
            t_ps: t_ps * MS,
            pin,
            level,
        });
    }
    machine.chip.outside_touched();
    machine.pass(MS + MS / 2);
    assert_eq!((1, 1 << 4), (machine.read(0x23), machine.chip.requests()));
    machine.write(0x23, 0);
    machine.pass(2 * MS);
    assert_eq!(0, machine.read(0x23));
    machine.pass(MS);
    assert_eq!(8, machine.read(0x23));
}

/// LPM3 stops MCLK and SMCLK, ACLK continues; the slowest DCO is back 6 us after the wake-up event.
#[test]
fn low_power_mode() {
    let mut machine = Machine::new(1, true);
    machine.write(TACCR0, 32);
    machine.write(TACCTL0, CCIE);
    machine.write(TACTL, ACLK | UP | CLEAR);
    machine.write(TBCTL, SMCLK | CONTINUOUS | CLEAR);
    machine.chip.set_power(CPUOFF | SCG0 | SCG1, machine.cpu.cycles);
    assert!(!machine.chip.mclk_on());
    let event = machine.chip.next_event_ps();
    machine.chip.advance(event);
    assert_eq!(1 << 6, machine.chip.requests());
    machine.chip.wake(machine.cpu.cycles);
    assert_eq!(event + 6 * US, machine.now());
    assert!(machine.read(TBR) < 40);
}

/// The DCO of a real part is there after 292 ns and up to one cycle more, of a frequency within 10 % and the wander of the
/// typical 0.75 MHz; no two starts are equal.
#[test]
fn the_oscillator_starts_at_another_phase_each_time() {
    let mut machine = Machine::new(1, false);
    let mut starts = Vec::new();
    for _ in 0..50 {
        machine.chip.set_power(CPUOFF | SCG0 | SCG1, machine.cpu.cycles);
        let event = machine.now() + 3 * MS;
        machine.chip.advance(event);
        machine.chip.wake(machine.cpu.cycles);
        starts.push(machine.now() - event);
        machine.pass(MS);
    }
    let most = 292_000 + 1_000_000_000_000 / 670_000;
    assert!(
        starts.iter().all(|start| (292_000..=most).contains(start)),
        "{:?}",
        starts
    );
    starts.sort_unstable();
    starts.dedup();
    assert_eq!(50, starts.len());
}

/// The DMA moves a block by software, and bytes by UTXIFG1 of the UART.
#[test]
fn dma() {
    let mut machine = Machine::new(1, true);
    for index in 0..8 {
        machine.cpu.mem.set_byte(0x1200 + index, b'0' + index as u8);
    }
    machine.write(0x1E2, 0x1200);
    machine.write(0x1E4, 0x1300);
    machine.write(0x1E6, 4);
    machine.write(0x1E0, 0x1000 | 0x0F00 | 0x10 | 1);
    assert_eq!(0x3130, machine.cpu.mem.word(0x1300));
    assert_eq!(0x3736, machine.cpu.mem.word(0x1306));
    assert_eq!(8, machine.read(0x1E0) & 0x18, "done and disabled");
    uart(&mut machine, 6, 0);
    machine.write(0x122, 10);
    machine.write(0x1E2, 0x1200);
    machine.write(0x1E4, 0x7F);
    machine.write(0x1E6, 8);
    machine.write(0x1E0, 0x0300 | 0xC0 | 0x10);
    for _ in 0..100 {
        machine.pass(MS / 10);
    }
    let sent: Vec<u8> = machine.chip.sent(1).unwrap().iter().map(|byte| byte.1).collect();
    assert_eq!(b"01234567".to_vec(), sent);
}

/// Flash: locked it refuses and reports it; a segment is erased, words are programmed, and the core stands still meanwhile.
#[test]
fn flash_is_programmed() {
    let mut machine = Machine::new(1, true);
    machine.cpu.mem.set_word(0x8000, 0x1234);
    machine.write(0x8000, 0);
    assert_eq!(0x9604, machine.read(0x12C) & 0xFF04);
    machine.write(0x12C, 0xA500);
    machine.write(0x12A, 0xA541); // MCLK / 2: 375 kHz
    machine.write(0x128, 0xA502);
    let before = machine.now();
    machine.write(0x81F0, 0);
    close(4819 * 2 * 1_000_000 * US / 750_000, machine.now() - before, 2);
    assert_eq!(0xFFFF, machine.cpu.mem.word(0x8000));
    machine.write(0x128, 0xA540);
    machine.write(0x8000, 0xBEEF);
    machine.write(0x8000, 0x0FFF);
    assert_eq!(0x0EEF, machine.cpu.mem.word(0x8000));
    machine.write(0x12C, 0x1234);
    assert!(machine.chip.take_reset(), "FCTL3 without its password");
}

/// The temperature sensor at 25 °C with the reference of 1.5 V: 986 mV + 3.55 mV x 25 of 4095 steps (SLAS368).
#[test]
fn adc_converts() {
    let mut machine = Machine::new(1, true);
    machine.write(0x80, 0x1A);
    machine.write(0x1A0, 0x0023 | 0x10);
    machine.wait_for(0x1A4, 1);
    close(1074 * 4095 / 1500, u64::from(machine.read(0x140)), 1);
    assert_eq!(0, machine.read(0x1A4));
}

/// XT2 has no crystal: while it is on, OFIFG comes back; with XT2OFF it stays cleared.
#[test]
fn oscillator_fault() {
    let mut machine = Machine::new(1, true);
    assert_eq!(2, machine.read(IFG1) & 2);
    machine.write(BCSCTL1, 0x04);
    machine.clear(IFG1, 2);
    assert_eq!(2, machine.read(IFG1) & 2);
    machine.write(BCSCTL1, 0x84);
    machine.clear(IFG1, 2);
    assert_eq!(0, machine.read(IFG1) & 2);
}

/// An access that meets nothing is logged once, with address, value and program counter.
#[test]
fn unmodelled_accesses_are_logged() {
    let mut machine = Machine::new(1, true);
    for _ in 0..3 {
        machine.write(0x1D0, 0x1234);
    }
    let lines: Vec<String> = machine
        .chip
        .log()
        .entries()
        .iter()
        .map(|entry| format!("{:04x} {} {}", entry.pc, entry.times, entry.text))
        .collect();
    assert_eq!(vec!["4000 3 write of 0x1234 to 0x01d0 (no register)"], lines);
}
