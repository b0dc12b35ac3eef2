//! The boards that exist, one file each, and what they share.

mod both;
pub mod cortex;
pub mod iotlab_m3;
pub mod nucleo_l476rg;
pub mod nucleo_l476rg_at86rf231;
pub mod wiring;
pub mod yetimote;
