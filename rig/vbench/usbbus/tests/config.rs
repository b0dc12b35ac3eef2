//! The file `bus`: what each key does, and which text is refused.

use std::path::Path;
use usbbus::abi;
use usbbus::config::{Config, Model, SignalConfig, Stall};
use usbbus::fault::{Fault, Kind};

fn parse(text: &str) -> Result<Config, String> {
    Config::parse(text, Path::new("/bus"))
}

#[test]
fn every_key_has_its_place() {
    let config = parse(
        "# a bench\n\
         device model=fx2-16 vid=1d50 pid=0x608d bus=3 port=1.3 firmware=loaded renumerate_s=0.5 firmware_version=2.7 \
         ppm=-12.5 drift=0.1 usb_bytes_s=3e7 fifo_bytes=1024 open_error=ACCESS claim_error=BUSY noise_samples=8 \
         noise_every=512 signal=edges some=file loop_s=0.25 # its edges\n\
         device model=logic16 signal=beaglelogic 127.0.0.1:4000\n\
         device half_period_ns=77 signal=counter\n\
         fault kind=unplug device=1 run=2 at_s=0.5 back_s=2 address=same\n\
         fault kind=rotate n=8\n\
         host usbfs_mb=0.5\n\
         host stall at_s=3 for_s=0.2 device=2\n",
    )
    .unwrap();
    let wide = &config.devices[0];
    assert_eq!((wide.model, wide.vid, wide.pid), (Model::Fx2Wide, 0x1d50, 0x608d));
    assert_eq!(
        (wide.bus, &wide.ports[..], wide.firmware_loaded),
        (3, &[1, 3][..], true)
    );
    assert_eq!((wide.renumerate_ns, wide.firmware_version), (500_000_000, (2, 7)));
    assert_eq!(
        (wide.ppm, wide.drift_ppm_per_s, wide.usb_bytes_s, wide.fifo_bytes),
        (-12.5, 0.1, 3e7, 1024)
    );
    assert_eq!(
        (wide.open_error, wide.claim_error),
        (abi::ERROR_ACCESS, abi::ERROR_BUSY)
    );
    assert_eq!((wide.noise_samples, wide.noise_every), (8, 512));
    let edges = SignalConfig::Edges {
        file: "/bus/some=file".into(),
        loop_ns: Some(250_000_000),
    };
    assert_eq!(wide.signal, edges);
    assert_eq!(
        (
            config.devices[1].vid,
            config.devices[1].pid,
            &config.devices[1].ports[..]
        ),
        (0x21a9, 0x1001, &[2][..])
    );
    assert_eq!(
        config.devices[1].signal,
        SignalConfig::BeagleLogic {
            address: "127.0.0.1:4000".to_string()
        }
    );
    assert_eq!(config.devices[2].signal, SignalConfig::Counter { half_period_ns: 77 });
    let unplug = Kind::Unplug {
        back_ns: Some(2_000_000_000),
        same_address: true,
    };
    assert_eq!(
        config.faults[0],
        Fault {
            device: 1,
            run: 2,
            at_ns: 500_000_000,
            kind: unplug
        }
    );
    assert_eq!(
        config.faults[1],
        Fault {
            device: 0,
            run: 1,
            at_ns: 1_000_000_000,
            kind: Kind::Rotate { words: 8 }
        }
    );
    assert_eq!(config.host.usbfs_bytes, 1 << 19);
    assert_eq!(
        config.host.stalls,
        [Stall {
            device: 2,
            run: 1,
            at_ns: 3_000_000_000,
            for_ns: 200_000_000
        }]
    );
}

#[test]
fn an_error_names_the_line_and_the_word() {
    for (text, line, word) in [
        ("device\nwheel", 2, "wheel"),
        ("device speed=3", 1, "speed"),
        ("device model=fx3", 1, "model=fx3"),
        ("device bus=1 bus=2", 1, "bus"),
        ("device bus=256", 1, "bus=256"),
        ("device vid=09g5", 1, "vid=09g5"),
        ("device port=1.0", 1, "port=1.0"),
        ("device renumerate_s=-1", 1, "renumerate_s"),
        ("device firmware_version=1", 1, "firmware_version=1"),
        ("device open_error=EACCES", 1, "open_error=EACCES"),
        ("device signal=edges", 1, "signal=edges"),
        ("device half_period_ns=0", 1, "half_period_ns"),
        ("device ppm=1 signal=beaglelogic 127.0.0.1:1", 1, "ppm"),
        ("device\ndevice port=1", 2, "port"),
        ("device\nfault kind=melted", 2, "kind=melted"),
        ("device\nfault kind=stall n=3", 2, "`n`"),
        ("host memory=3", 1, "memory"),
        ("device loaded", 1, "loaded"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(
            error.starts_with(&format!("line {}: ", line)) && error.contains(word),
            "{}: {}",
            text,
            error
        );
    }
    assert!(parse("device\nfault kind=stall device=1")
        .unwrap_err()
        .contains("device 1 is not there"));
}
