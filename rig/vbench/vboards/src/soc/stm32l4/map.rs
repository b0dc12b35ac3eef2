//! Memory map of the STM32L476 (RM0351 table 1): which device answers at an address, its clock gate, its interrupt.

use super::rcc::Gate;

/// A device on a bus. Numbers count from 0 in the chip's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// TIM2 to TIM7, TIM1, TIM8, TIM15 to TIM17.
    Timer(usize),
    /// USART1 to USART3, UART4, UART5, LPUART1.
    Usart(usize),
    Spi(usize),
    I2c(usize),
    Lptim(usize),
    Gpio(usize),
    Dma(usize),
    Syscfg,
    Exti,
    Rcc,
    Flash,
    Pwr,
    Rtc,
    Iwdg,
    Crc,
    Rng,
    Adc,
    Dbgmcu,
    /// Unique identity, flash size, package, calibration values.
    System,
    /// It exists on the chip; its registers are not modelled.
    Other(&'static str),
}

pub const TIMERS: [&str; 11] = [
    "TIM2", "TIM3", "TIM4", "TIM5", "TIM6", "TIM7", "TIM1", "TIM8", "TIM15", "TIM16", "TIM17",
];
pub const USARTS: [&str; 6] = ["USART1", "USART2", "USART3", "UART4", "UART5", "LPUART1"];

/// Interrupt numbers (RM0351 table 56). TIM1 and TIM8 have several, TIM1 shares them with TIM15 to TIM17:
/// [`timer_irqs`].
pub const USART_IRQ: [u32; 6] = [37, 38, 39, 52, 53, 70];
pub const SPI_IRQ: [u32; 3] = [35, 36, 51];
pub const I2C_IRQ: [u32; 3] = [31, 33, 72];
pub const LPTIM_IRQ: [u32; 2] = [65, 66];
pub const DMA_IRQ: [[u32; 7]; 2] = [[11, 12, 13, 14, 15, 16, 17], [56, 57, 58, 59, 60, 68, 69]];
pub const FLASH_IRQ: u32 = 4;
pub const RCC_IRQ: u32 = 5;
pub const ADC_IRQ: [u32; 3] = [18, 18, 47];
pub const RNG_IRQ: u32 = 80;

/// Interrupt lines of a timer, each with the flags of SR that lead to it (RM0351 table 56).
pub fn timer_irqs(timer: usize) -> &'static [(u32, u32)] {
    const UPDATE: u32 = 1 << 0;
    const COMPARE: u32 = 0x1E;
    const COMMUTATION: u32 = 0x60;
    const BREAK: u32 = 1 << 7;
    const ALL: u32 = 0xFF;
    const LINES: [&[(u32, u32)]; 11] = [
        &[(ALL, 28)],
        &[(ALL, 29)],
        &[(ALL, 30)],
        &[(ALL, 50)],
        &[(ALL, 54)],
        &[(ALL, 55)],
        &[(BREAK, 24), (UPDATE, 25), (COMMUTATION, 26), (COMPARE, 27)],
        &[(BREAK, 43), (UPDATE, 44), (COMMUTATION, 45), (COMPARE, 46)],
        &[(ALL, 24)],
        &[(ALL, 25)],
        &[(ALL, 26)],
    ];
    LINES[timer]
}

/// Timer at ITR0 to ITR3 of TIM2 to TIM5 as index (RM0351 table 175: TIM1, TIM8 and others by number above).
pub const TIMER_TRIGGERS: [[Option<usize>; 4]; 4] = [
    [Some(6), Some(7), Some(1), Some(2)],
    [Some(6), Some(0), Some(3), Some(2)],
    [Some(6), Some(0), Some(1), Some(7)],
    [Some(0), Some(1), Some(2), Some(7)],
];

/// The device at an address and where its registers begin; None: nothing answers.
pub fn find(address: u32) -> Option<(Device, u32)> {
    let base = address & !0x3FF;
    let device = match base {
        0x4000_0000..=0x4000_1400 => Device::Timer((base as usize >> 10) & 7),
        0x4000_2400 => Device::Other("LCD"),
        0x4000_2800 => Device::Rtc,
        0x4000_2C00 => Device::Other("WWDG"),
        0x4000_3000 => Device::Iwdg,
        0x4000_3800 => Device::Spi(1),
        0x4000_3C00 => Device::Spi(2),
        0x4000_4400..=0x4000_5000 => Device::Usart((base - 0x4000_4000) as usize >> 10),
        0x4000_5400..=0x4000_5C00 => Device::I2c((base - 0x4000_5400) as usize >> 10),
        0x4000_6400 => Device::Other("CAN1"),
        0x4000_7000 => Device::Pwr,
        0x4000_7400 => Device::Other("DAC1"),
        0x4000_7800 => Device::Other("OPAMP"),
        0x4000_7C00 => Device::Lptim(0),
        0x4000_8000 => Device::Usart(5),
        0x4000_8800 => Device::Other("SWPMI1"),
        0x4000_9400 => Device::Lptim(1),
        0x4001_0000 => match address & 0x3FF {
            0x030..=0x037 => Device::Other("VREFBUF"),
            0x200..=0x207 => Device::Other("COMP"),
            _ => Device::Syscfg,
        },
        0x4001_0400 => Device::Exti,
        0x4001_1C00 => Device::Other("FIREWALL"),
        0x4001_2800 => Device::Other("SDMMC1"),
        0x4001_2C00 => Device::Timer(6),
        0x4001_3000 => Device::Spi(0),
        0x4001_3400 => Device::Timer(7),
        0x4001_3800 => Device::Usart(0),
        0x4001_4000..=0x4001_4800 => Device::Timer(8 + ((base - 0x4001_4000) as usize >> 10)),
        0x4001_5400 => Device::Other("SAI1"),
        0x4001_5800 => Device::Other("SAI2"),
        0x4001_6000 => Device::Other("DFSDM1"),
        0x4002_0000 => Device::Dma(0),
        0x4002_0400 => Device::Dma(1),
        0x4002_1000 => Device::Rcc,
        0x4002_2000 => Device::Flash,
        0x4002_3000 => Device::Crc,
        0x4002_4000 => Device::Other("TSC"),
        0x4800_0000..=0x4800_1C00 => Device::Gpio((base - 0x4800_0000) as usize >> 10),
        0x5000_0000..=0x5003_FC00 => return Some((Device::Other("OTG_FS"), 0x5000_0000)),
        0x5004_0000 => Device::Adc,
        0x5006_0800 => Device::Rng,
        0xA000_0000 => Device::Other("FMC"),
        0xA000_1000 => Device::Other("QUADSPI"),
        0xE004_2000 => Device::Dbgmcu,
        0x1FFF_7000 | 0x1FFF_7400 | 0x1FFF_7800 => return Some((Device::System, 0x1FFF_7000)),
        _ => return None,
    };
    Some((device, base))
}

/// Clock enable bit (RM0351 6.4.16 to 6.4.21). The reset bits have the same places.
pub fn gate(device: Device) -> Gate {
    const TIMER: [(usize, u32); 11] = [
        (4, 0),
        (4, 1),
        (4, 2),
        (4, 3),
        (4, 4),
        (4, 5),
        (6, 11),
        (6, 13),
        (6, 16),
        (6, 17),
        (6, 18),
    ];
    const USART: [(usize, u32); 6] = [(6, 14), (4, 17), (4, 18), (4, 19), (4, 20), (5, 0)];
    Some(match device {
        Device::Timer(index) => TIMER[index],
        Device::Usart(index) => USART[index],
        Device::Spi(0) => (6, 12),
        Device::Spi(index) => (4, 13 + index as u32),
        Device::I2c(index) => (4, 21 + index as u32),
        Device::Lptim(0) => (4, 31),
        Device::Lptim(_) => (5, 5),
        Device::Gpio(port) => (1, port as u32),
        Device::Dma(index) => (0, index as u32),
        Device::Syscfg => (6, 0),
        Device::Flash => (0, 8),
        Device::Crc => (0, 12),
        Device::Adc => (1, 13),
        Device::Rng => (1, 18),
        Device::Pwr => (4, 28),
        _ => return None,
    })
}

/// Readable name of a device.
pub fn name(device: Device) -> String {
    match device {
        Device::Timer(index) => TIMERS[index].to_string(),
        Device::Usart(index) => USARTS[index].to_string(),
        Device::Spi(index) => format!("SPI{}", index + 1),
        Device::I2c(index) => format!("I2C{}", index + 1),
        Device::Lptim(index) => format!("LPTIM{}", index + 1),
        Device::Dma(index) => format!("DMA{}", index + 1),
        Device::Gpio(port) => format!("GPIO{}", char::from(b'A' + port as u8)),
        Device::Other(name) => name.to_string(),
        known => format!("{:?}", known).to_uppercase(),
    }
}
