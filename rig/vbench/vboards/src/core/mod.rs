//! Instruction-level processor cores. They know no chip: everything beyond their memory goes through [`crate::bus::Bus`].

pub mod msp430;
pub mod v7m;
