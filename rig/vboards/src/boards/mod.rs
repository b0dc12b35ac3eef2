//! The boards that exist, one file each, and what they share.

pub mod adg715;
pub mod bsl;
pub mod cortex;
pub mod iotlab_m3;
pub mod msp430;
pub mod telosb;
pub mod wiring;
