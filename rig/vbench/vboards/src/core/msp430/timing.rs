//! Every cycle count of the core, with its source. SLAU049F: MSP430x1xx Family User's Guide, section 3.4.4.

/// Interrupt latency from acceptance to the first instruction of the handler (table 3-14; section 2.2.3).
pub const INTERRUPT: u64 = 6;
/// Return from interrupt (table 3-14).
pub const RETI: u64 = 5;
/// Reset (table 3-14: WDT reset 4, RST/NMI pin 4).
pub const RESET: u64 = 4;
/// Any jump, taken or not (section 3.4.4, format III).
pub const JUMP: u64 = 2;

/// How an operand is addressed, as far as time goes. Constants of the generators count as registers (section 3.2.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    Register = 0,
    /// `@Rn`
    Indirect = 1,
    /// `@Rn+` and `#N`
    Increment = 2,
    /// `X(Rn)`, `EDE`, `&EDE`
    Indexed = 3,
}

/// Destination of a two-operand instruction, as far as time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Register = 0,
    ProgramCounter = 1,
    Memory = 2,
}

/// Table 3-16: rows by source, columns by destination.
const DOUBLE: [[u64; 3]; 4] = [[1, 2, 4], [2, 2, 5], [2, 3, 5], [3, 3, 6]];
/// Table 3-15, RRA, RRC, SWPB, SXT; `#N` is not allowed there and counted as `@Rn+`.
const SHIFT: [u64; 4] = [1, 3, 3, 4];
/// Table 3-15, PUSH: `@Rn+` 5, `#N` 4.
const PUSH: [u64; 4] = [3, 4, 5, 5];
const PUSH_IMMEDIATE: u64 = 4;
/// Table 3-15, CALL.
const CALL: [u64; 4] = [4, 4, 5, 5];

#[inline(always)]
pub fn double(source: Source, target: Target) -> u64 {
    DOUBLE[source as usize][target as usize]
}

pub fn shift(source: Source) -> u64 {
    SHIFT[source as usize]
}

pub fn push(source: Source, immediate: bool) -> u64 {
    if immediate {
        PUSH_IMMEDIATE
    } else {
        PUSH[source as usize]
    }
}

pub fn call(source: Source) -> u64 {
    CALL[source as usize]
}

/// Cycle of an instruction in which a source operand in memory is read: after the opcode and an index, if any.
#[inline(always)]
pub fn source_read(source: Source) -> u64 {
    if source == Source::Indexed {
        2
    } else {
        1
    }
}

/// A result is written in the last cycle, a destination is read in the one before.
pub const WRITE_BEFORE_END: u64 = 1;
pub const READ_BEFORE_END: u64 = 2;
