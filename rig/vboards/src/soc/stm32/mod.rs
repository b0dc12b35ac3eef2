//! Devices that the STM32 families have in common.

pub mod dma;
pub mod timer;
