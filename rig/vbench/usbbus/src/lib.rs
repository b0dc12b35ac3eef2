//! A USB bus without USB: logic analyzers for the unmodified drivers of libsigrok, in real time.
//!
//! As `libusb-1.0.so.0` in a folder of `LD_LIBRARY_PATH` this library is what programs take for libusb. It presents what
//! the file `bus` of the folder in `$GPIORIG_USB` names: FX2 boards (driver `fx2lafw`), a DSLogic Plus in stream mode
//! (`dreamsourcelab-dslogic`), a Saleae Logic16 (`saleae-logic16`). Resources, firmware upload, renumeration, claims,
//! control and bulk transfers and the event loop are libsigrok's own.
//!
//! # The folder
//!
//! `bus`: items, one a line, `#` begins a comment. An unknown key or value is an error of `libusb_init`, on stderr.
//!
//! | item | keys (what holds without them) |
//! | -- | -- |
//! | `device` | `model=fx2\|fx2-16\|dslogic\|logic16`; `vid` `pid` (the model's); `bus` (1); `port=1.3` (its number, from 1); `firmware=none\|loaded`; `renumerate_s` (1.8); `firmware_version` (1.4); `ppm` and `drift` (ppm per s) of its clock; `usb_bytes_s` (40e6) that it can send; `fifo_bytes` (2048); `open_error` `claim_error` (`ACCESS`, `BUSY` …); `noise_samples` random samples at the start of each `noise_every` (2048) |
//! | | `signal=counter half_period_ns=N` (500000): channel k toggles each N x 2^k; `signal=edges FILE` (lines `ns hexlevels`), again after `loop_s`; `signal=beaglelogic HOST:PORT`: samples of a server, at its pace and by its clock |
//! | `fault` | `device` (0), `run` (the 1st start), `at_s` after that start (1), `kind`: `lost` (`n` bytes), `failed`, `overflow`, `empty` (`n` transfers), `stall`, `hang`, `fifo`, `unplug` (`back_s`; `address=other\|same`), `die`, `rotate` (`n` words of 16 bits) |
//! | `host` | `usbfs_mb` (16) for the transfers of all processes; `stall at_s for_s device run`: no events are read for a while |
//!
//! `state`: a file that the processes map ([`state`]). `truth`: a line when a start begins to sample
//! (`start device run rate_hz unit channels start_ns …`), for each part of the stream that no transfer gets
//! (`lost device run sample samples kind byte bytes`), and at the end (`end device run sample kind`: `sample` is the first
//! that did not leave the device). `log`: with `$GPIORIG_USB_LOG` from 1 to 3.
//!
//! Times of signals and starts are nanoseconds on one axis, from the first use of the bus or its reset on. Sample n of a
//! start sees the edges up to `start_ns + n / rate`, in integers: an edge at t is in sample
//! `ceil((t - start_ns) * rate_uhz / 10^15)`, with the rate in uHz of `rate_hz` ([`clock`]). Noise is a function of n
//! ([`signal::noise`]).
//!
//! With `$SYSFS_PATH`, devices are those that it lists, as of libusb on Linux: a program never sees one there before its
//! files. [`plug`] has a C interface to look at a bus and to plug devices in and out.
//!
//! # What holds, and what cannot be shown here
//!
//! As on Linux: transfers of an endpoint end in their order; one that times out or is taken back ends through the event
//! loop with what it has got, and its data is not sent twice; a callback may submit, cancel and free; a submission beyond
//! usbfs' memory is refused with `NO_MEM`; what is unplugged ends with `NO_DEVICE`. From firmware and drivers: an FX2
//! whose FIFO is full stops sampling and sends nothing more (sigrok-firmware-fx2lafw, gpif-acquisition.c); a board that
//! gets firmware is away for a while and has another address.
//!
//! Modelled by assumption: a failed transfer ends at once and loses just what it held; data comes in packets of 512 bytes
//! without delay; the other devices of a bus take no bandwidth; the FIFOs of DSLogic and Logic16 behave as an FX2's.
//! Not modelled: how usbfs splits transfers, host controllers, hubs, retries of packets, the microframe's schedule, the
//! DSLogic's memory and its buffered mode (it never answers), contents of firmware and bitstreams (any bytes do), the
//! Logic16's EEPROM, analog channels, hotplug events, descriptors beyond those that the drivers read. Boards alone can
//! show these.

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
