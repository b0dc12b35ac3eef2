//! Self-time and residence of layers, by packet: `gpiorig.analysis.processor.layer_labels` has the rules.

const NONE: i64 = -1;

/// Events of a window, and of which cell of a table each is: row of the packet, column of the layer.
pub struct Cells<'a> {
    pub samples: &'a [i64],
    pub nodes: &'a [u16],
    pub codes: &'a [u8],
    /// Row of the packet, -1 none.
    pub packets: &'a [i32],
    /// What the node does with the packet, -1 nothing.
    pub ways: &'a [i8],
    /// Of every code its layer, -1 none.
    pub layers: &'a [i8; 256],
    /// By node, way and layer the column, -1 none.
    pub columns: &'a [i32],
    pub ways_count: usize,
    pub layers_count: usize,
    /// Place of each packet in the table, from the row `lowest` on, -1 for one that is not.
    pub places: &'a [i32],
    pub lowest: i64,
    pub width: usize,
}

impl Cells<'_> {
    /// The cell of an event: its layer from the event at `span`, all else from that at `packet`.
    fn cell(&self, span: usize, packet: usize) -> Option<usize> {
        let way = usize::try_from(*self.ways.get(packet)?).ok()?;
        let layer = usize::try_from(self.layers[usize::from(*self.codes.get(span)?)]).ok()?;
        let leg = usize::from(self.nodes[packet]) * self.ways_count + way;
        let column = usize::try_from(*self.columns.get(leg * self.layers_count + layer)?).ok()?;
        let offset = usize::try_from(i64::from(self.packets[packet]) - self.lowest).ok()?;
        let place = usize::try_from(*self.places.get(offset)?).ok()?;
        Some(place * self.width + column)
    }

    /// Add the time of each interval to the layer of its span; nothing where an array does not fit.
    pub fn self_times(&self, durations: &[i64], spans: &[i64], packet_spans: &[i64], times: &mut [i64]) -> Option<()> {
        for ((&took, &span), &packet_span) in durations.iter().zip(spans).zip(packet_spans) {
            if packet_span >= 0 {
                if let Some(cell) = self.cell(usize::try_from(span).ok()?, usize::try_from(packet_span).ok()?) {
                    *times.get_mut(cell)? += took;
                }
            }
        }
        Some(())
    }

    /// Write how long each packet was in each layer: from its first event of the layer to the first one of the layer
    /// that follows, or to its last one where there is no such.
    ///
    /// `followers` has the column that takes over from each, -1 none; `last` has a place for every cell.
    pub fn residence(&self, followers: &[i32], times: &mut [i64], last: &mut [i64]) -> Option<()> {
        let first = times;
        first.fill(NONE);
        last.fill(NONE);
        for (position, &sample) in self.samples.iter().enumerate() {
            if let Some(cell) = self.cell(position, position) {
                let begin = first.get_mut(cell)?;
                if *begin == NONE {
                    *begin = sample;
                }
                *last.get_mut(cell)? = sample;
            }
        }
        for (first, last) in first.chunks_mut(self.width.max(1)).zip(last.chunks(self.width.max(1))) {
            for column in 0..first.len() {
                let follower = usize::try_from(*followers.get(column)?).ok();
                let begin = first[column];
                // The column that follows is to the right: its first event still stands there.
                let end = match follower {
                    Some(after) if after > column && begin >= 0 && *first.get(after)? >= begin => first[after],
                    _ => last[column],
                };
                first[column] = end - begin;
            }
        }
        Some(())
    }
}
