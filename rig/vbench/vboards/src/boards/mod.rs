//! The boards that exist, one file each, and what they share.

pub mod adg715;
mod both;
pub mod bsl;
pub mod cortex;
pub mod ds2411;
pub mod iotlab_m3;
pub mod m25p80;
pub mod msp430;
pub mod nrf52840dk;
pub mod nucleo_l476rg;
pub mod nucleo_l476rg_at86rf231;
pub mod nucleo_l476rg_mrf24j40;
pub mod telosb;
pub mod wiring;
