//! SPI: words and transfers out of edges, by the rules of sigrok's `spi` decoder.
//!
//! A row of levels is one sample at which something changed. A change of chip select begins or ends a transfer and drops
//! what was shifted so far; then a clock edge of the right direction shifts one bit in, with the levels of that sample.

/// A line that is not connected.
const NONE: u8 = 0xff;

/// The transfer began before the capture, or before a gap ended.
pub const CUT_START: i64 = 1;
/// The transfer was not over when the capture ended, or when a gap began.
pub const CUT_END: i64 = 2;
/// Number of bits left over at the end of a transfer: flags divided by this.
pub const LEFT_OVER: i64 = 1 << 8;

/// What has to survive between two calls. Owned by the caller, who sets the first row; the rest is 0 at the start.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct State {
    /// Number of the channel of each line, 255: not connected.
    pub clk: u8,
    pub mosi: u8,
    pub miso: u8,
    pub select: u8,
    /// Level of the clock right after a sampling edge; level of chip select while selected; 1: bit 0 comes first.
    pub sampling: u8,
    pub selected: u8,
    pub lsb_first: u8,
    pub word_bits: u8,
    /// 1 once a row was seen, since the start or the last gap.
    pub started: u8,
    /// 1 while a transfer is open.
    pub open: u8,
    /// Bits of the word under way.
    pub bits: u16,
    pub reserved: u32,
    pub level: u64,
    pub mosi_word: u64,
    pub miso_word: u64,
    pub word_start: i64,
    /// Sample of the last bit.
    pub last_bit: i64,
    pub transfer_start: i64,
    pub transfer_words: i64,
    pub transfer_flags: i64,
}

/// Where words and transfers go. A row makes one of each at most.
pub struct Sink<'a> {
    pub word_start: &'a mut [i64],
    pub word_end: &'a mut [i64],
    pub mosi: &'a mut [u64],
    pub miso: &'a mut [u64],
    pub start: &'a mut [i64],
    pub end: &'a mut [i64],
    /// Words of the transfer.
    pub count: &'a mut [i64],
    pub flags: &'a mut [i64],
    pub words: usize,
    pub transfers: usize,
}

impl State {
    pub fn is_valid(&self) -> bool {
        let line = |channel: u8| channel < 64 || channel == NONE;
        self.clk < 64
            && line(self.mosi)
            && line(self.miso)
            && line(self.select)
            && self.sampling < 2
            && self.selected < 2
            && matches!(self.word_bits, 1..=64)
            && self.bits < u16::from(self.word_bits)
    }

    /// Reads rows of samples and levels; the sink has room for as many words and transfers.
    pub fn feed(&mut self, samples: &[i64], levels: &[u64], sink: &mut Sink<'_>) {
        for (&sample, &level) in samples.iter().zip(levels) {
            self.row(sample, level, sink);
        }
    }

    /// All is known before `sample` and nothing from there on: the capture ends, or a gap begins.
    pub fn finish(&mut self, sample: i64, sink: &mut Sink<'_>) {
        if self.open == 1 {
            self.transfer_flags |= CUT_END;
            self.end_transfer(sample, sink);
        }
        self.started = 0;
        self.drop_bits();
    }

    fn row(&mut self, sample: i64, level: u64, sink: &mut Sink<'_>) {
        let first = self.started == 0;
        let changed = level ^ self.level;
        self.level = level;
        self.started = 1;
        let selected = self.select == NONE || bit(level, self.select) == u64::from(self.selected);
        if self.select != NONE && (first || bit(changed, self.select) == 1) {
            if self.open == 1 {
                self.end_transfer(sample, sink);
            }
            if selected {
                self.open = 1;
                self.transfer_start = sample;
                self.transfer_words = 0;
                self.transfer_flags = if first { CUT_START } else { 0 };
            }
            self.drop_bits();
        }
        let sampling = bit(level, self.clk) == u64::from(self.sampling);
        if selected && sampling && !first && bit(changed, self.clk) == 1 {
            self.shift(sample, level, sink);
        }
    }

    fn shift(&mut self, sample: i64, level: u64, sink: &mut Sink<'_>) {
        let place = if self.lsb_first == 1 {
            u32::from(self.bits)
        } else {
            u32::from(self.word_bits) - 1 - u32::from(self.bits)
        };
        self.mosi_word |= bit(level, self.mosi) << place;
        self.miso_word |= bit(level, self.miso) << place;
        // How long the last bit lasts is a guess: as long as the one before it.
        let mut end = sample;
        if self.bits == 0 {
            self.word_start = sample;
        } else {
            end += sample - self.last_bit;
        }
        self.last_bit = sample;
        self.bits += 1;
        if self.bits < u16::from(self.word_bits) {
            return;
        }
        let at = sink.words;
        sink.word_start[at] = self.word_start;
        sink.word_end[at] = end;
        sink.mosi[at] = self.mosi_word;
        sink.miso[at] = self.miso_word;
        sink.words += 1;
        self.transfer_words += 1;
        self.drop_bits();
    }

    fn drop_bits(&mut self) {
        self.bits = 0;
        self.mosi_word = 0;
        self.miso_word = 0;
    }

    fn end_transfer(&mut self, sample: i64, sink: &mut Sink<'_>) {
        let at = sink.transfers;
        sink.start[at] = self.transfer_start;
        sink.end[at] = sample;
        sink.count[at] = self.transfer_words;
        sink.flags[at] = self.transfer_flags + i64::from(self.bits) * LEFT_OVER;
        sink.transfers += 1;
        self.open = 0;
    }
}

/// Level of a channel; a line that is not connected is low.
fn bit(level: u64, channel: u8) -> u64 {
    if channel == NONE {
        0
    } else {
        level >> channel & 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLK: u64 = 1;
    const MOSI: u64 = 2;
    const MISO: u64 = 4;
    const SELECT: u64 = 8;

    fn state() -> State {
        State {
            clk: 0,
            mosi: 1,
            miso: 2,
            select: 3,
            sampling: 1,
            word_bits: 8,
            ..State::default()
        }
    }

    /// Rows (sample, level) of one transfer of a word, most significant bit first, mode 0, 10 samples per bit.
    fn word(rows: &mut Vec<(i64, u64)>, mosi: u8, miso: u8) {
        for place in (0..8).rev() {
            let at = rows.last().map_or(0, |row| row.0);
            let one = |byte: u8| u64::from(byte >> place & 1);
            let data = (one(mosi) * MOSI) | (one(miso) * MISO);
            rows.push((at + 5, data));
            rows.push((at + 10, data | CLK));
        }
        let at = rows.last().map_or(0, |row| row.0);
        rows.push((at + 5, 0));
    }

    type Words = Vec<(i64, i64, u64, u64)>;
    type Transfers = Vec<(i64, i64, i64, i64)>;

    fn decode(state: &mut State, rows: &[(i64, u64)], end: Option<i64>) -> (Words, Transfers) {
        let room = rows.len() + 1;
        let (mut a, mut b, mut c, mut d) = (vec![0; room], vec![0; room], vec![0; room], vec![0; room]);
        let (mut e, mut f) = (vec![0; room], vec![0; room]);
        let (mut g, mut h) = (vec![0; room], vec![0; room]);
        let mut sink = Sink {
            word_start: &mut a,
            word_end: &mut b,
            mosi: &mut e,
            miso: &mut f,
            start: &mut c,
            end: &mut d,
            count: &mut g,
            flags: &mut h,
            words: 0,
            transfers: 0,
        };
        let (samples, levels): (Vec<i64>, Vec<u64>) = rows.iter().copied().unzip();
        state.feed(&samples, &levels, &mut sink);
        if let Some(end) = end {
            state.finish(end, &mut sink);
        }
        let (words, transfers) = (sink.words, sink.transfers);
        (
            (0..words).map(|i| (a[i], b[i], e[i], f[i])).collect(),
            (0..transfers).map(|i| (c[i], d[i], g[i], h[i])).collect(),
        )
    }

    #[test]
    fn a_transfer_of_two_words() {
        let mut rows = vec![(0, SELECT), (100, 0)];
        word(&mut rows, 0xa5, 0x0f);
        word(&mut rows, 0x01, 0x80);
        rows.push((400, SELECT));
        let (words, transfers) = decode(&mut state(), &rows, Some(500));

        assert_eq!(vec![(110, 190, 0xa5, 0x0f), (195, 275, 0x01, 0x80)], words);
        assert_eq!(vec![(100, 400, 2, 0)], transfers);
    }

    #[test]
    fn a_transfer_cut_at_both_ends_says_so_and_bits_left_over_are_counted() {
        let mut rows = vec![(0, 0)];
        word(&mut rows, 0xff, 0);
        rows.push((200, CLK));
        let (_, transfers) = decode(&mut state(), &rows, Some(300));

        assert_eq!(vec![(0, 300, 1, CUT_START | CUT_END | LEFT_OVER)], transfers);
    }

    #[test]
    fn a_glitch_of_select_is_a_transfer_without_words() {
        let rows = [(0, SELECT), (10, 0), (11, SELECT)];

        assert_eq!((vec![], vec![(10, 11, 0, 0)]), decode(&mut state(), &rows, Some(20)));
    }

    #[test]
    fn blocks_give_the_result_of_one_call() {
        let mut rows = vec![(0, SELECT), (100, 0)];
        for byte in 0..20 {
            word(&mut rows, byte, !byte);
        }
        rows.push((9000, SELECT));
        let expected = decode(&mut state(), &rows, Some(9999));
        let mut state = state();
        let mut blocks = (Vec::new(), Vec::new());
        for (i, chunk) in rows.chunks(7).enumerate() {
            let end = if (i + 1) * 7 >= rows.len() { Some(9999) } else { None };
            let (words, transfers) = decode(&mut state, chunk, end);
            blocks.0.extend(words);
            blocks.1.extend(transfers);
        }

        assert_eq!(expected, blocks);
    }
}
