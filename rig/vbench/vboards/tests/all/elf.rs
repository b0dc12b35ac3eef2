//! The image loader and its errors about images that do not fit.

use vboards::elf::{parse, place, EM_ARM};

/// An ELF header and one segment of four bytes for `address`.
fn image(machine: u16, address: u32) -> Vec<u8> {
    let mut bytes = vec![0u8; 88];
    bytes[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
    bytes[16] = 2;
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    bytes[24..28].copy_from_slice(&0x0800_0101u32.to_le_bytes());
    bytes[28] = 52;
    bytes[42] = 32;
    bytes[44] = 1;
    let header: [u32; 8] = [1, 84, 0x2000_0000, address, 4, 4, 7, 4];
    for (index, word) in header.iter().enumerate() {
        bytes[52 + 4 * index..56 + 4 * index].copy_from_slice(&word.to_le_bytes());
    }
    bytes[84..].copy_from_slice(&[1, 2, 3, 4]);
    bytes
}

fn error(name: &str, bytes: &[u8]) -> String {
    parse(name, bytes, EM_ARM, "Cortex-M3").unwrap_err()
}

#[test]
fn segments_go_to_their_physical_address() {
    let parsed = parse("x.elf", &image(40, 0x0800_0010), EM_ARM, "Cortex-M3").unwrap();
    assert_eq!(0x0800_0101, parsed.entry);
    let flash = place("x.elf", &parsed, 0x0800_0000, 64, 0xFF).unwrap();
    assert_eq!([0xFF, 1, 2, 3, 4, 0xFF], flash[15..21]);
}

/// mspgcc puts the file's own headers in front of its first segment: they belong to no memory.
#[test]
fn headers_inside_the_first_segment_are_left_out() {
    let mut bytes = image(40, 0x0800_0000 - 84);
    bytes[56..60].copy_from_slice(&0u32.to_le_bytes()); // its offset in the file
    for size in [68, 72] {
        bytes[size..size + 4].copy_from_slice(&88u32.to_le_bytes());
    }
    let parsed = parse("x.elf", &bytes, EM_ARM, "Cortex-M3").unwrap();
    assert_eq!(
        vec![(0x0800_0000, vec![1, 2, 3, 4])],
        parsed
            .segments
            .iter()
            .map(|part| (part.address, part.bytes.clone()))
            .collect::<Vec<_>>()
    );
    bytes[68..72].copy_from_slice(&84u32.to_le_bytes()); // nothing but headers
    assert_eq!("x has nothing to load", error("x", &bytes));
}

#[test]
fn errors_say_what_is_wrong() {
    assert_eq!(
        "x.elf is for MSP430 (machine 105), this board has a Cortex-M3 (ARM, 40)",
        error("x.elf", &image(105, 0))
    );
    assert_eq!(
        "x is not an ELF file (3 bytes); give the .elf, not a .bin or .hex",
        error("x", b"abc")
    );
    assert_eq!(
        "x has nothing to load",
        error("x", &{
            let mut bytes = image(40, 0);
            bytes[52] = 6;
            bytes
        })
    );
    assert_eq!("x is cut off inside segment 0", error("x", &image(40, 0)[..86]));
    let parsed = parse("x", &image(40, 0x2000_0000), EM_ARM, "Cortex-M3").unwrap();
    assert_eq!(
        "x has 4 bytes at 0x20000000, outside the board's flash 0x08000000..0x08000040",
        place("x", &parsed, 0x0800_0000, 64, 0xFF).unwrap_err()
    );
}

/// Whatever a damaged file holds, the parser answers.
#[test]
fn damage_never_panics() {
    let good = image(40, 0x0800_0000);
    for at in 0..good.len() {
        for value in [0x00, 0x7F, 0x80, 0xFF] {
            let mut bytes = good.clone();
            bytes[at] = value;
            if let Ok(parsed) = parse("x", &bytes, EM_ARM, "Cortex-M3") {
                let _ = place("x", &parsed, 0x0800_0000, 64, 0xFF);
            }
            let _ = parse("x", &bytes[..at], EM_ARM, "Cortex-M3");
        }
    }
}
