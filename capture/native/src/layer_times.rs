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

#[cfg(test)]
mod tests {
    use super::*;

    fn cells<'a>(layers: &'a [i8; 256]) -> Cells<'a> {
        Cells {
            samples: &[10, 20, 30, 45, 50],
            nodes: &[1; 5],
            codes: &[0, 1, 2, 0, 0],
            packets: &[7, 7, 7, 7, 8],
            ways: &[0; 5],
            layers,
            columns: &[-1, -1, 0, 1],
            ways_count: 1,
            layers_count: 2,
            places: &[0],
            lowest: 7,
            width: 2,
        }
    }

    fn layers() -> [i8; 256] {
        let mut layers = [-1; 256];
        layers[..2].copy_from_slice(&[0, 1]);
        layers
    }

    #[test]
    fn residence_ends_where_the_next_layer_begins() {
        let (mut times, mut last) = ([0; 2], [0; 2]);
        assert_eq!(Some(()), cells(&layers()).residence(&[1, -1], &mut times, &mut last));
        assert_eq!([10, 0], times);
        assert_eq!(Some(()), cells(&layers()).residence(&[-1, -1], &mut times, &mut last));
        assert_eq!([35, 0], times);
    }

    #[test]
    fn self_times_are_of_the_layer_of_the_span_and_the_packet_of_its_own() {
        let mut times = [0; 2];
        let (spans, packet_spans) = ([0, 1, 2, 4, -1], [0, 0, 0, 4, -1]);
        assert_eq!(
            Some(()),
            cells(&layers()).self_times(&[1, 2, 4, 8, 16], &spans, &packet_spans, &mut times)
        );
        assert_eq!([1, 2], times);
    }

    #[test]
    fn a_table_that_is_too_small_is_refused() {
        assert_eq!(None, cells(&layers()).self_times(&[1], &[1], &[0], &mut [0]));
    }
}
