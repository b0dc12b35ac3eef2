//! What processes share: addresses, firmware, cables, usbfs' memory.

mod support;

use support::Folder;
use usbbus::config::Config;
use usbbus::state::State;

const S: i64 = 1_000_000_000;

fn bus(text: &str) -> (Folder, Config, State) {
    let folder = Folder::new();
    let config = Config::parse(text, &folder.0).unwrap();
    let state = State::open(&folder.0, &config).unwrap();
    (folder, config, state)
}

#[test]
fn firmware_brings_a_device_back_at_another_address() {
    let (_folder, config, state) = bus("device\ndevice port=2 firmware=loaded");
    let mut shared = state.lock();
    let before = shared.address(0, 0).unwrap();
    assert_ne!(Some(before), shared.address(1, 0));
    assert_eq!((shared.devices[0].firmware, shared.devices[1].firmware), (0, 1));
    shared.renumerate(&config, 0, 10 * S);
    assert_eq!(shared.address(0, 11 * S), None);
    let after = shared.address(0, 12 * S).unwrap();
    assert!(after != before && shared.devices[0].firmware == 1);
}

#[test]
fn another_process_sees_the_same_bus() {
    let (folder, config, state) = bus("device");
    state.lock().renumerate(&config, 0, 0);
    let address = state.lock().address(0, 3 * S);
    let seen = State::open(&folder.0, &config).unwrap();
    assert_eq!(seen.epoch_ns(), state.epoch_ns());
    assert_eq!(seen.lock().address(0, 3 * S), address);
}

#[test]
fn a_device_that_is_added_later_has_an_address_too() {
    let (folder, _, state) = bus("device");
    let config = Config::parse("device\ndevice port=2 firmware=loaded", &folder.0).unwrap();
    let later = State::open(&folder.0, &config).unwrap();
    let mut shared = later.lock();
    let addresses = (shared.address(0, 0).unwrap(), shared.address(1, 0).unwrap());
    assert!(addresses.0 != addresses.1 && shared.devices[1].firmware == 1);
    drop(shared);
    assert_eq!(state.lock().address(0, 0), Some(addresses.0));
}

#[test]
fn a_pulled_cable_shows_without_a_driver() {
    let (_folder, config, state) = bus("device firmware=loaded\nfault kind=unplug run=2 at_s=1 back_s=3");
    let mut shared = state.lock();
    let address = shared.address(0, 0);
    assert_eq!(shared.start(&config, 0, 0), 1);
    assert_eq!(shared.address(0, 5 * S), address);
    assert_eq!(shared.start(&config, 0, 10 * S), 2);
    assert_eq!(shared.address(0, 11 * S - 1), address);
    assert_eq!(shared.address(0, 11 * S), None);
    assert_eq!(shared.address(0, 14 * S - 1), None);
    let back = shared.address(0, 14 * S).unwrap();
    assert!(Some(back) != address && shared.devices[0].firmware == 0 && shared.devices[0].runs == 2);
}

#[test]
fn usbfs_memory_is_one_for_all_processes_and_the_dead_give_theirs_back() {
    let (_folder, _, state) = bus("device");
    let (mut shared, pid) = (state.lock(), std::process::id());
    assert!(shared.take_memory(pid, 600, 1000));
    assert!(shared.take_memory(1, 400, 1000)); // the process 1 lives
    assert!(!shared.take_memory(pid, 1, 1000));
    shared.give_memory(1, 300);
    assert!(shared.take_memory(pid, 300, 1000));
    assert!(!shared.take_memory(pid, 1, 1000));
    let mut child = std::process::Command::new("true").spawn().unwrap();
    child.wait().unwrap();
    shared.give_memory(pid, 500);
    assert!(shared.take_memory(child.id(), 500, 1000));
    assert!(shared.take_memory(pid, 500, 1000));
}
