//! Instruction-level processor cores. They know no chip: everything beyond their memory goes through [`crate::bus::Bus`].

pub mod v7m;
pub mod msp430;
