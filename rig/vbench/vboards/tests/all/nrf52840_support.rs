//! An nRF52840 without a core's program: a cycle counter, the bus, and a RAM that EasyDMA reaches.

use vboards::air::{Link, Message};
use vboards::bus::{Bus, Width};
use vboards::core::v7m::Cpu;
use vboards::soc::nrf52840::{core, BuildCode, Config, Nrf52840};
use vboards::soc::{Chip, Outside};
use vboards::trace::Pin;

pub const CLOCK: u32 = 0x4000_0000;
pub const RADIO: u32 = 0x4000_1000;
pub const UARTE0: u32 = 0x4000_2000;
pub const GPIOTE: u32 = 0x4000_6000;
pub const TIMER0: u32 = 0x4000_8000;
pub const RTC0: u32 = 0x4000_B000;
pub const EGU0: u32 = 0x4001_4000;
pub const NVMC: u32 = 0x4001_E000;
pub const PPI: u32 = 0x4001_F000;
pub const P0: u32 = 0x5000_0000;
pub const P1: u32 = 0x5000_0300;
pub const OUTSET: u32 = 0x508;
pub const OUTCLR: u32 = 0x50C;
pub const DIRSET: u32 = 0x518;
pub const RAM: u32 = 0x2000_0000;

pub const US: u64 = 1_000_000;

pub struct Rig {
    pub chip: Nrf52840,
    pub cpu: Cpu,
    pub cycle: u64,
}

impl Rig {
    /// Board `board` after reset, on HFINT of 64 MHz.
    pub fn new(board: u16) -> Rig {
        Rig::of(board, BuildCode::D0)
    }

    /// The same of a build code.
    pub fn of(board: u16, build_code: BuildCode) -> Rig {
        let config = Config {
            seed: 1,
            board,
            clock: Default::default(),
            exact_hfint: true,
            rest: 1 << 6 | 1 << 8,
            serial_rx: [8, 33],
            strict: true,
            build_code,
        };
        Rig {
            chip: Nrf52840::new(config),
            cpu: core(vec![0xFF; 1024 * 1024]),
            cycle: 0,
        }
    }

    /// The same with HFXO and LFCLK (synthesized) running.
    pub fn clocked(board: u16) -> Rig {
        let mut rig = Rig::new(board);
        rig.write(CLOCK, 1);
        rig.write(CLOCK + 0x518, 2);
        rig.write(CLOCK + 8, 1);
        rig.pass(400 * US);
        assert_eq!((1, 1), (rig.read(CLOCK + 0x100), rig.read(CLOCK + 0x104)));
        rig
    }

    pub fn read(&mut self, address: u32) -> u32 {
        let value = self.chip.read(address, Width::Word, self.cycle, 0x100).unwrap();
        self.serve();
        value
    }

    pub fn write(&mut self, address: u32, value: u32) {
        self.chip.write(address, Width::Word, value, self.cycle, 0x100).unwrap();
        self.serve();
    }

    fn serve(&mut self) {
        self.cpu.cycles = self.cycle;
        self.chip.serve(&mut self.cpu);
    }

    pub fn now_ps(&self) -> u64 {
        self.chip.clock().ps(self.cycle)
    }

    /// Time passes, one event of the chip after the other.
    pub fn pass(&mut self, ps: u64) {
        let until_ps = self.now_ps() + ps;
        self.pass_to(until_ps);
    }

    pub fn pass_to(&mut self, until_ps: u64) {
        loop {
            let until = self.chip.clock().tick_at(until_ps);
            self.cycle = self.chip.next_event().max(self.cycle).min(until);
            self.chip.advance(self.cycle);
            self.serve();
            if self.cycle >= until {
                return;
            }
        }
    }

    /// When an event register becomes 1; it is cleared.
    pub fn await_event(&mut self, address: u32) -> u64 {
        for _ in 0..1_000_000 {
            if self.read(address) == 1 {
                self.write(address, 0);
                return self.now_ps();
            }
            self.cycle = self.chip.next_event();
            assert_ne!(u64::MAX, self.cycle, "the firmware would hang here");
            self.chip.advance(self.cycle);
            self.serve();
        }
        panic!("the firmware would hang here");
    }

    pub fn edges(&mut self, pin: Pin) -> Vec<(u64, bool)> {
        let edges = self.chip.edges().drain(..);
        edges.filter(|e| e.pin == pin).map(|e| (e.t_ps, e.level)).collect()
    }

    pub fn ram(&self, offset: u32, bytes: usize) -> Vec<u8> {
        let mut buffer = vec![0; bytes];
        assert!(self.cpu.read_memory(RAM + offset, &mut buffer));
        buffer
    }

    pub fn set_ram(&mut self, offset: u32, bytes: &[u8]) {
        assert!(self.cpu.write_ram(RAM + offset, bytes));
    }

    pub fn messages(&mut self) -> Vec<Message> {
        let mut messages = Vec::new();
        self.chip.outside().take_messages(&mut messages);
        messages
    }

    /// What another one has put on the air reaches it.
    pub fn hear(&mut self, messages: &[Message], link: &Link) {
        for message in messages {
            self.chip.outside().receive_signal(message, link);
        }
        self.chip.outside_touched();
    }

    pub fn log(&self) -> Vec<String> {
        self.chip
            .log()
            .entries()
            .iter()
            .map(|entry| entry.text.clone())
            .collect()
    }
}
