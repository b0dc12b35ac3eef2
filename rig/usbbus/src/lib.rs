//! A USB bus without USB.
pub mod abi;
pub mod beaglelogic;
pub mod bus;
pub mod clock;
pub mod config;
pub mod device;
pub mod fault;
pub mod ffi;
pub mod layout;
pub mod pipe;
pub mod plug;
pub mod run;
pub mod signal;
pub mod state;
pub mod sys;
pub mod transfer;
pub mod truth;
