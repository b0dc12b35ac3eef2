//! Virtual boards: instruction-level cores, the chips and radios around them, and the air between them, on one
//! integer picosecond clock. The same images, seed and settings give the same edges, whatever the quantum.

pub mod bus;
pub mod core;
