//! Devices that the STM32 families have in common.

pub mod absent;
pub mod bus;
pub mod dma;
pub mod exti;
pub mod gpio;
pub mod spi;
pub mod timer;
pub mod transfer;
pub mod usart;
