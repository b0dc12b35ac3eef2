//! Memory map of the nRF52840 (PS "Memory map", "Instantiation"): a peripheral's page is its number, and so is its interrupt.

use super::{info, FLASH_BYTES, UICR_BASE, UICR_BYTES};

/// What answers at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// A peripheral, by its number.
    Peripheral(usize),
    /// P0 or P1.
    Gpio(usize),
    Ficr,
    Uicr,
    RomTable,
    /// It exists on the chip; its registers are not modelled.
    Other(&'static str),
}

pub const POWER: usize = 0x00;
pub const RADIO: usize = 0x01;
pub const UARTES: [usize; 2] = [0x02, 0x28];
pub const GPIOTE: usize = 0x06;
pub const TIMERS: [usize; 5] = [0x08, 0x09, 0x0A, 0x1A, 0x1B];
/// Compare registers of each.
pub const TIMER_CHANNELS: [usize; 5] = [4, 4, 4, 6, 6];
pub const WDT: usize = 0x10;
pub const RTCS: [usize; 3] = [0x0B, 0x11, 0x24];
pub const RTC_CHANNELS: [usize; 3] = [3, 4, 4];
pub const TEMP: usize = 0x0C;
pub const RNG: usize = 0x0D;
pub const EGUS: [usize; 6] = [0x14, 0x15, 0x16, 0x17, 0x18, 0x19];
pub const NVMC: usize = 0x1E;
pub const PPI: usize = 0x1F;

const PERIPHERALS: u32 = 0x4000_0000;
const PAGE: u32 = 0x1000;
const GPIO: u32 = 0x5000_0000;
/// Where P1's registers are in the page of P0's.
const P1: u32 = 0x300;
const CRYPTOCELL: u32 = 0x5002_A000;

/// Names by number; an empty one does not exist.
const NAMES: [&str; 48] = [
    "CLOCK/POWER",
    "RADIO",
    "UARTE0",
    "SPIM0/TWIM0",
    "SPIM1/TWIM1",
    "NFCT",
    "GPIOTE",
    "SAADC",
    "TIMER0",
    "TIMER1",
    "TIMER2",
    "RTC0",
    "TEMP",
    "RNG",
    "ECB",
    "CCM/AAR",
    "WDT",
    "RTC1",
    "QDEC",
    "COMP/LPCOMP",
    "EGU0",
    "EGU1",
    "EGU2",
    "EGU3",
    "EGU4",
    "EGU5",
    "TIMER3",
    "TIMER4",
    "PWM0",
    "PDM",
    "NVMC",
    "PPI",
    "MWU",
    "PWM1",
    "PWM2",
    "SPIM2",
    "RTC2",
    "I2S",
    "FPU",
    "USBD",
    "UARTE1",
    "QSPI",
    "",
    "",
    "",
    "PWM3",
    "",
    "SPIM3",
];

/// First address of a peripheral's registers.
pub fn base(number: usize) -> u32 {
    PERIPHERALS + number as u32 * PAGE
}

fn is_modelled(number: usize) -> bool {
    let single = [POWER, RADIO, GPIOTE, TEMP, RNG, WDT, NVMC, PPI];
    let several = UARTES.iter().chain(TIMERS.iter()).chain(RTCS.iter()).chain(EGUS.iter());
    single.contains(&number) || several.copied().any(|known| known == number)
}

/// The device at an address and the offset of the register in it; None: nothing answers.
pub fn find(address: u32) -> Option<(Device, u32)> {
    let (page, offset) = (address & !(PAGE - 1), address & (PAGE - 1));
    let device = match page {
        PERIPHERALS..=0x4002_FFFF => {
            let number = ((page - PERIPHERALS) / PAGE) as usize;
            match NAMES.get(number) {
                Some(&"") | None => return None,
                Some(_) if is_modelled(number) => Device::Peripheral(number),
                Some(&name) => Device::Other(name),
            }
        }
        GPIO if offset >= 0x500 + P1 => return Some((Device::Gpio(1), offset - P1)),
        GPIO => Device::Gpio(0),
        CRYPTOCELL | 0x5002_B000 => Device::Other("CRYPTOCELL"),
        info::FICR_BASE => Device::Ficr,
        UICR_BASE if offset < UICR_BYTES => Device::Uicr,
        0xF000_0000 => Device::RomTable,
        _ => return None,
    };
    Some((device, offset))
}

/// Whether the NVMC writes there.
pub fn is_flash(address: u32) -> bool {
    address < FLASH_BYTES as u32 || (UICR_BASE..UICR_BASE + UICR_BYTES).contains(&address)
}

/// Readable name of a device.
pub fn name(device: Device) -> &'static str {
    match device {
        Device::Peripheral(number) => NAMES[number],
        Device::Gpio(0) => "P0",
        Device::Gpio(_) => "P1",
        Device::Ficr => "FICR",
        Device::Uicr => "UICR",
        Device::RomTable => "ROM table",
        Device::Other(name) => name,
    }
}
