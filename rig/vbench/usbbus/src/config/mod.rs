//! The file `bus`: what is plugged in, what goes wrong, what the host can do.

mod keys;

use crate::abi::{self, Code};
use crate::fault::{Fault, Kind};
use keys::Keys;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Most devices, faults, ports in a row (USB 2.0, 4.1.1: five hubs).
pub const MAX_DEVICES: usize = 16;
pub const MAX_FAULTS: usize = 64;
const MAX_PORTS: usize = 6;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// An FX2 with 8 channels.
    Fx2,
    /// An FX2 with 16 channels.
    Fx2Wide,
    DsLogic,
    Logic16,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SignalConfig {
    /// A binary counter: channel k toggles each `half_period_ns` x 2^k.
    Counter { half_period_ns: i64 },
    /// Lines `ns hexlevels` of a file; again from the start after `loop_ns`.
    Edges { file: PathBuf, loop_ns: Option<i64> },
    /// Samples of a server that speaks BeagleLogic's protocol.
    BeagleLogic { address: String },
}

#[derive(Clone, Debug)]
pub struct DeviceConfig {
    pub model: Model,
    pub vid: u16,
    pub pid: u16,
    pub bus: u8,
    pub ports: Vec<u8>,
    pub firmware_loaded: bool,
    pub renumerate_ns: i64,
    pub firmware_version: (u8, u8),
    /// The error of the sampling clock at its start, and how it grows.
    pub ppm: f64,
    pub drift_ppm_per_s: f64,
    pub usb_bytes_s: f64,
    pub fifo_bytes: u64,
    pub open_error: Code,
    pub claim_error: Code,
    pub noise_samples: u64,
    pub noise_every: u64,
    pub signal: SignalConfig,
}

impl DeviceConfig {
    /// The ports up to it, as Linux writes them.
    pub fn port_path(&self) -> String {
        let ports: Vec<String> = self.ports.iter().map(u8::to_string).collect();
        ports.join(".")
    }
}

/// For a while nothing of this process reads events: from `at_ns` after the start of run `run` of `device` on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stall {
    pub device: usize,
    pub run: u32,
    pub at_ns: i64,
    pub for_ns: i64,
}

#[derive(Clone, Debug)]
pub struct HostConfig {
    pub usbfs_bytes: u64,
    pub stalls: Vec<Stall>,
}

#[derive(Clone, Debug)]
pub struct Config {
    pub devices: Vec<DeviceConfig>,
    pub faults: Vec<Fault>,
    pub host: HostConfig,
}

impl Config {
    /// Reads `folder`/bus.
    pub fn read(folder: &Path) -> Result<Config, String> {
        let path = folder.join("bus");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {}", path.display(), error))?;
        Config::parse(&text, folder).map_err(|error| format!("{}: {}", path.display(), error))
    }

    /// Parses the text of a file `bus`; files that it names are relative to `folder`.
    pub fn parse(text: &str, folder: &Path) -> Result<Config, String> {
        let host = HostConfig {
            usbfs_bytes: 16 << 20,
            stalls: Vec::new(),
        };
        let mut config = Config {
            devices: Vec::new(),
            faults: Vec::new(),
            host,
        };
        for (number, line) in text.lines().enumerate() {
            config
                .line(line, folder)
                .map_err(|error| format!("line {}: {}", number + 1, error))?;
        }
        let devices = config.devices.len();
        let named = config.faults.iter().map(|fault| fault.device);
        match named
            .chain(config.host.stalls.iter().map(|stall| stall.device))
            .find(|&device| device >= devices)
        {
            Some(device) => Err(format!("device {} is not there ({} in all, from 0)", device, devices)),
            None => Ok(config),
        }
    }

    fn line(&mut self, line: &str, folder: &Path) -> Result<(), String> {
        let line = line.split('#').next().unwrap_or("");
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            return Ok(());
        }
        match words.remove(0) {
            "device" if self.devices.len() == MAX_DEVICES => return Err(format!("more than {} devices", MAX_DEVICES)),
            "device" => {
                let device = device(words, self.devices.len(), folder)?;
                if self
                    .devices
                    .iter()
                    .any(|neighbour| (neighbour.bus, &neighbour.ports) == (device.bus, &device.ports))
                {
                    return Err("two devices on one port".to_string());
                }
                self.devices.push(device);
            }
            "fault" if self.faults.len() == MAX_FAULTS => return Err(format!("more than {} faults", MAX_FAULTS)),
            "fault" => {
                let mut keys = Keys::of(words)?;
                self.faults.push(fault(&mut keys)?);
                keys.end()?;
            }
            "host" => self.host(words)?,
            item => return Err(format!("`{}`: an item is device, fault or host", item)),
        }
        Ok(())
    }

    fn host(&mut self, mut words: Vec<&str>) -> Result<(), String> {
        let stall = words.first() == Some(&"stall");
        if stall {
            words.remove(0);
        }
        let mut keys = Keys::of(words)?;
        if stall {
            let (device, run) = (keys.number("device", 0)?, keys.number("run", 1)?);
            let (at_ns, for_ns) = (keys.seconds("at_s", 1.0)?, keys.seconds("for_s", 0.1)?);
            self.host.stalls.push(Stall {
                device,
                run,
                at_ns,
                for_ns,
            });
        } else {
            self.host.usbfs_bytes = (keys.number("usbfs_mb", 16.0)? * (1u64 << 20) as f64) as u64;
        }
        keys.end()
    }
}

fn device(words: Vec<&str>, index: usize, folder: &Path) -> Result<DeviceConfig, String> {
    let (signal_words, words) = signal_apart(words);
    let mut keys = Keys::of(words)?;
    let model = match keys.text("model").unwrap_or("fx2") {
        "fx2" => Model::Fx2,
        "fx2-16" => Model::Fx2Wide,
        "dslogic" => Model::DsLogic,
        "logic16" => Model::Logic16,
        word => return Err(format!("model={}: fx2, fx2-16, dslogic or logic16", word)),
    };
    // libsigrok 0.5.2: fx2lafw/api.c, dreamsourcelab-dslogic/api.c, saleae-logic16/api.c
    let (vid, pid) = match model {
        Model::Fx2 => (0x0925, 0x3881),
        Model::Fx2Wide => (0x04b4, 0x8613),
        Model::DsLogic => (0x2a0e, 0x0020),
        Model::Logic16 => (0x21a9, 0x1001),
    };
    let signal = signal(signal_words, &mut keys, folder)?;
    let device = DeviceConfig {
        model,
        vid: keys.hex("vid", vid)?,
        pid: keys.hex("pid", pid)?,
        bus: keys.number("bus", 1)?,
        ports: ports(keys.text("port"), index)?,
        firmware_loaded: match keys.text("firmware").unwrap_or("none") {
            "none" => false,
            "loaded" => true,
            word => return Err(format!("firmware={}: none or loaded", word)),
        },
        renumerate_ns: keys.seconds("renumerate_s", 1.8)?,
        firmware_version: version(keys.text("firmware_version").unwrap_or("1.4"))?,
        ppm: keys.number("ppm", 0.0)?,
        drift_ppm_per_s: keys.number("drift", 0.0)?,
        usb_bytes_s: keys.positive("usb_bytes_s", 40e6)?,
        fifo_bytes: keys.positive("fifo_bytes", 2048.0)? as u64,
        open_error: code("open_error", keys.text("open_error"))?,
        claim_error: code("claim_error", keys.text("claim_error"))?,
        noise_samples: keys.number("noise_samples", 0)?,
        noise_every: keys.positive("noise_every", 2048.0)? as u64,
        signal,
    };
    keys.end()?;
    if matches!(device.signal, SignalConfig::BeagleLogic { .. }) && (device.ppm != 0.0 || device.drift_ppm_per_s != 0.0)
    {
        return Err("ppm and drift: with signal=beaglelogic the clock is the server's".to_string());
    }
    Ok(device)
}

/// Takes `signal=KIND` and the word after it, a file or an address, out of a device's words.
fn signal_apart(mut words: Vec<&str>) -> (Option<(&str, Option<&str>)>, Vec<&str>) {
    let at = match words.iter().position(|word| word.starts_with("signal=")) {
        Some(at) => at,
        None => return (None, words),
    };
    let kind = &words.remove(at)["signal=".len()..];
    let takes_word = kind != "counter" && at < words.len();
    let argument = if takes_word { Some(words.remove(at)) } else { None };
    (Some((kind, argument)), words)
}

fn signal(words: Option<(&str, Option<&str>)>, keys: &mut Keys, folder: &Path) -> Result<SignalConfig, String> {
    match words.unwrap_or(("counter", None)) {
        ("counter", None) => {
            let half_period_ns = keys.number("half_period_ns", 500_000i64)?;
            match half_period_ns > 0 {
                true => Ok(SignalConfig::Counter { half_period_ns }),
                false => Err("half_period_ns: above 0".to_string()),
            }
        }
        ("edges", Some(file)) => {
            let loop_ns = Some(keys.seconds("loop_s", 0.0)?).filter(|&loop_ns| loop_ns > 0);
            Ok(SignalConfig::Edges {
                file: folder.join(file),
                loop_ns,
            })
        }
        ("beaglelogic", Some(address)) => Ok(SignalConfig::BeagleLogic {
            address: address.to_string(),
        }),
        (kind, _) => Err(format!("signal={}: counter, edges FILE or beaglelogic HOST:PORT", kind)),
    }
}

fn fault(keys: &mut Keys) -> Result<Fault, String> {
    let kind = match keys.text("kind").unwrap_or("") {
        "lost" => Kind::Lost {
            bytes: keys.positive("n", 512.0)? as u64,
        },
        "failed" => Kind::Failed {
            transfers: keys.positive("n", 1.0)? as u64,
        },
        "overflow" => Kind::Overflow {
            transfers: keys.positive("n", 1.0)? as u64,
        },
        "empty" => Kind::Empty {
            transfers: keys.positive("n", 1.0)? as u64,
        },
        "rotate" => Kind::Rotate {
            words: keys.positive("n", 4.0)? as u64,
        },
        "stall" => Kind::Stall,
        "hang" => Kind::Hang,
        "fifo" => Kind::Fifo,
        "die" => Kind::Die,
        "unplug" => {
            let back_ns = keys.seconds("back_s", 0.0)?;
            let same_address = match keys.text("address").unwrap_or("other") {
                "other" => false,
                "same" => true,
                word => return Err(format!("address={}: other or same", word)),
            };
            Kind::Unplug {
                back_ns: Some(back_ns).filter(|&back_ns| back_ns > 0),
                same_address,
            }
        }
        word => {
            return Err(format!(
                "kind={}: lost, failed, overflow, stall, hang, empty, fifo, unplug, die or rotate",
                word
            ))
        }
    };
    Ok(Fault {
        device: keys.number("device", 0)?,
        run: keys.number("run", 1)?,
        at_ns: keys.seconds("at_s", 1.0)?,
        kind,
    })
}

fn ports(text: Option<&str>, index: usize) -> Result<Vec<u8>, String> {
    let text = match text {
        Some(text) => text,
        None => return Ok(vec![index as u8 + 1]),
    };
    let ports: Result<Vec<u8>, _> = text.split('.').map(u8::from_str).collect();
    match ports {
        Ok(ports) if ports.len() <= MAX_PORTS && !ports.contains(&0) => Ok(ports),
        _ => Err(format!(
            "port={}: up to {} numbers from 1 with dots between, as 1.3",
            text, MAX_PORTS
        )),
    }
}

fn version(text: &str) -> Result<(u8, u8), String> {
    let parts: Vec<_> = text.split('.').map(u8::from_str).collect();
    match parts[..] {
        [Ok(major), Ok(minor)] => Ok((major, minor)),
        _ => Err(format!("firmware_version={}: two numbers, as 1.4", text)),
    }
}

/// The code of an error's name without `LIBUSB_ERROR_`.
fn code(key: &str, name: Option<&str>) -> Result<Code, String> {
    let name = match name {
        Some(name) => name,
        None => return Ok(abi::SUCCESS),
    };
    let full = format!("LIBUSB_ERROR_{}\0", name);
    let found = abi::ERRORS.iter().find(|error| error.1 == full).map(|error| error.0);
    found.ok_or_else(|| format!("{}={}: a name of libusb's errors, as ACCESS, BUSY, IO", key, name))
}
