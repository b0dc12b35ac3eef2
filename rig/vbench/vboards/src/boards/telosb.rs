//! TelosB / Tmote Sky: MSP430F1611 and CC2420.
//!
//! Wiring: Moteiv, Tmote Sky data sheet (2006), schematics; the same pins in TinyOS platforms/telosa and
//! Contiki platform/sky (radio: FIFOP P1.0, FIFO P1.3, CCA P1.4, SFD P4.1, CSn P4.2, VREG_EN P4.5, RESETn P4.6, SPI of
//! USART0 on P3.1 to P3.3; console USART1 on P3.6 and P3.7; LEDs P5.4 to P5.6, lit when low; flash CS P4.4, its hold P4.7;
//! 1-Wire P2.4).

use super::both::Both;
use super::ds2411::Ds2411;
use super::m25p80::M25p80;
use super::msp430::Msp430Board;
use super::wiring::{Traces, Wiring};
use crate::board::{Board, Parts};
use crate::core::msp430::Cpu;
use crate::elf;
use crate::identity;
use crate::radio::cc2420::{Cc2420, Input, Output};
use crate::radio::oscillator::CRYSTAL_HZ;
use crate::soc::f1611::{memory, Config, F1611};
use crate::trace::Pin;

/// Name of the kind.
pub const KIND: &str = "telosb";

/// The USART that the FT232BM hangs on.
const CONSOLE: usize = 1;
/// USART of the radio and the flash.
const RADIO_BUS: usize = 0;
/// Nets that rest high: the user button P2.7 and the one-wire P2.4 (pull-ups), P3.6 and P3.7 (the FTDI holds them), LEDs
/// P5.4 to P5.6 (through the diodes to the supply), CSn P4.2, the flash's CS P4.4 and hold P4.7 (pull-ups, unverified).
const REST: [u8; 7] = [0, 0, 0x90, 0xC0, 0x94, 0x70, 0];
/// Where an image may lie: information memory and main flash.
const INFO: std::ops::Range<u32> = 0x1000..0x1100;
const MAIN: std::ops::Range<u32> = 0x4000..0x1_0000;

const FIFOP: Pin = 0x10;
const FIFO: Pin = 0x13;
const CCA: Pin = 0x14;
const SFD: Pin = 0x41;
const CSN: Pin = 0x42;
const VREG_EN: Pin = 0x45;
const RESETN: Pin = 0x46;
const FLASH_SELECT: Pin = 0x44;
const FLASH_HOLD: Pin = 0x47;
const ONE_WIRE: Pin = 0x24;

/// The radio's pins on the chip.
const TRACES: Traces<Cc2420> = Traces {
    bus: RADIO_BUS,
    inputs: &[(CSN, Input::Csn), (VREG_EN, Input::VregEn), (RESETN, Input::Resetn)],
    outputs: &[
        (Output::Fifop, FIFOP),
        (Output::Fifo, FIFO),
        (Output::Cca, CCA),
        (Output::Sfd, SFD),
    ],
};

/// Puts an image into the flash; an empty one leaves it erased.
fn load(parts: &Parts, cpu: &mut Cpu) -> Result<(), String> {
    if parts.image.is_empty() {
        return Ok(());
    }
    let name = parts.image_name;
    let image = elf::parse(name, parts.image, elf::EM_MSP430, "MSP430F1611")?;
    for segment in &image.segments {
        let end = segment.address as u64 + segment.bytes.len() as u64;
        let fits = |range: &std::ops::Range<u32>| range.contains(&segment.address) && end <= u64::from(range.end);
        if !fits(&INFO) && !fits(&MAIN) {
            return Err(format!(
                "{} has {} bytes at 0x{:04x}, outside the board's flash 0x{:04x}..0x{:05x}",
                name,
                segment.bytes.len(),
                segment.address,
                MAIN.start,
                MAIN.end
            ));
        }
        for (offset, &byte) in segment.bytes.iter().enumerate() {
            cpu.mem.set_byte(segment.address as u16 + offset as u16, byte);
        }
    }
    Ok(())
}

/// Makes a node that runs an image from its reset vector; without one it waits for its bootstrap loader.
pub fn make(parts: &Parts) -> Result<Box<dyn Board>, String> {
    let config = Config {
        seed: parts.seed,
        board: parts.board,
        clock: parts.clock.clone(),
        exact: parts.exact,
        rest: REST,
        strict: parts.strict,
    };
    let mut cpu = Cpu::new(memory());
    load(parts, &mut cpu)?;
    let radio = Cc2420::new(parts.seed, parts.board)
        .powered_at(parts.clock.start_ps)
        .clocked_by(parts.oscillator(CRYSTAL_HZ))
        .starting_in(parts.radio_start);
    let flash = M25p80::new(RADIO_BUS, FLASH_SELECT, FLASH_HOLD);
    let serial_number = Ds2411::new(ONE_WIRE, identity::ds2411(parts.board));
    let outside = Both(Both(Wiring::new(radio, TRACES), flash), serial_number);
    let chip = F1611::new(config, outside);
    Ok(Box::new(Msp430Board::new(cpu, chip, parts.board, CONSOLE)))
}
