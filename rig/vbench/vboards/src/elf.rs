//! Reads the loadable segments of a 32-bit little-endian ELF image.
//!
//! Segments go to their physical address (`p_paddr`): that is where initialised data lies in flash.
//! Field offsets: Tool Interface Standard, ELF Specification 1.2, figures 1-3 and 2-1.

/// `e_machine` of ARM (ELF for the ARM Architecture, IHI 0044, 4.3).
pub const EM_ARM: u16 = 40;
/// `e_machine` of MSP430 (MSP430 Embedded Application Binary Interface, SLAA534).
pub const EM_MSP430: u16 = 105;

const HEADER_BYTES: usize = 52;
const PT_LOAD: u32 = 1;

/// A part of an image and where it belongs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub address: u32,
    pub bytes: Vec<u8>,
}

/// A parsed image.
#[derive(Clone, Debug)]
pub struct Image {
    pub entry: u32,
    pub segments: Vec<Segment>,
}

fn machine_name(machine: u16) -> &'static str {
    match machine {
        3 => "x86",
        8 => "MIPS",
        40 => "ARM",
        62 => "x86-64",
        83 => "AVR",
        94 => "Xtensa",
        105 => "MSP430",
        183 => "AArch64",
        243 => "RISC-V",
        _ => "an unknown machine",
    }
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Parses `bytes`, an image called `name`, for a processor called `core` of the ELF machine `machine`.
pub fn parse(name: &str, bytes: &[u8], machine: u16, core: &str) -> Result<Image, String> {
    if bytes.len() < HEADER_BYTES || bytes[..4] != *b"\x7fELF" {
        return Err(format!(
            "{} is not an ELF file ({} bytes); give the .elf, not a .bin or .hex",
            name,
            bytes.len()
        ));
    }
    let found = if bytes[5] == 2 {
        half(bytes, 18).swap_bytes()
    } else {
        half(bytes, 18)
    };
    if found != machine {
        return Err(format!(
            "{} is for {} (machine {}), this board has a {} ({}, {})",
            name,
            machine_name(found),
            found,
            core,
            machine_name(machine),
            machine
        ));
    }
    if bytes[4] != 1 || bytes[5] != 1 {
        return Err(format!(
            "{} is a {}-bit {}-endian ELF file, this board needs a 32-bit little-endian one",
            name,
            if bytes[4] == 2 { 64 } else { 32 },
            if bytes[5] == 2 { "big" } else { "little" }
        ));
    }
    if half(bytes, 16) != 2 {
        return Err(format!(
            "{} is not linked (ELF type {}), only executables run",
            name,
            half(bytes, 16)
        ));
    }
    let table = word(bytes, 28) as usize;
    let entry_bytes = usize::from(half(bytes, 42));
    // A linker may put the file's own headers into the first segment, in front of what belongs into the memory (mspgcc
    // does, whatever is there). Flashing tools go by sections, so they never see them.
    let headers_end = table + usize::from(half(bytes, 44)) * entry_bytes;
    let mut segments = Vec::new();
    for index in 0..usize::from(half(bytes, 44)) {
        let header = table
            .checked_add(index * entry_bytes)
            .and_then(|start| bytes.get(start..start.checked_add(32)?))
            .ok_or_else(|| format!("{} is cut off inside its program headers", name))?;
        let size = word(header, 16) as usize;
        if word(header, 0) != PT_LOAD || size == 0 {
            continue;
        }
        let offset = word(header, 4) as usize;
        let body = offset
            .checked_add(size)
            .and_then(|end| bytes.get(offset..end))
            .ok_or_else(|| format!("{} is cut off inside segment {}", name, index))?;
        let skipped = if offset == 0 { headers_end.min(size) } else { 0 };
        if skipped < size {
            segments.push(Segment {
                address: word(header, 12).wrapping_add(skipped as u32),
                bytes: body[skipped..].to_vec(),
            });
        }
    }
    if segments.is_empty() {
        return Err(format!("{} has nothing to load", name));
    }
    Ok(Image {
        entry: word(bytes, 24),
        segments,
    })
}

/// Lays an image out in a memory of `size` bytes at `base`, filled with `fill`.
pub fn place(name: &str, image: &Image, base: u32, size: usize, fill: u8) -> Result<Vec<u8>, String> {
    let mut memory = vec![fill; size];
    for segment in &image.segments {
        let start = u64::from(segment.address).wrapping_sub(u64::from(base)) as usize;
        let end = start
            .checked_add(segment.bytes.len())
            .filter(|&end| end <= size && segment.address >= base);
        let end = end.ok_or_else(|| {
            format!(
                "{} has {} bytes at 0x{:08x}, outside the board's flash 0x{:08x}..0x{:08x}",
                name,
                segment.bytes.len(),
                segment.address,
                base,
                u64::from(base) + size as u64
            )
        })?;
        memory[start..end].copy_from_slice(&segment.bytes);
    }
    Ok(memory)
}
