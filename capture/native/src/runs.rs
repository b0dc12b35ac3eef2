//! Run lengths of Saleae's `.sal` files (capture/archive/sal_channel.py) to transitions of one channel.

/// What has to survive between two calls; all zero at the start of a chunk but for `position`.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct State {
    /// Sample at which the present run begins.
    pub position: i64,
    /// Digits so far of a length that is not complete, less its first one's mark.
    partial: i64,
    /// 1 inside a length.
    pub inside: u32,
    reserved: u32,
}

/// Largest partial length that can take another 7 bits.
const MAX_PARTIAL: i64 = i64::MAX >> 8;

impl State {
    /// Read lengths, 7 bits a byte, highest first; gives the sample at which each run ends, and the bytes used.
    ///
    /// A length N is stored as N - 1. Below 0x40 it is one byte; else the first byte has 0x40 set and six bits, those
    /// between have 0x80 set, and the last has not. `None` when a byte cannot begin a length or a length does not fit.
    pub fn feed(&mut self, data: &[u8], ends: &mut [i64]) -> Option<(usize, usize)> {
        let mut count = 0;
        for (at, &byte) in data.iter().enumerate() {
            if count == ends.len() {
                return Some((count, at));
            }
            if self.inside == 0 && byte >= 0x40 {
                if byte >= 0x80 {
                    return None;
                }
                self.partial = i64::from(byte & 0x3f);
                self.inside = 1;
                continue;
            }
            if self.partial > MAX_PARTIAL {
                return None;
            }
            let length = (self.partial << 7) | i64::from(byte & 0x7f);
            if byte >= 0x80 {
                self.partial = length;
                continue;
            }
            self.position = self.position.checked_add(length)?.checked_add(1)?;
            self.partial = 0;
            self.inside = 0;
            ends[count] = self.position;
            count += 1;
        }
        Some((count, data.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_one_two_and_three_bytes() {
        let mut state = State {
            position: 10,
            partial: 0,
            inside: 0,
            reserved: 0,
        };
        let mut ends = [0; 8];
        // 1, 64, 65, 8192 (0x1fff) and 8193 (0x2000)
        let data = [0, 0x3f, 0x40, 0x40, 0x7f, 0x7f, 0x40, 0xc0, 0x00];

        assert_eq!(Some((5, 9)), state.feed(&data, &mut ends));
        assert_eq!([11, 75, 140, 8332, 16525], ends[..5]);
        assert_eq!(None, state.feed(&[0x80], &mut ends));
    }
}
