//! The bus as one process sees it: its open devices, its transfers, its wait for events.

use crate::abi::{self, Code};
use crate::config::{Config, DeviceConfig};
use crate::device::{self, Answer, Device, Order, Request};
use crate::pipe::Pipe;
use crate::run::{Place, Run, Start};
use crate::signal::Signal;
use crate::state::State;
use crate::sys::{self, Timer};
use crate::transfer::{Completion, Pending};
use crate::truth::Truth;
use std::collections::{HashMap, VecDeque};
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The boot loader in the FX2's silicon: it writes RAM, and holds the 8051 in reset (CY7C68013A, TRM 3.4, 5.3).
const WRITE_RAM: u8 = 0xa0;
const CPUCS: u16 = 0xe600;
/// How soon a plug that another process pulls is seen, and data of a server.
const LOOK_NS: i64 = 50_000_000;
const LOOK_FED_NS: i64 = 2_000_000;

/// A device that this process has opened.
struct Open {
    id: usize,
    index: usize,
    address: u8,
    device: Box<dyn Device>,
    pipe: Pipe,
    in_reset: bool,
}

pub struct Bus {
    pub config: Config,
    folder: PathBuf,
    sysfs: Option<PathBuf>,
    log_level: u8,
    signals: Vec<Option<Signal>>,
    state: State,
    epoch_ns: i64,
    truth: Truth,
    pub timer: Timer,
    opens: Vec<Open>,
    next_id: usize,
    done: VecDeque<Completion>,
    /// Handle and usbfs memory of each transfer that is submitted and has not had its callback.
    submitted: HashMap<usize, (usize, u64)>,
    /// When nothing here reads events: from, until.
    stalls: Vec<(i64, i64)>,
}

impl Bus {
    /// The bus of `folder`, which Linux shows in `sysfs`.
    pub fn open(folder: &Path, sysfs: Option<PathBuf>, log_level: u8) -> Result<Bus, String> {
        let config = Config::read(folder)?;
        let signals: Result<Vec<_>, String> = config
            .devices
            .iter()
            .map(|device| Signal::read(&device.signal))
            .collect();
        let state = State::open(folder, &config)?;
        Ok(Bus {
            signals: signals?,
            folder: folder.to_path_buf(),
            sysfs,
            log_level,
            epoch_ns: state.epoch_ns(),
            state,
            truth: Truth::new(folder),
            timer: Timer::new().map_err(|error| error.to_string())?,
            opens: Vec::new(),
            next_id: 1,
            done: VecDeque::new(),
            submitted: HashMap::new(),
            stalls: Vec::new(),
            config,
        })
    }

    /// Appends a line to the file `log`.
    pub fn log(&self, level: u8, text: impl FnOnce() -> String) {
        if level > self.log_level {
            return;
        }
        let line = format!(
            "{:.6} {} {}\n",
            (sys::now_ns() - self.epoch_ns) as f64 * 1e-9,
            std::process::id(),
            text()
        );
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(self.folder.join("log"));
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }

    /// Devices on the bus now, with their addresses; with a sysfs those that it lists, as of libusb on Linux
    /// (libusb 1.0.26, os/linux_usbfs.c, sysfs_get_device_list).
    pub fn present(&self) -> Vec<(usize, u8)> {
        let (mut shared, now_ns) = (self.state.lock(), sys::now_ns());
        let all = 0..self.config.devices.len();
        all.filter_map(|index| Some((index, shared.address(index, now_ns)?)))
            .filter(|&(index, address)| {
                self.sysfs
                    .as_ref()
                    .map_or(true, |sysfs| self.is_listed(sysfs, index, address))
            })
            .collect()
    }

    fn is_listed(&self, sysfs: &Path, index: usize, address: u8) -> bool {
        let device = &self.config.devices[index];
        let path = format!("bus/usb/devices/{}-{}/devnum", device.bus, device.port_path());
        fs::read_to_string(sysfs.join(path)).map_or(false, |number| number.trim() == address.to_string())
    }

    fn is_there(&self, index: usize, address: u8) -> bool {
        self.state.lock().address(index, sys::now_ns()) == Some(address)
    }

    pub fn has_firmware(&self, index: usize) -> bool {
        self.state.lock().devices[index].firmware != 0
    }

    /// The string with this number, of the device of handle `id`: none without firmware.
    pub fn string(&mut self, id: usize, number: u8) -> Result<&'static str, Code> {
        let open = self.reach(id)?;
        let (strings, index) = (open.device.strings(), open.index);
        match number {
            1 if self.has_firmware(index) => Ok(strings.0),
            2 if self.has_firmware(index) => Ok(strings.1),
            _ => Err(abi::ERROR_INVALID_PARAM),
        }
    }

    /// The endpoint of device `index` that streams.
    pub fn stream_endpoint(&self, index: usize) -> u8 {
        device::of(&self.config.devices[index]).stream_endpoint()
    }

    /// Opens device `index`, seen at `address`. Returns a number for the handle.
    pub fn open_device(&mut self, index: usize, address: u8) -> Result<usize, Code> {
        let config = &self.config.devices[index];
        if config.open_error != abi::SUCCESS {
            return Err(config.open_error);
        }
        if !self.is_there(index, address) {
            return Err(abi::ERROR_NO_DEVICE);
        }
        let id = self.next_id;
        self.next_id += 1;
        let device = device::of(&self.config.devices[index]);
        self.opens.push(Open {
            id,
            index,
            address,
            device,
            pipe: Pipe::default(),
            in_reset: false,
        });
        self.log(2, || format!("open device {} at address {}", index, address));
        Ok(id)
    }

    /// Closes a handle. Transfers that it still has get no callback (core.c, do_close).
    pub fn close_device(&mut self, id: usize) {
        self.advance();
        if let Some(at) = self.opens.iter().position(|open| open.id == id) {
            let mut open = self.opens.remove(at);
            if let Some(run) = &mut open.pipe.run {
                run.end("closed");
            }
            self.release(open.index);
            let left: Vec<usize> = self
                .submitted
                .iter()
                .filter(|entry| entry.1 .0 == id)
                .map(|entry| *entry.0)
                .collect();
            self.done.retain(|completion| !left.contains(&completion.id));
            left.into_iter().for_each(|transfer| self.forget(transfer));
            self.log(2, || format!("close device {}", open.index));
        }
    }

    pub fn claim(&mut self, id: usize) -> Code {
        let open = match self.find(id) {
            Some(open) => open,
            None => return abi::ERROR_NO_DEVICE,
        };
        let (index, address) = (open.index, open.address);
        if self.config.devices[index].claim_error != abi::SUCCESS {
            return self.config.devices[index].claim_error;
        }
        if !self.is_there(index, address) {
            return abi::ERROR_NO_DEVICE;
        }
        let mut shared = self.state.lock();
        let (owner, pid) = (&mut shared.devices[index].claimed_by, std::process::id());
        if *owner != pid && sys::is_alive(*owner) {
            return abi::ERROR_BUSY;
        }
        *owner = pid;
        abi::SUCCESS
    }

    pub fn release_interface(&mut self, id: usize) -> Code {
        match self.find(id).map(|open| open.index) {
            Some(index) => {
                self.release(index);
                abi::SUCCESS
            }
            None => abi::ERROR_NO_DEVICE,
        }
    }

    fn release(&mut self, index: usize) {
        let owner = &mut self.state.lock().devices[index].claimed_by;
        if *owner == std::process::id() {
            *owner = 0;
        }
    }

    fn find(&mut self, id: usize) -> Option<&mut Open> {
        self.opens.iter_mut().find(|open| open.id == id)
    }

    /// The device of handle `id`, where it is still plugged in as it was opened.
    fn reach(&mut self, id: usize) -> Result<&mut Open, Code> {
        let place = self.find(id).map(|open| (open.index, open.address));
        match place {
            Some((index, address)) if self.is_there(index, address) => self.find(id).ok_or(abi::ERROR_NO_DEVICE),
            _ => Err(abi::ERROR_NO_DEVICE),
        }
    }

    /// A vendor request.
    pub fn control(&mut self, id: usize, request: Request, data: &mut [u8]) -> Result<usize, Code> {
        self.advance();
        self.log(3, || format!("control {:?}, {} bytes", request, data.len()));
        let open = self.reach(id)?;
        let index = open.index;
        if request.request == WRITE_RAM && !request.is_in {
            return self.load(id, request.value, data);
        }
        if !self.has_firmware(index) {
            return Err(abi::ERROR_PIPE);
        }
        let answer = self.reach(id)?.device.control(request, data);
        self.answered(id, answer)
    }

    /// A synchronous transfer on an endpoint that does not stream.
    pub fn bulk(&mut self, id: usize, endpoint: u8, data: &mut [u8]) -> Result<usize, Code> {
        self.advance();
        let open = self.reach(id)?;
        let answer = match endpoint & abi::ENDPOINT_IN {
            0 => open.device.bulk_out(endpoint, data),
            _ => open.device.bulk_in(endpoint, data),
        };
        self.answered(id, answer)
    }

    fn answered(&mut self, id: usize, answer: Answer) -> Result<usize, Code> {
        let (length, order) = answer?;
        match order {
            Some(Order::Start(start)) => self.start(id, start),
            Some(Order::Stop) => {
                let open = self.reach(id)?;
                if let Some(run) = &mut open.pipe.run {
                    run.end("stopped");
                }
            }
            None => (),
        }
        self.advance();
        self.rearm();
        Ok(length)
    }

    /// The boot loader: RAM is written while the 8051 is in reset; its release starts the firmware.
    fn load(&mut self, id: usize, address: u16, data: &[u8]) -> Result<usize, Code> {
        let open = self.find(id).ok_or(abi::ERROR_NO_DEVICE)?;
        let (index, was_in_reset) = (open.index, open.in_reset);
        if address != CPUCS {
            if !was_in_reset {
                return Err(abi::ERROR_PIPE);
            }
            self.state.lock().devices[index].uploaded_bytes += data.len() as u64;
            return Ok(data.len());
        }
        let in_reset = data.first().map_or(false, |byte| byte & 1 != 0);
        open.in_reset = in_reset;
        let mut shared = self.state.lock();
        let uploaded_bytes = shared.devices[index].uploaded_bytes;
        if in_reset {
            shared.devices[index].uploaded_bytes = 0;
        } else if was_in_reset && uploaded_bytes > 0 {
            shared.renumerate(&self.config, index, sys::now_ns());
            drop(shared);
            self.log(1, || {
                format!("device {}: firmware of {} bytes runs", index, uploaded_bytes)
            });
        }
        Ok(data.len())
    }

    fn start(&mut self, id: usize, start: Start) {
        let now_ns = sys::now_ns();
        let index = match self.find(id) {
            Some(open) => open.index,
            None => return,
        };
        let number = self.state.lock().start(&self.config, index, now_ns);
        let of_run = |device: usize, run: u32| device == index && run == number;
        let faults = self
            .config
            .faults
            .iter()
            .filter(|fault| of_run(fault.device, fault.run))
            .cloned()
            .collect();
        for stall in self
            .config
            .host
            .stalls
            .iter()
            .filter(|stall| of_run(stall.device, stall.run))
        {
            self.stalls
                .push((now_ns + stall.at_ns, now_ns + stall.at_ns + stall.for_ns));
        }
        self.log(1, || format!("device {} starts, run {}: {:?}", index, number, start));
        let place = Place {
            device: index,
            run: number,
            epoch_ns: self.epoch_ns,
            truth: self.truth.clone(),
        };
        let run = Run::new(
            place,
            start,
            self.device(index),
            self.signals[index].clone(),
            faults,
            now_ns,
        );
        if let Some(open) = self.find(id) {
            if let Some(before) = &mut open.pipe.run {
                before.end("restarted");
            }
            open.pipe.run = Some(run);
        }
    }

    /// Queues a transfer of `id`'s streaming endpoint.
    pub fn submit(&mut self, id: usize, endpoint: u8, transfer: Pending) -> Code {
        self.advance();
        let open = match self.reach(id) {
            Ok(open) => open,
            Err(code) => return code,
        };
        if open.device.stream_endpoint() != endpoint {
            return abi::ERROR_NOT_FOUND;
        }
        if self.submitted.contains_key(&transfer.id) {
            return abi::ERROR_BUSY;
        }
        let (bytes, limit) = (transfer.buffer.len() as u64, self.config.host.usbfs_bytes);
        if !self.state.lock().take_memory(std::process::id(), bytes, limit) {
            self.log(1, || format!("no usbfs memory for {} bytes", bytes));
            return abi::ERROR_NO_MEM;
        }
        self.submitted.insert(transfer.id, (id, bytes));
        if let Some(open) = self.find(id) {
            open.pipe.submit(transfer);
        }
        self.rearm();
        abi::SUCCESS
    }

    pub fn cancel(&mut self, id: usize, transfer: usize) -> Code {
        let now_ns = self.advance();
        let mut done = Vec::new();
        let found = match self.find(id) {
            Some(open) => open.pipe.cancel(transfer, now_ns, &mut done),
            None => return abi::ERROR_NO_DEVICE,
        };
        self.done.extend(done);
        self.rearm();
        if found {
            abi::SUCCESS
        } else {
            abi::ERROR_NOT_FOUND
        }
    }

    pub fn clear_halt(&mut self, id: usize) -> Code {
        match self.reach(id) {
            Ok(open) => {
                open.pipe.clear_halt();
                abi::SUCCESS
            }
            Err(code) => code,
        }
    }

    /// How many transfers wait for their callbacks; 0 while the host is stalled.
    pub fn ready(&mut self) -> usize {
        self.timer.clear();
        self.advance();
        self.rearm();
        if self.stalled_until(sys::now_ns()).is_some() {
            0
        } else {
            self.done.len()
        }
    }

    /// The next transfer that waits for its callback.
    pub fn take_done(&mut self) -> Option<Completion> {
        let completion = self.done.pop_front()?;
        self.forget(completion.id);
        self.log(3, || {
            format!(
                "transfer {:x}: {:?}, {} bytes",
                completion.id, completion.status, completion.length
            )
        });
        Some(completion)
    }

    /// Gives back what transfer `id` holds.
    fn forget(&mut self, id: usize) {
        if let Some((_, bytes)) = self.submitted.remove(&id) {
            self.state.lock().give_memory(std::process::id(), bytes);
        }
    }

    fn stalled_until(&self, now_ns: i64) -> Option<i64> {
        self.stalls
            .iter()
            .find(|stall| stall.0 <= now_ns && now_ns < stall.1)
            .map(|stall| stall.1)
    }

    /// Brings all open devices to now, which it returns.
    fn advance(&mut self) -> i64 {
        let now_ns = sys::now_ns();
        if self.stalled_until(now_ns).is_some() {
            return now_ns;
        }
        let mut done = Vec::new();
        for open in &mut self.opens {
            if open.pipe.is_empty() && open.pipe.run.is_none() {
                continue;
            }
            let mut shared = self.state.lock();
            let gone_ns = shared.devices[open.index].gone_ns;
            let there = shared.address(open.index, now_ns) == Some(open.address);
            drop(shared);
            if there {
                open.pipe.advance(now_ns, &mut done);
            } else {
                let gone_ns = if gone_ns == 0 { now_ns } else { gone_ns.min(now_ns) };
                open.pipe.advance(gone_ns, &mut done);
                open.pipe.vanish(gone_ns, &mut done);
            }
            if open.pipe.run.as_ref().map_or(false, Run::has_overflowed) {
                open.device.overflow();
            }
        }
        self.done.extend(done);
        now_ns
    }

    /// Sets the timer to what comes next.
    pub fn rearm(&mut self) {
        let now_ns = sys::now_ns();
        let mut next_ns = self.opens.iter().filter_map(|open| open.pipe.next_ns()).min();
        if self.opens.iter().any(|open| !open.pipe.is_empty()) {
            let fed = self
                .opens
                .iter()
                .any(|open| open.pipe.run.as_ref().map_or(false, Run::is_fed));
            let look_ns = now_ns + if fed { LOOK_FED_NS } else { LOOK_NS };
            next_ns = Some(next_ns.map_or(look_ns, |next_ns| next_ns.min(look_ns)));
        }
        if !self.done.is_empty() {
            next_ns = Some(now_ns);
        }
        if let (Some(until_ns), Some(_)) = (self.stalled_until(now_ns), next_ns) {
            next_ns = Some(until_ns);
        }
        self.timer.set(next_ns);
    }

    /// The configuration of device `index`.
    pub fn device(&self, index: usize) -> &DeviceConfig {
        &self.config.devices[index]
    }
}
