//! Kernels of gpiorig's capture component, with a C interface that Python loads by ctypes.
//!
//! A kernel sees plain memory and scalars. The caller owns every buffer and every state, so nothing is freed here. The
//! kernels are safe Rust, a module each; the unsafe code of the crate is in [`ffi`], which has a module for each kernel,
//! and a panic becomes the result [`ffi::PANICKED`] instead of crossing the boundary.

#![deny(unsafe_op_in_unsafe_fn)]

pub mod changes;
pub mod crc;
pub mod decimal;
pub mod deflate;
pub mod edges;
pub mod extents;
pub mod ffi;
pub mod huffman;
pub mod inflate;
pub mod layer_times;
pub mod member;
pub mod ownership;
pub mod pauses;
pub mod runs;
pub mod scan;
pub mod search;
pub mod sent_events;
pub mod span_ends;
pub mod spi;
pub mod step_times;
pub mod symbol_bus;
pub mod table;
mod thread_times;
pub mod uart;
pub mod vcd;
pub mod window;
