//! Packets of the formats Basic and STack: fields, bit by bit, CRC and whitening (data sheet 9.6, 9.7).
//!
//! After the sync word: length (variable length only), destination, source (STack), control, 2 bits of sequence number
//! and NO_ACK (STack), payload, CRC. Fields need not end at a byte, bits go most significant first; what the air
//! carries is those bits in bytes, the last one filled up with zeros.
//!
//! FEC: "The convolution coding with rate = 1/2 is applied on the payload field and on the CRC field before transmission"
//! (ST and DigiKey, product training module "SPIRIT1 RF Transceiver Overview", slide 14). The data sheet's section on it could
//! not be read: neither the generators nor the interleaver of the code nor what ends it are known, so each bit of these fields
//! goes out twice, in its place. That is right in time but for the end of the code (docs/evidence/virtual-boards.md); nothing
//! corrects errors, of two bits that differ the first one counts.

/// How a radio is set to build and to read packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub stack: bool,
    /// Bits of the length field; None: fixed length.
    pub length_bits: Option<u8>,
    pub address_bytes: u8,
    pub control_bytes: u8,
    /// 0: none, else CRC_MODE 1 to 4.
    pub crc_mode: u8,
    pub whitening: bool,
    pub fec: bool,
}

/// The fields of a packet but payload and CRC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// PCKTLEN: bytes of addresses, control and payload.
    pub length: usize,
    pub destination: u8,
    pub source: u8,
    pub control: [u8; 4],
    pub sequence: u8,
    pub no_ack: bool,
}

impl Format {
    /// Bits from the sync word to the payload.
    pub fn head_bits(&self) -> u64 {
        let flags = if self.stack { 3 } else { 0 };
        u64::from(self.length_bits.unwrap_or(0)) + 8 * self.extra() as u64 + flags
    }

    /// Bytes of the packet's length that are not payload.
    pub fn extra(&self) -> usize {
        usize::from(self.address_bytes) + usize::from(self.control_bytes)
    }

    pub fn crc_bytes(&self) -> usize {
        [0, 1, 2, 2, 3, 0, 0, 0][usize::from(self.crc_mode & 7)]
    }

    /// Bits on the air from the sync word to the end of `bytes` bytes of payload and CRC.
    pub fn bits_to(&self, bytes: usize) -> u64 {
        self.head_bits() + (8 << u32::from(self.fec)) * bytes as u64
    }

    /// All bits of a packet with so much payload, on the air.
    pub fn bits(&self, payload: usize) -> u64 {
        self.bits_to(payload + self.crc_bytes())
    }

    /// The packet as the air carries it.
    pub fn encode(&self, header: &Header, payload: &[u8]) -> Vec<u8> {
        let mut bits = Bits::default();
        if let Some(width) = self.length_bits {
            bits.put(header.length as u64, width);
        }
        if self.address_bytes >= 1 {
            bits.put(header.destination.into(), 8);
        }
        if self.address_bytes >= 2 {
            bits.put(header.source.into(), 8);
        }
        for index in (0..self.control_bytes.min(4)).rev() {
            bits.put(header.control[usize::from(index)].into(), 8);
        }
        if self.stack {
            bits.put(header.sequence.into(), 2);
            bits.put(header.no_ack.into(), 1);
        }
        for &byte in payload {
            bits.put(byte.into(), 8);
        }
        let check = bits.crc(self.crc_mode);
        bits.put(check.into(), 8 * self.crc_bytes() as u8);
        self.whiten(&mut bits.bytes);
        if self.fec {
            bits = self.coded(&bits);
        }
        bits.bytes
    }

    /// Turns what the air carries into the packet's bits.
    pub fn open(&self, bytes: &[u8]) -> Bits {
        let mut bits = Bits {
            length: 8 * bytes.len() as u64,
            bytes: bytes.to_vec(),
        };
        if self.fec {
            bits = self.decoded(&bits);
        }
        self.whiten(&mut bits.bytes);
        bits
    }

    fn coded(&self, plain: &Bits) -> Bits {
        let mut coded = Bits::default();
        for at in 0..plain.length {
            let copies = if at < self.head_bits() { 1 } else { 2 };
            (0..copies).for_each(|_| coded.put(plain.bit(at), 1));
        }
        coded
    }

    fn decoded(&self, coded: &Bits) -> Bits {
        let head = self.head_bits().min(coded.length);
        let mut plain = Bits::default();
        (0..head).for_each(|at| plain.put(coded.bit(at), 1));
        (head..coded.length)
            .step_by(2)
            .for_each(|at| plain.put(coded.bit(at), 1));
        plain
    }

    /// The length field; `fixed` where there is none.
    pub fn length(&self, bits: &Bits, fixed: usize) -> usize {
        self.length_bits.map_or(fixed, |width| bits.get(0, width) as usize)
    }

    pub fn header(&self, bits: &Bits, fixed: usize) -> Header {
        let mut header = Header {
            length: self.length(bits, fixed),
            ..Header::default()
        };
        let mut at = u64::from(self.length_bits.unwrap_or(0));
        let mut field = |width: u8| {
            at += u64::from(width);
            bits.get(at - u64::from(width), width) as u8
        };
        if self.address_bytes >= 1 {
            header.destination = field(8);
        }
        if self.address_bytes >= 2 {
            header.source = field(8);
        }
        for index in (0..self.control_bytes.min(4)).rev() {
            header.control[usize::from(index)] = field(8);
        }
        if self.stack {
            header.sequence = field(2);
            header.no_ack = field(1) == 1;
        }
        header
    }

    /// Byte `index` of the payload.
    pub fn payload(&self, bits: &Bits, index: usize) -> u8 {
        bits.get(self.head_bits() + 8 * index as u64, 8) as u8
    }

    /// The CRC field, and whether it is the right one.
    pub fn check(&self, bits: &Bits, payload: usize) -> (u32, bool) {
        let covered = self.head_bits() + 8 * payload as u64;
        let found = bits.get(covered, 8 * self.crc_bytes() as u8) as u32;
        (found, found == bits.up_to(covered).crc(self.crc_mode))
    }

    /// PN9, x^9 + x^5 + 1 from all ones, over everything after the sync word (data sheet 9.6.3; polynomial and start value
    /// remembered, unverified; both ends agree, so that nothing but the bits on the air depends on it).
    fn whiten(&self, bytes: &mut [u8]) {
        if !self.whitening {
            return;
        }
        let mut register = 0x1FFu16;
        for byte in bytes {
            for bit in (0..8).rev() {
                *byte ^= ((register & 1) as u8) << bit;
                register = register >> 1 | ((register ^ register >> 5) & 1) << 8;
            }
        }
    }
}

/// Bits, most significant first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits {
    bytes: Vec<u8>,
    length: u64,
}

impl Bits {
    fn put(&mut self, value: u64, width: u8) {
        for bit in (0..width).rev() {
            if self.length % 8 == 0 {
                self.bytes.push(0);
            }
            if let Some(last) = self.bytes.last_mut() {
                *last |= ((value >> bit & 1) as u8) << (7 - self.length % 8);
            }
            self.length += 1;
        }
    }

    fn bit(&self, at: u64) -> u64 {
        let byte = self.bytes.get((at / 8) as usize).copied().unwrap_or(0);
        u64::from(byte >> (7 - at % 8) & 1)
    }

    /// A field; bits that are not there read 0.
    fn get(&self, at: u64, width: u8) -> u64 {
        (at..at + u64::from(width)).fold(0, |value, at| value << 1 | self.bit(at))
    }

    fn up_to(&self, length: u64) -> Bits {
        Bits {
            bytes: self.bytes.clone(),
            length,
        }
    }

    /// CRC over all bits. Polynomials: library, PCKTCTRL1. Start value all ones: remembered, unverified.
    fn crc(&self, mode: u8) -> u32 {
        let (width, polynomial) = match mode {
            1 => (8, 0x07),
            2 => (16, 0x8005),
            3 => (16, 0x1021),
            4 => (24, 0x86_4CBF),
            _ => return 0,
        };
        let mask = (1u32 << width) - 1;
        (0..self.length).fold(mask, |crc, at| {
            let top = crc >> (width - 1) & 1;
            let shifted = crc << 1 & mask;
            if top ^ self.bit(at) as u32 == 1 {
                shifted ^ polynomial
            } else {
                shifted
            }
        })
    }
}
