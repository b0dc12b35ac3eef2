//! How a device packs samples into its stream of bytes.

use crate::signal::Levels;

#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// A byte for each sample: an FX2 with 8 channels.
    Bytes,
    /// Two bytes, little endian: an FX2 with 16 channels.
    Words,
    /// For each channel of `channels` in turn a word of `bits` samples, little endian, its first sample in the lowest
    /// bit (DSLogic: 64) or in the highest (Logic16: 16).
    Planes {
        bits: usize,
        highest_first: bool,
        channels: u16,
    },
}

/// Bytes of the largest group: 16 channels of 64 samples.
const MAX_GROUP_BYTES: usize = 128;

impl Layout {
    /// Samples that are packed together.
    pub fn group_samples(&self) -> u64 {
        match self {
            Layout::Bytes | Layout::Words => 1,
            Layout::Planes { bits, .. } => *bits as u64,
        }
    }

    /// Bytes of a group.
    pub fn group_bytes(&self) -> u64 {
        match self {
            Layout::Bytes => 1,
            Layout::Words => 2,
            Layout::Planes { bits, channels, .. } => (bits / 8 * channels.count_ones() as usize) as u64,
        }
    }

    /// Bytes that `samples` samples make.
    pub fn bytes_of(&self, samples: u64) -> u64 {
        samples / self.group_samples() * self.group_bytes()
    }

    /// Samples after which there are `bytes` bytes.
    pub fn samples_of(&self, bytes: u64) -> u64 {
        (bytes + self.group_bytes() - 1) / self.group_bytes() * self.group_samples()
    }

    /// Samples that are complete in `bytes` bytes.
    pub fn complete_samples(&self, bytes: u64) -> u64 {
        bytes / self.group_bytes() * self.group_samples()
    }

    /// The channels whose samples are in the stream.
    pub fn channels(&self) -> u16 {
        match self {
            Layout::Bytes => 0xff,
            Layout::Words => 0xffff,
            Layout::Planes { channels, .. } => *channels,
        }
    }

    /// Writes the bytes of the stream from `offset` on.
    pub fn fill(&self, levels: &mut dyn Levels, offset: u64, to: &mut [u8]) {
        let size = self.group_bytes() as usize;
        let within = (offset % size as u64) as usize;
        let mut group = offset / size as u64;
        let mut to = to;
        if within > 0 {
            let mut block = [0u8; MAX_GROUP_BYTES];
            self.fill_groups(levels, group, &mut block[..size]);
            let count = (size - within).min(to.len());
            to[..count].copy_from_slice(&block[within..within + count]);
            to = &mut to[count..];
            group += 1;
        }
        let group_area = to.len() / size * size;
        let (groups, rest) = to.split_at_mut(group_area);
        self.fill_groups(levels, group, groups);
        if !rest.is_empty() {
            let mut block = [0u8; MAX_GROUP_BYTES];
            self.fill_groups(levels, group + (group_area / size) as u64, &mut block[..size]);
            rest.copy_from_slice(&block[..rest.len()]);
        }
    }

    /// Writes complete groups, from number `group` on.
    fn fill_groups(&self, levels: &mut dyn Levels, group: u64, to: &mut [u8]) {
        let size = self.group_bytes() as usize;
        let start = group * self.group_samples();
        let count = to.len() / size * self.group_samples() as usize;
        if let Layout::Planes { .. } = self {
            to.fill(0);
        }
        let mut at = 0;
        while at < count {
            let (level, length) = levels.run(start + at as u64);
            let end = at + length.min((count - at) as u64) as usize;
            match self {
                Layout::Bytes => to[at..end].fill(level as u8),
                Layout::Words => fill_words(&mut to[2 * at..2 * end], level),
                Layout::Planes {
                    bits,
                    highest_first,
                    channels,
                } => fill_planes(to, *bits, *highest_first, *channels, level, at..end),
            }
            at = end;
        }
    }
}

fn fill_words(to: &mut [u8], level: u16) {
    let bytes = level.to_le_bytes();
    if bytes[0] == bytes[1] {
        to.fill(bytes[0]);
        return;
    }
    for word in to.chunks_exact_mut(2) {
        word.copy_from_slice(&bytes);
    }
}

/// Sets the bits of samples `range` in the words of the channels that are high.
fn fill_planes(
    to: &mut [u8],
    bits: usize,
    highest_first: bool,
    channels: u16,
    level: u16,
    range: std::ops::Range<usize>,
) {
    let (mut channels, mut high) = (channels, [0usize; 16]);
    let (mut words, mut ones) = (0, 0);
    while channels != 0 {
        if level >> channels.trailing_zeros() & 1 != 0 {
            high[ones] = words;
            ones += 1;
        }
        words += 1;
        channels &= channels - 1;
    }
    let (word_bytes, high) = (bits / 8, &high[..ones]);
    let mut at = range.start;
    while at < range.end {
        let (group, from) = (at / bits, at % bits);
        let until = (range.end - group * bits).min(bits);
        let mut mask = (u64::MAX >> (64 - (until - from))) << from;
        if highest_first {
            mask = mask.reverse_bits() >> (64 - bits);
        }
        let mask = mask.to_le_bytes();
        for word in high {
            let place = (group * words + word) * word_bytes;
            for (byte, mask) in to[place..place + word_bytes].iter_mut().zip(mask) {
                *byte |= mask;
            }
        }
        at = group * bits + until;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Levels that change after 1 to 200 samples, by a formula.
    struct Steps;

    fn level(n: u64) -> u16 {
        (n / 37).wrapping_mul(0x9e37) as u16 ^ (n / 200).wrapping_mul(0x5bd1) as u16
    }

    impl Levels for Steps {
        fn run(&mut self, n: u64) -> (u16, u64) {
            let mut end = n + 1;
            while level(end) == level(n) && end < n + 500 {
                end += 1;
            }
            (level(n), end - n)
        }
    }

    /// A stream, bit by bit, as the drivers' deinterleaving reads it.
    fn by_definition(layout: &Layout, samples: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        match layout {
            Layout::Bytes => bytes.extend((0..samples).map(|n| level(n) as u8)),
            Layout::Words => (0..samples).for_each(|n| bytes.extend(level(n).to_le_bytes())),
            Layout::Planes {
                bits,
                highest_first,
                channels,
            } => {
                for first in (0..samples).step_by(*bits) {
                    for channel in (0..16).filter(|channel| channels >> channel & 1 == 1) {
                        let mut word = 0u64;
                        for k in 0..*bits {
                            let place = if *highest_first { bits - 1 - k } else { k };
                            word |= u64::from(level(first + k as u64) >> channel & 1) << place;
                        }
                        bytes.extend(&word.to_le_bytes()[..bits / 8]);
                    }
                }
            }
        }
        bytes
    }

    #[test]
    fn every_part_of_every_layout_is_the_stream() {
        for layout in [
            Layout::Bytes,
            Layout::Words,
            Layout::Planes {
                bits: 64,
                highest_first: false,
                channels: 0xffff,
            },
            Layout::Planes {
                bits: 64,
                highest_first: false,
                channels: 0x0a31,
            },
            Layout::Planes {
                bits: 16,
                highest_first: true,
                channels: 0x0fff,
            },
            Layout::Planes {
                bits: 16,
                highest_first: true,
                channels: 0x8001,
            },
        ] {
            let all = by_definition(&layout, 64 * 60);
            assert_eq!(all.len() as u64, layout.bytes_of(64 * 60));
            for offset in [0, 1, 2, 7, 24, 63, 101, 128] {
                for length in [1, 3, 64, 333, 512] {
                    let mut part = vec![0xa5; length];
                    layout.fill(&mut Steps, offset as u64, &mut part);
                    assert_eq!(part, all[offset..offset + length], "{:?} {} {}", layout, offset, length);
                }
            }
        }
    }
}
