//! The file `state`: what the processes share of a bus. Firmware, addresses, claims, starts, usbfs' memory.

use crate::config::{Config, MAX_DEVICES, MAX_FAULTS};
use crate::fault::Kind;
use crate::sys::{self, Mapping};
use std::fs::OpenOptions;
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// "usbbus" and the number of this structure's version.
const MAGIC: u64 = 0x7573_6262_7573_0001;
const MAX_PROCESSES: usize = 64;
const FIRST_ADDRESS: u32 = 5;
const LAST_ADDRESS: u32 = 127; // USB 2.0, 9.4.6: addresses have 7 bits

/// One device. Times are of CLOCK_MONOTONIC in ns; 0 is none.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceState {
    pub address: u32,
    pub firmware: u32,
    pub claimed_by: u32,
    pub runs: u32,
    pub unplugged: u32,
    pub same_address: u32,
    pub uploaded_bytes: u64,
    /// It is there from this instant on.
    pub present_ns: i64,
    /// When a fault pulls its cable, and when it is plugged in again (0: never).
    pub gone_ns: i64,
    pub back_ns: i64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ProcessState {
    pub pid: u32,
    pub padding: u32,
    /// usbfs memory of its transfers.
    pub bytes: u64,
}

#[repr(C)]
pub struct Shared {
    pub magic: u64,
    /// Zero of the signals' axis.
    pub epoch_ns: i64,
    pub next_address: u32,
    pub padding: u32,
    pub devices: [DeviceState; MAX_DEVICES],
    pub struck: [u32; MAX_FAULTS],
    pub processes: [ProcessState; MAX_PROCESSES],
}

/// The mapped file.
pub struct State {
    mapping: Mapping,
}

/// The shared structure, locked against other processes.
pub struct Locked<'a> {
    state: &'a State,
}

impl State {
    /// Opens `folder`/state, makes it where it is missing or of a bus that was reset.
    pub fn open(folder: &Path, config: &Config) -> Result<State, String> {
        let path = folder.join("state");
        let with_path = |error: std::io::Error| format!("{}: {}", path.display(), error);
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(with_path)?;
        let length = std::mem::size_of::<Shared>();
        if file.metadata().map_err(with_path)?.len() < length as u64 {
            file.set_len(length as u64).map_err(with_path)?;
        }
        let state = State {
            mapping: Mapping::new(file, length).map_err(with_path)?,
        };
        let mut shared = state.lock();
        if shared.magic != MAGIC {
            shared.reset(config, sys::now_ns());
        }
        shared.add_devices(config);
        drop(shared);
        Ok(state)
    }

    pub fn lock(&self) -> Locked<'_> {
        self.mapping.lock();
        Locked { state: self }
    }

    /// Zero of the signals' axis.
    pub fn epoch_ns(&self) -> i64 {
        self.lock().epoch_ns
    }
}

impl Deref for Locked<'_> {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        unsafe { &*self.state.mapping.address().cast() }
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Shared {
        unsafe { &mut *self.state.mapping.address().cast() }
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.state.mapping.unlock();
    }
}

impl Shared {
    /// A fresh bus: everything is plugged in now.
    pub fn reset(&mut self, config: &Config, now_ns: i64) {
        self.magic = MAGIC;
        self.epoch_ns = now_ns;
        self.next_address = FIRST_ADDRESS;
        self.devices = Default::default();
        self.struck = [0; MAX_FAULTS];
        self.processes = [ProcessState::default(); MAX_PROCESSES];
        self.add_devices(config);
    }

    /// Plugs in what the configuration has and the bus has not had before.
    fn add_devices(&mut self, config: &Config) {
        for (index, device) in config.devices.iter().enumerate() {
            if self.devices[index].address == 0 {
                self.devices[index].address = self.take_address();
                self.devices[index].firmware = u32::from(device.firmware_loaded);
            }
        }
    }

    fn take_address(&mut self) -> u32 {
        let address = self.next_address;
        self.next_address = if address >= LAST_ADDRESS {
            FIRST_ADDRESS
        } else {
            address + 1
        };
        address
    }

    /// Brings device `index` to `now_ns`: a pulled cable shows whether or not a driver runs.
    pub fn settle(&mut self, index: usize, now_ns: i64) {
        let device = self.devices[index];
        if device.gone_ns == 0 || now_ns < device.gone_ns {
            return;
        }
        self.devices[index].gone_ns = 0;
        self.unplug(index, device.same_address != 0);
        self.devices[index].unplugged = u32::from(device.back_ns == 0);
        self.devices[index].present_ns = device.back_ns;
    }

    /// Pulls the cable: firmware, claim and address are lost.
    pub fn unplug(&mut self, index: usize, same_address: bool) {
        let address = if same_address {
            self.devices[index].address
        } else {
            self.take_address()
        };
        let runs = self.devices[index].runs;
        self.devices[index] = DeviceState {
            address,
            runs,
            unplugged: 1,
            ..Default::default()
        };
    }

    /// The uploaded firmware runs: the device leaves the bus and comes back at another address.
    pub fn renumerate(&mut self, config: &Config, index: usize, now_ns: i64) {
        self.devices[index].address = self.take_address();
        self.devices[index].firmware = 1;
        self.devices[index].claimed_by = 0;
        self.devices[index].present_ns = now_ns + config.devices[index].renumerate_ns;
    }

    /// The address of device `index`, where it is on the bus now.
    pub fn address(&mut self, index: usize, now_ns: i64) -> Option<u8> {
        self.settle(index, now_ns);
        let device = &self.devices[index];
        Some(device.address as u8).filter(|_| device.unplugged == 0 && now_ns >= device.present_ns)
    }

    /// Counts a start of device `index`, and lets a fault pull its cable in this run. Returns the run, from 1.
    pub fn start(&mut self, config: &Config, index: usize, now_ns: i64) -> u32 {
        self.devices[index].runs += 1;
        let run = self.devices[index].runs;
        for (number, fault) in config.faults.iter().enumerate() {
            if let (true, Kind::Unplug { back_ns, same_address }) =
                (fault.device == index && fault.run == run, &fault.kind)
            {
                self.struck[number] = 1;
                let device = &mut self.devices[index];
                device.gone_ns = now_ns + fault.at_ns;
                device.back_ns = back_ns.map_or(0, |back_ns| device.gone_ns + back_ns);
                device.same_address = u32::from(*same_address);
            }
        }
        run
    }

    /// Takes `bytes` of usbfs' memory for process `pid`; false where the limit of all processes forbids it
    /// (Linux, drivers/usb/core/devio.c, usbfs_increase_memory_usage).
    pub fn take_memory(&mut self, pid: u32, bytes: u64, limit: u64) -> bool {
        let used: u64 = self.processes.iter().map(|process| process.bytes).sum();
        if used + bytes > limit {
            // The kernel gives back what a dead process had.
            for process in self.processes.iter_mut().filter(|process| !sys::is_alive(process.pid)) {
                *process = ProcessState::default();
            }
            let used: u64 = self.processes.iter().map(|process| process.bytes).sum();
            if used + bytes > limit {
                return false;
            }
        }
        match self.process(pid) {
            Some(process) => process.bytes += bytes,
            None => return false,
        }
        true
    }

    pub fn give_memory(&mut self, pid: u32, bytes: u64) {
        if let Some(process) = self.process(pid) {
            process.bytes = process.bytes.saturating_sub(bytes);
        }
    }

    fn process(&mut self, pid: u32) -> Option<&mut ProcessState> {
        let at = self.processes.iter().position(|process| process.pid == pid);
        let at = at.or_else(|| {
            self.processes
                .iter()
                .position(|process| process.bytes == 0 || !sys::is_alive(process.pid))
        });
        let process = &mut self.processes[at?];
        if process.pid != pid {
            *process = ProcessState {
                pid,
                ..Default::default()
            };
        }
        Some(process)
    }
}
