//! Processor time, for examples that measure: what others take of the machine does not count.

use std::fs;

/// Nanoseconds that this process has been on a processor (Linux, Documentation/scheduler/sched-stats.rst).
pub fn processor_ns() -> Result<u64, String> {
    let path = "/proc/self/schedstat";
    let text = fs::read_to_string(path).map_err(|e| format!("cannot read {}: {}", path, e))?;
    let first = text.split_whitespace().next().unwrap_or("");
    first.parse().map_err(|_| format!("{} holds no time", path))
}
