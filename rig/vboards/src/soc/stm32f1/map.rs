//! Memory map of the STM32F103xE: which device answers at an address (RM0008 table 3), its clock gate and reset bit.

use super::rcc::Gate;

/// A device on a bus. Numbers count from 0 in the chip's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    Timer(usize),
    Usart(usize),
    Spi(usize),
    Gpio(usize),
    Afio,
    Exti,
    Rcc,
    Flash,
    Pwr,
    Dbgmcu,
    /// Unique identity and flash size.
    System,
    /// It exists on the chip; its registers are not modelled.
    Other(&'static str),
}

/// Interrupt numbers (RM0008 table 63).
pub const TIMER_IRQ: [u32; 6] = [28, 29, 30, 50, 54, 55];
pub const USART_IRQ: [u32; 3] = [37, 38, 39];
pub const SPI_IRQ: [u32; 3] = [35, 36, 51];
/// TX and RX pins without remap: PA9/PA10, PA2/PA3, PB10/PB11 (DS5792 table 5).
pub const USART_PINS: [(u16, u16); 3] = [(0x09, 0x0A), (0x02, 0x03), (0x1A, 0x1B)];
/// SCK, MISO, MOSI without remap: PA5..7, PB13..15, PB3..5.
pub const SPI_PINS: [(u16, u16, u16); 3] = [(0x05, 0x06, 0x07), (0x1D, 0x1E, 0x1F), (0x13, 0x14, 0x15)];
/// Channels 1 to 4 of TIM2 to TIM5 without remap: PA0..3, PA6 PA7 PB0 PB1, PB6..9, PA0..3.
pub const TIMER_PINS: [[u16; 4]; 4] = [
    [0x00, 0x01, 0x02, 0x03],
    [0x06, 0x07, 0x10, 0x11],
    [0x16, 0x17, 0x18, 0x19],
    [0x00, 0x01, 0x02, 0x03],
];

/// Timer behind ITR0 to ITR3 of TIM2 to TIM5, as index (0 = TIM2; RM0008 table 86). TIM1 and TIM8 are not modelled.
pub const TIMER_TRIGGERS: [[Option<usize>; 4]; 4] = [
    [None, None, Some(1), Some(2)],
    [None, Some(0), Some(3), Some(2)],
    [None, Some(0), Some(1), None],
    [Some(0), Some(1), Some(2), None],
];

/// The device at an address and where its registers begin; None: nothing answers.
pub fn find(address: u32) -> Option<(Device, u32)> {
    let base = address & !0x3FF;
    let device = match base {
        0x4000_0000..=0x4000_1400 => Device::Timer((base as usize >> 10) & 7),
        0x4000_2800 => Device::Other("RTC"),
        0x4000_2C00 => Device::Other("WWDG"),
        0x4000_3000 => Device::Other("IWDG"),
        0x4000_3800 => Device::Spi(1),
        0x4000_3C00 => Device::Spi(2),
        0x4000_4400 => Device::Usart(1),
        0x4000_4800 => Device::Usart(2),
        0x4000_4C00 => Device::Other("UART4"),
        0x4000_5000 => Device::Other("UART5"),
        0x4000_5400 => Device::Other("I2C1"),
        0x4000_5800 => Device::Other("I2C2"),
        0x4000_5C00 | 0x4000_6000 => Device::Other("USB"),
        0x4000_6400 => Device::Other("CAN"),
        0x4000_6C00 => Device::Other("BKP"),
        0x4000_7000 => Device::Pwr,
        0x4000_7400 => Device::Other("DAC"),
        0x4001_0000 => Device::Afio,
        0x4001_0400 => Device::Exti,
        0x4001_0800..=0x4001_2000 => Device::Gpio((base - 0x4001_0800) as usize >> 10),
        0x4001_2400 => Device::Other("ADC1"),
        0x4001_2800 => Device::Other("ADC2"),
        0x4001_2C00 => Device::Other("TIM1"),
        0x4001_3000 => Device::Spi(0),
        0x4001_3400 => Device::Other("TIM8"),
        0x4001_3800 => Device::Usart(0),
        0x4001_3C00 => Device::Other("ADC3"),
        0x4001_8000 => Device::Other("SDIO"),
        0x4002_0000 => Device::Other("DMA1"),
        0x4002_0400 => Device::Other("DMA2"),
        0x4002_1000 => Device::Rcc,
        0x4002_2000 => Device::Flash,
        0x4002_3000 => Device::Other("CRC"),
        0xE004_2000 => Device::Dbgmcu,
        0x1FFF_F400 => {
            return if address >= 0x1FFF_F7E0 {
                Some((Device::System, 0x1FFF_F7E0))
            } else {
                None
            }
        }
        0xA000_0000 => Device::Other("FSMC"),
        _ => return None,
    };
    Some((device, base))
}

/// Clock enable bit (RM0008 7.3.6 to 7.3.8). The reset bits have the same places.
pub fn gate(device: Device) -> Gate {
    match device {
        Device::Timer(index) => Gate::Apb1(index as u32),
        Device::Usart(0) => Gate::Apb2(14),
        Device::Usart(index) => Gate::Apb1(16 + index as u32),
        Device::Spi(0) => Gate::Apb2(12),
        Device::Spi(index) => Gate::Apb1(13 + index as u32),
        Device::Gpio(port) => Gate::Apb2(2 + port as u32),
        Device::Afio => Gate::Apb2(0),
        Device::Pwr => Gate::Apb1(28),
        _ => Gate::None,
    }
}

/// Readable name of a device.
pub fn name(device: Device) -> String {
    match device {
        Device::Timer(index) => format!("TIM{}", index + 2),
        Device::Usart(index) => format!("USART{}", index + 1),
        Device::Spi(index) => format!("SPI{}", index + 1),
        Device::Gpio(port) => format!("GPIO{}", char::from(b'A' + port as u8)),
        Device::Other(name) => name.to_string(),
        known => format!("{:?}", known).to_uppercase(),
    }
}
