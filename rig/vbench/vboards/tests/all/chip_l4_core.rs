//! STM32L476 with its core: flash programming, DMA, the caches, resets.

use vboards::board::{self, Parts};
use vboards::bus::{Bus, Width};
use vboards::core::v7m::Cpu;
use vboards::soc::stm32l4::{core, Config, Stm32l4, FLASH_BASE, FLASH_BYTES};
use vboards::soc::Chip;

use crate::l4_support::{World, DMA1, FLASH, GPIOA, RCC, USART2};

const CRC: u32 = 0x4002_3000;
const RNG: u32 = 0x5006_0800;
const I2C1: u32 = 0x4000_5400;

struct Machine {
    cpu: Cpu,
    chip: Stm32l4<World>,
}

impl Machine {
    /// A core that spins in its first instruction, `b .`, run from RAM so that the flash is free.
    fn new() -> Machine {
        let mut flash = vec![0xFF; FLASH_BYTES];
        flash[..8].copy_from_slice(&[0x00, 0x80, 0x01, 0x20, 0x01, 0x00, 0x00, 0x20]);
        let mut cpu = core(flash);
        cpu.write_memory(0x2000_0000, &[0xFE, 0xE7]);
        let config = Config {
            seed: 7,
            board: 0,
            hse_hz: 0,
            lse_hz: 0,
            clock: Default::default(),
            rest: [0; 8],
            strict: true,
        };
        let mut machine = Machine {
            cpu,
            chip: Stm32l4::new(config, World::default()),
        };
        for (offset, value) in [(0x48, 0x1103), (0x4C, 0x0004_20FF), (0x58, 0xF2FE_CA3F)] {
            machine.write(RCC + offset, value);
        }
        machine
    }

    fn read(&mut self, address: u32) -> u32 {
        self.chip.read(address, Width::Word, self.cpu.cycles, 0).unwrap()
    }

    fn write(&mut self, address: u32, value: u32) {
        self.chip
            .write(address, Width::Word, value, self.cpu.cycles, 0)
            .unwrap();
        self.chip.serve(&mut self.cpu);
    }

    /// The board's loop, without sleep.
    fn pass(&mut self, cycles: u64) {
        let until = self.cpu.cycles + cycles;
        while self.cpu.cycles < until {
            self.chip.advance(self.cpu.cycles);
            self.chip.serve(&mut self.cpu);
            if self.chip.take_reset() {
                self.cpu.reset();
            }
            let stalled_until = self.chip.stalled_until().min(until);
            if self.cpu.cycles < stalled_until {
                self.cpu.skip_to(stalled_until.min(self.chip.next_event()));
                continue;
            }
            self.cpu.run_until(&mut self.chip, until);
        }
    }

    fn flash_word(&self, address: u32) -> u32 {
        let mut bytes = [0; 4];
        assert!(self.cpu.read_memory(address, &mut bytes));
        u32::from_le_bytes(bytes)
    }

    fn unlock(&mut self) {
        self.write(FLASH + 8, 0x4567_0123);
        self.write(FLASH + 8, 0xCDEF_89AB);
        assert_eq!(0, self.read(FLASH + 0x14) >> 31);
    }

    fn wait_flash(&mut self) {
        for _ in 0..100_000 {
            if self.read(FLASH + 0x10) >> 16 & 1 == 0 {
                return;
            }
            self.pass(10);
        }
        panic!("BSY stays");
    }
}

/// Double words, page erase, the error flags; an operation takes its time.
#[test]
fn flash_is_programmed_and_erased() {
    let mut m = Machine::new();
    let place = FLASH_BASE + 0x8_1000; // page 2 of bank 2
    m.unlock();
    m.write(FLASH + 0x14, 1);
    m.write(place, 0x1122_3344);
    m.write(place + 4, 0x5566_7788);
    assert_eq!(1, m.read(FLASH + 0x10) >> 16 & 1);
    let start = m.cpu.cycles;
    m.wait_flash();
    let took_us = (m.cpu.cycles - start) / 4;
    assert!((81..=85).contains(&took_us), "{} us", took_us);
    assert_eq!(
        (0x1122_3344, 0x5566_7788),
        (m.flash_word(place), m.flash_word(place + 4))
    );
    // Not erased: PROGERR. Only zeros may follow.
    m.write(place, 1);
    m.write(place + 4, 2);
    m.wait_flash();
    assert_eq!(
        (1 << 3, 0x1122_3344),
        (m.read(FLASH + 0x10) & 0xFF, m.flash_word(place))
    );
    m.write(FLASH + 0x10, 1 << 3);
    m.write(place, 0);
    m.write(place + 4, 0);
    m.wait_flash();
    assert_eq!((0, 0), (m.read(FLASH + 0x10) & 0xFF, m.flash_word(place)));
    // Page erase, with EOP since EOPIE is set.
    m.write(FLASH + 0x14, 1 << 24 | 1 << 16 | 1 << 11 | 2 << 3 | 2);
    m.wait_flash();
    assert_eq!((1, u32::MAX), (m.read(FLASH + 0x10) & 0xFF, m.flash_word(place)));
    assert_eq!(1 << 4, m.chip.irq_levels());
    // Half-words: SIZERR. Then the sequence: PGSERR.
    m.write(FLASH + 0x10, 1);
    m.write(FLASH + 0x14, 1);
    m.chip.write(place, Width::Half, 1, m.cpu.cycles, 0).unwrap();
    assert_eq!(1 << 6, m.read(FLASH + 0x10) & 0xFF);
    m.write(place, 1);
    assert_eq!(1 << 6 | 1 << 7, m.read(FLASH + 0x10) & 0xFF);
    m.write(FLASH + 0x14, 1 << 31);
    assert_eq!(1, m.read(FLASH + 0x14) >> 31);
}

/// A core that executes from the bank that is busy waits for it.
#[test]
fn a_busy_bank_holds_its_core() {
    let mut m = Machine::new();
    m.unlock();
    m.cpu.regs[15] = FLASH_BASE + 0x100;
    m.write(FLASH + 0x14, 1);
    m.write(FLASH_BASE + 0x2000, 1);
    let start = m.cpu.cycles;
    m.write(FLASH_BASE + 0x2004, 2);
    assert_eq!(81, (m.chip.stalled_until() - start) / 4); // microseconds at 4 MHz
    m.cpu.regs[15] = 0x2000_0000;
    m.chip.serve(&mut m.cpu);
    assert_eq!(0, m.chip.stalled_until()); // from RAM it continues
}

/// Memory to USART2 by DMA1 channel 7, request 2 (RM0351 table 44).
#[test]
fn dma_feeds_the_usart() {
    let mut m = Machine::new();
    m.cpu.write_memory(0x2000_1000, b"hello");
    m.write(GPIOA + 0x20, 7 << 8);
    m.write(GPIOA, 0xABFF_FFEF);
    m.write(USART2 + 0x0C, 35); // 114286 baud from 4 MHz
    m.write(USART2 + 8, 1 << 7);
    m.write(USART2, 9);
    m.write(DMA1 + 0xA8, 2 << 24);
    m.write(DMA1 + 0x84, 5);
    m.write(DMA1 + 0x88, USART2 + 0x28);
    m.write(DMA1 + 0x8C, 0x2000_1000);
    m.write(DMA1 + 0x80, 0x93); // MINC, DIR, TCIE, EN
    m.pass(35 * 10 * 7);
    let sent: Vec<u8> = m.chip.sent(2).unwrap().iter().map(|byte| byte.1).collect();
    assert_eq!(b"hello".to_vec(), sent);
    assert_eq!(
        (2 << 24, 1 << 17),
        (m.read(DMA1) & 2 << 24, m.chip.irq_levels() & 1 << 17)
    );
}

/// CRC-32 of "1234" as the unit computes it over the word 0x31323334: CRC-32/MPEG-2 of that string.
#[test]
fn crc_is_that_of_the_catalogue() {
    let mut m = Machine::new();
    m.write(CRC + 8, 1);
    for byte in b"123456789" {
        m.chip.write(CRC, Width::Byte, u32::from(*byte), 0, 0).unwrap();
    }
    // Catalogue of parametrised CRC algorithms (Cook): CRC-32/MPEG-2, check 0x0376E6E7.
    assert_eq!(0x0376_E6E7, m.read(CRC));
    // CRC-32/ISO-HDLC: reversed in and out, final complement; check 0xCBF43926.
    m.write(CRC + 8, 0xA1);
    for byte in b"123456789" {
        m.chip.write(CRC, Width::Byte, u32::from(*byte), 0, 0).unwrap();
    }
    assert_eq!(0xCBF4_3926, !m.read(CRC));
}

#[test]
fn rng_needs_a_clock_and_is_seeded() {
    let words = |seed_clock: bool| {
        let mut m = Machine::new();
        if seed_clock {
            m.write(RCC + 0x88, 3 << 26); // MSI
        }
        m.write(RNG, 4);
        m.pass(100);
        (m.read(RNG + 4), m.read(RNG + 8))
    };
    assert_eq!(0x22, words(false).0); // CEIS, CECS
    let (status, word) = words(true);
    assert_eq!((1, word), (status, words(true).1));
    assert_ne!(0, word);
}

/// No slave is on the bus: NACKF and STOPF after ten bits.
#[test]
fn i2c_gets_no_answer() {
    let mut m = Machine::new();
    m.write(I2C1 + 0x10, 0x0000_1310); // 20 + 17 clocks, and 4: 41 clocks of 4 MHz a bit
    m.write(I2C1, 1);
    m.write(I2C1 + 4, 1 << 25 | 1 << 16 | 1 << 13 | 0x50);
    assert_eq!(1 << 15 | 1, m.read(I2C1 + 0x18));
    m.pass(410);
    assert_eq!(0x31, m.read(I2C1 + 0x18));
    assert_eq!(0, m.read(I2C1 + 4) >> 13 & 1);
    m.write(I2C1 + 0x1C, 0x30);
    assert_eq!(1, m.read(I2C1 + 0x18));
}

/// A loop of 64-bit lines that lie apart: with the instruction cache wait states cost nothing after the first round.
#[test]
fn the_cache_hides_wait_states() {
    let run = |acr: u32| {
        let mut flash = vec![0xFF; FLASH_BYTES];
        flash[..8].copy_from_slice(&[0x00, 0x80, 0x01, 0x20, 0x01, 0x01, 0x00, 0x08]);
        // At 0x100: b 0x140; at 0x140: b 0x100.
        flash[0x100..0x102].copy_from_slice(&[0x1E, 0xE0]);
        flash[0x140..0x142].copy_from_slice(&[0xDE, 0xE7]);
        let mut m = Machine::new();
        m.cpu = core(flash);
        m.write(FLASH, acr);
        m.pass(2000);
        m.cpu.instructions
    };
    let (cached, bare, ideal) = (run(0x604), run(4), run(0));
    assert!(
        cached + 5 >= ideal && cached > bare * 2,
        "{} {} {}",
        cached,
        bare,
        ideal
    );
}

/// LSI / 4, reload 79: 10 ms after the last refresh chip and core are reset, and RCC_CSR tells why.
#[test]
fn the_watchdog_resets() {
    const IWDG: u32 = 0x4000_3000;
    let mut m = Machine::new();
    m.write(IWDG, 0xCCCC);
    m.write(IWDG, 0x5555);
    m.write(IWDG + 4, 0);
    m.write(IWDG + 8, 79);
    m.pass(4_000);
    assert_eq!(0, m.read(IWDG + 0x0C));
    for _ in 0..3 {
        m.write(IWDG, 0xAAAA);
        m.pass(9 * 4_000);
    }
    assert_eq!(0, m.read(RCC + 0x94) >> 29 & 1);
    m.pass(3 * 4_000);
    assert_eq!(1, m.read(RCC + 0x94) >> 29 & 1);
    assert_eq!(0, m.read(RCC + 0x58));
}

/// Boards with this chip can be made without an image, and their console is where the ST-LINK's is.
#[test]
fn boards_are_made() {
    for kind in ["nucleo-l476rg", "nucleo-l476rg-at86rf231"] {
        let parts = Parts {
            seed: 1,
            board: 0,
            image_name: "none",
            image: &[],
            clock: Default::default(),
            strict: true,
            timing: Default::default(),
            radio_start: Default::default(),
            build_code: Default::default(),
            exact: Default::default(),
        };
        let board = board::make(kind, &parts).unwrap();
        assert_eq!((2, 8), (board.console(), board.ports()));
    }
}
