//! What ends a run that cannot continue, and the reasons inside the core that lead there.

use std::fmt;

/// Why an instruction did not complete; becomes an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trap {
    Undefined,
    /// The T bit is clear: a branch to an even address.
    InvalidState,
    /// An exception return that matches no active exception, or a malformed one.
    InvalidReturn,
    Coprocessor,
    Unaligned,
    DivideByZero,
    /// A data access that nothing answers.
    Bus(u32),
    /// Lazy preservation of floating-point state failed there.
    Stacking(u32),
    /// An instruction fetch that nothing answers.
    Fetch,
    /// An instruction fetch from a device region, which is never executable.
    ExecuteNever,
    Svc,
    Breakpoint,
}

/// What put the core out of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// An exception inside HardFault or NMI, or with FAULTMASK set.
    Lockup,
    /// No usable vector table where reset looks for it.
    VectorTable,
    /// The vector of this exception cannot be read.
    Vector(u16),
}

/// A core that cannot continue: what happened and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    /// Instruction that could not be handled.
    pub pc: u32,
    /// Address of the access that failed, if that was the reason.
    pub address: Option<u32>,
    /// CFSR and HFSR at that moment; their bits name the reasons.
    pub cfsr: u32,
    pub hfsr: u32,
    /// Number of the exception that was running; 0 is thread mode.
    pub exception: u16,
    pub cycle: u64,
}

/// Names of the CFSR bits that this core sets (ARM DDI 0403E, section B3.2.15).
const CFSR_NAMES: [(u32, &str); 12] = [
    (1 << 0, "fetch from a region that is never executable (IACCVIOL)"),
    (1 << 8, "instruction fetch without an answer (IBUSERR)"),
    (1 << 9, "data access without an answer (PRECISERR)"),
    (1 << 11, "exception return with an unreadable stack (UNSTKERR)"),
    (1 << 12, "exception entry with an unwritable stack (STKERR)"),
    (1 << 13, "unwritable frame of floating-point state (LSPERR)"),
    (1 << 16, "undefined instruction (UNDEFINSTR)"),
    (1 << 17, "branch to an even address (INVSTATE)"),
    (1 << 18, "malformed exception return (INVPC)"),
    (1 << 19, "coprocessor or FPU instruction (NOCP)"),
    (1 << 24, "unaligned access (UNALIGNED)"),
    (1 << 25, "division by zero (DIVBYZERO)"),
];

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FaultKind::Lockup => write!(f, "core locked up")?,
            FaultKind::VectorTable => write!(f, "core cannot start: no vector table in flash")?,
            FaultKind::Vector(number) => write!(f, "core cannot read the vector of exception {number}")?,
        }
        write!(
            f,
            " at pc 0x{:08x}, cycle {}, in exception {}",
            self.pc, self.cycle, self.exception
        )?;
        if let Some(address) = self.address {
            write!(f, ", accessing 0x{address:08x}")?;
        }
        let mut separator = ": ";
        for (bit, name) in CFSR_NAMES {
            if self.cfsr & bit != 0 {
                write!(f, "{separator}{name}")?;
                separator = ", ";
            }
        }
        match self.kind {
            FaultKind::VectorTable => write!(f, "; load an image whose first two words are stack and reset vector"),
            _ => write!(f, "; look up the pc in the image's symbols, then reset the board"),
        }
    }
}

impl std::error::Error for Fault {}
