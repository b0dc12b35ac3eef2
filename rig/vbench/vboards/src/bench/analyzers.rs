//! The bench's analyzers, and the sync line between them.

use super::Bench;
use crate::analyzer::{Analyzer, Imperfections, Kind, Settings, Threshold, When};
use crate::sync::{self, SyncLine};
use crate::trace::Pin;

impl Bench {
    /// Adds an analyzer whose sample 0 lies `settings.start_ps` after now.
    pub fn add_analyzer(&mut self, settings: Settings) -> Result<usize, String> {
        let start_ps = self.now_ps + settings.start_ps;
        self.analyzers.push(Analyzer::new(Settings { start_ps, ..settings })?);
        Ok(self.analyzers.len() - 1)
    }

    fn analyzer(&mut self, analyzer: usize) -> Result<&mut Analyzer, String> {
        let count = self.analyzers.len();
        self.analyzers
            .get_mut(analyzer)
            .ok_or_else(|| format!("no analyzer {}: the bench has {}", analyzer, count))
    }

    /// Gives an analyzer the imperfections of a real one; before its first probe and fault.
    pub fn imperfect(&mut self, analyzer: usize, imperfections: Imperfections) -> Result<(), String> {
        let seed = self.seed;
        self.analyzer(analyzer)?.imperfect(seed, imperfections)
    }

    /// How late a channel of an analyzer sees edges.
    pub fn threshold(&mut self, analyzer: usize, channel: u32, threshold: Threshold) -> Result<(), String> {
        self.analyzer(analyzer)?.threshold(channel, threshold)
    }

    /// The pin that a board's chip calls by this name.
    pub fn pin(&self, board: usize, name: &str) -> Result<Pin, String> {
        let board = &self.seats[self.check(board)?].board;
        let pin = board
            .pin(name)
            .filter(|&pin| board.pin_name(pin).eq_ignore_ascii_case(name));
        pin.ok_or_else(|| format!("\"{}\" is not a pin, write it as {}", name, board.pin_name(0x16)))
    }

    /// Clips a channel of an analyzer to a pin.
    pub fn probe(&mut self, analyzer: usize, channel: u32, board: usize, pin: Pin) -> Result<(), String> {
        let index = self.check(board)?;
        let port = usize::from(pin >> 4);
        let seat = &self.seats[index];
        let levels = *seat
            .levels
            .get(port)
            .ok_or_else(|| format!("board {} has no {}", board, seat.board.pin_name(pin)))?;
        let now_ps = self.now_ps;
        self.analyzer(analyzer)?
            .probe(channel, index as u16, pin, levels >> (pin & 15) & 1 == 1, now_ps)?;
        self.seats[index].board.watch(pin);
        self.seats[index].past.watched.push(pin);
        Ok(())
    }

    /// Starts the sync line, whose source is `ppb` fast; before the first run.
    pub fn start_sync(&mut self, ppb: i64) -> Result<(), String> {
        if self.now_ps > 0 {
            return Err("the sync line starts before the first run".to_string());
        }
        if ppb.unsigned_abs() > 100_000_000 {
            return Err(format!("a clock error of {} ppb is beyond 10 %", ppb));
        }
        self.sync = Some(SyncLine::new(ppb));
        Ok(())
    }

    /// Clips a channel of an analyzer to the sync line.
    pub fn probe_sync(&mut self, analyzer: usize, channel: u32) -> Result<(), String> {
        let now_ps = self.now_ps;
        let level = self.sync.as_ref().map(SyncLine::level);
        match level {
            Some(level) => self.analyzer(analyzer)?.probe(channel, sync::BOARD, 0, level, now_ps),
            None => Err("the bench has no sync line, start it first".to_string()),
        }
    }

    /// Adds a fault of an analyzer; its times are the bench's.
    pub fn analyzer_fault(&mut self, analyzer: usize, kind: Kind, when: When) -> Result<(), String> {
        self.analyzer(analyzer)?.fault(kind, when)
    }

    /// Whether a fault has ended an analyzer, and all that it had seen is written.
    pub fn analyzer_ended(&mut self, analyzer: usize) -> Result<bool, String> {
        let now_ps = self.now_ps;
        Ok(self.analyzer(analyzer)?.ended(now_ps))
    }

    /// Ends an analyzer's capture; its number stays taken.
    pub fn stop_analyzer(&mut self, analyzer: usize) -> Result<(), String> {
        self.analyzer(analyzer)?.stop();
        Ok(())
    }

    /// Writes the next samples before now; returns bytes.
    pub fn samples(&mut self, analyzer: usize, buffer: &mut [u8]) -> Result<usize, String> {
        let now_ps = self.now_ps;
        Ok(self.analyzer(analyzer)?.fill(buffer, now_ps))
    }

    /// Writes the next edges before now in place of samples; returns how many.
    pub fn analyzer_edges(
        &mut self,
        analyzer: usize,
        samples: &mut [i64],
        levels: &mut [u64],
    ) -> Result<usize, String> {
        let now_ps = self.now_ps;
        Ok(self.analyzer(analyzer)?.edges(samples, levels, now_ps))
    }

    /// How many samples an analyzer has handed out, as samples or as edges.
    pub fn handed_out(&mut self, analyzer: usize) -> Result<u64, String> {
        Ok(self.analyzer(analyzer)?.handed_out())
    }
}
