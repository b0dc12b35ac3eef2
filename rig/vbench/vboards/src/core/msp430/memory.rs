//! Memories by page of 256 bytes; what is not memory is left to the chip.

/// What a page holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Registers or nothing: the chip answers.
    Device,
    Ram,
    /// Flash and ROM: read here, a write goes to the chip.
    Flash,
}

/// The 64 KiB that the core sees.
#[derive(Clone)]
pub struct Memory {
    bytes: Box<[u8; 0x1_0000]>,
    kinds: [Kind; 256],
    /// High address byte of the page where the bytes really lie: mirrors.
    home: [u8; 256],
}

impl Memory {
    /// Nothing but registers, every byte 0xFF.
    pub fn new() -> Memory {
        let mut home = [0; 256];
        for (page, entry) in home.iter_mut().enumerate() {
            *entry = page as u8;
        }
        Memory {
            bytes: Box::new([0xFF; 0x1_0000]),
            kinds: [Kind::Device; 256],
            home,
        }
    }

    /// The pages that hold a kind of memory themselves, mirrors left out.
    fn pages(&self, kind: Kind) -> impl Iterator<Item = std::ops::Range<usize>> {
        let (kinds, home) = (self.kinds, self.home);
        (0..256)
            .filter(move |&page| kinds[page] == kind && usize::from(home[page]) == page)
            .map(|page| page << 8..(page + 1) << 8)
    }

    /// What stays without supply: flash and ROM, page after page.
    pub fn flash(&self) -> Vec<u8> {
        self.pages(Kind::Flash)
            .flat_map(|page| self.bytes[page].to_vec())
            .collect()
    }

    /// The supply is back: `flash` as [`Memory::flash`] gave it, the content of RAM is that of `ram`.
    pub fn power_up(&mut self, flash: &[u8], ram: &mut dyn FnMut() -> u8) {
        for (page, bytes) in self.pages(Kind::Flash).zip(flash.chunks(256)) {
            self.bytes[page].copy_from_slice(bytes);
        }
        for page in self.pages(Kind::Ram) {
            self.bytes[page].iter_mut().for_each(|byte| *byte = ram());
        }
    }

    /// Makes the pages `first..=last` memory of a kind.
    pub fn map(&mut self, first: u8, last: u8, kind: Kind) {
        for page in first..=last {
            self.kinds[usize::from(page)] = kind;
        }
    }

    /// The pages `first..=last` show what lies from page `home` on.
    pub fn mirror(&mut self, first: u8, last: u8, home: u8) {
        for page in first..=last {
            let original = home + (page - first);
            self.home[usize::from(page)] = original;
            self.kinds[usize::from(page)] = self.kinds[usize::from(original)];
        }
    }

    #[inline(always)]
    pub fn kind(&self, address: u16) -> Kind {
        self.kinds[usize::from(address >> 8)]
    }

    #[inline(always)]
    fn place(&self, address: u16) -> usize {
        usize::from(self.home[usize::from(address >> 8)]) << 8 | usize::from(address & 0xFF)
    }

    #[inline(always)]
    pub fn byte(&self, address: u16) -> u8 {
        self.bytes[self.place(address)]
    }

    /// The word at an even address; bit 0 is ignored.
    #[inline(always)]
    pub fn word(&self, address: u16) -> u16 {
        let place = self.place(address & !1);
        u16::from_le_bytes([self.bytes[place], self.bytes[place | 1]])
    }

    /// Stores a byte whatever the kind of the page.
    #[inline(always)]
    pub fn set_byte(&mut self, address: u16, value: u8) {
        let place = self.place(address);
        self.bytes[place] = value;
    }

    /// Stores a word whatever the kind of the page.
    #[inline(always)]
    pub fn set_word(&mut self, address: u16, value: u16) {
        let place = self.place(address & !1);
        let [low, high] = value.to_le_bytes();
        self.bytes[place] = low;
        self.bytes[place | 1] = high;
    }
}

impl Default for Memory {
    fn default() -> Memory {
        Memory::new()
    }
}
