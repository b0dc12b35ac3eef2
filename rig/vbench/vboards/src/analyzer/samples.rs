//! Writing runs of equal samples.

/// Bytes of the block that long intervals are copied from.
const BLOCK: usize = 4096;

/// Writes one level over a slice at the speed of a memory copy.
pub fn fill_run(slice: &mut [u8], level: u16, unitsize: usize) {
    let [low, high] = level.to_le_bytes();
    if unitsize == 1 || low == high {
        slice.fill(low);
        return;
    }
    if slice.len() < 64 {
        for pair in slice.chunks_exact_mut(2) {
            pair[0] = low;
            pair[1] = high;
        }
        return;
    }
    let mut block = [0u8; BLOCK];
    let used = slice.len().min(BLOCK);
    for pair in block[..used].chunks_exact_mut(2) {
        pair[0] = low;
        pair[1] = high;
    }
    for chunk in slice.chunks_mut(BLOCK) {
        let bytes = chunk.len();
        chunk.copy_from_slice(&block[..bytes]);
    }
}
