//! CTRL-AP, Nordic's access port (PS "Debug and trace", CTRL-AP): reset and erase from outside.
//!
//! Not modelled: the erase of the RAM.

use super::Nrf52840;

const RESET: u8 = 0x00;
const ERASEALL: u8 = 0x04;
const ERASEALLSTATUS: u8 = 0x08;
const APPROTECTSTATUS: u8 = 0x0C;
const IDR: u8 = 0xFC;
/// IDR (OpenOCD 0.12, target/nrf52.cfg, nrf52_recover).
const ID: u32 = 0x0288_0000;

impl Nrf52840 {
    /// A register's value, and the level that a write gives the reset line.
    pub(super) fn control_port(&mut self, register: u8, write: Option<u32>, cycle: u64) -> (u32, Option<bool>) {
        let at = self.at(cycle);
        match (register, write) {
            (RESET, Some(value)) => return (0, Some(value & 1 == 1)),
            (ERASEALL, Some(value)) if value & 1 == 1 => {
                self.nvmc.erase_all(at);
                self.power.protection.erase();
            }
            _ => {}
        }
        let value = match register {
            ERASEALLSTATUS => u32::from(self.nvmc.busy_until(at.ps).is_some()),
            APPROTECTSTATUS => u32::from(self.power.protection.is_open()), // 1: not protected (PS "CTRL-AP")
            IDR => ID,
            _ => 0,
        };
        (value, None)
    }
}
