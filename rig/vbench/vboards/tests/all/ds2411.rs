//! The serial number chip of a TelosB against its data sheet (Maxim DS2411, standard speed).

use crate::telosb::{executable, instants};
use vboards::air::US;
use vboards::bench::Bench;
use vboards::boards::ds2411::Ds2411;
use vboards::soc::Outside;
use vboards::trace::{Edge, Pin};

const LINE: Pin = 0x24;

/// A master and the chip on one line with a pull-up: low if either pulls.
struct Line {
    chip: Ds2411,
    t_ps: u64,
    master_low: bool,
    chip_low: bool,
}

impl Line {
    fn new(serial_number: u64) -> Line {
        Line {
            chip: Ds2411::new(LINE, serial_number),
            t_ps: 0,
            master_low: false,
            chip_low: false,
        }
    }

    fn high(&self) -> bool {
        !self.master_low && !self.chip_low
    }

    fn change(&mut self, change: impl FnOnce(&mut Line)) {
        let before = self.high();
        change(self);
        if self.high() != before {
            let (high, t_ps) = (self.high(), self.t_ps);
            self.chip.pin(LINE, high, t_ps);
        }
    }

    fn master(&mut self, low: bool) {
        self.change(|line| line.master_low = low);
    }

    fn wait(&mut self, us: u64) {
        let end_ps = self.t_ps + us * US;
        while let Some(t_ps) = self.chip.next_event().filter(|&t_ps| t_ps <= end_ps) {
            self.t_ps = t_ps;
            self.chip.advance(t_ps);
            let mut drives = Vec::new();
            self.chip.take_drives(&mut drives);
            for drive in drives {
                assert_eq!((LINE, t_ps), (drive.pin, drive.t_ps));
                self.change(|line| line.chip_low = !drive.level);
            }
        }
        self.t_ps = end_ps;
    }

    /// A low pulse of the master.
    fn pulse(&mut self, us: u64) {
        self.master(true);
        self.wait(us);
        self.master(false);
    }

    fn write(&mut self, byte: u8, low_us: [u64; 2]) {
        for bit in 0..8 {
            let low_us = low_us[usize::from(byte >> bit & 1)];
            self.pulse(low_us);
            self.wait(70 - low_us);
        }
    }

    fn read(&mut self) -> u8 {
        (0..8).fold(0, |byte, bit| {
            self.pulse(6);
            self.wait(9);
            let high = self.high();
            self.wait(55);
            byte | u8::from(high) << bit
        })
    }

    /// A reset of a length; true if there was a presence pulse.
    fn reset(&mut self, us: u64) -> bool {
        self.pulse(us);
        self.wait(70);
        let present = !self.high();
        self.wait(410);
        assert!(self.high());
        present
    }

    fn rom(&mut self) -> [u8; 8] {
        assert!(self.reset(480));
        self.write(0x33, [60, 6]);
        [0; 8].map(|_| self.read())
    }
}

/// The CRC of Maxim's application note 27, bit by bit: over all 64 bits of a ROM it is 0.
fn crc8(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |crc, &byte| {
        (0..8).fold(
            crc ^ byte,
            |crc, _| if crc & 1 == 1 { crc >> 1 ^ 0x8C } else { crc >> 1 },
        )
    })
}

/// Family code, serial number from its lowest byte, CRC; the example of application note 27 has CRC 0xA2 for family 0x02.
#[test]
fn rom_is_read() {
    assert_eq!(0xA2, crc8(&[0x02, 0x1C, 0xB8, 0x01, 0, 0, 0]));
    let rom = Line::new(0x0605_0403_0201).rom();
    assert_eq!([0x01, 1, 2, 3, 4, 5, 6], rom[..7]);
    assert_eq!(0, crc8(&rom));
    for serial_number in [1, 2, 0xFFFF_FFFF_FFFF] {
        assert_eq!(0, crc8(&Line::new(serial_number).rom()));
    }
}

/// After the ROM, and without a command, the chip is silent until the next reset.
#[test]
fn it_answers_once_per_reset() {
    let mut line = Line::new(1);
    assert_eq!(0xFF, line.read());
    let rom = line.rom();
    assert_eq!(0xFF, line.read());
    assert_eq!(rom, line.rom());
}

/// tRSTL is 480 us at least; the presence pulse begins 15 to 60 us after it and lasts 60 to 240 us.
#[test]
fn presence() {
    assert!(!Line::new(1).reset(470));
    let mut line = Line::new(1);
    line.pulse(480);
    let start_ps = line.t_ps;
    let [mut fell_ps, mut rose_ps] = [0; 2];
    while rose_ps == 0 {
        line.wait(1);
        match (line.high(), fell_ps) {
            (false, 0) => fell_ps = line.t_ps,
            (true, fell_ps) if fell_ps > 0 => rose_ps = line.t_ps,
            _ => {}
        }
    }
    assert!((15 * US..=60 * US).contains(&(fell_ps - start_ps)));
    assert!((60 * US..=240 * US).contains(&(rose_ps - fell_ps)));
}

/// Time slots at the limits: a 0 is low for 60 to 120 us, a 1 for 1 to 15 us.
#[test]
fn time_slots() {
    for low_us in [[60, 1], [60, 15], [69, 6]] {
        let mut line = Line::new(1);
        line.reset(500);
        line.write(0x33, low_us);
        assert_eq!(0x01, line.read());
    }
}

/// Other commands are not modelled: they are logged, and nothing answers.
#[test]
fn other_commands_are_logged() {
    let mut line = Line::new(1);
    line.reset(480);
    line.write(0xF0, [60, 6]);
    assert_eq!(0xFF, line.read());
    let notes = line.chip.take_notes();
    assert_eq!("DS2411: ROM command 0xf0 is not modelled, no answer", notes[0].1);
}

/// Resets the 1-Wire line P2.4, writes READ ROM and reads 64 bits. A pass of a delay takes three cycles, 4 us.
#[rustfmt::skip]
const READ_ROM: [u16; 55] = [
    0x40B2, 0x5A80, 0x0120, // mov #WDTPW|WDTHOLD, &WDTCTL
    0xC0F2, 0x0010, 0x0029, // bic.b #16, &P2OUT
    0xD0F2, 0x0010, 0x002A, // bis.b #16, &P2DIR
    0x4035, 180, 0x8315, 0x23FE, // mov #180, r5; dec r5; jnz $-2
    0xC0F2, 0x0010, 0x002A, // bic.b #16, &P2DIR
    0x4035, 240, 0x8315, 0x23FE,
    0x4036, 0x0033, // mov #0x33, r6
    0x4237, // mov #8, r7
    0xD0F2, 0x0010, 0x002A, // write: bis.b #16, &P2DIR
    0x1106, // rra r6
    0x2803, // jnc $+8
    0xC0F2, 0x0010, 0x002A, // bic.b #16, &P2DIR
    0x4035, 16, 0x8315, 0x23FE,
    0xC0F2, 0x0010, 0x002A, // bic.b #16, &P2DIR
    0x8317, // dec r7
    0x23EF, // jnz write
    0x4037, 64, // mov #64, r7
    0xD0F2, 0x0010, 0x002A, // read: bis.b #16, &P2DIR
    0xC0F2, 0x0010, 0x002A, // bic.b #16, &P2DIR
    0x4035, 20, 0x8315, 0x23FE,
    0x8317, // dec r7
    0x23F4, // jnz read
    0x3FFF, // jmp $
];

/// The ROM of a board's serial number chip: a bit for each of the last 64 low pulses on P2.4, the short ones are 1.
fn rom(edges: &[Edge], board: u16) -> [u8; 8] {
    let own: Vec<Edge> = edges.iter().filter(|edge| edge.board == board).copied().collect();
    let times = instants(&own, "P2.4");
    let bit = |pulse: &[u64]| u64::from(pulse[1] - pulse[0] < 15 * US);
    let pulses = times[times.len() - 128..].chunks(2);
    pulses.rev().fold(0, |rom, pulse| rom << 1 | bit(pulse)).to_le_bytes()
}

/// Each node of a bench has a number of its own, the same in every run and for every seed.
#[test]
fn serial_numbers() {
    for seed in [1, 2] {
        let mut bench = Bench::new(seed);
        bench.keep_edges(true);
        for _ in 0..2 {
            bench
                .add_board("telosb", "test.elf", &executable(&READ_ROM), 0)
                .unwrap();
        }
        bench.run(100_000 * US).unwrap();
        let edges = bench.take_edges(usize::MAX);
        for board in [0, 1] {
            let number = [1, board as u8 + 1, 0, b'V', b'I', b'R', b'T'];
            assert_eq!(number, rom(&edges, board)[..7]);
        }
        assert_eq!("", bench.log_text());
    }
}
