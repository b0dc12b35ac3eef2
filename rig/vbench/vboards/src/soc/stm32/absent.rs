//! Remarks on I2C and SPI where no modelled device answers.

use crate::log::{Log, Topic};

/// An address on I2C that was not acknowledged; `index` is 0 for I2C1.
pub fn i2c(log: &mut Log, t_ps: u64, index: usize, address: u8) {
    let key = 0x5000 | (index as u32) << 8 | u32::from(address);
    log.once(t_ps, Topic::Device, key, || {
        format!("I2C{}: no device is modelled at address 0x{:02x}", index + 1, address)
    });
}

/// A transfer on SPI that reads 0; `index` is 0 for SPI1.
pub fn spi(log: &mut Log, t_ps: u64, index: usize) {
    log.once(t_ps, Topic::Device, 0x6000 | index as u32, || {
        format!("SPI{}: no modelled device is selected, it reads 0x00", index + 1)
    });
}
