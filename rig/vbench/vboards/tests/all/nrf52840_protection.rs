//! Access port protection of the nRF52840, as CTRL-AP tells it and a debugger meets it.

use crate::nrf52840_support::*;
use vboards::soc::nrf52840::BuildCode;
use vboards::soc::Chip;

const PSELRESET: [u32; 2] = [0x1000_1200, 0x1000_1204];
const P0_18: u32 = 18;
const APPROTECT: u32 = 0x1000_1208;
const FORCEPROTECT: u32 = CLOCK + 0x550;
const DISABLE: u32 = CLOCK + 0x558;

/// Writes a word of UICR.
fn set_uicr(rig: &mut Rig, address: u32, word: u32) {
    rig.write(NVMC + 0x504, 1);
    rig.write(address, word);
    rig.pass(50 * US);
    rig.write(NVMC + 0x504, 0);
    assert_eq!(word, rig.read(address));
}

/// What CTRL-AP says of the protection, which must be what a debugger meets.
fn is_open(rig: &mut Rig) -> bool {
    let (status, _) = rig.chip.vendor_port(0x0C, None, rig.cycle);
    assert_eq!(status == 1, rig.chip.debug_open());
    status == 1
}

fn erase_all(rig: &mut Rig) {
    rig.chip.vendor_port(0x04, Some(1), rig.cycle);
    rig.pass(200_000 * US);
    assert_eq!((0, None), rig.chip.vendor_port(0x08, None, rig.cycle));
}

/// Build code Dxx: open unless UICR.APPROTECT says otherwise, from the next reset on; ERASEALL opens it with a reset.
#[test]
fn uicr_protects_the_access_port_of_an_older_chip() {
    let mut rig = Rig::new(0);
    set_uicr(&mut rig, APPROTECT, 0xFFFF_FF00);
    assert!(is_open(&mut rig));
    rig.chip.reset(rig.cycle);
    assert!(!is_open(&mut rig));
    rig.write(NVMC + 0x504, 2);
    rig.write(NVMC + 0x514, 1); // ERASEUICR is blocked
    rig.pass(100_000 * US);
    assert_eq!(0xFFFF_FF00, rig.read(APPROTECT));
    assert_eq!(
        ["NVMC: ERASEUICR while the access port is protected, ignored"],
        rig.log()[..]
    );
    erase_all(&mut rig);
    assert!(!is_open(&mut rig));
    rig.chip.reset(rig.cycle);
    assert!(is_open(&mut rig));
    assert_eq!(u32::MAX, rig.read(APPROTECT));
}

/// Build code Fxx: closed as it comes; ERASEALL opens it until its pin resets it.
#[test]
fn a_newer_chip_is_closed_until_it_is_erased() {
    let mut rig = Rig::of(0, BuildCode::F0);
    assert_eq!(
        (5, *b"AAF0"),
        (rig.read(0x1000_0134), rig.read(0x1000_0104).to_be_bytes())
    );
    assert!(!is_open(&mut rig));
    erase_all(&mut rig);
    rig.chip.reset(rig.cycle);
    assert!(!rig.chip.reset_by_pin(rig.cycle)); // UICR names no reset pin
    assert!(is_open(&mut rig));
    set_uicr(&mut rig, PSELRESET[0], P0_18);
    assert!(!rig.chip.reset_by_pin(rig.cycle));
    set_uicr(&mut rig, PSELRESET[1], P0_18);
    assert!(rig.chip.reset_by_pin(rig.cycle));
    assert!(!is_open(&mut rig));
    assert_eq!(1 << 0 | 1 << 2, rig.read(CLOCK + 0x400));
}

/// It stays open with HwDisabled in UICR, as a reset finds it, and SwDisable by the firmware after each reset of all.
#[test]
fn firmware_and_uicr_open_a_newer_chip() {
    let mut rig = Rig::of(0, BuildCode::F0);
    rig.write(DISABLE, 0x5A);
    set_uicr(&mut rig, APPROTECT, 0xFFFF_FF5A);
    assert!(!is_open(&mut rig));
    for place in PSELRESET {
        set_uicr(&mut rig, place, P0_18);
    }
    rig.chip.reset(rig.cycle);
    assert!(is_open(&mut rig));
    assert!(rig.chip.reset_by_pin(rig.cycle));
    assert_eq!((0, false), (rig.read(DISABLE), is_open(&mut rig)));
    rig.write(DISABLE, 0x5A);
    assert!(is_open(&mut rig));
    rig.write(FORCEPROTECT, 0);
    assert!(!is_open(&mut rig));
    rig.chip.reset(rig.cycle);
    assert!(is_open(&mut rig));
}

/// UICR is flash: what it says outlives the supply.
#[test]
fn protection_outlives_the_supply() {
    let mut rig = Rig::new(0);
    set_uicr(&mut rig, APPROTECT, 0xFFFF_FF00);
    let kept = rig.chip.kept();
    let mut again = Rig::new(0);
    again.chip.restore(&kept);
    assert!(!is_open(&mut again));
}
