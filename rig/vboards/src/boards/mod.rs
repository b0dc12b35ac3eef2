//! The boards, one file each.

mod cortex;
pub mod iotlab_m3;
