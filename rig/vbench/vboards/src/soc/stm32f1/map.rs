//! Memory map of the STM32F103xE: which device answers at an address (RM0008 table 3), its clock gate and reset bit.

use super::rcc::Gate;

/// A device on a bus. Numbers count from 0 in the chip's arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// TIM2 to TIM7, then TIM1 and TIM8.
    Timer(usize),
    Usart(usize),
    Spi(usize),
    I2c(usize),
    Adc(usize),
    Dma(usize),
    Gpio(usize),
    Afio,
    Exti,
    Rcc,
    Flash,
    Rtc,
    Bkp,
    Pwr,
    Iwdg,
    Wwdg,
    Crc,
    Dbgmcu,
    /// Unique identity and flash size.
    System,
    OptionBytes,
    /// It exists on the chip; its registers are not modelled.
    Other(&'static str),
}

/// Places of TIM1 and TIM8 among the timers.
pub const TIM1: usize = 6;
pub const TIM8: usize = 7;

/// Interrupt numbers (RM0008 table 63).
pub const TIMER_IRQ: [u32; 6] = [28, 29, 30, 50, 54, 55];
/// Break, update, trigger and commutation, capture and compare of TIM1 and TIM8.
pub const ADVANCED_IRQ: [[u32; 4]; 2] = [[24, 25, 26, 27], [43, 44, 45, 46]];
pub const USART_IRQ: [u32; 5] = [37, 38, 39, 52, 53];
pub const SPI_IRQ: [u32; 3] = [35, 36, 51];
/// Event and error.
pub const I2C_IRQ: [(u32, u32); 2] = [(31, 32), (33, 34)];
pub const ADC_IRQ: [u32; 3] = [18, 18, 47];
/// Channels of DMA1 and DMA2; the last two of DMA2 share one.
pub const DMA1_IRQ: [u32; 7] = [11, 12, 13, 14, 15, 16, 17];
pub const DMA2_IRQ: [u32; 5] = [56, 57, 58, 59, 59];
pub const WWDG_IRQ: u32 = 0;
pub const RTC_IRQ: u32 = 3;
pub const FLASH_IRQ: u32 = 4;

/// A line of a device to the DMA: controller and channel, both from 0.
pub type Channel = (usize, usize);
/// Receiver and transmitter of USART1 to UART4 (RM0008 tables 78 and 79; UART5 has none).
pub const USART_DMA: [(Channel, Channel); 4] = [((0, 4), (0, 3)), ((0, 5), (0, 6)), ((0, 2), (0, 1)), ((1, 2), (1, 4))];
pub const SPI_DMA: [(Channel, Channel); 3] = [((0, 1), (0, 2)), ((0, 3), (0, 4)), ((1, 0), (1, 1))];
/// ADC1 and ADC3; ADC2 has none.
pub const ADC_DMA: [Option<Channel>; 3] = [Some((0, 0)), None, Some((1, 4))];
/// Update and channels 1 to 4 of TIM2 to TIM7, TIM1, TIM8.
pub const TIMER_DMA: [[Option<Channel>; 5]; 8] = [
    [Some((0, 1)), Some((0, 4)), Some((0, 6)), Some((0, 0)), Some((0, 6))],
    [Some((0, 2)), Some((0, 5)), None, Some((0, 1)), Some((0, 2))],
    [Some((0, 6)), Some((0, 0)), Some((0, 3)), Some((0, 4)), None],
    [Some((1, 1)), Some((1, 4)), Some((1, 3)), Some((1, 1)), Some((1, 0))],
    [Some((1, 2)), None, None, None, None],
    [Some((1, 3)), None, None, None, None],
    [Some((0, 4)), Some((0, 1)), Some((0, 2)), Some((0, 5)), Some((0, 3))],
    [Some((1, 0)), Some((1, 2)), Some((1, 4)), Some((1, 0)), Some((1, 1))],
];

/// Timer at ITR0 to ITR3 (RM0008 tables 82 and 86).
pub const TIMER_TRIGGERS: [[Option<usize>; 4]; 8] = [
    [Some(TIM1), Some(TIM8), Some(1), Some(2)],
    [Some(TIM1), Some(0), Some(3), Some(2)],
    [Some(TIM1), Some(0), Some(1), Some(TIM8)],
    [Some(0), Some(1), Some(2), Some(TIM8)],
    [None; 4],
    [None; 4],
    [Some(3), Some(0), Some(1), Some(2)],
    [Some(TIM1), Some(0), Some(2), Some(3)],
];

/// The device at an address and where its registers begin; None: nothing answers.
#[inline(always)]
pub fn find(address: u32) -> Option<(Device, u32)> {
    let base = address & !0x3FF;
    let device = match base {
        0x4000_0000..=0x4000_1400 => Device::Timer((base as usize >> 10) & 7),
        0x4000_2800 => Device::Rtc,
        0x4000_2C00 => Device::Wwdg,
        0x4000_3000 => Device::Iwdg,
        0x4000_3800 => Device::Spi(1),
        0x4000_3C00 => Device::Spi(2),
        0x4000_4400 => Device::Usart(1),
        0x4000_4800 => Device::Usart(2),
        0x4000_4C00 => Device::Usart(3),
        0x4000_5000 => Device::Usart(4),
        0x4000_5400 => Device::I2c(0),
        0x4000_5800 => Device::I2c(1),
        0x4000_5C00 | 0x4000_6000 => Device::Other("USB"),
        0x4000_6400 => Device::Other("CAN"),
        0x4000_6C00 => Device::Bkp,
        0x4000_7000 => Device::Pwr,
        0x4000_7400 => Device::Other("DAC"),
        0x4001_0000 => Device::Afio,
        0x4001_0400 => Device::Exti,
        0x4001_0800..=0x4001_2000 => Device::Gpio((base - 0x4001_0800) as usize >> 10),
        0x4001_2400 => Device::Adc(0),
        0x4001_2800 => Device::Adc(1),
        0x4001_2C00 => Device::Timer(TIM1),
        0x4001_3000 => Device::Spi(0),
        0x4001_3400 => Device::Timer(TIM8),
        0x4001_3800 => Device::Usart(0),
        0x4001_3C00 => Device::Adc(2),
        0x4001_8000 => Device::Other("SDIO"),
        0x4002_0000 => Device::Dma(0),
        0x4002_0400 => Device::Dma(1),
        0x4002_1000 => Device::Rcc,
        0x4002_2000 => Device::Flash,
        0x4002_3000 => Device::Crc,
        0xE004_2000 => Device::Dbgmcu,
        0x1FFF_F400 => {
            return if address >= 0x1FFF_F7E0 {
                Some((Device::System, 0x1FFF_F7E0))
            } else {
                None
            }
        }
        0x1FFF_F800 if address < 0x1FFF_F810 => Device::OptionBytes,
        0xA000_0000 => Device::Other("FSMC"),
        _ => return None,
    };
    Some((device, base))
}

/// Clock enable bit (RM0008 7.3.6 to 7.3.8). The reset bits have the same places.
pub fn gate(device: Device) -> Gate {
    match device {
        Device::Timer(TIM1) => Gate::Apb2(11),
        Device::Timer(TIM8) => Gate::Apb2(13),
        Device::Timer(index) => Gate::Apb1(index as u32),
        Device::Usart(0) => Gate::Apb2(14),
        Device::Usart(index) => Gate::Apb1(16 + index as u32),
        Device::Spi(0) => Gate::Apb2(12),
        Device::Spi(index) => Gate::Apb1(13 + index as u32),
        Device::I2c(index) => Gate::Apb1(21 + index as u32),
        Device::Adc(2) => Gate::Apb2(15),
        Device::Adc(index) => Gate::Apb2(9 + index as u32),
        Device::Dma(index) => Gate::Ahb(index as u32),
        Device::Crc => Gate::Ahb(6),
        Device::Gpio(port) => Gate::Apb2(2 + port as u32),
        Device::Afio => Gate::Apb2(0),
        Device::Wwdg => Gate::Apb1(11),
        Device::Rtc | Device::Bkp => Gate::Apb1(27),
        Device::Pwr => Gate::Apb1(28),
        _ => Gate::None,
    }
}

/// Readable name of a device.
pub fn name(device: Device) -> String {
    match device {
        Device::Timer(TIM1) => "TIM1".to_string(),
        Device::Timer(TIM8) => "TIM8".to_string(),
        Device::Timer(index) => format!("TIM{}", index + 2),
        Device::Usart(index) if index > 2 => format!("UART{}", index + 1),
        Device::Usart(index) => format!("USART{}", index + 1),
        Device::Spi(index) => format!("SPI{}", index + 1),
        Device::I2c(index) => format!("I2C{}", index + 1),
        Device::Adc(index) => format!("ADC{}", index + 1),
        Device::Dma(index) => format!("DMA{}", index + 1),
        Device::Gpio(port) => format!("GPIO{}", char::from(b'A' + port as u8)),
        Device::Other(name) => name.to_string(),
        known => format!("{:?}", known).to_uppercase(),
    }
}
