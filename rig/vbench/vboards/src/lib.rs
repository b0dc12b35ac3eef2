//! Virtual boards: instruction-level cores, the chips and radios around them, and the air between them, on one
//! integer picosecond clock. The same images, seed and settings give the same edges, whatever the slice.
//!
//! Nothing beyond [`capi`] is unsafe, no time is a float, and nothing depends on the order of a hash map.

#![deny(unsafe_code)]

pub mod air;
pub mod analyzer;
pub mod bench;
pub mod board;
pub mod boards;
pub mod bus;
#[allow(unsafe_code)]
pub mod capi;
pub mod clock;
pub mod core;
pub mod debug;
pub mod elf;
pub mod exact;
pub mod hostpath;
pub mod identity;
pub mod log;
pub mod radio;
pub mod rng;
pub mod soc;
pub mod sync;
pub mod timing_changes;
pub mod trace;
